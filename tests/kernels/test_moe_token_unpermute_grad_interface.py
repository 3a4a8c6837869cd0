"""The interface of MoeTokenUnpermuteGrad checks its rules in order, and says which was broken."""

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
from tests.kernels.moe_token_unpermute_grad_values import value
from tests.kernels.signatures import UNPERMUTE_GRAD, bits, completed, random_rows

Rule = tuple[str, int, Callable[[Case], Case], str]
ROWS, GRADS = random_rows((9, 16), "float32", 0), random_rows((4, 16), "float32", 1)
INDICES = np.array([3, 0, 1, 2, 9, 4, 6, 5])
PROBS = random_rows((4, 2), "float16", 2)
GOOD = value("good", ROWS, GRADS, INDICES, PROBS, (2, 1024))
BARE = value("no probs", ROWS, GRADS, INDICES[:4], None, (2, 1024))
INPUTS = ("rows", "grads", "indices", "probs")
OUTPUTS = ("row_grads", "prob_grads")


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


def null(name: str) -> Callable[[Case], Case]:
    return lambda case: without(case, name)


RULES: tuple[Rule, ...] = (
    ("null rows", 161001, null("rows"), "permutedTokens is null; it must be a tensor"),
    ("null grads", 161001, null("grads"), "unpermutedTokensGrad is null; it must be a tensor"),
    ("null indices", 161001, null("indices"), "sortedIndices is null; it must be a tensor"),
    ("null row_grads", 161001, null("row_grads"), "permutedTokensGradOut is null; it must be a"),
    ("null prob_grads", 161001, null("prob_grads"), "probsGradOut is null; it must be a tensor"),
    ("rows' type", 161002, typed("rows", "int32"), "the data type of permutedTokens is 3"),
    ("grads' type", 161002, typed("grads", "float16"), "the data type of unpermutedTokensGrad is"),
    ("indices' type", 161002, typed("indices", "int64"), "the data type of sortedIndices is 9"),
    ("probs' type", 161002, typed("probs", "int32"), "the data type of probsOptional is 3"),
    ("row_grads' type", 161002, typed("row_grads", "float16"), "type of permutedTokensGradOut is"),
    ("prob_grads' type", 161002, typed("prob_grads", "float32"), "data type of probsGradOut is 0"),
    ("rank", 561002, shaped("rows", 3, 3, 16), "the rank of permutedTokens [3, 3, 16] is 3"),
    ("grads' rank", 561002, shaped("grads", 64), "the rank of unpermutedTokensGrad [64] is 1"),
    ("indices' rank", 561002, shaped("indices", 4, 2), "the rank of sortedIndices [4, 2] is 2"),
    ("probs' rank", 561002, shaped("probs", 8), "the rank of probsOptional [8] is 1"),
    ("row_grads' rank", 561002, shaped("row_grads", 9), "rank of permutedTokensGradOut [9] is 1"),
    ("prob_grads' rank", 561002, shaped("prob_grads", 8), "the rank of probsGradOut [8] is 1"),
    ("top_k", 561002, shaped("probs", 4, 0), "topK, dim 1 of probsOptional, is 0"),
    ("no rows", 561002, shaped("rows", 0, 16), "dim 0 of permutedTokens is 0; it must be greater"),
    (
        "no columns",
        561002,
        shaped("rows", 9, 0),
        "dim 1 of permutedTokens is 0; it must be greater",
    ),
    ("no tokens", 561002, shaped("grads", 0, 16), "dim 0 of unpermutedTokensGrad is 0; it must be"),
    ("length", 561002, shaped("probs", 4, 3), "the number of elements of probsOptional, 4 * 3"),
    ("grads' rows", 561002, shaped("grads", 5, 16), "dim 0 of unpermutedTokensGrad is 5"),
    ("grads' width", 561002, shaped("grads", 4, 17), "dim 1 of unpermutedTokensGrad is 17"),
    ("row_grads' rows", 561002, shaped("row_grads", 8, 16), "dim 0 of permutedTokensGradOut is 8"),
    ("row_grads' width", 561002, shaped("row_grads", 9, 1), "dim 1 of permutedTokensGradOut is 1"),
    ("prob_grads' rows", 561002, shaped("prob_grads", 5, 2), "dim 0 of probsGradOut is 5"),
    ("prob_grads' width", 561002, shaped("prob_grads", 4, 3), "dim 1 of probsGradOut is 3"),
)


def touches(rule: Rule) -> str:
    """The tensor that a rule's change replaces: of two on one, the second undoes the first."""
    changed = rule[2](GOOD.case)
    for name in INPUTS:
        if changed.inputs.get(name) != GOOD.case.inputs[name]:
            return name
    (name,) = (one for one in OUTPUTS if changed.outputs.get(one) != GOOD.case.outputs[one])
    return name


PAIRS = [
    (first, second) for first, second in combinations(RULES, 2) if touches(first) != touches(second)
]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, case: Case, one: Value) -> None:
    outputs = completed(device, UNPERMUTE_GRAD, case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), name


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[0])
def test_a_broken_rule_is_named_and_the_next_call_is_fine(rule: Rule, device: Device) -> None:
    _, status, breaking, text = rule
    seen = device.run(UNPERMUTE_GRAD, breaking(GOOD.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert seen.message.startswith("aclnnMoeTokenUnpermuteGradGetWorkspaceSize: ")
    assert seen.outputs_untouched
    assert_right(device, GOOD.case, GOOD)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(UNPERMUTE_GRAD, second(first(GOOD.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


@pytest.mark.parametrize("route", TWO_PHASE)
@pytest.mark.parametrize("one", [GOOD, BARE], ids=["probs", "no probs"])
def test_the_padded_flag_and_the_shape_to_restore_are_ignored(route: str, one: Value) -> None:
    with closing(open_device("sim", route=route)) as device:
        for padded, shape in ((0, None), (1, None), (0, (4, 16)), (1, (0, -3, 7)), (0, ())):
            case = with_attributes(one.case, padded=padded, restore_shape=shape)
            assert_right(device, case, one)


def test_without_probs_there_are_as_many_tokens_as_indices(device: Device) -> None:
    seen = device.run(UNPERMUTE_GRAD, reshaped(BARE.case, "grads", (2, 16)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    told = "dim 0 of unpermutedTokensGrad is 2; it must be dim 0 of sortedIndices without probs"
    assert told in seen.message


def test_512_slots_are_accepted_and_513_are_not(device: Device) -> None:
    for top_k, outcome in ((512, Outcome.COMPLETED), (513, Outcome.REJECTED)):
        rows, probs = random_rows((9, 8), "float16", 1), np.ones((1, top_k), np.float32)
        one = value("many slots", rows, rows[:1], np.arange(top_k), probs, (1, 1024))
        assert device.run(UNPERMUTE_GRAD, one.case).outcome is outcome


@pytest.mark.parametrize("rows", [0, 3])
def test_empty_outputs_need_no_workspace_whatever_the_other_shapes(
    rows: int, device: Device
) -> None:
    emptied = reshaped(reshaped(GOOD.case, "row_grads", (rows, 0)), "prob_grads", (0, 513))
    seen = device.run(UNPERMUTE_GRAD, emptied)
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)
    bare = device.run(UNPERMUTE_GRAD, reshaped(BARE.case, "row_grads", (rows, 0)))
    assert (bare.outcome, bare.workspace_bytes) == (Outcome.COMPLETED, 0)


@pytest.mark.parametrize("name", OUTPUTS)
def test_one_empty_output_is_not_enough(name: str, device: Device) -> None:
    seen = device.run(UNPERMUTE_GRAD, reshaped(GOOD.case, name, (0, 0)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)


def test_no_source_row_at_all_is_refused_where_probs_ask_for_a_gradient(device: Device) -> None:
    emptied = reshaped(reshaped(GOOD.case, "rows", (0, 16)), "row_grads", (0, 16))
    seen = device.run(UNPERMUTE_GRAD, emptied)
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert "dim 0 of permutedTokens is 0; it must be greater than 0" in seen.message
