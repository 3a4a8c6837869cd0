"""The interface of MoeFinalizeRoutingV2Grad checks its rules in order, and says what is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from conformance.call.case import Case, Tensor
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.operator import TWO_PHASE
from conformance.record.variations import reshaped, retyped, with_attributes, without
from tests.kernels.moe_finalize_routing_v2_grad_values import Rows, value
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.signatures import FINALIZE_GRAD, bits, completed, random_rows

Rule = tuple[str, int, Callable[[Case], Case], str]
NAMES = {
    "grads": "gradY",
    "indices": "expandedRowIdx",
    "rows": "expandedXOptional",
    "scales": "scalesOptional",
    "experts": "expertIdxOptional",
    "biases": "biasOptional",
    "row_grads": "gradExpandedXOut",
    "scale_grads": "gradScalesOut",
}
"""What the interface calls each tensor."""
INPUTS, OUTPUTS = tuple(NAMES)[:6], tuple(NAMES)[6:]
FILLED = {
    "grads": random_rows((4, 16), "float32", 1),
    "indices": np.array([3, 0, 1, 2, 9, 4, 6, 5]),
    "rows": random_rows((7, 16), "float32", 0),
    "scales": random_rows((4, 2), "float32", 2),
    "experts": np.array([[1, 0], [2, 2], [0, 1], [1, 1]]),
    "biases": random_rows((3, 16), "float32", 3),
}
GOOD = value("good", Rows("active", 7), (2, 1024), **FILLED)
BARE = value(
    "no scales", Rows("active", 3), (2, 1024), grads=FILLED["grads"], indices=FILLED["indices"][:4]
)
PAD = value(
    "drop/pad",
    Rows("pad", 12, 4),
    (2, 1024),
    **{
        **FILLED,
        "rows": random_rows((4, 3, 16), "float32", 5),
        "biases": random_rows((4, 16), "float32", 3),
    },
)


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


def null(name: str) -> Callable[[Case], Case]:
    return lambda case: without(case, name)


def set_to(**changed: int) -> Callable[[Case], Case]:
    return lambda case: with_attributes(case, **changed)


NEEDED = ("grads", "indices", "row_grads", "scale_grads")
TYPES = ("grads", "indices", "experts", "rows", "scales", "biases", "row_grads", "scale_grads")
RULES: tuple[Rule, ...] = (
    *(
        (f"null {name}", 161001, null(name), f"{NAMES[name]} is null; it must be a tensor")
        for name in NEEDED
    ),
    *(
        (f"type of {name}", 161002, typed(name, "int64"), f"the data type of {NAMES[name]} is 9")
        for name in TYPES
    ),
    ("dropPadMode", 561002, set_to(pad=2), "dropPadMode is 2; it must be 0 or 1"),
    ("no rows", 561002, null("rows"), "expandedXOptional is null; it must be a tensor where"),
    ("no experts", 561002, null("experts"), "expertIdxOptional is null; it must be a tensor where"),
    ("rank of grads", 561002, shaped("grads", 64), "the rank of gradY [64] is 1"),
    ("rank of indices", 561002, shaped("indices", 4, 2), "the rank of expandedRowIdx [4, 2] is 2"),
    ("rank of rows", 561002, shaped("rows", 7, 4, 4), "expandedXOptional [7, 4, 4] is 3"),
    ("rank of scales", 561002, shaped("scales", 8), "the rank of scalesOptional [8] is 1"),
    ("rank of experts", 561002, shaped("experts", 8), "the rank of expertIdxOptional [8] is 1"),
    ("rank of biases", 561002, shaped("biases", 48), "the rank of biasOptional [48] is 1"),
    ("rank of row_grads", 561002, shaped("row_grads", 7), "rank of gradExpandedXOut [7] is 1"),
    ("rank of scale_grads", 561002, shaped("scale_grads", 8), "rank of gradScalesOut [8] is 1"),
    ("no tokens", 561002, shaped("grads", 0, 16), "dim 0 of gradY is 0; it must be greater"),
    ("top_k", 561002, shaped("scales", 4, 0), "topK, dim 1 of scalesOptional, is 0"),
    ("indices", 561002, shaped("indices", 7), "dim 0 of expandedRowIdx is 7; it must be dim 0"),
    ("scales", 561002, shaped("scales", 3, 2), "dim 0 of scalesOptional is 3; it must be dim 0"),
    (
        "rows",
        561002,
        shaped("rows", 8, 16),
        "dim 0 of expandedXOptional is 8; it must be active",
    ),
    ("width of rows", 561002, shaped("rows", 7, 15), "dim 1 of expandedXOptional is 15"),
    ("experts", 561002, shaped("experts", 4, 1), "dim 1 of expertIdxOptional is 1"),
    ("biases", 561002, shaped("biases", 0, 16), "dim 0 of biasOptional is 0; it must be greater"),
    ("width of biases", 561002, shaped("biases", 3, 8), "dim 1 of biasOptional is 8"),
    ("row_grads", 561002, shaped("row_grads", 8, 16), "dim 0 of gradExpandedXOut is 8"),
    ("width of row_grads", 561002, shaped("row_grads", 7, 1), "dim 1 of gradExpandedXOut is 1"),
    ("scale_grads", 561002, shaped("scale_grads", 4, 3), "dim 1 of gradScalesOut is 3"),
)


def touches(rule: Rule) -> set[str]:
    """The tensors that a rule's change replaces: of two on one, the second undoes the first."""
    changed = rule[2](GOOD.case)
    found = {name for name in INPUTS if changed.inputs.get(name) != GOOD.case.inputs[name]}
    return found | {
        name for name in OUTPUTS if changed.outputs.get(name) != GOOD.case.outputs[name]
    }


PAIRS = [
    (first, second)
    for first, second in combinations(RULES, 2)
    if not touches(first) & touches(second)
]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


def assert_right(device: Device, case: Case, one: Value) -> None:
    outputs = completed(device, FINALIZE_GRAD, case)
    for name, expected in one.expected.items():
        assert bits(outputs[name]) == bits(expected), name


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[0])
def test_a_broken_rule_is_named_and_the_next_call_is_fine(rule: Rule, device: Device) -> None:
    _, status, breaking, text = rule
    seen = device.run(FINALIZE_GRAD, breaking(GOOD.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert seen.message.startswith("aclnnMoeFinalizeRoutingV2GradGetWorkspaceSize: ")
    assert seen.outputs_untouched
    assert_right(device, GOOD.case, GOOD)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(FINALIZE_GRAD, second(first(GOOD.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


@pytest.mark.parametrize("route", TWO_PHASE)
@pytest.mark.parametrize("one", [GOOD, BARE, PAD], ids=["scales", "no scales", "drop/pad"])
def test_attributes_of_the_other_mode_are_ignored(route: str, one: Value) -> None:
    others = ("active",) if one is PAD else ("expert_num", "capacity")
    with closing(open_device("sim", route=route)) as device:
        for number in (-1, 0, 1, 1 << 62):
            case = with_attributes(one.case, **dict.fromkeys(others, number))
            assert_right(device, case, one)


@pytest.mark.parametrize(
    ("attributes", "text"),
    [
        ({"expert_num": 0}, "expertNum is 0; it must be greater than 0 where dropPadMode is 1"),
        ({"capacity": -1}, "expertCapacity is -1; it must be greater than 0 where dropPadMode"),
        ({"expert_num": 3}, "dim 0 of expandedXOptional is 4; it must be expertNum, 3"),
        ({"capacity": 2}, "dim 1 of expandedXOptional is 3; it must be expertCapacity, 2"),
        ({"pad": 0}, "the rank of expandedXOptional [4, 3, 16] is 3; it must be 2 where drop"),
    ],
)
def test_in_drop_pad_mode_attributes_give_the_places(
    attributes: dict[str, int], text: str, device: Device
) -> None:
    seen = device.run(FINALIZE_GRAD, with_attributes(PAD.case, **attributes))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert text in seen.message


def test_without_scales_there_are_as_many_tokens_as_indices(device: Device) -> None:
    seen = device.run(FINALIZE_GRAD, reshaped(BARE.case, "grads", (2, 16)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    assert "dim 0 of expandedRowIdx is 4; it must be dim 0 of gradY without scales" in seen.message


def test_a_bias_without_scales_needs_no_experts(device: Device) -> None:
    biases = GOOD.case.inputs["biases"]
    inputs = {**BARE.case.inputs, "biases": biases}
    assert_right(device, replace(BARE.case, inputs=inputs), BARE)


def test_experts_without_a_bias_are_not_read(device: Device) -> None:
    given = {name: FILLED[name] for name in ("grads", "indices", "rows", "scales")}
    plain = value("no bias", Rows("active", 7), (2, 1024), **given)
    inputs = {**plain.case.inputs, "experts": Tensor((1,), "int32", (99,))}
    assert_right(device, replace(plain.case, inputs=inputs), plain)


@pytest.mark.parametrize("rows", [0, 3])
def test_empty_outputs_need_no_workspace_whatever_the_other_shapes(
    rows: int, device: Device
) -> None:
    emptied = reshaped(reshaped(GOOD.case, "row_grads", (rows, 0)), "scale_grads", (0, 513))
    seen = device.run(FINALIZE_GRAD, with_attributes(emptied, pad=9))
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)
    bare = device.run(FINALIZE_GRAD, reshaped(BARE.case, "row_grads", (rows, 0)))
    assert (bare.outcome, bare.workspace_bytes) == (Outcome.COMPLETED, 0)


@pytest.mark.parametrize("name", OUTPUTS)
def test_one_empty_output_is_not_enough(name: str, device: Device) -> None:
    seen = device.run(FINALIZE_GRAD, reshaped(GOOD.case, name, (0, 0)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
