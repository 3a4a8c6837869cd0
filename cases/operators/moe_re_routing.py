"""MoeReRouting: rows that came rank by rank are laid expert by expert, with their scales.

Missing coverage: counts that add up to more rows than there are, or that are negative, as kernels
read outside of tensors then; tensors of other ranks, which CANN does not refuse.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cases.operators._interface import (
    INTERFACE,
    REQUIRED,
    checked,
    in_document,
    of_a_definition,
    of_tables,
    typed,
    unchecked,
)
from cases.operators._landmarks import of_counted_rows
from cases.operators._moe_re_routing_calls import (
    COUNT_DTYPES,
    COUNTS,
    SCALED,
    SCALES,
    SUMS,
    ladders,
    routed,
    workload_cases,
)
from cases.operators._moe_re_routing_limits import MOST_HIDDEN, SMALL, limits
from cases.operators._moe_re_routing_relations import RELATION
from cases.operators._torch_npu import bound_by_names
from cases.operators._values import bits
from cases.relations.segments import of_segments
from conformance.call.case import Case
from conformance.record.clause import inferred, source_read
from conformance.record.contract import Copy, Index, Unspecified, Varying
from conformance.record.derive.calls import Fields, call
from conformance.record.derive.records import of_signature
from conformance.record.derive.references import formula_of
from conformance.record.derive.rejections import rejections
from conformance.record.operator import Example, Mode, Operator, Quarantine
from conformance.record.picture import Landmarks
from conformance.record.signature import Signature, number, tensor
from conformance.record.sizes import Size
from conformance.relations.axes import Axes
from conformance.relations.symmetries import symmetry
from conformance.values.fill import BITS, Fill
from reference import moe_re_routing as reference

NAME = "moe_re_routing"
README = "MoeReRouting README"
DEFINITION = "ops-transformer, moe_re_routing_def.cpp"
TILING = "ops-transformer, moe_re_routing tiling"
KERNEL = "ops-transformer, moe_re_routing kernel"
PLAIN = "plain"
DTYPES = ("int8", "float16", "bfloat16")
FLOAT = "float32"
ADDRESSED, PATTERNS = Fill(("address",), seed=1), Fill((BITS,), seed=1)

stated = in_document(README)
ANY = stated("N and E are any numbers", "constraints")
ROW, HIDDEN = Size("row"), Size("hidden", most=MOST_HIDDEN)
RANK, EXPERT = Size("rank", free=ANY), Size("expert")
SIGNATURE = Signature(
    NAME,
    (
        tensor("tokens", ROW, HIDDEN),
        tensor(COUNTS, RANK, EXPERT, dtype=COUNT_DTYPES),
        tensor(SCALES, ROW, dtype=FLOAT, optional=True, acl="perTokenScalesOptional"),
        number("expert_token_num_type", least=1, most=1),
        number("idx_type", least=0, most=0),
        tensor("permute_tokens", ROW, HIDDEN, role="output", acl="permuteTokensOut"),
        tensor(
            f"permute_{SCALES}", ROW, role="output", dtype=FLOAT, acl="permutePerTokenScalesOut"
        ),
        tensor("permute_token_idx", ROW, role="output", dtype="int32", acl="permuteTokenIdxOut"),
        tensor(
            SUMS, EXPERT, role="output", dtype=COUNT_DTYPES, beside=COUNTS, acl="expertTokenNumOut"
        ),
    ),
    rules=(
        REQUIRED,
        typed(stated("the sums have the data type of the counts", "constraints"), SUMS),
        typed(stated("the data types of the table")),
        checked(
            source_read("H is at most 16384; the document has less than 16384", TILING),
            kinds=("limit",),
        ),
        checked(
            stated("expert_token_num_type is 1, idx_type is 0", "constraints"), kinds=("attribute",)
        ),
        unchecked(stated("the shapes fit together: A, H, N and E", "constraints")),
    ),
    by_mode={mode: {"expert_token_num_type": 1} for mode in (PLAIN, SCALED)},
)


def counted(
    counts: list[list[int]],
    mode: str = PLAIN,
    dtype: str = "float16",
    hidden: int = 2,
    fill: Fill = ADDRESSED,
    **how: Any,
) -> Case:
    """A call of these counts, [ranks, experts]."""
    return ROUTED.make(mode, dtype, np.array(counts), hidden, fill, **how)


make = partial(call, SIGNATURE)
ROUTED = routed(make)
SIZES = {"row": 6, "hidden": 2, "rank": 2, "expert": 3}
ORDER = (0, 3, 1, 4, 5, 2)
GIVEN: Fields = {
    "tokens": {"values": tuple(n for row in range(1, 7) for n in (row, 10 * row))},
    COUNTS: {"values": (1, 1, 1, 1, 2, 0)},
}
HALVES: Fields = {SCALES: {"values": bits(FLOAT, *(n / 2 for n in range(1, 7)))}}
DUE: dict[str, tuple[float, ...]] = {
    "permute_tokens": tuple(n for at in ORDER for n in (at + 1, 10 * at + 10)),
    "permute_token_idx": ORDER,
    SUMS: (2, 3, 1),
}
SCALED_DUE = {**DUE, f"permute_{SCALES}": tuple((at + 1) / 2 for at in ORDER)}


def examples() -> tuple[Example, ...]:
    """A call worked by hand, both kinds of counts in each data type, and sizes at their ends."""
    by_hand = make(PLAIN, "int8", SIZES, GIVEN)
    scaled = make(SCALED, "int8", SIZES, {**GIVEN, **HALVES})
    named = {
        f"{mode}, counts of {of_counts}, {dtype}": counted(
            [[1, 2, 0], [2, 0, 3]], mode, dtype, counts_dtype=of_counts
        )
        for mode in (PLAIN, SCALED)
        for dtype in DTYPES
        for of_counts in COUNT_DTYPES
    }
    named |= {
        "16384 columns": counted([[1, 2], [1, 0]], SCALED, hidden=MOST_HIDDEN),
        "an odd number of bytes in a row": counted([[1, 2], [2, 1]], SCALED, "int8", 33),
        "one rank": counted([[1, 0, 2]], SCALED),
        "one expert": counted([[1], [0], [2]], SCALED),
        "a cell has all rows": counted([[0, 0], [5, 0], [0, 0]], SCALED),
        "more ranks than cores": counted([[1, 2]] * 97, SCALED),
        "no rows": counted([[0, 0, 0], [0, 0, 0]], SCALED),
        "more numbers and sums than a tile of each core": counted(
            [[600] + [0] * 599], SCALED, machine=SMALL
        ),
    }
    named |= {
        f"every kind of pattern {dtype}": counted(
            [[60, 0, 80], [0, 120, 140]], SCALED, dtype, 3, PATTERNS
        )
        for dtype in DTYPES
    }
    place = f"{README}, constraints"
    return (
        Example("by hand", by_hand, "worked by hand", DUE),
        Example("by hand, scaled", scaled, "worked by hand", SCALED_DUE),
        *(Example(name, case, place) for name, case in named.items()),
    )


def doubtful() -> tuple[Quarantine, ...]:
    """Calls without columns, and without experts."""
    empty = inferred("no tensor is empty, and interfaces do not ask about it", INTERFACE)
    calls = {"no columns": counted([[1, 2], [2, 1]], hidden=0), "no experts": counted([[], []])}
    return tuple(Quarantine(name, case, empty) for name, case in calls.items())


def landmarks(case: Case) -> Landmarks:
    """Rows lie expert by expert, and are moved without regard to columns."""
    sums = case.arrays[COUNTS].sum(axis=0)
    return replace(of_counted_rows(case, "permute_tokens", sums), tile_columns=0)


LAID = source_read(
    "rows lie by expert, then by rank, then as they came",
    f"{KERNEL}; the README's sums of offsets count the segment itself, and no whole ranks",
)
AXES = Axes.of(SIGNATURE)
OPERATOR = Operator(
    **of_signature(SIGNATURE, ROUTED.cases),
    sources=(README, DEFINITION, TILING, KERNEL),
    **of_tables(README),
    modes=(
        Mode(PLAIN, source_read("without scales theirs are not written", KERNEL)),
        Mode(SCALED, stated("the scales move with their rows")),
    ),
    dtypes=DTYPES,
    formula=formula_of(reference.formula),
    contracts={
        "permute_tokens": Copy(LAID, ("tokens",)),
        f"permute_{SCALES}": Varying(
            lambda case: SCALED if SCALES in case.inputs else PLAIN,
            {
                PLAIN: Unspecified(source_read("without scales theirs are not written", KERNEL)),
                SCALED: Copy(LAID, (SCALES,)),
            },
        ),
        "permute_token_idx": Index(stated("where the row lay before: type 0, gather")),
        SUMS: Index(stated("the rows of each expert, of all ranks: type 1, counts")),
    },
    cells=ROUTED.cells,
    examples=examples(),
    rejections=rejections(
        SIGNATURE,
        *(counted([[1, 2, 0], [2, 0, 3]], mode) for mode in (PLAIN, SCALED)),
    ),
    quarantine=doubtful(),
    limits=tuple(limits(DTYPES)),
    ladders=ladders(ROUTED.sized),
    workload_cases=partial(workload_cases, ROUTED.make),
    relations=(
        symmetry(AXES, "hidden"),
        *of_segments(COUNTS, SUMS, ("tokens", SCALES)),
        RELATION,
    ),
    landmarks=landmarks,
    strided=of_a_definition(SIGNATURE.tensors, DEFINITION),
    torch_npu=bound_by_names(
        SIGNATURE,
        "npu_moe_re_routing",
        "tokens and expert_token_num_per_rank must have more than one dimension",
        "all four results are made, scales or none",
    ),
)
