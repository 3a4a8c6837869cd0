"""The interface of MoeFinalizeRoutingV2 checks its rules in order, and says which was broken."""

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
from tests.kernels.aclnn_program import FP32, INT32, Program
from tests.kernels.moe_finalize_routing_v2_values import MODES, value
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.signatures import FINALIZE_V2, bits, completed, random_rows
from tests.simulator.runtime.driver import Acl

Rule = tuple[str, int, Callable[[Case], Case], str]
INPUTS = {
    "rows": random_rows((8, 16), "float32", 0),
    "indices": np.array([3, 0, 1, 2, 7, 4, 6, 5]),
    "x1": random_rows((4, 16), "float32", 1),
    "x2": random_rows((4, 16), "float32", 2),
    "bias": random_rows((3, 16), "float32", 3),
    "scales": random_rows((4, 2), "float32", 4),
    "experts": np.array([[0, 1], [2, 0], [1, 1], [2, 2]]),
}
GOOD = value("good", INPUTS, 0, (2, 1024))
BARE_INPUTS = {"rows": INPUTS["rows"], "indices": INPUTS["indices"]}
BARE = value("rows alone", BARE_INPUTS, 2, (2, 1024))


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


def null(name: str) -> Callable[[Case], Case]:
    return lambda case: without(case, name)


def moded(mode: int) -> Callable[[Case], Case]:
    return lambda case: with_attributes(case, mode=mode)


RULES: tuple[Rule, ...] = (
    ("null rows", 161001, null("rows"), "expandedX is null; it must be a tensor"),
    ("null indices", 161001, null("indices"), "expandedRowIdx is null; it must be a tensor"),
    ("null out", 161001, null("out"), "out is null; it must be a tensor"),
    ("rows' type", 161002, typed("rows", "int32"), "the data type of expandedX is 3"),
    ("indices' type", 161002, typed("indices", "int64"), "the data type of expandedRowIdx is 9"),
    ("experts' type", 161002, typed("experts", "int64"), "the data type of expertIdxOptional is 9"),
    ("x1's type", 161002, typed("x1", "float16"), "the data type of x1Optional is 1"),
    ("x2's type", 161002, typed("x2", "float16"), "the data type of x2Optional is 1"),
    ("bias' type", 161002, typed("bias", "bfloat16"), "the data type of biasOptional is 27"),
    ("out's type", 161002, typed("out", "float16"), "the data type of out is 1"),
    ("scales' type", 161002, typed("scales", "bfloat16"), "the data type of scalesOptional is 27"),
    ("mode", 561002, moded(4), "dropPadMode is 4; it must be 0 to 3"),
    ("rank", 561002, shaped("rows", 2, 4, 16), "the rank of expandedX is 3; it must be 2"),
    ("indices' rank", 561002, shaped("indices", 2, 4), "the rank of expandedRowIdx is 2"),
    ("out's rank", 561002, shaped("out", 4, 4, 4), "the rank of out is 3"),
    ("width", 561002, shaped("out", 4, 17), "dim 1 of expandedX is 16"),
    ("scales' rank", 561002, shaped("scales", 8), "the rank of scalesOptional is 1"),
    ("top_k", 561002, shaped("scales", 4, 0), "topK, dim 1 of scalesOptional, is 0"),
    ("tokens", 561002, shaped("scales", 5, 2), "dim 0 of scalesOptional is 5"),
    ("length", 561002, shaped("scales", 4, 3), "dim 0 of expandedRowIdx is 8"),
    ("x1's place", 561002, null("x1"), "x1Optional is null; it must be a tensor where x2Optional"),
    ("x1's shape", 561002, shaped("x1", 4, 8), "dim 1 of x1Optional is 8"),
    ("x2's shape", 561002, shaped("x2", 1, 16), "dim 0 of x2Optional is 1"),
    ("no experts", 561002, null("experts"), "expertIdxOptional is null; it must be a tensor"),
    ("experts' shape", 561002, shaped("experts", 4, 1), "dim 1 of expertIdxOptional is 1"),
    ("few experts", 561002, shaped("bias", 1, 16), "dim 0 of biasOptional is 1"),
    ("bias' width", 561002, shaped("bias", 3, 17), "dim 1 of biasOptional is 17"),
)


def touches(rule: Rule) -> str:
    """What a rule's change replaces: of two changes of one tensor, the second undoes the first."""
    changed = rule[2](GOOD.case)
    for name in INPUTS:
        if changed.inputs.get(name) != GOOD.case.inputs[name]:
            return name
    return "mode" if changed.attributes != GOOD.case.attributes else "out"


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
    seen = device.run(FINALIZE_V2, breaking(GOOD.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert seen.message.startswith("aclnnMoeFinalizeRoutingV2GetWorkspaceSize: ")
    assert seen.outputs_untouched
    outputs = completed(device, FINALIZE_V2, GOOD.case)
    assert bits(outputs["out"]) == bits(GOOD.expected["out"])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(FINALIZE_V2, second(first(GOOD.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


@pytest.mark.parametrize("route", TWO_PHASE)
def test_every_mode_is_called_on_every_route(route: str) -> None:
    with closing(open_device("sim", route=route)) as device:
        for mode in MODES:
            shape = (2, 4, 16) if mode % 2 else (8, 16)
            one = value("mode", INPUTS | {"rows": INPUTS["rows"].reshape(shape)}, mode, (2, 1024))
            assert bits(completed(device, FINALIZE_V2, one.case)["out"]) == bits(
                one.expected["out"]
            )


@pytest.mark.parametrize("mode", [-1, 4, 1 << 40])
def test_another_mode_is_refused(mode: int, device: Device) -> None:
    seen = device.run(FINALIZE_V2, with_attributes(GOOD.case, mode=mode))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert f"dropPadMode is {mode}; it must be 0 to 3" in seen.message


@pytest.mark.parametrize("mode", [1, 3])
def test_padded_modes_want_rows_by_expert_and_place(mode: int, device: Device) -> None:
    seen = device.run(FINALIZE_V2, with_attributes(GOOD.case, mode=mode))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert f"expandedX is 2; it must be 3 for dropPadMode {mode}" in seen.message


def test_without_scales_there_are_as_many_rows_as_indices(device: Device) -> None:
    seen = device.run(FINALIZE_V2, reshaped(BARE.case, "out", (4, 16)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert "expandedRowIdx is 8; it must be dim 0 of out without scalesOptional, 4" in seen.message


@pytest.mark.parametrize("rows", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("scales", ["float32", "float16", "bfloat16"])
def test_scales_have_the_type_of_the_rows_or_are_fp32_beside_bf16(
    rows: str, scales: str, device: Device
) -> None:
    given = {
        "rows": random_rows((8, 16), rows, 0),
        "indices": INPUTS["indices"],
        "scales": random_rows((4, 2), scales, 0),
    }
    seen = device.run(FINALIZE_V2, value("types", given, 0, (2, 1024)).case)
    if rows == scales or (rows, scales) == ("bfloat16", "float32"):
        assert seen.outcome is Outcome.COMPLETED
    else:
        assert (seen.outcome, seen.status) == (Outcome.REJECTED, 161002)
        assert "the data type of scalesOptional is" in seen.message
        assert ("or 0 (fp32)" in seen.message) == (rows == "bfloat16")


@pytest.mark.parametrize(("tokens", "hidden"), [(0, 16), (4, 0), (0, 0)])
def test_an_empty_output_needs_no_workspace(tokens: int, hidden: int, device: Device) -> None:
    given = {
        "rows": np.zeros((2 * tokens, hidden), np.float32),
        "indices": np.arange(2 * tokens),
        "scales": np.ones((tokens, 2), np.float32),
    }
    seen = device.run(FINALIZE_V2, value("empty", given, 0, (1, 1024)).case)
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)


def test_an_empty_output_is_accepted_before_mode_and_shapes_are_looked_at(device: Device) -> None:
    case = reshaped(reshaped(GOOD.case, "scales", (7, 513)), "out", (0, 99))
    seen = device.run(FINALIZE_V2, with_attributes(case, mode=9))
    assert seen.outcome is Outcome.COMPLETED


class Calls(Program):
    """A good call in device memory, of which each test makes one argument wrong."""

    ORDER = (*INPUTS, "mode", "out")

    def __init__(self, acl: Acl) -> None:
        super().__init__(acl, "MoeFinalizeRoutingV2")
        self.room = self.upload(np.zeros((4, 16), np.float32))
        self.held = {"out": ((4, 16), self.room, FP32)}
        for name, array in INPUTS.items():
            is_index = array.dtype.kind == "i"
            passed = array.astype(np.int32) if is_index else array
            self.held[name] = (array.shape, self.upload(passed), INT32 if is_index else FP32)

    def arguments(self, **changed: int | None) -> list[int | bool | None]:
        made = {name: self.tensor(*held) for name, held in self.held.items()} | changed
        return [0 if name == "mode" else made[name] for name in self.ORDER]

    def result(self) -> list[int]:
        return bits(self.download(self.room, (4, 16), np.float32))


@pytest.fixture
def calls() -> Iterator[Calls]:
    program = Calls(Acl(build(quiet=True).lib))
    yield program
    program.release()


@pytest.mark.parametrize("missing", [("x2",), ("x1", "x2"), ("bias",), ("bias", "experts")])
def test_optional_tensors_may_be_null(calls: Calls, missing: tuple[str, ...]) -> None:
    left: Value = value("some", {k: a for k, a in INPUTS.items() if k not in missing}, 0, None)
    assert calls.call(*calls.arguments(**dict.fromkeys(missing))) == (0, "")
    assert calls.result() == bits(left.expected["out"])
