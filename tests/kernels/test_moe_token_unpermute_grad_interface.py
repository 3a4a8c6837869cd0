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
from device_kernels.build import build
from tests.kernels.aclnn_program import FP16, FP32, INT32, NCHW, Program
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.moe_token_unpermute_grad_values import value
from tests.kernels.signatures import UNPERMUTE_GRAD, bits, completed, random_rows
from tests.simulator.runtime.driver import Acl

Rule = tuple[str, int, Callable[[Case], Case], str]
ROWS, GRADS = random_rows((9, 16), "float32", 0), random_rows((4, 16), "float32", 1)
INDICES = np.array([3, 0, 1, 2, 9, 4, 6, 5])
PROBS = random_rows((4, 2), "float16", 2)
GOOD = value("good", ROWS, GRADS, INDICES, PROBS, (2, 1024))
BARE = value("no probs", ROWS, GRADS, INDICES[:4], None, (2, 1024))
INPUTS = ("rows", "grads", "indices", "probs")
OUTPUTS = ("row_grads", "prob_grads")
UNNAMED = 7.0
"""What the rows that no index names hold before a call."""


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


def test_the_kernel_entry_speaks_under_its_own_name() -> None:
    with closing(open_device("sim", route="kernel")) as device:
        seen = device.run(UNPERMUTE_GRAD, reshaped(GOOD.case, "row_grads", (5, 16)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    named = "kernelMoeTokenUnpermuteGradGetWorkspaceSize: dim 0 of permutedTokensGradOut is 5"
    assert seen.message.startswith(named)


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


class Calls(Program):
    """A good call in device memory, of which each test makes one argument wrong."""

    def __init__(self, acl: Acl) -> None:
        super().__init__(acl, "MoeTokenUnpermuteGrad")
        self.room = self.upload(np.full((9, 16), UNNAMED, np.float32))
        self.probs_room = self.upload(np.zeros((4, 2), np.float16))
        self.held = {
            "rows": ((9, 16), self.upload(ROWS), FP32),
            "grads": ((4, 16), self.upload(GRADS), FP32),
            "indices": ((8,), self.upload(INDICES.astype(np.int32)), INT32),
            "probs": ((4, 2), self.upload(PROBS), FP16),
            "row_grads": ((9, 16), self.room, FP32),
            "prob_grads": ((4, 2), self.probs_room, FP16),
        }

    def arguments(self, **changed: int | None) -> list[int | bool | None]:
        tensors = {name: self.tensor(*held) for name, held in self.held.items()} | changed
        inputs = [tensors[name] for name in INPUTS]
        return [*inputs, False, None, *(tensors[name] for name in OUTPUTS)]

    def assert_right(self) -> None:
        """All that the call writes; the rows that no index names, 7 and 8, are as they were."""
        rows = self.download(self.room, (9, 16), np.float32)
        assert bits(rows[:7]) == bits(GOOD.expected["row_grads"][:7])
        assert (rows[7:] == UNNAMED).all()
        probs = self.download(self.probs_room, (4, 2), np.float16)
        assert bits(probs) == bits(GOOD.expected["prob_grads"])


@pytest.fixture
def calls() -> Iterator[Calls]:
    program = Calls(Acl(build(quiet=True).lib))
    yield program
    program.release()


def test_strided_inputs_are_read_where_they_lie(calls: Calls) -> None:
    turned = calls.tensor((9, 16), calls.upload(np.ascontiguousarray(ROWS.T)), strides=(1, 9))
    grads = calls.tensor((4, 16), calls.upload(np.ascontiguousarray(GRADS.T)), strides=(1, 4))
    spread = calls.upload(np.repeat(INDICES, 3).astype(np.int32))
    indices = calls.tensor((8,), spread, INT32, strides=(3,), offset=1)
    columns = calls.upload(np.ascontiguousarray(PROBS.T))
    probs = calls.tensor((4, 2), columns, FP16, strides=(1, 4))
    arguments = calls.arguments(rows=turned, grads=grads, indices=indices, probs=probs)
    assert calls.call(*arguments) == (0, "")
    calls.assert_right()


@pytest.mark.parametrize(
    ("name", "told"), [("row_grads", "permutedTokensGradOut"), ("prob_grads", "probsGradOut")]
)
def test_a_strided_output_is_refused(calls: Calls, name: str, told: str) -> None:
    (rows, columns), address, dtype = calls.held[name]
    turned = calls.tensor((rows, columns), address, dtype, strides=(1, rows))
    status, text = calls.call(*calls.arguments(**{name: turned}))
    assert (status, told in text) == (161002, True)


@pytest.mark.parametrize("name", [*INPUTS, *OUTPUTS])
def test_a_format_that_stores_elements_elsewhere_is_refused(calls: Calls, name: str) -> None:
    other, linear = (calls.tensor(*calls.held[name], form=form) for form in (3, NCHW))
    status, text = calls.call(*calls.arguments(**{name: other}))
    assert status == 161002
    assert "the format of" in text
    assert calls.call(*calls.arguments(**{name: linear})) == (0, "")


@pytest.mark.parametrize("missing", ["workspaceSize", "executor"])
def test_results_need_a_place(calls: Calls, missing: str) -> None:
    status, text = calls.call_without(missing, *calls.arguments())
    assert status == 161001
    assert text.endswith(f"{missing} is null; it must be a place for the result")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("rows", "permutedTokens"),
        ("grads", "unpermutedTokensGrad"),
        ("indices", "sortedIndices"),
        ("probs", "probsOptional"),
        ("row_grads", "permutedTokensGradOut"),
        ("prob_grads", "probsGradOut"),
    ],
)
def test_elements_need_a_device_address(calls: Calls, name: str, told: str) -> None:
    shape, _, dtype = calls.held[name]
    status, text = calls.call(*calls.arguments(**{name: calls.tensor(shape, None, dtype)}))
    assert status == 161001
    assert f"the data address of {told} is null" in text


@pytest.mark.parametrize("name", ["rows", "grads", "probs", "prob_grads"])
def test_a_tensor_that_is_too_large_for_63_bits_is_refused(calls: Calls, name: str) -> None:
    _, address, dtype = calls.held[name]
    status, text = calls.call(
        *calls.arguments(**{name: calls.tensor((1 << 32, 1 << 32), address, dtype)})
    )
    assert (status, "is too large" in text) == (161002, True)
