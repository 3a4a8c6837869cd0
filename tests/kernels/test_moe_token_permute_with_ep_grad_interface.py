"""The interface of MoeTokenPermuteWithEpGrad checks its rules in order, and names one broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.operator import TWO_PHASE
from conformance.record.variations import reshaped, retyped, with_attributes, without
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.moe_token_permute_with_ep_grad_values import Span, value
from tests.kernels.signatures import PERMUTE_EP_GRAD, bits, completed, random_bits, random_rows

Rule = tuple[str, int, Callable[[Case], Case], str]
ROWS, INDICES = random_rows((5, 16), "float32", 0), np.array([3, 0, 1, 2, 7, 4, 6, 5])
PROBS, SPAN = random_bits((5,), "float32", 1), (2, 7)
MACHINE = (2, 1024)
GOOD = value("good", ROWS, INDICES, 2, SPAN, PROBS, MACHINE)
BARE = value("no probs", ROWS, INDICES, 2, SPAN, None, MACHINE)
PHASE_1 = "aclnnMoeTokenPermuteWithEpGradGetWorkspaceSize: "


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


def null(name: str) -> Callable[[Case], Case]:
    return lambda case: without(case, name)


def ranged(*span: int) -> Callable[[Case], Case]:
    return lambda case: with_attributes(case, range=span)


RULES: tuple[Rule, ...] = (
    ("null rows", 161001, null("rows"), "permutedTokensOutputGrad is null; it must be a tensor"),
    ("null indices", 161001, null("indices"), "sortedIndices is null; it must be a tensor"),
    ("null out", 161001, null("tokens_grad"), "tokenGradOut is null; it must be a tensor"),
    ("null probs out", 161001, null("probs_grad"), "probsGradOut is null; it must be a tensor"),
    ("rows' type", 161002, typed("rows", "int32"), "type of permutedTokensOutputGrad is 3"),
    ("indices' type", 161002, typed("indices", "int64"), "the data type of sortedIndices is 9"),
    ("probs' type", 161002, typed("probs", "float16"), "OutputGradOptional is 1; it must be that"),
    ("out's type", 161002, typed("tokens_grad", "bfloat16"), "data type of tokenGradOut is 27"),
    ("probs out's type", 161002, typed("probs_grad", "float16"), "type of probsGradOut is 1"),
    (
        "top_k",
        561002,
        lambda case: with_attributes(case, top_k=0),
        "numTopk is 0; it must be 1 to 512",
    ),
    ("length", 561002, ranged(2), "the length of rangeOptional is 1; it must be 2"),
    (
        "padded",
        561002,
        lambda case: with_attributes(case, padded=1),
        "paddedMode is true; it must be false",
    ),
    ("rank", 561002, shaped("rows", 5, 4, 4), "the rank of permutedTokensOutputGrad is 3"),
    ("indices' rank", 561002, shaped("indices", 4, 2), "the rank of sortedIndices is 2"),
    ("probs' rank", 561002, shaped("probs", 5, 1), "the rank of permutedProbsOutputGradOptional"),
    ("multiple", 561002, shaped("indices", 7), "dim 0 of sortedIndices is 7; it must be a multi"),
    ("rows", 561002, shaped("rows", 4, 16), "dim 0 of permutedTokensOutputGrad is 4; it must be"),
    ("probs", 561002, shaped("probs", 4), "dim 0 of permutedProbsOutputGradOptional is 4; it must"),
    ("out's rank", 561002, shaped("tokens_grad", 4, 4, 4), "the rank of tokenGradOut is 3"),
    ("out's width", 561002, shaped("tokens_grad", 4, 17), "dim 1 of tokenGradOut is 17"),
    ("out's rows", 561002, shaped("tokens_grad", 5, 16), "dim 0 of tokenGradOut is 5"),
    ("probs out's rank", 561002, shaped("probs_grad", 8), "the rank of probsGradOut is 1"),
    ("probs out's rows", 561002, shaped("probs_grad", 5, 2), "dim 0 of probsGradOut is 5"),
    ("probs out's slots", 561002, shaped("probs_grad", 4, 3), "dim 1 of probsGradOut is 3"),
)


def touches(rule: Rule) -> str:
    """What a rule's change replaces: of two on one, the second undoes the first."""
    changed = rule[2](GOOD.case)
    for name in ("rows", "indices", "probs"):
        if changed.inputs.get(name) != GOOD.case.inputs[name]:
            return name
    for name in ("tokens_grad", "probs_grad"):
        if changed.outputs.get(name) != GOOD.case.outputs[name]:
            return name
    return rule[0]


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
    seen = device.run(PERMUTE_EP_GRAD, breaking(GOOD.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert seen.message.startswith(PHASE_1)
    assert seen.outputs_untouched
    outputs = completed(device, PERMUTE_EP_GRAD, GOOD.case)
    for name, expected in GOOD.expected.items():
        assert bits(outputs[name]) == bits(expected)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(PERMUTE_EP_GRAD, second(first(GOOD.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


@pytest.mark.parametrize("route", TWO_PHASE)
@pytest.mark.parametrize("span", [None, (0, 0), (7, 2), (3, 3)])
def test_on_both_routes_a_range_without_ranks_leaves_zeros(route: str, span: Span) -> None:
    one = value("no rank", ROWS, INDICES, 2, span, PROBS, MACHINE)
    with closing(open_device("sim", route=route)) as device:
        outputs = completed(device, PERMUTE_EP_GRAD, one.case)
    for name, shape in (("tokens_grad", (4, 16)), ("probs_grad", (4, 2))):
        assert bits(outputs[name]) == bits(np.zeros(shape, np.float32))


@pytest.mark.parametrize("route", TWO_PHASE)
@pytest.mark.parametrize("one", [GOOD, BARE], ids=["probs", "no probs"])
def test_both_routes_answer_alike(route: str, one: Value) -> None:
    with closing(open_device("sim", route=route)) as device:
        outputs = completed(device, PERMUTE_EP_GRAD, one.case)
        refused = device.run(PERMUTE_EP_GRAD, with_attributes(one.case, padded=1))
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected)
    assert (refused.outcome, refused.status) == (Outcome.REJECTED, 561002)
    assert refused.message.startswith(f"{route}MoeTokenPermuteWithEpGradGetWorkspaceSize: padded")


def test_512_slots_are_accepted_and_513_are_not(device: Device) -> None:
    for top_k, outcome in ((512, Outcome.COMPLETED), (513, Outcome.REJECTED)):
        rows = random_rows((9, 8), "float16", 1)
        one = value("many slots", rows, np.arange(top_k), top_k, (0, 9), None, (1, 8192))
        assert device.run(PERMUTE_EP_GRAD, one.case).outcome is outcome


def test_a_buffer_that_is_too_small_is_refused_with_its_least_size(device: Device) -> None:
    one = value("400 slots", ROWS, np.arange(400), 400, SPAN, PROBS, (1, 1024))
    seen = device.run(PERMUTE_EP_GRAD, one.case)
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert "the unified buffer is 1024 bytes; it must be 1696 bytes or more" in seen.message


@pytest.mark.parametrize("probs", [PROBS, None], ids=["probs", "no probs"])
def test_without_tokens_no_workspace_is_needed(probs: NDArray[Any] | None, device: Device) -> None:
    one = value("empty", ROWS, np.arange(0), 2, SPAN, probs, MACHINE)
    seen = device.run(PERMUTE_EP_GRAD, one.case)
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)


def test_without_columns_the_probabilities_are_done_and_without_these_nothing(
    device: Device,
) -> None:
    one = value("no columns", ROWS[:, :0], INDICES, 2, SPAN, PROBS, MACHINE)
    outputs = completed(device, PERMUTE_EP_GRAD, one.case)
    assert bits(outputs["probs_grad"]) == bits(GOOD.expected["probs_grad"])
    bare = value("no columns", ROWS[:, :0], INDICES, 2, SPAN, None, MACHINE)
    assert device.run(PERMUTE_EP_GRAD, bare.case).workspace_bytes == 0


def test_empty_outputs_are_accepted_before_the_attributes_are_looked_at(device: Device) -> None:
    case = reshaped(reshaped(GOOD.case, "tokens_grad", (0, 99)), "probs_grad", (7, 0))
    seen = device.run(PERMUTE_EP_GRAD, with_attributes(case, padded=1, range=(1,), top_k=0))
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)


def test_with_one_slot_the_gradient_of_probs_may_have_one_dim(device: Device) -> None:
    one = value("one slot", ROWS, INDICES, 1, SPAN, PROBS, MACHINE)
    outputs = completed(device, PERMUTE_EP_GRAD, reshaped(one.case, "probs_grad", (8,)))
    assert bits(outputs["probs_grad"]) == bits(one.expected["probs_grad"])


@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_probs_out_has_the_dtype_of_rows_also_where_nothing_goes_there(
    dtype: str, device: Device
) -> None:
    case = without(retyped(GOOD.case, "probs_grad", dtype), "probs")
    seen = device.run(PERMUTE_EP_GRAD, case)
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 161002)
    assert "the data type of probsGradOut is" in seen.message
