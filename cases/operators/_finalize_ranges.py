"""Calls with experts that have no rows: zero, copy and constant ones, by their ranges.

A constant expert's row is alpha1 * x + alpha2 * v. Its alphas are 0 or powers of two from 1 on, so
that both products are exact in every data type, and x, v and scales are of families with which no
sum overflows. Then what a slot adds is a coefficient times a sum of three, of which the error is
less than three roundings (docs/explanation/numerics.md, products).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cases.operators._finalize_call import Data, Finalizing, Parts, Shape, with_parts
from cases.operators._finalize_cells import ABSENT, BIAS, BIAS_FILLS
from cases.operators._finalize_signature import ALPHAS, MODES, RANGES, SCALES_DTYPES, drops
from cases.operators._slot_sum import top_k_of
from cases.operators._slot_sum_cases import near_cases
from cases.operators._values import WEIGHT_BITS, WEIGHTS, bits, weight_fills
from conformance.call.case import Case, Tensor
from conformance.draw.machines import machines
from conformance.draw.values import SEEDS, fills
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.record.derive.axes import class_of
from conformance.record.variations import with_attributes
from conformance.values.fill import Fill

WITHOUT_ROWS = "experts_without_rows"
KINDS = ("zero", "copy", "constant")
FACTORS = (0.0, 1.0, -1.0, 2.0, -2.0, 4.0)
"""Of alpha1 and alpha2; products with them are exact."""

AND = " and "
SOME = tuple(AND.join(some) for size in (1, 2, 3) for some in combinations(KINDS, size))
"""The kinds of experts that a call may have."""

SLOTS = {"1": 1, "2": 2, "3": 3, "from 4 on": 5, "from 8 on": 9}
"""The slots of a token that are drawn of each class."""

LEAST = {"1": 1, "2": 2, "3": 3, "from 4 on": 4, "from 8 on": 8}
EXPERTS = 9
"""The fewest experts of a drawn call: three ranges of two, with one between."""


def with_ranges(
    case: Case,
    experts: Shape,
    ranges: dict[str, tuple[int, int]],
    x: Data,
    alphas: tuple[Data, Data, Data],
) -> Case:
    """A call with its optional tensors, and with ranges of experts by their kinds.

    ``experts`` are those of all slots; ``alphas`` are alpha1, alpha2 and v. What is not needed is
    null. Recipes are given as many terms as all that is added has.
    """
    tokens, hidden = case.outputs["out"].shape
    terms = (9 * top_k_of(case) + 2) << WEIGHT_BITS
    given: dict[str, tuple[int, Data]] = {}
    if {"copy", "constant"} & ranges.keys():
        given["x"] = tokens, x
    if "constant" in ranges:
        start, end = ranges["constant"]
        given |= {name: (end - start, one) for name, one in zip(ALPHAS, alphas, strict=True)}
    inputs = {**case.inputs}
    for name, (rows, data) in given.items():
        listed = isinstance(data, Fill)
        held: dict[str, Any] = {"fill": data} if listed else {"values": data}
        inputs[name] = Tensor((rows, hidden), case.dtype, **held)
    inputs["expert_idx"] = Tensor((tokens, top_k_of(case)), "int32", values=experts)
    if "bias" in inputs:
        left = np.setdiff1d(np.arange(len(inputs["bias"].materialize())), experts)
        inputs["bias"] = replace(inputs["bias"], unread=tuple(left.tolist()))
    for name, one in inputs.items():
        if one.fill is not None and name != "scales":
            inputs[name] = replace(one, fill=replace(one.fill, terms=terms))
    order = ("expanded_x", "expanded_row_idx", "x1", "x2", "bias", "scales", "expert_idx", "x")
    inputs = {name: inputs[name] for name in (*order, *ALPHAS) if name in inputs}
    given_ranges = {name: ranges.get(kind) for kind, name in zip(KINDS, RANGES, strict=True)}
    case = with_attributes(case, **given_ranges)
    return replace(case, mode=WITHOUT_ROWS, inputs=inputs)


@st.composite
def cases(
    draw: st.DrawFn,
    one: Finalizing,
    dtype: str,
    small: bool = False,
    seam: bool = False,
    levels: Levels | None = None,
) -> Case:
    """Cases of any layout that show these levels; without levels, any."""
    if levels is None:
        layout = draw(st.sampled_from(MODES))
        case = draw(near_cases(one.sums, layout, dtype, small=small, seam=seam))
        kinds = draw(st.sampled_from(SOME))
        absent = draw(st.booleans()) and (one.has_k or top_k_of(case) == 1)
        biased = draw(st.booleans())
    else:
        case = draw(_sized(one, dtype, levels["layout"], SLOTS[levels["slots"]]))
        kinds = levels["experts"]
        absent, biased = levels["scales"] == ABSENT, levels["bias"] == BIAS[1]
    top_k, (tokens, hidden) = top_k_of(case), case.outputs["out"].shape
    count = max(EXPERTS, top_k) + draw(st.integers(0, 3))
    case = with_parts(
        case,
        Parts(
            experts=count,
            scales=None if absent else draw(weight_fills(WEIGHTS[:2])),
            scales_dtype=draw(st.sampled_from(SCALES_DTYPES[dtype])),
            skips=[draw(BIAS_FILLS) for _ in range(draw(st.integers(0, 2)))],
            bias=draw(BIAS_FILLS) if biased else None,
            k=None if absent or not one.has_k else draw(st.sampled_from((top_k, 1))),
        ),
    )
    generator = np.random.default_rng(draw(SEEDS))
    ranges, at = {}, 0
    for kind in generator.permutation(kinds.split(AND)).tolist():
        start = at + int(generator.integers(0, 2))
        at = start + int(generator.integers(1, 3))
        ranges[kind] = (start, at)
    experts = generator.integers(0, count, tokens * top_k)
    # One slot at least of each kind, as long as there are slots.
    shown = generator.permutation(experts.size)[: len(ranges)]
    experts[shown] = [start for start, _ in ranges.values()][: len(shown)]
    rows = ranges["constant"][1] - ranges["constant"][0] if "constant" in ranges else 0
    alpha1, alpha2 = (
        bits(dtype, *generator.choice(FACTORS, rows * hidden).tolist()) for _ in range(2)
    )
    x, v = draw(BIAS_FILLS), draw(BIAS_FILLS)
    return with_ranges(case, tuple(experts.tolist()), ranges, x, (alpha1, alpha2, v))


@st.composite
def _sized(draw: st.DrawFn, one: Finalizing, dtype: str, layout: str, top_k: int) -> Case:
    """Small calls of a layout with so many slots to a token; with drop some are dropped."""
    tokens, hidden = draw(st.integers(3, 6)), draw(st.integers(1, 70))
    generator = np.random.default_rng(draw(SEEDS))
    slots = tokens * top_k
    rows = slots - int(generator.integers(0, slots)) if drops(layout) else slots
    return one.call(
        layout,
        dtype,
        source=(rows, hidden),
        indices=tuple(generator.permutation(slots).tolist()),
        top_k=top_k,
        fill=draw(fills(top_k)),
        machine=draw(machines(one.sums.lines.least_ub_bytes(top_k))),
    )


def kinds_of(case: Case) -> list[str]:
    """The kinds of experts that slots of a call have, as one level."""
    given = case.inputs.get("expert_idx")
    experts = np.zeros(0) if given is None else case.arrays["expert_idx"]
    ranges = [case.attributes[name] for name in RANGES]
    found = [
        kind
        for kind, one in zip(KINDS, ranges, strict=True)
        if one is not None and ((experts >= one[0]) & (experts < one[1])).any()
    ]
    return [AND.join(found)]


def cells(one: Finalizing, dtype: str) -> Cells:
    """The cells of calls with ranges: layouts, slots, kinds of experts, scales and a bias."""
    return Cells(
        axes=(
            Axis("layout", MODES, lambda case: [MODES[int(case.attributes["drop_pad_mode"])]]),
            Axis("slots", tuple(SLOTS), lambda case: class_of(top_k_of(case), LEAST)),
            Axis("experts", SOME, kinds_of),
            Axis(
                "scales",
                ("present", ABSENT),
                lambda case: ["present" if "scales" in case.inputs else ABSENT],
            ),
            Axis("bias", BIAS, lambda case: [BIAS["bias" in case.inputs]]),
        ),
        cases=lambda levels: cases(one, dtype, levels=levels),
        constraints=(
            Constraint(
                ("scales", "slots"),
                lambda scales, slots: scales != ABSENT or one.has_k or SLOTS[slots] == 1,
                "without scales a token has one slot",
            ),
        ),
    )
