"""The kernel of MoeInitRoutingV3 gives what the loops of its document give, bit by bit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Machine
from conformance.devices.device import Device
from conformance.devices.open import open_device
from device_kernels.build import build
from tests.kernels.init_routing_calls import (
    DYNAMIC,
    OPERATOR,
    STATIC,
    UNQUANTISED,
    Array,
    Routing,
    told,
)

DTYPES = ("float32", "float16", "bfloat16")
MACHINES = (Machine(1, 1024), Machine(3, 1056), Machine(40, 196352, "reverse"))


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    library = build(only={OPERATOR.name}, quiet=True).lib
    with closing(open_device("sim", libraries=library)) as opened:
        yield opened


def values(rng: np.random.Generator, tokens: int, hidden: int) -> Array:
    """Rows of different size; a row of zeros, and one whose last column is the greatest."""
    x = rng.normal(0, 1, (tokens, hidden)) * 2.0 ** rng.integers(-6, 6, (tokens, 1))
    x[0] = 0
    x[-1, -1:] = -300
    return x


def factors(rng: np.random.Generator, routing: Routing, kind: str) -> dict[str, Any]:
    start, end = routing.span or (0, routing.experts)
    rows = {"none": 0, "one": 1, "each": end - start}[kind]
    if routing.quant == STATIC:
        return {"scale": np.array([1.7]), "offset": 3.25}
    if not rows:
        return {}
    if routing.quant == UNQUANTISED:
        return {"scale": rng.normal(0, 1, len(routing.x))}
    return {"scale": rng.uniform(0.5, 2, (rows, routing.x.shape[1]))}


def mixed(turn: int) -> Iterator[Routing]:
    """Each quantisation, kind of count, of row index and of scale beside the others in turn."""
    rng = np.random.default_rng(turn)
    kinds = product((UNQUANTISED, STATIC, DYNAMIC), ("none", "one", "each"), range(4))
    for number, (quant, kind, form) in enumerate(kinds):
        tokens, hidden = int(rng.integers(1, 20)), int(rng.choice([1, 7, 33, 70]))
        top_k, experts = int(rng.integers(1, 5)), int(rng.choice([3, 30]))
        dtype = DTYPES[(number + turn) % 3]
        span = None if form == 1 else ((2, 3), (0, 2), (1, 3), (0, 3))[form]
        idx = rng.integers(-1 if span else 0, experts, (tokens, top_k))
        routing = Routing(
            values(rng, tokens, hidden), idx, experts, dtype, span, quant=quant,
            active=(0, -1, 5, tokens * top_k)[form], counts=(None, 0, 1, 2)[form - turn % 4],
            by_rank=number % 2 == 0, machine=MACHINES[number % 3],
        )  # fmt: skip
        if form == 1:
            capacity = int(rng.integers(1, tokens + 1))
            counts = None if number % 2 else 1
            routing = replace(routing, active=0, capacity=capacity, counts=counts, by_rank=False)
        yield replace(routing, **factors(rng, routing, kind))


@pytest.mark.parametrize("turn", range(3))
def test_each_output_is_what_the_definition_gives(turn: int, device: Device) -> None:
    for routing in mixed(turn):
        assert told(device, routing) == "", routing


def test_int8_is_copied(device: Device) -> None:
    x = np.arange(-128, 128).reshape(8, 32)
    routing = Routing(x, np.array([[1], [0], [1], [2]] * 2), 3, "int8", (1, 3))
    assert told(device, replace(routing, scale=np.arange(8.0))) == ""


def test_without_tokens_there_are_counts_of_nothing(device: Device) -> None:
    routing = Routing(np.zeros((0, 5)), np.zeros((0, 2), int), 4)
    for counts, span in product((0, 1, 2), (None, (1, 3))):
        assert told(device, replace(routing, counts=counts, span=span)) == ""


def test_ties_go_to_the_even_integer_and_beyond_int8_to_its_ends(device: Device) -> None:
    """Rows of 127 and odd halves: their scale is 1, in one tile and in several."""
    ties = np.concatenate([[127.0], np.arange(-126.5, 127)])[None]
    for ub, quant in product((1024, 196352), (STATIC, DYNAMIC)):
        given: dict[str, Any] = {"scale": np.array([1.0]), "offset": 0.0} if quant == 0 else {}
        routing = Routing(ties, np.array([[0]]), 1, quant=quant, **given, machine=Machine(1, ub))
        assert told(device, routing) == ""
    x = np.array([[127.4, 127.5, 1e9, -128.5, -129, -3e9]])
    routing = Routing(x, np.array([[0]]), 1, quant=STATIC, scale=np.array([1.0]), offset=0.0)
    assert told(device, routing) == ""


def test_many_slots_are_merged_and_many_experts_counted_in_parts(device: Device) -> None:
    rng = np.random.default_rng(5)
    idx = rng.integers(0, 300, (150, 3))
    routing = Routing(values(rng, 150, 2), idx, 300, quant=DYNAMIC, machine=Machine(3, 1024))
    for counts, span, by_rank in product((0, 2), (None, (5, 200)), (False, True)):
        assert told(device, replace(routing, counts=counts, span=span, by_rank=by_rank)) == ""
    assert told(device, replace(routing, capacity=2)) == ""
