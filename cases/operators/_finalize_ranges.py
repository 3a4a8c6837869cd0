"""Calls with experts that have no rows: zero, copy and constant ones, by their ranges.

A constant expert's row is alpha1 * x + alpha2 * v. Its alphas are 0 or powers of two from 1 on, so
that both products are exact in every data type, and x, v and scales are of families with which no
sum overflows. Then what a slot adds is a coefficient times a sum of three, of which the error is
less than three roundings (docs/explanation/numerics.md, products).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from cases.operators._finalize_call import Data, Finalizing, Parts, Shape, with_parts
from cases.operators._finalize_cells import ABSENT, BIAS, BIAS_FILLS
from cases.operators._finalize_signature import ALPHAS, MODES, RANGES, SCALES_DTYPES
from cases.operators._slot_sum import top_k_of
from cases.operators._slot_sum_cases import near_cases
from cases.operators._values import WEIGHT_BITS, WEIGHTS, bits, weight_fills
from conformance.call.case import Case, Tensor
from conformance.draw.values import SEEDS
from conformance.record.cells import Axis, Cells, Levels
from conformance.record.variations import with_attributes
from conformance.values.fill import Fill

WITHOUT_ROWS = "experts_without_rows"
KINDS = ("zero", "copy", "constant")
FACTORS = (0.0, 1.0, -1.0, 2.0, -2.0, 4.0)
"""Of alpha1 and alpha2; products with them are exact."""

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
    fixed = levels or {}
    layout = fixed.get("layout") or draw(st.sampled_from(MODES))
    case = draw(near_cases(one.sums, layout, dtype, small=small or bool(levels), seam=seam))
    top_k, tokens = top_k_of(case), case.outputs["out"].shape[0]
    absent = draw(st.booleans()) and (one.has_k or top_k == 1)
    if "scales" in fixed:
        absent = fixed["scales"] == ABSENT
        if absent and not one.has_k and top_k > 1:
            case, top_k = _one_slot(case, one, dtype, layout), 1
            tokens = case.outputs["out"].shape[0]
    biased = draw(st.booleans()) if "bias" not in fixed else fixed["bias"] == BIAS[1]
    generator = np.random.default_rng(draw(SEEDS))
    kinds = [kind for kind in KINDS if draw(st.booleans())]
    if "experts" in fixed:
        kinds = list(dict.fromkeys((fixed["experts"], *kinds)))
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
    ranges, at = {}, 0
    for kind in generator.permutation(kinds).tolist():
        start = at + int(generator.integers(0, 2))
        at = start + int(generator.integers(1, 3))
        ranges[kind] = (start, at)
    experts = generator.integers(0, count, tokens * top_k)
    if "experts" in fixed:
        experts[generator.integers(0, experts.size)] = ranges[fixed["experts"]][0]
    rows = ranges["constant"][1] - ranges["constant"][0] if "constant" in ranges else 1
    hidden = case.outputs["out"].shape[1]
    alpha1, alpha2 = (
        bits(dtype, *generator.choice(FACTORS, rows * hidden).tolist()) for _ in range(2)
    )
    x, v = draw(BIAS_FILLS), draw(BIAS_FILLS)
    return with_ranges(case, tuple(experts.tolist()), ranges, x, (alpha1, alpha2, v))


def _one_slot(case: Case, one: Finalizing, dtype: str, layout: str) -> Case:
    """A call of as many tokens as that has slots, of one slot each."""
    hidden, count = case.outputs["out"].shape[1], case.inputs["expanded_row_idx"].size
    fill = case.inputs["expanded_x"].fill
    return one.call(
        layout,
        dtype,
        source=(count, hidden),
        indices=tuple(range(count)),
        top_k=1,
        fill=fill,
        machine=case.machine,
    )


def kinds_of(case: Case) -> list[str]:
    """The kinds of experts that slots of a call have."""
    given = case.inputs.get("expert_idx")
    experts = np.zeros(0) if given is None else case.arrays["expert_idx"]
    ranges = [case.attributes[name] for name in RANGES]
    return [
        kind
        for kind, one in zip(KINDS, ranges, strict=True)
        if one is not None and ((experts >= one[0]) & (experts < one[1])).any()
    ]


def cells(one: Finalizing, dtype: str) -> Cells:
    """The cells of calls with ranges: layouts, kinds of experts, scales and a bias."""
    return Cells(
        axes=(
            Axis("layout", MODES, lambda case: [MODES[int(case.attributes["drop_pad_mode"])]]),
            Axis("experts", KINDS, kinds_of),
            Axis(
                "scales",
                ("present", ABSENT),
                lambda case: ["present" if "scales" in case.inputs else ABSENT],
            ),
            Axis("bias", BIAS, lambda case: [BIAS["bias" in case.inputs]]),
        ),
        cases=lambda levels: cases(one, dtype, levels=levels),
    )
