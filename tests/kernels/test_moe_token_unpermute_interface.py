"""The interface of MoeTokenUnpermute checks its rules in order, and says which was broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import combinations

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.operator import TWO_PHASE
from conformance.record.variations import reshaped, retyped, with_attributes, without
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.moe_token_unpermute_values import value
from tests.kernels.signatures import UNPERMUTE, bits, completed, random_rows

Rule = tuple[str, int, Callable[[Case], Case], str]
ROWS, INDICES = random_rows((8, 16), "float32", 0), np.array([3, 0, 1, 2, 7, 4, 6, 5])
PROBS = random_rows((4, 2), "float16", 1)
GOOD = value("good", ROWS, INDICES, PROBS, (2, 1024))
BARE = value("no probs", ROWS, INDICES, None, (2, 1024))


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


def null(name: str) -> Callable[[Case], Case]:
    return lambda case: without(case, name)


RULES: tuple[Rule, ...] = (
    ("null rows", 161001, null("rows"), "permutedTokens is null; it must be a tensor"),
    ("null indices", 161001, null("indices"), "sortedIndices is null; it must be a tensor"),
    ("null out", 161001, null("out"), "out is null; it must be a tensor"),
    ("rows' type", 161002, typed("rows", "int32"), "the data type of permutedTokens is 3"),
    ("indices' type", 161002, typed("indices", "int64"), "the data type of sortedIndices is 9"),
    ("probs' type", 161002, typed("probs", "int32"), "the data type of probsOptional is 3"),
    ("out's type", 161002, typed("out", "float16"), "the data type of out is 1"),
    ("rank", 561002, shaped("rows", 2, 4, 16), "the rank of permutedTokens is 3"),
    ("indices' rank", 561002, shaped("indices", 4, 2), "the rank of sortedIndices is 2"),
    ("probs' rank", 561002, shaped("probs", 8), "the rank of probsOptional is 1"),
    ("top_k", 561002, shaped("probs", 4, 0), "topK, dim 1 of probsOptional, is 0"),
    ("length", 561002, shaped("probs", 4, 3), "the number of elements of probsOptional, 4 * 3"),
    ("out's rank", 561002, shaped("out", 4, 4, 4), "the rank of out is 3"),
    ("out's width", 561002, shaped("out", 4, 17), "dim 1 of out is 17"),
    ("out's rows", 561002, shaped("out", 5, 16), "dim 0 of out is 5"),
)


def touches(rule: Rule) -> str:
    """The tensor that a rule's change replaces: of two on one, the second undoes the first."""
    changed = rule[2](GOOD.case)
    for name in ("rows", "indices", "probs"):
        if changed.inputs.get(name) != GOOD.case.inputs[name]:
            return name
    return "out"


PAIRS = [
    (first, second) for first, second in combinations(RULES, 2) if touches(first) != touches(second)
]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[0])
def test_a_broken_rule_is_named_and_the_next_call_is_fine(rule: Rule, device: Device) -> None:
    _, status, breaking, text = rule
    seen = device.run(UNPERMUTE, breaking(GOOD.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert seen.message.startswith("aclnnMoeTokenUnpermuteGetWorkspaceSize: ")
    assert seen.outputs_untouched
    outputs = completed(device, UNPERMUTE, GOOD.case)
    assert bits(outputs["out"]) == bits(GOOD.expected["out"])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(UNPERMUTE, second(first(GOOD.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


@pytest.mark.parametrize("route", TWO_PHASE)
@pytest.mark.parametrize("one", [GOOD, BARE], ids=["probs", "no probs"])
def test_the_padded_flag_and_the_shape_to_restore_are_ignored(route: str, one: Value) -> None:
    with closing(open_device("sim", route=route)) as device:
        for padded, shape in ((0, None), (1, None), (0, (4, 16)), (1, (0, -3, 7)), (0, ())):
            case = with_attributes(one.case, padded=padded, restore_shape=shape)
            assert bits(completed(device, UNPERMUTE, case)["out"]) == bits(one.expected["out"])


def test_without_probs_there_are_as_many_rows_as_indices(device: Device) -> None:
    seen = device.run(UNPERMUTE, reshaped(BARE.case, "out", (4, 16)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert "dim 0 of out is 4; it must be dim 0 of sortedIndices without probs" in seen.message


def test_512_slots_are_accepted_and_513_are_not(device: Device) -> None:
    for top_k, outcome in ((512, Outcome.COMPLETED), (513, Outcome.REJECTED)):
        rows, probs = random_rows((9, 8), "float16", 1), np.ones((1, top_k), np.float32)
        one = value("many slots", rows, np.arange(top_k), probs, (1, 8192))
        assert device.run(UNPERMUTE, one.case).outcome is outcome


def test_a_buffer_that_is_too_small_is_refused_with_its_least_size(device: Device) -> None:
    one = value("300 slots", ROWS, np.arange(300), np.ones((1, 300), np.float16), (1, 1024))
    seen = device.run(UNPERMUTE, one.case)
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert "the unified buffer is 1024 bytes; it must be 1920 bytes or more" in seen.message


@pytest.mark.parametrize(("tokens", "hidden"), [(0, 16), (4, 0), (0, 0)])
def test_an_empty_output_needs_no_workspace(tokens: int, hidden: int, device: Device) -> None:
    rows, indices = np.zeros((2 * tokens, hidden), np.float32), np.arange(2 * tokens)
    one = value("empty", rows, indices, np.ones((tokens, 2), np.float32), (1, 1024))
    seen = device.run(UNPERMUTE, one.case)
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)


def test_an_empty_output_is_accepted_before_the_shapes_are_looked_at(device: Device) -> None:
    case = reshaped(reshaped(GOOD.case, "probs", (7, 513)), "out", (0, 99))
    assert device.run(UNPERMUTE, case).outcome is Outcome.COMPLETED
