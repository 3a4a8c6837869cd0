"""The discrete cells of operators that finalize, their edges and optional tensors as drawn."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._finalize_call import Finalizing, K, Parts, with_parts
from cases.operators._finalize_edges import BIASED, EXPERTS, SCALE_BYTES, edges
from cases.operators._finalize_signature import SCALES_DTYPES
from cases.operators._slot_sum import top_k_of
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._values import WEIGHTS, weight_fills, weights_with
from conformance.call.case import Case, numpy_dtype
from conformance.draw.values import SEEDS, fills
from conformance.record.cells import Axis, Cells, Constraint, Levels
from conformance.record.derive.axes import of_values
from conformance.record.edges import Edge
from conformance.values.fill import Fill

SKIPS = ("none", "x1", "x1 and x2")
BIAS = ("absent", "present")
ABSENT = "absent"
FINITE = WEIGHTS[:-1]
"""Families of scales beside a bias: an infinity times a sum is no sum of infinities."""

BIAS_FILLS = st.builds(
    Fill,
    stripes=st.sampled_from([("lattice",), ("gaussian",), ("lattice", "gaussian")]),
    seed=SEEDS,
)
"""Whose sum with a row overflows in no case where the row is finite."""

MORE_EXPERTS = st.integers(0, 3)
COUNTS = st.integers(0, 2)
ANY_BIAS = st.booleans()
ABSENT_FIRST = st.sampled_from((True, False))


@st.composite
def completed(
    draw: st.DrawFn,
    cases: SearchStrategy[Case],
    dtype: str,
    levels: Levels | None = None,
    experts: int = 0,
    whole: bool = False,
) -> Case:
    """Cases with the optional tensors that levels ask for; without levels, with any.

    ``experts`` 0: as many as there must be, and a few more. ``whole``: all but x2 must be given.
    """
    case, fixed = draw(cases), levels or {}
    if whole:
        fixed = {"bias": BIAS[1], "scales dtype": dtype, **fixed}
    top_k = top_k_of(case)
    skips, biased = draw(COUNTS), draw(ANY_BIAS)
    if "skips" in fixed:
        skips = SKIPS.index(fixed["skips"])
    skips = max(skips, int(whole))
    if "bias" in fixed:
        biased = fixed["bias"] == BIAS[1]
    told = K in case.attributes
    absent = draw(ABSENT_FIRST) and (told or top_k == 1)
    if "scales" in fixed or "scales dtype" in fixed:
        absent = ABSENT in (fixed.get("scales"), fixed.get("scales dtype"))
    scales: SearchStrategy[Fill] = weight_fills(FINITE if biased else WEIGHTS)
    if not absent and "scales" in fixed:
        scales = weights_with(fixed["scales"])
    held, scales_dtype = draw(scales), draw(st.sampled_from(SCALES_DTYPES[dtype]))
    more, bias = draw(MORE_EXPERTS), draw(BIAS_FILLS)
    k = draw(st.sampled_from((top_k, 1))) if told and not absent else None
    return with_parts(
        case,
        Parts(
            # The operator's tiling wants as many rows of the bias as a token has slots.
            experts=experts or more + (top_k if biased else 1),
            scales=None if absent else held,
            scales_dtype=fixed.get("scales dtype", scales_dtype),
            skips=[draw(fills(1)) for _ in range(2)][:skips],
            bias=bias if biased else None,
            k=k,
        ),
    )


@cache
def cells(one: Finalizing, mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype: those of the sum, and of the optional tensors."""
    if one.whole:
        return _whole_cells(one, mode, dtype)
    axes = [
        Axis("skips", SKIPS, _skips_of),
        Axis("bias", BIAS, lambda case: [BIAS["bias" in case.inputs]]),
        of_values("scales", (*WEIGHTS, ABSENT), "scales", absent=ABSENT),
    ]
    constraints = [
        Constraint(
            ("scales", "slots"),
            lambda scales, slots: scales != ABSENT or slots == "1" or one.has_k,
            "without scales a token has one slot",
        ),
        Constraint(
            ("scales", "bias"),
            lambda scales, bias: scales != WEIGHTS[-1] or bias == BIAS[0],
            "an infinity times a sum is no sum of infinities",
        ),
    ]
    if len(SCALES_DTYPES[dtype]) > 1:
        axes.append(Axis("scales dtype", SCALES_DTYPES[dtype], _scales_dtype_of))
        constraints.append(
            Constraint(
                ("scales", "scales dtype"),
                lambda scales, other: scales != ABSENT or other == dtype,
                "scales that are absent have no dtype of their own",
            )
        )
    return slot_cells(one.sums, mode, dtype, edges(one.sums, mode, dtype)).completed(
        *axes,
        cases=lambda drawn, levels: completed(drawn, dtype, levels),
        on=lambda drawn, edge: _on(drawn, edge, dtype),
        constraints=tuple(constraints),
    )


def _whole_cells(one: Finalizing, mode: str, dtype: str) -> Cells:
    """The cells of an operator in which all but x2 is given; scales are finite beside a bias."""
    return slot_cells(one.sums, mode, dtype, edges(one.sums, mode, dtype, True)).completed(
        Axis("skips", SKIPS[1:], _skips_of),
        of_values("scales", FINITE, "scales"),
        cases=lambda drawn, levels: completed(drawn, dtype, levels, whole=True),
        on=lambda drawn, edge: _on(drawn, edge, dtype, whole=True),
    )


def _skips_of(case: Case) -> list[str]:
    return [SKIPS[("x1" in case.inputs) + ("x2" in case.inputs)]]


def _scales_dtype_of(case: Case) -> list[str]:
    scales = case.inputs.get("scales")
    return [case.dtype if scales is None else scales.dtype]


def _on(
    sums: SearchStrategy[Case], edge: Edge, dtype: str, whole: bool = False
) -> SearchStrategy[Case]:
    """Cases on an edge, with the optional tensors that it fixes."""
    levels: Levels = {}
    if SCALE_BYTES in edge.sizes:
        size = edge.sizes[SCALE_BYTES]
        sized = (one for one in SCALES_DTYPES[dtype] if numpy_dtype(one).itemsize == size)
        levels = {"scales dtype": next(sized, ABSENT), "bias": BIAS[edge.sizes[BIASED]]}
    if EXPERTS in edge.sizes:
        levels = {**levels, "bias": BIAS[1]}
    return completed(sums, dtype, levels, edge.sizes.get(EXPERTS, 0), whole)
