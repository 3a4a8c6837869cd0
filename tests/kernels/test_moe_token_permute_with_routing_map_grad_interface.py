"""The interface of MoeTokenPermuteWithRoutingMapGrad checks its rules in CANN's order, and says
which was broken; its outputs may be strided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.variations import reshaped, retyped, with_attributes, without
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.moe_token_permute_with_routing_map_grad_values import random_map, value
from tests.kernels.signatures import ROUTING_MAP_GRAD, bits, completed, random_rows

Rule = tuple[str, int, Callable[[Case], Case], str]
TOKENS, EXPERTS, TOP_K, HIDDEN = 4, 3, 2, 16
ROWS, VALUES = random_rows((8, HIDDEN), "float32", 0), random_rows((8,), "float32", 1)
MAP = random_map(TOKENS, EXPERTS, TOP_K, 2)
RANKS = np.array([3, 0, 1, 2, 7, 4, 6, 5])
NAMED = np.array([3, 0, 1, 0, 2, 3])


def good(*, pad: bool) -> Value:
    count = len(NAMED) if pad else len(RANKS)
    named = NAMED if pad else RANKS
    return value("good", ROWS[:count], named, MAP, (2, 1024), pad=pad, values=VALUES[:count])


PLAIN, PADDED = good(pad=False), good(pad=True)


def lacking(name: str) -> Callable[[Case], Case]:
    return lambda case: without(case, name)


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


def numbered(name: str, number: int) -> Callable[[Case], Case]:
    return lambda case: with_attributes(case, **{name: number})


RULES: tuple[Rule, ...] = (
    ("experts", 161002, numbered("experts", 0), "numExperts is 0; it must be greater than 0"),
    ("tokens", 161002, numbered("tokens", -1), "tokensNum is -1; it must be greater than 0"),
    ("null rows", 161001, lacking("rows"), "permutedTokenOutputGrad is null"),
    ("null indices", 161001, lacking("indices"), "sortedIndices is null"),
    ("null out", 161001, lacking("tokens_grad"), "tokensGradOut is null"),
    ("null map", 161001, lacking("map"), "routingMapOptional is null"),
    ("rows' type", 161002, typed("rows", "int32"), "type of permutedTokenOutputGrad is 3"),
    (
        "values' type",
        161002,
        typed("values", "float16"),
        "type of permutedProbsOutputGradOptional is 1; it must be that of permutedTokenOutputGrad",
    ),
    ("indices' type", 161002, typed("indices", "int64"), "type of sortedIndices is 9"),
    ("map's type", 161002, typed("map", "uint8"), "type of routingMapOptional is 4"),
    ("out's type", 161002, typed("tokens_grad", "float16"), "type of tokensGradOut is 1"),
    ("probs' type", 161002, typed("probs_grad", "bfloat16"), "type of probsGradOutOptional is 27"),
    ("rows' rank", 161002, shaped("rows", 2, 4, HIDDEN), "rank of permutedTokenOutputGrad is 3"),
    ("map's rank", 161002, shaped("map", 12), "the rank of routingMapOptional is 1"),
    (
        "values' rank",
        161002,
        shaped("values", 8, 1),
        "rank of permutedProbsOutputGradOptional is 2",
    ),
    ("rows", 161002, shaped("rows", 7, HIDDEN), "dim 0 of permutedTokenOutputGrad is 7"),
    ("indices' rank", 161002, shaped("indices", 4, 2), "the rank of sortedIndices is 2"),
    ("indices", 161002, shaped("indices", 6), "dim 0 of sortedIndices is 6"),
    ("out's rank", 161002, shaped("tokens_grad", 4, 4, 4), "the rank of tokensGradOut is 3"),
    ("out", 161002, shaped("tokens_grad", 5, HIDDEN), "dim 0 of tokensGradOut is 5"),
    ("values", 161002, shaped("values", 6), "dim 0 of permutedProbsOutputGradOptional is 6"),
    ("map", 161002, shaped("map", 4, 4), "dim 1 of routingMapOptional is 4"),
    ("probs", 161002, shaped("probs_grad", 5, 3), "dim 0 of probsGradOutOptional is 5"),
)


def touched(rule: Rule) -> set[str]:
    """The parameter that a rule's change replaces: of two on one, the second undoes the first."""
    before, after = PLAIN.case, rule[2](PLAIN.case)
    here: dict[str, Any] = {**before.inputs, **before.outputs, **before.attributes}
    there: dict[str, Any] = {**after.inputs, **after.outputs, **after.attributes}
    return {name for name in here if here[name] != there.get(name)}


PAIRS = [
    (first, second)
    for first, second in combinations(RULES, 2)
    if not touched(first) & touched(second)
]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[0])
def test_a_broken_rule_is_named_and_the_next_call_is_fine(rule: Rule, device: Device) -> None:
    _, status, breaking, text = rule
    seen = device.run(ROUTING_MAP_GRAD, breaking(PLAIN.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert seen.message.startswith(f"{ROUTING_MAP_GRAD.aclnn}GetWorkspaceSize: ")
    assert seen.outputs_untouched
    for one in (PLAIN, PADDED):
        outputs = completed(device, ROUTING_MAP_GRAD, one.case)
        assert {name: bits(found) for name, found in outputs.items()} == {
            name: bits(expected) for name, expected in one.expected.items()
        }


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(ROUTING_MAP_GRAD, second(first(PLAIN.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


def test_padded_rows_are_a_multiple_of_the_experts(device: Device) -> None:
    seen = device.run(ROUTING_MAP_GRAD, shaped("rows", 8, HIDDEN)(PADDED.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 161002)
    assert "dim 0 of permutedTokenOutputGrad is 8; it must be a multiple of numExperts, 3" in (
        seen.message
    )


@pytest.mark.parametrize("pad", [False, True])
def test_the_map_is_not_needed_without_the_values(pad: bool, device: Device) -> None:
    one = PADDED if pad else PLAIN
    case = without(without(without(one.case, "values"), "map"), "probs_grad")
    found = completed(device, ROUTING_MAP_GRAD, case)
    assert bits(found["tokens_grad"]) == bits(one.expected["tokens_grad"])


@pytest.mark.parametrize("pad", [False, True])
def test_the_values_are_not_used_without_their_output(pad: bool, device: Device) -> None:
    one = PADDED if pad else PLAIN
    found = completed(device, ROUTING_MAP_GRAD, without(one.case, "probs_grad"))
    assert bits(found["tokens_grad"]) == bits(one.expected["tokens_grad"])


@pytest.mark.parametrize("pad", [0, 1])
@pytest.mark.parametrize(
    ("rows", "tokens_grad"), [((0, 16), (4, 16)), ((8, 16), (0, 16)), ((8, 0), (4, 0))]
)
def test_an_empty_gradient_of_the_tokens_ends_the_call_and_leaves_the_outputs_alone(
    rows: tuple[int, int], tokens_grad: tuple[int, int], pad: int, device: Device
) -> None:
    case = with_attributes(PLAIN.case, pad=pad)
    case = shaped("tokens_grad", *tokens_grad)(shaped("rows", *rows)(case))
    seen = device.run(ROUTING_MAP_GRAD, case)
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)
    assert seen.outputs_untouched
