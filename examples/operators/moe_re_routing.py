"""The record of MoeReRouting: rows that came rank by rank are laid expert by expert."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from conformance.call.case import Case, Machine, Tensor
from conformance.draw.machines import machines
from conformance.draw.values import MOVED
from conformance.record.cells import Axis, Cells
from conformance.record.clause import Clause, document, source_read
from conformance.record.contract import Copy, Index, Unspecified, Varying
from conformance.record.derive.axes import of_dtypes, of_sizes
from conformance.record.derive.calls import Fields, call
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.edges import Edge, Edges
from conformance.record.operator import Example, Mode, Operator
from conformance.record.relation import Relation, difference
from conformance.record.signature import Rule, Signature, number, tensor
from conformance.record.sizes import Size
from conformance.relations.axes import Axes, held
from conformance.relations.symmetries import symmetry

from .reference import moe_re_routing as reference

NULL, INVALID, UNTILED = 161001, 161002, 561002
FLOAT, COUNTS = "float32", ("int32", "int64")


def stated(text: str, place: str = "parameters") -> Clause:
    """A clause of the document."""
    return document(text, f"MoeReRouting README, {place}")


LAID = stated("rows lie by expert, then by rank, then as they came", "formula")
SUMMED = stated("the rows of each expert, of all ranks", "formula")
UNSCALED = stated("the scales may be left out: none are written then")
SCALED = stated("the scales move with their rows")
OWN = source_read("the shapes of the table", "interface of the kernel")

ROW, HIDDEN, EXPERT = Size("row"), Size("hidden", most=16384), Size("expert")
RANK = Size("rank", free=stated("any number of ranks"))
SIGNATURE = Signature(
    "moe_re_routing",
    (
        tensor("tokens", ROW, HIDDEN),
        tensor("counts", RANK, EXPERT, dtype=COUNTS, acl="expertTokenNumPerRank"),
        tensor("scales", ROW, dtype=FLOAT, optional=True, acl="perTokenScalesOptional"),
        number("expert_token_num_type", least=1, most=1),
        number("idx_type", least=0, most=0),
        tensor("permute_tokens", ROW, HIDDEN, role="output", acl="permuteTokensOut"),
        tensor("permute_scales", ROW, role="output", dtype=FLOAT, acl="permutePerTokenScalesOut"),
        tensor("permute_idx", ROW, role="output", dtype="int32", acl="permuteTokenIdxOut"),
        tensor("expert_token_num", EXPERT, role="output", dtype=COUNTS, acl="expertTokenNumOut"),
    ),
    rules=(
        Rule(("null",), NULL, stated("all tensors but the scales are required")),
        Rule(("dtype",), INVALID, stated("the data types of the table")),
        Rule(("limit",), UNTILED, stated("H is at most 16384")),
        Rule(("attribute",), UNTILED, stated("expertTokenNumType is 1, idxType is 0")),
        Rule(("rank", "extent"), INVALID, OWN, checked_by_cann=False),
    ),
    by_mode={mode: {"expert_token_num_type": 1} for mode in ("plain", "scaled")},
)

# The least and the most of each level of a size; "longest" is that of the segments.
SPANS = {
    "rank": {"one": (1, 1), "few": (2, 4), "49 to 65": (49, 65)},
    "expert": {"one": (1, 1), "few": (2, 4), "31 to 33": (31, 33)},
    "hidden": {"one": (1, 1), "few": (2, 14), "15 to 33": (15, 33), "2000 to 2100": (2000, 2100)},
    "longest": {"few": (1, 3), "tens": (31, 70)},
}
# Which segments may have rows, by the numbers of their ranks and experts.
SEGMENTS: Mapping[str, Any] = {
    "any": lambda rank, expert: rank >= 0,
    "of one rank": lambda rank, expert: rank == rank.max(),
    "of one expert": lambda rank, expert: expert == expert.max(),
    "one": lambda rank, expert: (rank == rank.max()) & (expert == 0),
    "every second": lambda rank, expert: (rank + expert) % 2 == 0,
}


def sizes_of(case: Case) -> dict[str, int]:
    """The sizes of a call, and the rows of its longest segment."""
    longest = int(case.arrays["counts"].max(initial=0))
    return {**Axes.of(SIGNATURE).sizes(case), "longest": longest}


def segments_of(case: Case) -> list[str]:
    """Which segments of a call have rows."""
    counts: NDArray[Any] = case.arrays["counts"]
    filled = counts > 0
    places = np.indices(filled.shape)
    return ["any", *(name for name, may in SEGMENTS.items() if (may(*places) == filled).all())]


@st.composite
def cases(
    draw: st.DrawFn, mode: str, dtype: str, levels: Mapping[str, str], edge: Edge | None = None
) -> Case:
    """Calls that show these levels, or of an edge; what a shrunk one holds comes from seed 0."""
    machine = edge.machine if edge else draw(machines())
    spans = {} if edge else {name: SPANS[name][levels[name]] for name in SPANS}
    sizes = edge.sizes if edge else {name: draw(st.integers(*span)) for name, span in spans.items()}
    generator = np.random.default_rng(draw(st.integers(0, 999)))
    may = SEGMENTS[levels["segments"]](*np.indices((sizes["rank"], sizes["expert"])))
    most = min(sizes["longest"], 3 if may.size < 100 else 1)
    counts = generator.integers(levels["segments"] != "any", most + 1, may.shape) * may
    counts.flat[generator.choice(np.flatnonzero(may))] = sizes["longest"]
    rows, count = int(counts.sum()), levels["counts"]
    given: dict[str, dict[str, Any]] = {
        "tokens": {"fill": draw(MOVED)},
        "counts": {"values": tuple(counts.ravel().tolist()), "dtype": count},
        "expert_token_num": {"dtype": count},
    }
    if mode == "scaled":
        given["scales"] = {"fill": draw(MOVED)}
    return call(SIGNATURE, mode, dtype, {**sizes, "row": rows}, given, machine=machine)


FULL = Machine(48, 196352)
EDGES = tuple(
    Edge(limit, machine, {"rank": ranks, "expert": 2, "longest": longest, "hidden": hidden}, 999)
    for limit, machine, ranks, longest, hidden in (
        ("no row", FULL, 2, 0, 5),
        ("bytes and row numbers of one buffer", Machine(1, 1024), 1, 64, 4),
        ("bytes and row numbers of one buffer and more", Machine(1, 1024), 1, 65, 4),
        ("one rank on all cores", FULL, 1, 100, 40),
        ("widest row", Machine(3, 4096), 2, 7, 16384),
    )
)
AXES = (
    *(of_sizes(name, spans, sizes_of) for name, spans in SPANS.items()),
    Axis("segments", tuple(SEGMENTS), segments_of),
    of_dtypes("counts", COUNTS, "counts"),
)
ON_EDGE = {"segments": "any", "counts": "int32"}


def cells(mode: str, dtype: str) -> Cells:
    """What a run judges of a mode and dtype."""
    edges = Edges(EDGES, sizes_of, lambda edge: cases(mode, dtype, ON_EDGE, edge))
    return Cells(AXES, lambda levels: cases(mode, dtype, levels), edges=edges)


def back(case: Case, outputs: Mapping[str, NDArray[Any]], run: Any) -> Iterator[str]:
    """With the ranks as experts, the rows lie as before."""
    counts, moved = case.arrays["counts"].T, {"tokens", "scales"} & set(case.inputs)
    given = {name: held(case.inputs[name], outputs[f"permute_{name}"]) for name in moved}
    given["counts"] = held(Tensor(counts.shape, counts.dtype.name), counts)
    sums = Tensor(counts.shape[1:], counts.dtype.name)
    further = replace(case, inputs=given, outputs={**case.outputs, "expert_token_num": sums})
    answer = run(further)
    for name in moved:
        yield from difference(name, answer[f"permute_{name}"], case.arrays[name], "the rows")


ORDER = (0, 3, 4, 1, 2, 5)
ROWS = {"values": tuple(range(6))}
GIVEN: Fields = {"tokens": ROWS, "counts": {"values": (1, 2, 2, 1)}}
DUE = {"permute_tokens": ORDER, "permute_idx": ORDER, "expert_token_num": (3, 3)}
SIZES = {"row": 6, "hidden": 1, "rank": 2, "expert": 2}
EXAMPLES = tuple(
    Example(mode, call(SIGNATURE, mode, "int8", SIZES, given), "worked by hand", DUE)
    for mode, given in (("plain", GIVEN), ("scaled", {**GIVEN, "scales": ROWS}))
)
OPERATOR = Operator(
    **of_signature(SIGNATURE, lambda mode, dtype: cells(mode, dtype).drawn({})),
    sources=("MoeReRouting README",),
    products=("Ascend910B", "Ascend910_93"),
    modes=(Mode("plain", UNSCALED), Mode("scaled", SCALED)),
    dtypes=("int8", "float16", "bfloat16"),
    formula=formula_of(reference.formula),
    contracts={
        "permute_tokens": Copy(LAID, ("tokens",)),
        "permute_scales": Varying(
            lambda case: case.mode,
            {"plain": Unspecified(UNSCALED), "scaled": Copy(SCALED, ("scales",))},
        ),
        "permute_idx": Index(LAID),
        "expert_token_num": Index(SUMMED),
    },
    cells=cells,
    examples=EXAMPLES,
    rejections=rejections(SIGNATURE, *(each.case for each in EXAMPLES)),
    relations=(
        Relation("there and back", LAID, back),
        symmetry(Axes.of(SIGNATURE), "hidden", modes=("scaled",)),
    ),
)
