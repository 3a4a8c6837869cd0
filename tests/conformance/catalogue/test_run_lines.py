"""What stands beside a run's table, in both languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from conformance.catalogue.message import within
from conformance.evidence.coverage import Coverage, Further
from conformance.evidence.kernel_coverage import FileCoverage
from conformance.evidence.lines import OrderLine
from conformance.evidence.summary import Cell, Evidence
from conformance.evidence.tiling_keys import TilingKeys
from conformance.text import one_screen, terminal


def covered(tuples: int = 6, *, levels: bool = True) -> Coverage:
    return Coverage(
        operator="moe_x",
        mode="m",
        dtype="f",
        strength=2,
        levels={"x": {"y": 1}} if levels else {},
        tuples=tuples,
        missing=["x y, z w", "x y, z v"],
    )


def order(operator: str, as_declared: bool | None) -> OrderLine:
    return OrderLine(
        worker="main",
        operator=operator,
        dtype="f",
        slots=3,
        order="sequential",
        as_declared=as_declared,
    )


def lines(evidence: Evidence) -> Iterator[str]:
    yield from terminal.coverage_lines(evidence)
    yield from one_screen.order_line(evidence)
    yield from terminal.impossible_lines(evidence)
    yield from terminal.tiling_key_lines(evidence)
    yield from terminal.kernel_lines(evidence)


MORE = [
    Further(profile="gate", edges=1049, strength=3, tuples=14),
    Further(profile="nightly", edges=1, strength=3, tuples=0),
]
KEYS = TilingKeys(operator="moe_x", cases={1: 2000, 7: 1}, asked=(1, 2))
FILE = FileCoverage(
    file="a.cpp",
    lines=4,
    lines_run=3,
    branches=2,
    branches_run=2,
    missed_lines=[7],
    missed_branches=[8, 9],
)


@pytest.mark.parametrize(
    ("evidence", "english", "chinese"),
    [
        (
            Evidence(coverage=[covered()], further=MORE),
            [
                "discrete cells: 4 of 6 pairs of levels judged; fewest cases: 1 (x y, m f)",
                "larger profiles: gate judges 1,049 more edges and 14 triples of levels; nightly"
                " judges 1 more edge",
                "not judged: m f: x y, z w",
                "not judged: m f: x y, z v",
            ],
            [
                "离散单元：取值对共 6 个，已判定 4 个；用例最少者 1 个（x y, m f）",
                "更大的档位：gate 多判定 1,049 处边界和 14 个取值三元组；nightly 多判定 1 处边界",
                "未判定：m f：x y, z w",
                "未判定：m f：x y, z v",
            ],
        ),
        (
            Evidence(coverage=[covered(1006, levels=False)], further=[]),
            [
                "discrete cells: 1,004 of 1,006 pairs of levels judged",
                "not judged: m f: x y, z w",
                "not judged: m f: x y, z v",
            ],
            [
                "离散单元：取值对共 1,006 个，已判定 1,004 个",
                "未判定：m f：x y, z w",
                "未判定：m f：x y, z v",
            ],
        ),
        (
            Evidence(orders=[order("moe_x", True), order("moe_y", None)]),
            [
                "order of additions: as declared in 1 operator, found in 1 that declares none"
                " (`--verbose` lists them)"
            ],
            ["累加顺序：1 个算子与声明一致，1 个未声明的算子已测得顺序（`--verbose` 逐条列出）"],
        ),
        (
            Evidence(cells=[Cell(operator="a", mode="b", dtype="c", impossible=3)]),
            [
                "not possible here, not judged: a-b-c: 3 calls that the route cannot"
                " express, its CANN may not carry out, or the device has no memory for"
            ],
            [
                "此处无法执行，未判定：a-b-c：3 次调用无法以该调用路径表达、CANN 版本未必支持，"
                "或设备内存不足"
            ],
        ),
        (
            Evidence(tiling_keys=[KEYS], kernel_coverage=[FILE]),
            [
                "cases by tiling key: moe_x: 1: 2,000, 7: 1",
                "  1 of 2 keys of the kernel; no case: 2",
                "  keys that the kernel does not ask for: 7",
                "kernel coverage: a.cpp: 75% of 4 lines, 100% of 2 branches",
                "  lines not run: 7",
                "  lines with a branch not taken: 8, 9",
            ],
            [
                "各 Tiling 键的用例数：moe_x：1: 2,000、7: 1",
                "  Kernel 的 2 个键中到达 1 个；无用例：2",
                "  Kernel 未使用的键：7",
                "Kernel 覆盖率：a.cpp：4 行的 75%，2 个分支的 100%",
                "  未执行的行：7",
                "  有分支未走到的行：8、9",
            ],
        ),
    ],
    ids=["cells", "more cells", "orders", "impossible", "kernels"],
)
def test_lines_beside_the_table(
    evidence: Evidence, english: Iterable[str], chinese: Iterable[str]
) -> None:
    assert [*lines(evidence)] == english
    assert [within(line, "zh") for line in lines(evidence)] == chinese
