"""What the front door says of runs, in Chinese."""

from __future__ import annotations

import re

from conformance.text.chinese.verdicts import Phrase

RUNS: tuple[Phrase, ...] = (
    (r"\bit does not build: ", r"无法编译："),
    (r": (\S+) has no (op_host|op_kernel)$", r"：\1 缺少 \2"),
    (r"no function of torch_npu calls it", r"torch_npu 没有调用它的函数"),
    (r"^building the simulator and (\d+) kernels?: ", r"正在编译模拟器及 \1 个 Kernel："),
    (r"^building (\d+) kernels?: ", r"正在编译 \1 个 Kernel："),
    (r"^built (.*) in ([\d.]+) s$", r"编译完成：\1，用时 \2 秒"),
    (r"carried out as the contract says", r"执行结果与契约一致"),
    (r"carried out, of which the reference says nothing: ", r"已执行，参考实现未作规定："),
    (r"; outputs of sha256 ", r"；输出的 sha256 为 "),
    (r": otherwise: ", r"：与参考实现不同："),
    (r" \[in doubt: ", r" [存疑："),
    (
        r"^boundaries of (\S+): (\d+) of (\d+) sizes are not where the record draws its cases",
        r"\1 的边界：\3 处中有 \2 处与记录不符",
    ),
    (r"pytest ended before it had summed the run up", r"pytest 在汇总本次运行之前已结束"),
    (
        r"an error of a record or of the suite, not of a kernel: ",
        r"算子记录或本套件的错误，与内核无关：",
    ),
    (
        r"the record of (\S+) and its formula disagree on output (\S+)",
        r"\1 的记录与其公式对输出 \2 不一致",
    ),
    (
        r"the record of (\S+) and its formula disagree on a case",
        r"\1 的记录与其公式对某个用例不一致",
    ),
    (
        r"in (\S+), (\S+): the case has (\S*\[.*\]), the formula gives (\S*\[.*\])$",
        r"\1，\2：用例为 \3，公式给出 \4",
    ),
    (r"in (\S+), (\S+): the formula has no such output$", r"\1，\2：公式没有该输出"),
    (r"in (\S+), (\S+): its formula rejects it: ", r"\1，\2：其公式拒绝该用例："),
    (r"the record: ", r"记录："),
    (r"raised at (\S+:\d+), in (\S+)$", r"抛出位置：\1，函数 \2"),
    (r"no kernel was judged by it$", r"未据此判定任何内核"),
    (r"its bundle is the case alone:", r"复现包中仅有该用例："),
    (r"^waiting for the run that is ending in (.+)", r"等待 \1 中的运行结束"),
    (r": accepted; ", r"：通过；"),
    (
        r"(\d+) elements, (?:all|(\d+)) bit-exact",
        lambda m: f"{m[1]} 个元素，{'全部' if m[2] is None else m[2] + ' 个'}逐位一致",
    ),
    (
        r"^(\s*)(called|another implementation): (.*)$|"
        r"^(\s*)called was (.*)(: to call it again, run this item again)$",
        lambda m: _called(m),
    ),
    (r"^rebuilt since: ", r"此后已重新编译："),
    (r"(\S+) was ([0-9a-f]{16}), is ([0-9a-f]{16})", r"\1 原为 \2，现为 \3"),
    (r"(\S+) was ([0-9a-f]{16}), is not there", r"\1 原为 \2，现已不存在"),
    (r"(\S+) was not there, is ([0-9a-f]{16})", r"\1 原先没有，现为 \2"),
    (r"^the case does not say on what it failed$", r"该用例未记录当时失败的实现"),
    (
        r"the implementation that failed is not here: (.*): (.*)\. Name it by (.*), or name another"
        r" one by (--libraries, --package, --kernels or --own-kernels) \(the suite's own\)$",
        lambda m: (
            f"此处没有当时失败的实现：{_implementation(m[1])}：{_absent(m[2])}。用 {_absent(m[3])} 指明它，"
            f"或用 {m[4].replace(' or ', ', ')} 指明另一实现（最后一项为套件自带）"
        ),
    ),
    (r"the suite's own kernels", r"本套件自带的 kernel"),
    (r"the kernels in ", r"kernel 目录 "),
    (r"CANN's own operators", r"CANN 自带算子"),
    (r"the libraries in ", r"库目录 "),
    (r"the package in ", r"算子包 "),
    (r"the checkout ", r"检出目录 "),
)

IMPLEMENTATIONS = (
    ("the suite's own kernels", "套件自带的 kernel"),
    ("the kernels in ", "kernel 目录 "),
    ("CANN's own operators", "CANN 自带的算子"),
    ("the libraries in ", "库目录 "),
    ("the package in ", "算子包 "),
    ("the checkout ", "源码目录 "),
    (", a device of a pytest plugin", "（pytest 插件的设备）"),
    ("a device that names neither itself nor its libraries", "未说明自身及其库的设备"),
)
ABSENT = (
    ("a replay opens no plugin's device", "复现命令无法打开插件的设备"),
    ("there is no such folder", "该目录不存在"),
    ("the folder lies in the bundle", "该目录位于复现包内"),
    ("this device calls ", "此设备调用的是"),
    (" is another user's, or others may write it", " 属于其他用户，或可被他人写入"),
    (", the folder of its records", "（其算子记录所在目录）"),
    ("pytest, which runs the failed item again", "pytest（重新运行失败的测试项）"),
)


def _implementation(words: str) -> str:
    for english, chinese in IMPLEMENTATIONS:
        words = words.replace(english, chinese)
    return words


def _absent(words: str) -> str:
    for english, chinese in ABSENT:
        words = words.replace(english, chinese)
    return _implementation(words)


def _called(said: re.Match[str]) -> str:
    """What was called, and what it was called in place of."""
    if said[2] is None:
        return f"{said[4]}实际调用的是 {_implementation(said[5])}：请重新运行该测试项以再次调用"
    if said[2] == "called":
        return f"{said[1]}实际调用：{_implementation(said[3])}"
    now, _, failed = said[3].partition(" instead of ")
    return f"{said[1]}并非同一实现：{_implementation(now)}，而非 {_implementation(failed)}"


OTHERS: tuple[Phrase, ...] = (
    (r"simulated (\S+), (\d+) vector cores", r"模拟 \1，\2 个矢量核"),
    (r"in order of (\S+): the additions form the tree", r"\1 的累加树为"),
    (
        r"with (\S+) in slot (\d+), its negative in slot (\d+) and (\S+) elsewhere the sum is (\S+), which counts no slots from (\d+) to (\d+)",
        r"槽 \2 置 \1、槽 \3 置其相反数、其余置 \4 时和为 \5，不对应 \6 至 \7 之间的任何槽数",
    ),
    (
        r"the additions form the tree (\S+), but of (\d+) random columns additions rounded to nearest in that order do not give the bits of: ",
        r"累加树为 \1，但在 \2 个随机列中，按该顺序就近舍入与实际比特不符者：",
    ),
    (r"unrecoverable \(K=", r"无法还原 (K="),
    (r"the record declares another order", r"记录声明的是另一顺序"),
)

PHRASES: tuple[Phrase, ...] = (*RUNS, *OTHERS)
