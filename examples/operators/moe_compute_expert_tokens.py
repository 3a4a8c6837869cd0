"""The record of MoeComputeExpertTokens: cumulative counts of sorted expert ids."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from conformance.call.case import Case, Machine
from conformance.draw.machines import machines
from conformance.record.cells import Axis, Cells, Constraint
from conformance.record.clause import Clause, document, source_read
from conformance.record.contract import Index
from conformance.record.derive.axes import of_sizes
from conformance.record.derive.calls import call
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.edges import Edge, Edges
from conformance.record.operator import Example, Mode, Operator, Strided
from conformance.record.relation import Relation, difference
from conformance.record.signature import Rule, Signature, number, tensor
from conformance.record.size_ladders import Ladder
from conformance.record.sizes import Size

from .reference import moe_compute_expert_tokens as reference

DOCUMENT = "MoeComputeExpertTokens document"
NULL, INVALID = 161001, 161002
MOST_EXPERTS = 2048
COUNTS = document(
    "out[e] is the number of sortedExperts that are at most e", f"{DOCUMENT}, formula"
)


def stated(text: str) -> Clause:
    """A clause of the table of parameters."""
    return document(text, f"{DOCUMENT}, parameters")


def own(text: str) -> Clause:
    """A clause of our kernel's interface, of which the document says nothing."""
    return source_read(text, "interface of the kernel")


ENTRY = Size("entry", free=stated("any number of sorted ids below 2^24"))
EXPERT = Size("expert", least=1, most=MOST_EXPERTS)
SIGNATURE = Signature(
    "moe_compute_expert_tokens",
    (
        tensor("sorted_experts", ENTRY, dtype="int32"),
        number("num_experts", EXPERT),
        tensor("out", EXPERT, role="output", dtype="int32"),
    ),
    rules=(
        Rule(("null",), NULL, stated("both tensors are required")),
        Rule(("dtype",), INVALID, stated("both tensors are int32")),
        Rule(
            ("rank", "extent", "limit", "attribute"),
            INVALID,
            own("one axis each, out of numExperts elements, which are 1 to 2048"),
        ),
    ),
)


# How many ids and experts: simplest first.
ENTRIES = {
    "one": (1, 1),
    "few": (2, 20),
    "63 to 65": (63, 65),
    "hundreds": (66, 600),
    "12,000": (11_999, 12_001),
}
EXPERTS = {
    "one": (1, 1),
    "few": (2, 8),
    "255 to 257": (255, 257),
    "2048": (2048, 2048),
    "any": (9, 2047),
}
ONE, NONE_MISSING = "one expert", "none missing"
FIRST, LAST, GAP = "first missing", "last missing", "gap"
ENDS, CROSSES = "a run ends on a core's edge", "a run crosses a core's edge"
RUNS = (ONE, NONE_MISSING, FIRST, LAST, GAP, ENDS, CROSSES)


def edges_of(entries: int, cores: int) -> range:
    """The first ids of the cores but the first, where each takes an equal share."""
    share = -(-entries // cores)
    return range(share, entries, share)


def runs_of(case: Case) -> set[str]:
    """What the runs of a case show."""
    ids = case.arrays["sorted_experts"]
    experts = case.outputs["out"].shape[0]
    present = np.unique(ids)
    if not present.size:
        return set()
    cores = case.machine.cores if case.machine else 1
    edges = np.array(edges_of(ids.size, cores), dtype=np.int64)
    same = ids[edges - 1] == ids[edges]
    shown = {
        ONE: present.size == 1,
        NONE_MISSING: present.size == experts,
        FIRST: present[0] > 0,
        LAST: present[-1] < experts - 1,
        GAP: bool((np.diff(present) > 1).any()),
        ENDS: bool((~same).any()),
        CROSSES: bool(same.any()),
    }
    return {name for name, is_so in shown.items() if is_so}


def possible(entries: str, experts: str, runs: str) -> bool:
    """Whether some case shows the three."""
    most_entries, most_experts = ENTRIES[entries][1], EXPERTS[experts][1]
    return {
        ONE: True,
        NONE_MISSING: EXPERTS[experts][0] <= most_entries,
        FIRST: most_experts > 1,
        LAST: most_experts > 1,
        GAP: most_experts > 2 and most_entries > 1,
        ENDS: most_experts > 1 and most_entries > 1,
        CROSSES: most_entries > 1,
    }[runs]


@st.composite
def some(draw: st.DrawFn, count: int, least: int, most: int) -> list[int]:
    """So many ascending ids from ``least`` to ``most``: any, or long runs of few."""
    if count <= 20:
        return sorted(draw(st.lists(st.integers(least, most), min_size=count, max_size=count)))
    generator = np.random.default_rng(draw(st.integers(0, 9999)))
    among = np.arange(least, most + 1)
    if draw(st.booleans()):
        among = generator.choice(among, 3)
    return sorted(int(each) for each in generator.choice(among, count))


@st.composite
def ids(draw: st.DrawFn, runs: str, entries: int, experts: int, cores: int) -> list[int]:
    """Ascending ids that show such runs."""
    last = experts - 1
    if runs == ONE:
        return [draw(st.integers(0, last))] * entries
    if runs == NONE_MISSING:
        return sorted([*range(experts), *draw(some(entries - experts, 0, last))])
    if runs == FIRST:
        return draw(some(entries, 1, last))
    if runs == LAST:
        return draw(some(entries, 0, last - 1))
    if runs == GAP:
        missing, at = draw(st.integers(1, last - 1)), draw(st.integers(1, entries - 1))
        return draw(some(at, 0, missing - 1)) + draw(some(entries - at, missing + 1, last))
    edge = draw(st.sampled_from(edges_of(entries, cores)))
    if runs == ENDS:
        split = draw(st.integers(1, last))
        return draw(some(edge, 0, split - 1)) + draw(some(entries - edge, split, last))
    across = draw(st.integers(0, last))
    before, behind = some(edge - 1, 0, across), some(entries - edge - 1, across, last)
    return [*draw(before), across, across, *draw(behind)]


def made(entries: int, experts: int, values: Iterable[int], machine: Machine | None = None) -> Case:
    """The call of these ids."""
    sizes = {"entry": entries, "expert": experts}
    given = {"sorted_experts": {"values": tuple(values)}}
    return call(SIGNATURE, "counted", "int32", sizes, given, machine=machine)


@st.composite
def cell_cases(draw: st.DrawFn, levels: Mapping[str, str]) -> Case:
    """Shrinks to the least of the levels' sizes and ids of 0, one core with little memory."""
    runs = levels["runs"]
    machine = draw(machines())
    if runs in (ENDS, CROSSES) and machine.cores == 1:
        machine = Machine(2, machine.ub_bytes, machine.block_order)
    (least, most), (fewest, largest) = ENTRIES[levels["entry"]], EXPERTS[levels["expert"]]
    if runs == GAP:
        fewest = max(fewest, 3)
    if runs == NONE_MISSING:
        largest = min(largest, most)
    experts = draw(st.integers(fewest, largest))
    if runs == NONE_MISSING:
        least = max(least, experts)
    entries = draw(st.integers(least, most))
    values = draw(ids(runs, entries, experts, machine.cores))
    return made(entries, experts, values, machine)


@st.composite
def sized_cases(draw: st.DrawFn, entries: int, experts: int, machine: Machine) -> Case:
    """Calls of these sizes."""
    return made(entries, experts, draw(some(entries, 0, experts - 1)), machine)


def entry_ladder(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
    """Calls of so many ids."""
    return sized_cases(size, 5, machine)


def expert_ladder(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
    """Calls of so many experts."""
    return sized_cases(70, size, machine)


def sizes_of(case: Case) -> dict[str, int]:
    """The sizes of a call."""
    return {"entry": case.inputs["sorted_experts"].size, "expert": case.outputs["out"].size}


def edge_cases(edge: Edge) -> SearchStrategy[Case]:
    """Calls on an edge."""
    return sized_cases(edge.sizes["entry"], edge.sizes["expert"], edge.machine)


SMALL = Machine(1, 1024)
EDGES = Edges(
    tuple(
        Edge(limit, machine, {"entry": entries, "expert": experts}, entries + experts)
        for limit, machine, entries, experts in (
            ("no id", SMALL, 0, 3),
            ("one id of the last expert", Machine(48, 1024), 1, 700),
            ("ids of one buffer", SMALL, 127, 3),
            ("ids of one buffer and one more", SMALL, 128, 3),
            ("ids of one buffer and two more", SMALL, 129, 3),
            ("experts of one buffer", SMALL, 5, 128),
            ("experts of one buffer and one more", SMALL, 5, 129),
            ("most experts", Machine(48, 1 << 17), 5000, MOST_EXPERTS),
            ("most ids", Machine(48, 1 << 17), (1 << 24) - 1, MOST_EXPERTS),
        )
    ),
    sizes_of,
    edge_cases,
)
CELLS = Cells(
    (
        of_sizes("entry", ENTRIES, sizes_of),
        of_sizes("expert", EXPERTS, sizes_of),
        Axis("runs", RUNS, runs_of),
    ),
    cell_cases,
    (Constraint(("entry", "expert", "runs"), possible, "too few ids or experts"),),
    EDGES,
)


def ends_at_all(case: Case, outputs: Mapping[str, NDArray[Any]], run: Any) -> Iterator[str]:
    """The counts do not fall, and the last one is that of all ids."""
    out = outputs["out"]
    yield from difference("out", out, np.maximum.accumulate(out), "counts that do not fall")
    entries = np.array([sizes_of(case)["entry"]], np.int32)
    yield from difference("out[-1]", out[-1:], entries, "the number of ids")


def moved_on(case: Case, outputs: Mapping[str, NDArray[Any]], run: Any) -> Iterator[str]:
    """With each id one higher, the counts are one place further."""
    entries, experts = sizes_of(case).values()
    values = case.arrays["sorted_experts"] + 1
    further = made(entries, experts + 1, values.tolist(), case.machine)
    due = np.concatenate([np.zeros(1, np.int32), outputs["out"]])
    yield from difference("out", run(further)["out"], due, "the counts one place further")


def twice(case: Case, outputs: Mapping[str, NDArray[Any]], run: Any) -> Iterator[str]:
    """With each id there twice, the counts are twice as high."""
    entries, experts = sizes_of(case).values()
    values = np.repeat(case.arrays["sorted_experts"], 2)
    further = made(2 * entries, experts, values.tolist(), case.machine)
    yield from difference("out", run(further)["out"], 2 * outputs["out"], "twice the counts")


RELATIONS = (
    Relation("sums that end at all", COUNTS, ends_at_all),
    Relation(
        "ids one higher",
        COUNTS,
        moved_on,
        prepared=lambda case: case if sizes_of(case)["expert"] < MOST_EXPERTS else None,
    ),
    Relation("each id twice", COUNTS, twice),
)

EXAMPLE = made(6, 3, (0, 0, 1, 1, 2, 2))
UNEVEN = made(4, 5, (1, 1, 1, 3))
OPERATOR = Operator(
    **of_signature(SIGNATURE, lambda mode, dtype: CELLS.drawn({})),
    sources=(DOCUMENT,),
    products=("Ascend910B", "Ascend910_93"),
    modes=(Mode("counted", COUNTS),),
    dtypes=("int32",),
    formula=formula_of(reference.formula, "out"),
    contracts={"out": Index(COUNTS)},
    cells=lambda mode, dtype: CELLS,
    examples=(
        Example("two ids of each of three experts", EXAMPLE, DOCUMENT, {"out": (2, 4, 6)}),
        Example(
            "first, middle and last missing", UNEVEN, "worked by hand", {"out": (0, 3, 3, 4, 4)}
        ),
    ),
    rejections=rejections(SIGNATURE, EXAMPLE),
    strided=(Strided(("sorted_experts",), own("a strided input is copied")),),
    ladders=(
        Ladder("entries", entry_ladder),
        Ladder("experts", expert_ladder, most=MOST_EXPERTS),
    ),
    relations=RELATIONS,
)
