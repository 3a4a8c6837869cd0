"""Which rows of MoeInitRoutingQuantV2 a call keeps, how it counts, and by what it quantises them.

Rows and counts are those that are drawn for MoeInitRoutingV2, scales and values those of
MoeInitRoutingV3. The document has no expert below 0.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis.strategies import SearchStrategy

from cases.operators import _moe_init_routing_v2_rows as v2
from cases.operators import _moe_init_routing_v3_rows as v3
from cases.operators._expert_slots import SORTING, Experts, routed
from cases.operators._ladders import ladder, of_slots
from cases.operators._moe_init_routing_quant_v2_call import DTYPES, ENDS, MODES, call
from cases.operators._moe_init_routing_v2_call import counts_shown
from cases.operators._moe_init_routing_v3_call import parts
from cases.operators._token_permute import FAMILY, Choice
from cases.operators._token_permute_edges import sorted_cases
from conformance.call.case import Case
from conformance.record.edges import Edge
from conformance.values.fill import Fill

KEYS = ("in order", "cycle", "descending", "one missing", "large", "all equal")


def levels(mode: str) -> dict[str, tuple[str, ...]]:
    """The levels of axes of which a mode has some."""
    end = parts(mode)[1]
    boundaries = v3.BOUNDARIES if end == ENDS[0] else v3.FEW_BOUNDARIES
    return {"boundary": boundaries, "keys": KEYS, FAMILY: v3.FAMILIES[end]}


def keys_with(mode: str, keys: str, level: str, counts: str, scale: str = v3.ABSENT) -> bool:
    """Whether keys of a pattern can show a level, be counted, and have factors of their own."""
    counted = counts != "absent" or scale == v3.PER_EXPERT
    return v2.keys_with(parts(mode)[0], keys, level, "count" if counted else counts)


def _routing(
    mode: str,
    keys: Experts,
    level: str,
    tokens: int,
    numbers: tuple[int, int],
    counts: str = "absent",
    scale: str = v3.ABSENT,
    **data: Any,
) -> tuple[Experts, dict[str, Any]]:
    base, end = parts(mode)
    if keys.min() < 0:
        keys = v2.experts_of(keys, "any", tokens)
    in_range = "count" if scale == v3.PER_EXPERT else counts
    keys, how = v2.routing(base, keys, level, tokens, numbers, in_range)
    return keys, {"counts": counts, **data, **how, **v3.scaled(end, scale, *numbers)}


def _scales_shown(case: Case) -> tuple[str, ...]:
    return v3.scales_shown(case, case.attributes["expert_num"])


PERMUTE = SORTING(
    routed(call, _routing),
    v3.windows(MODES),
    vendor=v3.VENDOR,
    edge_modes=("dropless_static", "dropless_dynamic"),
    choices=(
        Choice("counts", {mode: v2.COUNTS_OF_MODE[parts(mode)[0]] for mode in MODES}, counts_shown),
        Choice("scale", {mode: v3.OF_SCALES[parts(mode)[1]] for mode in MODES}, _scales_shown),
    ),
    keys_with=keys_with,
    levels=levels,
    wide=False,
    columns=v3.columns,
)
AXES = {"hidden-quantised": v3.AXES["hidden-quantised"]}
LIMITS = tuple(v3.limits({dtype: AXES for dtype in DTYPES}))
DYNAMIC = tuple(mode for mode in MODES if mode.endswith(ENDS[1]))


def _of_experts(mode: str, dtype: str, edge: Edge) -> SearchStrategy[Case]:
    """Calls of a dynamic mode with so many experts, rows of one, or places, and finite values."""

    def made(base: str, dtype: str, *, fill: Fill, **how: Any) -> Case:
        return call(f"{base}{ENDS[1]}", dtype, fill=Fill(("gaussian",), fill.seed), **how)

    return v2.of_experts(made, v2.ASKED, parts(mode)[0], dtype, edge)


LADDERS = (
    *of_slots(partial(sorted_cases, PERMUTE, widest=True), least_tokens=2),
    ladder("experts", _of_experts, lambda n: {v2.EXPERTS: n}, modes=DYNAMIC),
    ladder("rows of an expert", _of_experts, lambda n: {v2.LOAD: n}, modes=DYNAMIC),
    ladder("capacity", _of_experts, lambda n: {v2.CAPACITY: n}, modes=DYNAMIC[2:]),
)
