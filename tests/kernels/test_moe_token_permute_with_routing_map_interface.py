"""The interface of MoeTokenPermuteWithRoutingMap checks its rules in CANN's order, and says which
was broken; its tensors may be strided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from conformance.call.case import Case, Tensor
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.variations import reshaped, retyped, with_attributes, without
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.moe_token_permute_with_routing_map_values import value
from tests.kernels.signatures import ROUTING_MAP, bits, completed, random_rows

Rule = tuple[str, int, Callable[[Case], Case], str]
TOKENS, EXPERTS, TOP_K, HIDDEN = 4, 3, 2, 16
ROWS, PROBS = random_rows((TOKENS, HIDDEN), "float32", 0), random_rows((4, 3), "float32", 1)
MAP = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1]], np.int8)
NUMBERS = {False: 9, True: 8}
"""numOutTokens by dropAndPad: for 8 ranks, or 6 rows."""


def good(*, pad: bool) -> Value:
    return value("good", ROWS, MAP, NUMBERS[pad], (2, 1024), pad=pad, probs=PROBS)


PLAIN, PADDED = good(pad=False), good(pad=True)


def lacking(name: str) -> Callable[[Case], Case]:
    return lambda case: without(case, name)


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


def numbered(number: int) -> Callable[[Case], Case]:
    return lambda case: with_attributes(case, number=number)


RULES: tuple[Rule, ...] = (
    ("null tokens", 161001, lacking("tokens"), "tokens is null"),
    ("null map", 161001, lacking("map"), "routingMap is null"),
    ("null out", 161001, lacking("permuted"), "permuteTokensOut is null"),
    ("null indices", 161001, lacking("indices"), "sortedIndicesOut is null"),
    ("null probs out", 161001, lacking("permuted_probs"), "permuteProbsOutOptional is null"),
    ("tokens' type", 161002, typed("tokens", "int8"), "type of tokens is 2; it must be 0 (fp32)"),
    ("map's type", 161002, typed("map", "uint8"), "type of routingMap is 4; it must be 2 (int8)"),
    (
        "probs' type",
        161002,
        typed("probs", "float16"),
        "type of probsOptional is 1; it must be that of tokens, 0",
    ),
    ("out's type", 161002, typed("permuted", "float16"), "type of permuteTokensOut is 1"),
    (
        "probs out's type",
        161002,
        typed("permuted_probs", "bfloat16"),
        "type of permuteProbsOutOptional is 27",
    ),
    ("indices' type", 161002, typed("indices", "int64"), "type of sortedIndicesOut is 9"),
    ("map's rank", 161002, shaped("map", 12), "the rank of routingMap [12] is 1; it must be 2"),
    ("probs' rank", 161002, shaped("probs", 12), "the rank of probsOptional [12] is 1"),
    ("number", 161002, numbered(-1), "numOutTokens is -1; it must be 0 to the number of elements"),
    ("out's rank", 161002, shaped("permuted", 128), "the rank of permuteTokensOut [128] is 1"),
    (
        "probs out",
        161002,
        shaped("permuted_probs", 9),
        "dim 0 of permuteProbsOutOptional is 9; it must be numOutTokens",
    ),
    ("indices", 161002, shaped("indices", 4, 2), "the rank of sortedIndicesOut [4, 2] is 2"),
    ("tokens", 561002, shaped("tokens", 5, HIDDEN), "dim 0 of tokens is 5; it must be dim 0 of"),
    ("probs", 561002, shaped("probs", 4, 4), "dim 1 of probsOptional is 4; it must be that of"),
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


@pytest.fixture(scope="module", params=["aclnn", "kernel"])
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    opened = open_device("sim", route=request.param)
    yield opened
    opened.close()


def assert_right(device: Device, one: Value) -> None:
    outputs = completed(device, ROUTING_MAP, one.case)
    assert {name: bits(found) for name, found in outputs.items()} == {
        name: bits(expected) for name, expected in one.expected.items()
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[0])
def test_a_broken_rule_is_named_and_the_next_call_is_fine(rule: Rule, device: Device) -> None:
    _, status, breaking, text = rule
    seen = device.run(ROUTING_MAP, breaking(PLAIN.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert "MoeTokenPermuteWithRoutingMapGetWorkspaceSize: " in seen.message
    assert seen.outputs_untouched
    for one in (PLAIN, PADDED):
        assert_right(device, one)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(ROUTING_MAP, second(first(PLAIN.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


@pytest.mark.parametrize("pad", [False, True])
def test_the_output_s_rows_are_the_number_rounded_down(pad: bool, device: Device) -> None:
    one = PADDED if pad else PLAIN
    assert_right(device, one)
    seen = device.run(ROUTING_MAP, shaped("permuted", NUMBERS[pad], HIDDEN)(one.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 161002)
    assert f"dim 0 of permuteTokensOut is {NUMBERS[pad]}; it must be numOutTokens" in seen.message


@pytest.mark.parametrize("pad", [False, True])
def test_the_type_and_shape_of_the_probs_output_do_not_matter_without_probs(
    pad: bool, device: Device
) -> None:
    one = value("plain", ROWS, MAP, NUMBERS[pad], (2, 1024), pad=pad)
    room = {"permuted_probs": Tensor((3, 1), "float16")}
    seen = device.run(ROUTING_MAP, replace(one.case, outputs={**one.case.outputs, **room}))
    assert seen.outcome is Outcome.COMPLETED
    assert seen.unwritten["permuted_probs"] == 3
    assert_right(device, one)


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize(
    ("tokens", "experts", "number", "rows", "hidden"),
    [(0, 3, 0, 0, 8), (4, 0, 0, 0, 8), (4, 3, 2, 0, 8), (4, 3, 12, 12, 0), (0, 0, 0, 0, 0)],
)
def test_an_empty_map_or_output_ends_the_call_and_leaves_the_outputs_alone(
    tokens: int, experts: int, number: int, rows: int, hidden: int, pad: bool, device: Device
) -> None:
    case = with_attributes(PLAIN.case, number=number, pad=int(pad))
    for name, shape in (
        ("tokens", (tokens, hidden)),
        ("map", (tokens, experts)),
        ("probs", (tokens, experts)),
        ("permuted", (rows, hidden)),
        ("permuted_probs", (rows,)),
        ("indices", (rows,)),
    ):
        case = reshaped(case, name, shape)
    seen = device.run(ROUTING_MAP, case)
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)
    assert seen.outputs_untouched
