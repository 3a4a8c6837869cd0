"""What a call of MoeTokenPermuteWithRoutingMapGrad has besides rows and indices: probs, a map."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.draw.values import MOVED_FIRST
from conformance.values.fill import families_of

Mask = NDArray[np.bool_]

PROBS = ("neither", "both", "output only", "input only")
"""Which of the probs' gradients a call has: the one of the permuted probs and the one it asks
for. Nothing is computed for the latter without the former."""

MAPS = ("int8", "bool", "int8 of any value", "absent")
TRUE_VALUES = (1, 2, -1, 127, -128)
"""What routes in an int8 map: any value but 0."""


VALUES = ("none", *MOVED_FIRST)
"""The families of values of the permuted probs' gradient, which are moved; or it is not there."""

GIVEN = ("both", "input only")
"""Levels of PROBS at which that gradient is there."""


def goes_with(probs: str, routing_map: str) -> bool:
    """Whether a call may have both: a map must be there where there are probs."""
    return routing_map != "absent" or probs not in GIVEN


EXTRAS = st.sampled_from(
    [(probs, kind) for probs in PROBS for kind in MAPS if goes_with(probs, kind)]
)
"""Every level of PROBS with every one of MAPS that goes with it."""


def has_values(probs: str, values: str) -> bool:
    """Whether a call may have both: values where there is the permuted probs' gradient."""
    return (probs in GIVEN) == (values != VALUES[0])


def routed(tokens: int, experts: int, top_k: int, generator: np.random.Generator) -> Mask:
    """A map [tokens, experts] that routes every token to ``top_k`` experts."""
    return np.asarray(np.argsort(generator.random((tokens, experts)), axis=1) < top_k)


def in_last_experts(routing_map: Mask) -> Mask:
    """The map with the later half of the experts that it has as the very last ones, in one order.

    Where experts are many and slots few, those beyond a limit would else have none, or as many as
    those before it.
    """
    experts = routing_map.shape[1]
    used = np.flatnonzero(routing_map.any(axis=0))
    first = used.size // 2
    places = np.concatenate([used[:first], np.arange(experts - used.size + first, experts)])
    moved = np.zeros_like(routing_map)
    moved[:, places] = routing_map[:, used]
    return moved


def map_values(kind: str, mask: Mask, generator: np.random.Generator) -> tuple[int, ...]:
    """The values of a map of this kind, in C order; one at least tells the kind."""
    values = mask.astype(np.int64)
    if kind == "int8 of any value":
        values[mask] = generator.choice(TRUE_VALUES, int(mask.sum()))
        if mask.any():
            values.flat[int(mask.argmax())] = -1
    return tuple(values.ravel().tolist())


def probs_of(case: Case) -> str:
    """Which gradients of probs a call has."""
    given = "permuted_probs_output_grad" in case.inputs
    asked = "probs_grad" in case.outputs
    return {(False, False): "neither", (True, True): "both", (False, True): "output only"}.get(
        (given, asked), "input only"
    )


def values_of(case: Case) -> tuple[str, ...]:
    """The families of values that a call's permuted probs' gradient holds, or that it has none."""
    probs = case.inputs.get("permuted_probs_output_grad")
    if probs is None:
        return VALUES[:1]
    return families_of(probs.fill, probs.shape[-1]) if probs.fill else ()


def map_of(case: Case) -> str:
    """The kind of a call's map."""
    routing_map = case.inputs.get("routing_map")
    if routing_map is None:
        return "absent"
    if routing_map.dtype == "bool":
        return "bool"
    beyond = np.setdiff1d(case.arrays["routing_map"], (0, 1))
    return "int8 of any value" if beyond.size else "int8"
