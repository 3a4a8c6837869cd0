"""What is told of folders that contradict themselves and of files that are none, in Chinese."""

from __future__ import annotations

import re

from conformance.text.chinese.verdicts import Phrase

INSTEAD = {
    "folder": "文件夹",
    "pipe": "管道",
    "device": "设备",
    "socket": "套接字",
    "link": "链接",
}


def _missing(found: re.Match[str]) -> str:
    lines = found[1] if found[1] == found[2] else f"{found[1]} 至 {found[2]}"
    return f"{'末尾' if found[3] == 'at its end' else '其前'}缺少运行的第 {lines} 行"


def _instead(found: re.Match[str]) -> str:
    return f"是{INSTEAD[found[1]]}，不是普通文件"


PHRASES: tuple[Phrase, ...] = (
    (r"corrupted: (\d+) more of this kind", r"已损坏：同类另有 \1 处"),
    (r"(evidence\.\S+), line (\d+): ", r"\1 第 \2 行："),
    (r"lines (\d+) to (\d+) of the run are missing (at its end|before it)", _missing),
    (r"line ((\d+)) of the run is missing (at its end|before it)", _missing),
    (r"it was changed$", r"已被改动"),
    (r"it is line (\d+) of the run, out of its place", r"这是运行的第 \1 行，不在原位"),
    (r"it has no link to the line before: no run wrote it", r"没有与上一行的链接：并非运行所写"),
    (r"it was added after the run had ended", r"是运行结束之后添加的"),
    (r": its last line is not that of the run", r"：末行不是运行所写的那一行"),
    (r"(evidence\.\S+) is missing$", r"缺少 \1"),
    (r"(evidence\.\S+) is no file of this run", r"\1 不是这次运行的文件"),
    (r"has no seal, though the run says that it ended", r"没有封印，而运行自称已结束"),
    (r": its seal was changed", r"：封印已被改动"),
    (r": missing from it after the run had ended: ", r"：运行结束之后丢失的字段："),
    (r": added to it after the run had ended: ", r"：运行结束之后添加的字段："),
    (r": changed in it after the run had ended: ", r"：运行结束之后被改动的字段："),
    (r"(\S+): a verdict of it is in quarantine and not ok", r"\1：有处于隔离而未通过的判定"),
    (
        r"(\S+) has a verdict in quarantine as (.*), which is no call of it",
        r"\1 有以 \2 之名隔离的判定，而它没有这样的调用",
    ),
    (r"(\S+) has a verdict that is not ok and does not say why", r"\1 有未说明原因的未通过判定"),
    (r"(\S+) has an accepted verdict that says what is wrong", r"\1 有写着错误的通过判定"),
    (
        r"(\S+) ended as refused, and no verdict of it failed",
        r"\1 以未通过结束，却没有未通过的判定",
    ),
    (r"(\S+) ended as refused, and its failure is not told", r"\1 以未通过结束，却没有记录其失败"),
    (r"(\S+) ended as (\w+) after a verdict that failed", r"\1 在判定未通过之后以 \2 结束"),
    (r"(\S+) is told as failed, and no verdict of it failed", r"\1 记为失败，却没有未通过的判定"),
    (
        r"(\S+): its verdict and its failure say otherwise which clauses are unconfirmed",
        r"\1：判定与失败记录对哪些条款未经确认说法不一",
    ),
    (
        r"of (\S+) the summary has (.*), the lines of its verdicts have ",
        r"关于 \1，汇总为：\2；各行判定为：",
    ),
    (r"the summary has (\d+) cases, its cells have (\d+)", r"汇总有 \1 个用例，各单元合计 \2 个"),
    (
        r"the failure of (\S+) is in the lines and not in the summary",
        r"\1 的失败见于各行，而不见于汇总",
    ),
    (
        r"the failure of (\S+) is in the summary and not in the lines",
        r"\1 的失败见于汇总，而不见于各行",
    ),
    (
        r"the failure of (\S+) is another in the summary than in the lines",
        r"\1 的失败在汇总与各行中不同",
    ),
    (r"(\S+) has verdicts, and it is not told how it ended", r"\1 有判定，却未说明如何结束"),
    (
        r"evidence\.json does not say which items the run had",
        r"evidence.json 没有说明这次运行有哪些测试项",
    ),
    (
        r"the run had (\d+) items, (\w+), and it is told what became of (\d+) items, (\w+)",
        r"运行有 \1 个测试项（\2），而有结果的是 \3 个（\4）",
    ),
    (
        r"the coverage of (\S+): (.*) is told as met, and no line shows it",
        r"\1 的覆盖情况：记 \2 为已覆盖，而没有一行体现它",
    ),
    (
        r"the coverage of (\S+): (\d+) combinations are told as shown, the lines show (\d+)",
        r"\1 的覆盖情况：记 \2 个组合为已体现，而各行体现 \3 个",
    ),
    (r"(\w+) of the summary lacks (\d+) of what the lines have", r"汇总的 \1 比各行少 \2 项"),
    (
        r"(\d+) cases, (\d+) failed, (\d+) of (\d+) elements bit-exact",
        r"\1 个用例，\2 个未通过，\4 个元素中 \3 个逐位一致",
    ),
    (r"it is (?:a|an) (folder|pipe|device|socket|link), no plain file", _instead),
    (r"it has ([\d,]+) bytes; at most ([\d,]+) are read", r"有 \1 字节，最多读取 \2 字节"),
)
