"""What a run prints at its end fits one screen, and says first what is otherwise than before."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.catalogue.message import LANGUAGES
from conformance.cli.result import tell
from conformance.errors import ACCEPTED, REFUSED
from conformance.evidence.coverage import Coverage
from conformance.evidence.lines import DeviceLine, OrderLine
from conformance.evidence.summary import REJECTIONS, RELATIONS, Cell, Evidence
from conformance.record.functions import ALL_CORRECT, UNKNOWN, Functions
from conformance.text.language import Speaking
from conformance.text.one_screen import beside, unbounded_lines
from tests.snapshots import both_pinned

SNAPSHOTS = Path(__file__).parent / "snapshots"
OPERATORS = [f"operator_{number}" for number in range(12)]
MODES, DTYPES = ("whole", "tail"), ("float16", "bfloat16", "float32")
DOUBT = "operator_0, whole, float32, no tokens: "


def cells_of(operator: str) -> list[Cell]:
    """Cells with 100 cases each, and 20 calls that must be rejected."""
    own = [
        Cell(operator=operator, mode=mode, dtype=dtype, cases=100, elements=1000, exact=995)
        for mode in MODES
        for dtype in DTYPES
    ]
    beside = [
        Cell(operator=operator, mode=REJECTIONS, dtype="", cases=20),
        Cell(operator=operator, mode=RELATIONS, dtype="", cases=9),
    ]
    return own + beside


def order(operator: str, **changed: Any) -> OrderLine:
    told: dict[str, Any] = {"order": "sequential", "as_declared": True, **changed}
    return OrderLine(worker="main", operator=operator, dtype="float32", slots=3, **told)


RUN = Evidence(
    status="finished",
    exit_status=ACCEPTED,
    profile="smoke",
    route="aclnn",
    operators=OPERATORS,
    cases=12 * 629,
    declared=72,
    selected=72,
    cells=[cell for operator in OPERATORS for cell in cells_of(operator)],
    coverage=[
        Coverage(
            operator=operator,
            mode="whole",
            dtype="float16",
            strength=2,
            levels={"fruit": {"apple": 7}},
            tuples=1000,
            edges={"hidden = tile": 3},
        )
        for operator in OPERATORS
    ],
    orders=[order(operator) for operator in OPERATORS[:6]],
    observed=[f"{DOUBT}carried out", "operator_1, whole, float32, two rows of one: refused"],
)


def told(evidence: Evidence, language: str = "en", **how: Any) -> list[str]:
    """The lines of a run's end."""
    console = Speaking(language, file=io.StringIO(), width=120, highlight=False, soft_wrap=True)
    status = ACCEPTED if evidence.exit_status is None else evidence.exit_status
    tell(Path("out"), evidence, status, console, **how)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def changed(**fields: Any) -> Evidence:
    return msgspec.structs.replace(RUN, **fields)


def test_twelve_accepted_operators_take_a_row_each_and_five_lines() -> None:
    english, chinese = ("\n".join(told(RUN, language)) for language in LANGUAGES)
    both_pinned(SNAPSHOTS / "one_screen.txt", english, chinese)


def test_a_cell_that_is_not_accepted_has_a_row_below_its_operator() -> None:
    cells = [msgspec.structs.replace(cell) for cell in RUN.cells]
    cells[2].failed = 3
    cells[6].failed = 1
    cells[9].complete = False
    cells[16].cases = 0
    evidence = changed(cells=cells, exit_status=REFUSED, unjudged=["operator_2-whole-float16"])
    english, chinese = ("\n".join(told(evidence, one)[:9]) for one in LANGUAGES)
    both_pinned(SNAPSHOTS / "not_accepted.txt", english, chinese)


@pytest.mark.parametrize("rooms", [(0.0, None), (None, None)])
def test_verbose_says_what_headroom_is_if_a_cell_has_one(rooms: tuple[float | None, ...]) -> None:
    cells = [Cell(operator="one", mode="m", dtype=str(room), headroom=room) for room in rooms]
    told = [*beside(msgspec.structs.replace(RUN, cells=cells), verbose=True)]
    found = [line for line in told if line.startswith("worst headroom: ")]
    assert len(found) == (0.0 in rooms)
    assert all("0.0% is as right as 100%" in line for line in found)


def test_verbose_lists_cells_orders_and_calls_in_quarantine() -> None:
    lines = told(RUN, verbose=True)
    assert sum(line.split()[1:4] == ["whole", "float16", "100"] for line in lines) == 12
    assert sum(line.startswith("order of additions: ") for line in lines) == 6
    assert [f"in quarantine, not judged: {line}" for line in RUN.observed] == [
        line for line in lines if "quarantine" in line
    ]


def test_a_call_in_quarantine_that_answers_otherwise_comes_first() -> None:
    before = changed(observed=[f"{DOUBT}refused with 561002", RUN.observed[1]])
    lines = told(RUN, earlier=before)
    assert lines[:2] == [
        f"changed since the run before: in quarantine: {DOUBT}carried out",
        "  before: refused with 561002",
    ]
    (quarantine,) = (line for line in lines if line.startswith("quarantine"))
    assert "2 calls observed, not judged, of which 1 answered otherwise" in quarantine


def test_calls_in_quarantine_that_answer_as_before_are_counted() -> None:
    (quarantine,) = (line for line in told(RUN, earlier=RUN) if line.startswith("quarantine"))
    assert ", answered as in the run before (`--verbose` lists them)" in quarantine


def test_a_cell_that_lost_cases_comes_first() -> None:
    cells = [msgspec.structs.replace(cell) for cell in RUN.cells]
    cells[0].cases, cells[1].cases = 80, 95
    lines = told(changed(cells=cells), earlier=RUN)
    assert [line for line in lines if line.startswith("changed")] == lines[:1]
    told_of = "operator_0-whole-float16: 80 cases, before 100"
    assert lines[0] == f"changed since the run before: {told_of}"


@pytest.mark.parametrize(
    "other",
    [
        {"profile": "gate"},
        {"route": "kernel"},
        {"device": "npu"},
        {"status": "interrupted"},
        {"selected": 1},
        {"operators": OPERATORS[:1]},
    ],
    ids=str,
)
def test_a_run_that_was_asked_for_otherwise_is_no_run_before(other: dict[str, Any]) -> None:
    before = changed(observed=[f"{DOUBT}refused"], **other)
    assert not [line for line in told(RUN, earlier=before) if "run before" in line]


def test_an_order_of_which_the_record_says_nothing_is_not_called_declared() -> None:
    orders = [order("operator_0", as_declared=None), *RUN.orders[1:]]
    (line,) = (line for line in told(changed(orders=orders)) if "order" in line)
    assert line == (
        "order of additions: as declared in 5 operators, found in 1 that declares none"
        " (`--verbose` lists them)"
    )
    (line,) = (line for line in told(changed(orders=orders[:1])) if "order" in line)
    assert line == "order of additions: found in 1 that declares none (`--verbose` lists them)"


def test_an_order_that_is_not_declared_is_told_whole() -> None:
    orders = [order("operator_0", as_declared=False), *RUN.orders[1:]]
    lines = [line for line in told(changed(orders=orders)) if "order" in line]
    assert lines[:2] == [
        "order of additions: operator_0, float32: sequential (K=3)",
        "order of additions:   K=3: the record declares another order",
    ]
    assert lines[2].startswith("order of additions: as declared in 5 operators")


@pytest.mark.parametrize(
    ("functions", "told"),
    [
        (ALL_CORRECT, "no bound is proved of infinite, zero or extreme sums"),
        (replace(ALL_CORRECT, ln=UNKNOWN), "too little is known of the device's functions"),
    ],
)
def test_why_nothing_bounds_a_value_depends_on_what_is_known(
    functions: Functions, told: str
) -> None:
    profile = {"functions": msgspec.to_builtins(functions)}
    opened = DeviceLine(worker="gw0", description="it", profile=profile)
    cells = [Cell(operator="gating", mode="plain", dtype="float32", cases=1, unbounded=1)]
    (line,) = unbounded_lines(Evidence(devices=[opened], cells=cells))
    assert line.startswith(f"gating: 1 value not bounded: {told}")
