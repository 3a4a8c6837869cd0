"""The interface of MoeTokenPermuteGrad checks its rules in order, and says which was broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pytest

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.variations import reshaped, retyped, with_attributes, without
from tests.kernels.moe_token_permute_grad_values import value
from tests.kernels.signatures import PERMUTE_GRAD, bits, completed, random_rows

Rule = tuple[str, int, Callable[[Case], Case], str]
ROWS, INDICES = random_rows((8, 16), "float32", 0), np.array([3, 0, 1, 2, 7, 4, 6, 5])
GOOD = value("good", ROWS, INDICES, 2, (2, 1024))


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


RULES: tuple[Rule, ...] = (
    ("null rows", 161001, lambda case: without(case, "rows"), "permutedOutputGrad is null"),
    ("null indices", 161001, lambda case: without(case, "indices"), "sortedIndices is null"),
    ("null out", 161001, lambda case: without(case, "out"), "out is null"),
    ("rows' type", 161002, typed("rows", "int32"), "the data type of permutedOutputGrad is 3"),
    ("indices' type", 161002, typed("indices", "int64"), "the data type of sortedIndices is 9"),
    ("out's type", 161002, typed("out", "float16"), "the data type of out is 1"),
    ("rank", 561002, shaped("rows", 2, 4, 16), "the rank of permutedOutputGrad is 3"),
    ("indices' rank", 561002, shaped("indices", 4, 2), "the rank of sortedIndices is 2"),
    ("top_k", 561002, lambda case: with_attributes(case, top_k=0), "numTopk is 0"),
    ("length", 561002, lambda case: with_attributes(case, top_k=3), "a multiple of numTopk, 3"),
    ("out's rank", 561002, shaped("out", 4, 4, 4), "the rank of out is 3"),
    ("out's width", 561002, shaped("out", 4, 17), "dim 1 of out is 17"),
    ("out's rows", 561002, shaped("out", 5, 16), "dim 0 of out is 5"),
)


def touches(rule: Rule) -> str:
    """The parameter that a rule's change replaces: of two on one, the second undoes the first."""
    changed = rule[2](GOOD.case)
    for name in ("rows", "indices"):
        if changed.inputs.get(name) != GOOD.case.inputs[name]:
            return name
    if changed.outputs != GOOD.case.outputs:
        return "out"
    return "top_k"


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
    seen = device.run(PERMUTE_GRAD, breaking(GOOD.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert seen.message.startswith("aclnnMoeTokenPermuteGradGetWorkspaceSize: ")
    assert seen.outputs_untouched
    outputs = completed(device, PERMUTE_GRAD, GOOD.case)
    assert bits(outputs["out"]) == bits(GOOD.expected["out"])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(PERMUTE_GRAD, second(first(GOOD.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


def test_the_padded_flag_is_ignored(device: Device) -> None:
    outputs = completed(device, PERMUTE_GRAD, with_attributes(GOOD.case, padded=1))
    assert bits(outputs["out"]) == bits(GOOD.expected["out"])


def test_512_slots_are_accepted_and_513_are_not(device: Device) -> None:
    for top_k, outcome in ((512, Outcome.COMPLETED), (513, Outcome.REJECTED)):
        one = value(
            "many slots", random_rows((9, 8), "float16", 1), np.arange(top_k), top_k, (1, 4096)
        )
        assert device.run(PERMUTE_GRAD, one.case).outcome is outcome


def test_a_buffer_that_is_too_small_is_refused_with_its_least_size(device: Device) -> None:
    one = value("300 slots", ROWS, np.arange(300), 300, (1, 1024))
    seen = device.run(PERMUTE_GRAD, one.case)
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert "the unified buffer is 1024 bytes; it must be 1312 bytes or more" in seen.message


@pytest.mark.parametrize(("tokens", "hidden"), [(0, 16), (4, 0), (0, 0)])
def test_an_empty_output_needs_no_workspace(tokens: int, hidden: int, device: Device) -> None:
    rows, indices = np.zeros((2 * tokens, hidden), np.float32), np.arange(2 * tokens)
    seen = device.run(PERMUTE_GRAD, value("empty", rows, indices, 2, (1, 1024)).case)
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)


def test_an_empty_output_is_accepted_before_the_shapes_are_looked_at(device: Device) -> None:
    case = reshaped(with_attributes(GOOD.case, top_k=0), "out", (0, 99))
    assert device.run(PERMUTE_GRAD, case).outcome is Outcome.COMPLETED
