"""What a run says on one screen (conformance/text/one_screen.py), in Chinese."""

from __future__ import annotations

from conformance.text.chinese.verdicts import Phrase

PHRASES: tuple[Phrase, ...] = (
    (
        r"^coverage: ([\d,]+) of ([\d,]+) (?:levels|pairs of levels|triples of levels|combinations of"
        r" levels) and ([\d,]+) of ([\d,]+) edges of tilings judged",
        r"覆盖：\2 个水平组合判定 \1 个，\4 个切分边界判定 \3 个",
    ),
    (
        r"^coverage: ([\d,]+) of ([\d,]+) (?:levels|pairs of levels|triples of levels|combinations of"
        r" levels) judged",
        r"覆盖：\2 个水平组合判定 \1 个",
    ),
    (
        r"^worst headroom: the smallest share .*; 0\.0% is as right as 100%$",
        r"最小误差余量：正确元素未用到的可接受误差的最小比例；0.0% 与 100% 同样正确",
    ),
    (r"^order of additions: as declared in (\d+) operators?", r"累加顺序：\1 个算子与声明一致"),
    (
        r"^order of additions: found in (\d+) that declares? none",
        r"累加顺序：\1 个未声明的算子已测得顺序",
    ),
    (r", found in (\d+) that declares? none", r"，\1 个未声明的算子已测得顺序"),
    (r"^quarantine: ([\d,]+) calls? observed, not judged", r"隔离观察：\1 次调用，不作判定"),
    (r", answered as in the run before", r"，结果与上次运行相同"),
    (r", of which (\d+) answered otherwise in the run before", r"，其中 \1 次与上次运行不同"),
    (r"\(`--verbose` lists them\)$", r"（`--verbose` 逐条列出）"),
    (
        r"^changed since the run before: in quarantine: (.*?): ",
        r"与上次运行不同：隔离观察：\1：",
    ),
    (
        r"^changed since the run before: (\S+): ([\d,]+) cases, before ([\d,]+)$",
        r"与上次运行不同：\1：用例 \2 个，上次 \3 个",
    ),
    (r"^  before: ", r"  上次："),
)
