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
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.variations import reshaped, retyped, with_attributes, without
from device_kernels.build import build
from tests.kernels.aclnn_program import INT8, INT32, Program
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.moe_token_permute_with_routing_map_values import value
from tests.kernels.signatures import ROUTING_MAP, bits, completed, random_rows
from tests.simulator.runtime.driver import Acl

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


class Calls(Program):
    """A good call in device memory, of which each test makes some tensors another way."""

    def __init__(self, acl: Acl, *, pad: bool) -> None:
        super().__init__(acl, "MoeTokenPermuteWithRoutingMap")
        self.pad = pad
        self.expected = (PADDED if pad else PLAIN).expected
        self.rows = len(self.expected["indices"])

    def made(self, changed: dict[str, int | None]) -> tuple[int | bool | None, ...]:
        one = dict(changed)
        room = self.upload(np.zeros((self.rows, HIDDEN), np.float32))
        one.setdefault("tokens", self.tensor((TOKENS, HIDDEN), self.upload(ROWS)))
        one.setdefault("map", self.tensor((TOKENS, EXPERTS), self.upload(MAP), INT8))
        one.setdefault("probs", self.tensor((TOKENS, EXPERTS), self.upload(PROBS)))
        one.setdefault("permuted", self.tensor((self.rows, HIDDEN), room))
        one.setdefault("permuted_probs", self.tensor((self.rows,), self.upload(ROWS)))
        one.setdefault("indices", self.tensor((self.rows,), self.upload(ROWS), INT32))
        inputs = (one["tokens"], one["map"], one["probs"], NUMBERS[self.pad], self.pad)
        return (*inputs, one["permuted"], one["permuted_probs"], one["indices"])

    def run(self, **changed: int | None) -> tuple[int, str]:
        return self.call(*self.made(changed))


@pytest.fixture(params=[False, True], ids=["ranked", "padded"])
def calls(request: pytest.FixtureRequest) -> Iterator[Calls]:
    program = Calls(Acl(build(quiet=True).lib), pad=request.param)
    yield program
    program.release()


def turned(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array.T)


def test_strided_outputs_are_written_where_they_lie_and_nowhere_else(calls: Calls) -> None:
    rows = calls.rows
    columns = calls.upload(np.full((HIDDEN, rows), 7, np.float32))
    wide = calls.upload(np.full((rows, 2), 9, np.float32))
    sparse = calls.upload(np.full((rows, 3), -5, np.int32))
    assert calls.run(
        permuted=calls.tensor((rows, HIDDEN), columns, strides=(1, rows)),
        permuted_probs=calls.tensor((rows,), wide, strides=(2,), offset=1),
        indices=calls.tensor((rows,), sparse, INT32, strides=(3,)),
    ) == (0, "")
    found = calls.download(columns, (HIDDEN, rows), np.float32)
    assert bits(turned(found)) == bits(calls.expected["permuted"])
    probs = calls.download(wide, (rows, 2), np.float32)
    assert bits(np.ascontiguousarray(probs[:, 1])) == bits(calls.expected["permuted_probs"])
    assert set(probs[:, 0].tolist()) == {9.0}
    indices = calls.download(sparse, (rows, 3), np.int32)
    assert indices[:, 0].tolist() == calls.expected["indices"].tolist()
    assert set(indices[:, 1:].reshape(-1).tolist()) == {-5}


def test_strided_inputs_are_read_where_they_lie(calls: Calls) -> None:
    room = calls.upload(np.zeros((calls.rows, HIDDEN), np.float32))
    moved = calls.upload(np.zeros(calls.rows, np.float32))
    assert calls.run(
        tokens=calls.tensor((TOKENS, HIDDEN), calls.upload(turned(ROWS)), strides=(1, TOKENS)),
        map=calls.tensor((TOKENS, EXPERTS), calls.upload(turned(MAP)), INT8, strides=(1, TOKENS)),
        probs=calls.tensor(
            (TOKENS, EXPERTS), calls.upload(np.repeat(PROBS, 2)), strides=(2 * EXPERTS, 2), offset=1
        ),
        permuted=calls.tensor((calls.rows, HIDDEN), room),
        permuted_probs=calls.tensor((calls.rows,), moved),
    ) == (0, "")
    found = calls.download(room, (calls.rows, HIDDEN), np.float32)
    assert bits(found) == bits(calls.expected["permuted"])
    probs = calls.download(moved, (calls.rows,), np.float32)
    assert bits(probs) == bits(calls.expected["permuted_probs"])


@pytest.mark.parametrize("missing", ["workspaceSize", "executor"])
def test_both_results_of_phase_1_need_a_place(calls: Calls, missing: str) -> None:
    status, text = calls.call_without(missing, *calls.made({}))
    assert status == 161001
    assert missing in text


SHAPES = {
    "tokens": ((TOKENS, HIDDEN), 0),
    "map": ((TOKENS, EXPERTS), INT8),
    "probs": ((TOKENS, EXPERTS), 0),
    "permuted": ((8, HIDDEN), 0),
    "permuted_probs": ((8,), 0),
    "indices": ((8,), INT32),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_tensor_with_elements_needs_an_address(calls: Calls, name: str) -> None:
    shape, dtype = SHAPES[name]
    status, text = calls.run(**{name: calls.tensor(shape, None, dtype)})
    assert status == 161001
    assert "the data address of" in text


@pytest.mark.parametrize("name", SHAPES)
def test_a_format_that_stores_elements_elsewhere_is_refused(calls: Calls, name: str) -> None:
    shape, dtype = SHAPES[name]
    room = calls.upload(np.zeros((8, 64), np.float32))
    status, text = calls.run(**{name: calls.tensor(shape, room, dtype, form=3)})
    assert status == 161002
    assert "the format of" in text


@pytest.mark.parametrize("name", ["tokens", "map", "probs"])
def test_an_impossible_stride_is_refused(calls: Calls, name: str) -> None:
    shape, dtype = SHAPES[name]
    room = calls.upload(np.zeros((8, 64), np.float32))
    tensor = calls.tensor(shape, room, dtype, strides=(1 << 62, 1))
    status, text = calls.run(**{name: tensor})
    assert status == 161002
    assert "stride" in text
