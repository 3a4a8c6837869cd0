"""What a verdict says, in Chinese: how a call ended, what is wrong, where, and what it looks like.

Longer phrases come before those that they hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Phrase = tuple[str, str | Callable[[re.Match[str]], str]]

NUMBER = r"([\d,]+)"
NAME = r"([\w.\[\]]+)"

ENDINGS: tuple[Phrase, ...] = (
    (r"the call was refused in (\S+) with status (\d+)", r"调用在 \1 中被拒绝，状态码 \2"),
    (r"the call was refused with status (\d+)", r"调用被拒绝，状态码 \1"),
    (r"the call failed in (\S+) with status (\d+)", r"调用在 \1 中失败，状态码 \2"),
    (r"the call failed with status (\d+)", r"调用失败，状态码 \1"),
    (
        r"the call crashed after ([\d.]+) s in (\S+) \(status (-?\d+)\)",
        r"调用在 \2 中 \1 秒后崩溃（状态码 \3）",
    ),
    (r"the call crashed after ([\d.]+) s", r"调用在 \1 秒后崩溃"),
    (r"the call timed out after ([\d.]+) s in (\S+)", r"调用在 \2 中超时（\1 秒）"),
    (r"the call timed out after ([\d.]+) s", r"调用超时（\1 秒）"),
    (r"the call ran out of memory", r"调用耗尽内存"),
    (r"the call completed with status (\d+)", r"调用完成，但状态码为 \1"),
    (r"not possible here, not judged", r"此处无法执行，未判定"),
    (
        r"(\d+) calls need more device memory, or another route",
        r"\1 次调用需要更多设备内存，或其他调用路径",
    ),
    (r"(\S+) at (\S+:\d+)$", r"\1，位于 \2"),
)

SHARES: tuple[Phrase, ...] = (
    (
        rf"{NUMBER} of {NUMBER} elements of {NAME} (?:was|were) never written",
        r"\3 的 \2 个元素中有 \1 个未写入",
    ),
    (
        rf"{NUMBER} of {NUMBER} elements of {NAME} (?:is|are) wrong",
        r"\3 的 \2 个元素中有 \1 个错误",
    ),
    (
        rf"{NUMBER} of {NUMBER} elements of {NAME} (?:was|were) not added in the promised order,"
        " though another order gives it",
        r"\3 的 \2 个元素中有 \1 个未按承诺的顺序累加（其他顺序可得到该值）",
    ),
    (
        rf"{NUMBER} of {NUMBER} elements of {NAME} are not what the document gives",
        r"\3 的 \2 个元素中有 \1 个与文档给出的值不符",
    ),
    (
        r"the values are right, but the machine reports (\d+) errors?, first (\S+)",
        r"数值正确，但模拟器报告 \1 个错误，首个为 \2",
    ),
    (r"the machine reports (\d+) errors?, first (\S+)", r"模拟器报告 \1 个错误，首个为 \2"),
    (rf"{NUMBER} bytes outside (\S+) were written", r"\2 之外有 \1 个字节被写入"),
    (r"inputs were changed: ", r"输入被修改："),
    (r"it must be refused with status (\d+)", r"应被拒绝，状态码应为 \1"),
    (r"refused with status (\d+), as it must be", r"按要求被拒绝，状态码 \1"),
    (r"refused with status (\d+)( \(.*\))?, must be (\d+)", r"被拒绝的状态码为 \1\2，应为 \3"),
    (r"the device process died of signal (\d+)", r"设备进程因信号 \1 终止"),
    (r"the device did not say how much of (\S+) was written", r"设备未报告 \1 的写入情况"),
    (r"the device returned no output (\S+)", r"设备未返回输出 \1"),
    (r"the device returned (\S+), which is no output", r"设备返回了并非输出的 \1"),
    (
        r"guard zone of (\S+): (\d+) bytes changed, from offset (-?\d+)",
        r"\1 的保护区：自偏移 \3 起有 \2 个字节被修改",
    ),
    (
        r"guard zone of (\S+): (\d+) bytes changed, from (\d+) bytes before its start",
        r"\1 的保护区：自起始处前 \3 字节起有 \2 个字节被修改",
    ),
    (r"input (\S+) holds other bytes than before", r"输入 \1 的内容被修改"),
    (r"and (\d+) more diagnostics", r"另有 \1 条诊断"),
    (r"the launch of (\S+) with (\d+) blocks?", r"以 \2 个核启动 \1"),
    (r" failed, and the call answered 0: ", r"失败，而调用返回 0："),
    (r" failed, and torch_npu raised nothing: ", r"失败，而 torch_npu 未报错："),
    (
        r"a launch needs a kernel and 1 to (\d+) blocks; this one has (\d+)",
        r"启动需要一个 Kernel 和 1 至 \1 个核，此次为 \2",
    ),
)

WORST: tuple[Phrase, ...] = (
    (r"first wrong element: ", r"首个错误元素："),
    (r"legal but off the order: ", r"合法但不符合声明的顺序："),
    (r"worst element: ", r"偏差最大的元素："),
    (r"; the declared order gives ", r"；按声明的顺序应为 "),
    (r" is (0x[0-9a-f]+ \([^)]*\)), accepted: ", r" 为 \1，允许："),
    (r" is (.+?), must be (.+)$", r" 为 \1，应为 \2"),
    (r" to (0x[0-9a-f]+ \([^)]*\)), ([\d,]+) values", r" 至 \1，共 \2 个值"),
    (r" alone$", r"（唯一值）"),
    (r"added were ", r"参与累加："),
    (r"\(slot (\d+)\)", r"（槽 \1）"),
    (
        r"exact sum (\S+), sum of magnitudes (\S+), (\d+) nonzero terms?, unit roundoff (\S+), error bound (\S+)",
        r"精确和 \1，绝对值之和 \2，非零项 \3 个，单位舍入 \4，误差界 \5",
    ),
    (r"certificate: every order gives the same sum", r"已证明：任意顺序之和相同"),
    (r"interval: the order may matter", r"区间判定：顺序可能有影响"),
    (r"every order was tried: (\d+) trees", r"已穷举全部顺序：\1 棵树"),
    (r"infinite or NaN terms decide", r"由无穷或 NaN 项决定"),
)

PLACES: tuple[Phrase, ...] = (
    (r"pattern: ", r"分布："),
    (r"order drift: ", r"顺序偏离："),
    (r"all elements", r"全部元素"),
    (r"one element, row (\d+), column (\d+)", r"一个元素，第 \1 行第 \2 列"),
    (
        r"everything from row (\d+), column (\d+) on in memory order, (\d+) elements",
        r"按内存顺序自第 \1 行第 \2 列起的全部 \3 个元素",
    ),
    (
        r"one run of (\d+) elements in memory order, from row (\d+), column (\d+) to row (\d+), column (\d+)",
        r"按内存顺序连续的 \1 个元素，自第 \2 行第 \3 列至第 \4 行第 \5 列",
    ),
    (r"(\d+) elements scattered over ", r"\1 个元素，分散于"),
    (r", the last ones", r"，即末尾各行"),
    (r"every (\d+)(?:st|nd|rd|th) row from row (\d+) on", r"自第 \2 行起每 \1 行一行"),
    (
        r"what core (\d+) of (\d+) does if the rows are shared in order",
        r"即按顺序均分时核 \1（共 \2 核）所处理的行",
    ),
    (r"the last partial 32 bytes of a row", r"即每行末尾不足 32 字节的部分"),
    (r"the end of a row from a multiple of 32 bytes on", r"即自 32 字节整数倍处起的行尾"),
    (r"the end of a row", r"即行尾"),
    (r"one tile, if tiles are (\d+) columns wide", r"若分块宽 \1 列，则恰为一个分块"),
    (
        r"every (\d+)(?:st|nd|rd|th) column, as if once in each tile",
        r"每 \1 列一列，似每个分块一次",
    ),
    (r"every (\d+)(?:st|nd|rd|th) column", r"每 \1 列一列"),
    (r"all rows that add from (\S+) and no other", r"恰为累加 \1 的全部行"),
    (r"all rows that add row (\d+) of (\S+) and no other", r"恰为累加 \2 第 \1 行的全部行"),
    (r"columns? (\d[\d., ]*\d|\d)( and \d+ more)? of every row", r"每行的第 \1 列\2"),
    (r" of every row", r"（每一行）"),
    (r"whole rows? (\d[\d., ]*\d|\d)( and \d+ more)?", r"整行错误：第 \1 行\2"),
    (r"columns? ([\d., ]*\d)", r"列 \1"),
    (r"rows? ([\d., ]*\d)", r"行 \1"),
    (r" and (\d+) more", r"及另外 \1 个"),
    (r"(?<=\d)\.\.(?=\d+[, \d.]* (?:列|行))", r"–"),
    (r" and (?=列 )", " 与"),
)

PHRASES: tuple[Phrase, ...] = (*ENDINGS, *SHARES, *WORST, *PLACES)
