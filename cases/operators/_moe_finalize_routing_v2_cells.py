"""The discrete cells of MoeFinalizeRoutingV2, its edges, and its optional tensors as drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._moe_finalize_routing_v2_call import (
    SLOT_BYTES,
    Parts,
    call_in,
    drawn_as,
    names,
    window,
    with_parts,
)
from cases.operators._slot_sum_cells import cells as slot_cells
from cases.operators._slot_sum_cells import top_k_of
from cases.operators._slot_sum_edges import edges_on
from cases.operators._slot_sum_limits import CHIPS, SMALL
from cases.operators._slot_weights import WEIGHTS, weight_fills, weights_with
from conformance.case import Case, Machine, numpy_dtype
from conformance.cells import Axis, Cells, Constraint, Levels
from conformance.edges import STEPS, Edges, Sizes
from conformance.fill import Fill, families_of
from conformance.strategies.fills import SEEDS, fills

EVEN_COLUMNS = 5120
"""The vendor's kernel has a path for rows of so many float32 columns and an even top_k
(ops-transformer, moe_finalize_routing_v2/op_kernel, read)."""

PATHS = (2, 4, 256)
"""top_k of the vendor's own paths; above the last, slots are cut in parts."""

BOUNDARIES = tuple(
    f"{size}{step}"
    for size in ("tokens = cores", "hidden = 32 bytes", f"hidden = {EVEN_COLUMNS} columns")
    for step in ("", " - 1", " + 1")
)
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


def scales_dtypes(dtype: str) -> tuple[str, ...]:
    """The dtypes of scales beside a dtype, as the operator's definition lists them."""
    return ("bfloat16", "float32") if dtype == "bfloat16" else (dtype,)


@st.composite
def completed(
    draw: st.DrawFn, cases: SearchStrategy[Case], dtype: str, levels: Levels | None = None
) -> Case:
    """Cases with the optional tensors that levels ask for; without levels, with any."""
    case, fixed = draw(cases), levels or {}
    top_k = top_k_of(case)
    skips, biased = draw(COUNTS), draw(ANY_BIAS)
    if "skips" in fixed:
        skips, biased = SKIPS.index(fixed["skips"]), fixed["bias"] == BIAS[1]
    absent = draw(ABSENT_FIRST) and top_k == 1
    if "scales" in fixed:
        absent = fixed["scales"] == ABSENT
    scales: SearchStrategy[Fill] = weight_fills(FINITE if biased else WEIGHTS)
    if not absent and "scales" in fixed:
        scales = weights_with(fixed["scales"])
    held, scales_dtype = draw(scales), draw(st.sampled_from(scales_dtypes(dtype)))
    more, bias = draw(MORE_EXPERTS), draw(BIAS_FILLS)
    return with_parts(
        case,
        Parts(
            # The operator's tiling wants as many rows of the bias as a token has slots.
            experts=more + (top_k if biased else 1),
            scales=None if absent else held,
            scales_dtype=fixed.get("scales dtype", scales_dtype),
            skips=[draw(fills(1)) for _ in range(2)][:skips],
            bias=bias if biased else None,
        ),
    )


@cache
def cells(mode: str, dtype: str) -> Cells:
    """The cells of one mode and dtype: those of the sum, and of the optional tensors."""
    call = call_in(mode)
    sums = slot_cells(
        call,
        drawn_as(mode),
        dtype,
        window=window,
        names=names,
        boundaries=BOUNDARIES,
        slot_bytes=SLOT_BYTES,
    )
    axes = [
        Axis("skips", SKIPS, _skips_of),
        Axis("bias", BIAS, lambda case: [BIAS["bias" in case.inputs]]),
        Axis("scales", (*WEIGHTS, ABSENT), _scales_of),
    ]
    constraints = [
        Constraint(
            ("scales", "slots"),
            lambda scales, slots: scales != ABSENT or slots == "1",
            "without scales a token has one slot",
        ),
        Constraint(
            ("scales", "bias"),
            lambda scales, bias: scales != WEIGHTS[-1] or bias == BIAS[0],
            "an infinity times a sum is no sum of infinities",
        ),
    ]
    if len(scales_dtypes(dtype)) > 1:
        axes.append(Axis("scales dtype", scales_dtypes(dtype), _scales_dtype_of))
        constraints.append(
            Constraint(
                ("scales", "scales dtype"),
                lambda scales, other: scales != ABSENT or other == dtype,
                "scales that are absent have no dtype of their own",
            )
        )
    return replace(
        sums,
        axes=(*sums.axes, *axes),
        cases=lambda levels: completed(sums.cases(levels), dtype, levels),
        constraints=(*sums.constraints, *constraints),
        edges=_edges(mode, dtype),
    )


def _skips_of(case: Case) -> list[str]:
    return [SKIPS[("x1" in case.inputs) + ("x2" in case.inputs)]]


def _scales_of(case: Case) -> tuple[str, ...]:
    scales = case.inputs.get("scales")
    if scales is None:
        return (ABSENT,)
    return families_of(scales.fill, scales.shape[-1]) if scales.fill else ()


def _scales_dtype_of(case: Case) -> list[str]:
    scales = case.inputs.get("scales")
    return [case.dtype if scales is None else scales.dtype]


def _edges(mode: str, dtype: str) -> Edges:
    edges = edges_on(call_in(mode), drawn_as(mode), dtype, _declared(numpy_dtype(dtype).itemsize))
    near = edges.cases
    return replace(edges, cases=lambda edge: completed(near(edge), dtype))


def _declared(element_bytes: int) -> Iterator[tuple[str, Machine, Sizes]]:
    """The vendor's paths, and rows of which a buffer holds eight, four or none.

    Where the vendor's tiling cuts rows, and holds a whole bias, is in no public text as a number.
    """
    for machine, (step, change) in product(CHIPS, STEPS.items()):
        for top_k in PATHS:
            yield f"top_k = {top_k}{step}", machine, {"top_k": top_k + change}
        for top_k in (8, 7):
            sizes = {"top_k": top_k, "hidden": EVEN_COLUMNS + change}
            yield f"hidden = {EVEN_COLUMNS} of {top_k} slots{step}", machine, sizes
        for rows in (8, 4, 1):
            hidden = machine.ub_bytes // rows // element_bytes + change
            yield f"hidden = a buffer of {rows} rows{step}", machine, {"top_k": 2, "hidden": hidden}
    for machine, count, (step, change) in product((SMALL, *CHIPS), (1, 2), STEPS.items()):
        tokens = count * machine.cores + change
        yield f"tokens = {count} cores{step}", machine, {"top_k": 3, "tokens": tokens}
