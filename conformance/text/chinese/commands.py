"""What the front door says of runs, in Chinese."""

from __future__ import annotations

import re

from conformance.text.chinese.verdicts import Phrase

RUNS: tuple[Phrase, ...] = (
    (r"^called: the suite's own kernels", r"调用：本套件自带的 kernel"),
    (r"^called: the kernels in ", r"调用：kernel 目录 "),
    (r"^called: CANN's own operators", r"调用：CANN 自带算子"),
    (r"^called: the libraries in ", r"调用：库目录 "),
    (r"^called: the package in ", r"调用：算子包 "),
    (r"^called: the checkout ", r"调用：检出目录 "),
    (r"^called: ", r"调用："),
    (
        r"^(\d+) cards? (?:is|are) free: (\d+) process(?:es judge| judges), not (\d+)$",
        r"空闲卡 \1 张：由 \2 个进程判定，而非 \3 个",
    ),
    (r"^device: simulated (\S+), (\d+) vector cores", r"设备：模拟 \1，\2 个矢量核"),
    (r"^device: ", r"设备："),
    (
        r"^run: (\d+) operators; route (\w+), profile (\w+), seed (\d+)",
        r"运行：\1 个算子；调用路径 \2，档位 \3，种子 \4",
    ),
    (
        r"^run: (.*); route (\w+), profile (\w+), seed (\d+)$",
        r"运行：\1；调用路径 \2，档位 \3，种子 \4",
    ),
    (r"^not on route (\w+): (.*) \(on route (\w+)\)$", r"调用路径 \1 不支持：\2（见调用路径 \3）"),
    (r"^not reachable on route (\w+): (\w+) \((.*)\)$", r"调用路径 \1 无法到达：\2（\3）"),
    (
        r"it is not reachable on route (\w+): ",
        r"调用路径 \1 无法到达：",
    ),
    (r"none of its modes is called there$", r"该路径上没有可调用的模式"),
    (r"only route (\w+(?: and \w+)*) calls it$", r"仅可由调用路径 \1 调用"),
    (r"no part of it is in package (\S+)$", r"算子包 \1 中没有其任何部分"),
    (r"^not in the package: ", r"算子包中没有："),
    (r"^not in the checkout: ", r"代码仓中没有："),
    (r"^no record, not judged: ", r"没有算子记录，未判定："),
    (r"\bit is not in (\S+)$", r"\1 中没有它"),
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
    (r"^not judged: ", r"未判定："),
    (
        r"^boundaries of (\S+): (\d+) of (\d+) sizes are not where the record draws its cases",
        r"\1 的边界：\3 处中有 \2 处与记录不符",
    ),
    (r"^(\d+) more failed items: ", r"另有 \1 个失败项："),
    (r"^ *and (\d+) more regressions$", r"    另有 \1 个回归用例"),
    (r" ended without a verdict:$", r" 未得出判定即结束："),
    (r"^the device or its environment failed: ", r"设备或环境故障："),
    (r"pytest ended before it had summed the run up", r"pytest 在汇总本次运行之前已结束"),
    (r"of the same diagnosis: (\d+) items?: ", r"同一诊断：另有 \1 项："),
    (r"of the same error: (\d+) items?: ", r"同一错误：另有 \1 项："),
    (r"^tracebacks: ", r"回溯信息："),
    (r"^a record or the suite failed: ", r"算子记录或本套件出错："),
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
    (
        r"^judging for (\d+) min: ([\d,]+) of about ([\d,]+) verdicts(?:, ([\d,]+) failed)?",
        lambda m: (
            f"已判定 {m[1]} 分钟：约 {m[3]} 个判定中的 {m[2]} 个"
            + (f"，{m[4]} 个未通过" if m[4] else "")
        ),
    ),
    (r"^waiting for the run that is ending in (.+)", r"等待 \1 中的运行结束"),
    (r"^nothing to go on with in (.+): the run begins", r"\1 中没有可续跑的内容：运行从头开始"),
    (r"^interrupted: what was judged is summed up", r"已中断：正在汇总已判定的结果"),
    (r"^cut short by the budget: (\d+) items?: ", r"因时间预算未做完：\1 项："),
    (r"^not reached: (\d+) items?: ", r"未执行：\1 项："),
    (
        r" in (\d+) of (\d+) declared cells in (\d+) s; evidence: ",
        r"，已声明 \2 个单元中的 \1 个，用时 \3 秒；证据：",
    ),
    (r" in (\d+) s; evidence: ", r"，用时 \1 秒；证据："),
    (
        r"^accepted as far as the budget went: ([\d,]+) distinct cases",
        r"在时间预算内通过：\1 个不同用例",
    ),
    (r"^accepted: ([\d,]+) distinct cases", r"通过：\1 个不同用例"),
    (r"^failed: ([\d,]+) distinct cases", r"未通过：\1 个不同用例"),
    (r"^incomplete: ([\d,]+) distinct cases", r"未完成：\1 个不同用例"),
    (r"^nothing to judge: ([\d,]+) distinct cases", r"无可判定的用例：\1 个不同用例"),
    (r"^interrupted: ([\d,]+) distinct cases", r"已中断：\1 个不同用例"),
    (r"^environment failed: ([\d,]+) distinct cases", r"环境故障：\1 个不同用例"),
    (r"^interrupted: nothing was judged yet", r"已中断：尚未判定任何用例"),
    (r"^interrupted$", r"已中断"),
    (r"^report: ", r"报告："),
    (r"^error: ", r"错误："),
    (r"; did you mean (\S+)\?$", r"；是否指 \1？"),
    (r"^nothing was judged: ", r"未判定任何用例："),
    (r"no item is selected by: ", r"以下参数未选中任何测试项："),
    (r": accepted; ", r"：通过；"),
    (
        r"(\d+) elements, (?:all|(\d+)) bit-exact",
        lambda m: f"{m[1]} 个元素，{'全部' if m[2] is None else m[2] + ' 个'}逐位一致",
    ),
    (
        r"^bundle: (\d+) files are as they were written (\S+); seen on simulated (\S+), (\d+) vector cores",
        r"复现包：\1 个文件与 \2 写入时一致；当时设备为模拟 \3，\4 个矢量核",
    ),
    (r", seed (\d+) of profile (\w+)$", r"，种子 \1，档位 \2"),
    (r"^bundle: the outputs are those of then, byte for byte", r"复现包：输出与当时逐字节一致"),
    (r"^bundle: the accepted patterns are those that it stores", r"复现包：允许值与包中所存一致"),
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
    (r"^no baseline in ", r"没有基线："),
    (
        r"^(\d+) named calls fail in it; each needs a waiver still$",
        r"其中 \1 个具名调用未通过，仍各需一条豁免",
    ),
    (r"^baseline (\S+): (.*), profile (\w+)$", r"基线 \1：\2，档位 \3"),
    (r"^  accepted by (.*?), (\S+) \(commit (\w+)\): ", r"  由 \1 于 \2 接受（提交 \3）："),
    (r"^  accepted by (.*?), (\S+): ", r"  由 \1 于 \2 接受："),
    (
        r"^  (\d+) cells, ([\d,]+) cases; (\d+) named calls, of which (\d+) fail$",
        r"  \1 个单元，\2 个用例；\3 个具名调用，其中 \4 个未通过",
    ),
    (
        r"^  order of additions: (\S+): (.*) \((\d+) dtypes and lengths\)$",
        r"  累加顺序：\1：\2（\3 种数据类型与长度）",
    ),
    (r"^  measured: ", r"  实测确认："),
    (r"^version (\d+) in (\S+): ([\d,]+) bytes$", r"版本 \1，位于 \2：\3 字节"),
    (r"^regression: (\S+) \(([\d,]+) bytes\); commit it$", r"回归用例：\1（\2 字节），请提交"),
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
