"""The interface of MoeInitRoutingV2 checks its rules in order, and says which was broken."""

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
from tests.kernels.moe_init_routing_v2_values import Mode, value
from tests.kernels.moe_token_permute_grad_values import Value
from tests.kernels.signatures import INIT_ROUTING_V2, bits, completed, random_bits

Rule = tuple[str, int, Callable[[Case], Case], str]
X, EXPERTS = random_bits((4, 6), "float32", 0), np.array([[3, 0], [1, 2], [3, 3], [0, 1]])
ACTIVE = Mode(active=5, expert_num=4, count_flag=1)
PAD = Mode(capacity=2, expert_num=4, pad=1, before_flag=1)
GOOD = value("good", X, EXPERTS, ACTIVE, (2, 1024))
PADDED = value("good", X, EXPERTS, PAD, (2, 1024))
PHASE_1 = "MoeInitRoutingV2GetWorkspaceSize: "


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


def attribute(name: str, number: int) -> Callable[[Case], Case]:
    return lambda case: with_attributes(case, **{name: number})


def absent(name: str) -> Callable[[Case], Case]:
    return lambda case: without(case, name)


def before_of_int64(case: Case) -> Case:
    """An output that nobody asks for, of a type that it cannot have."""
    return replace(case, outputs={**case.outputs, "before": Tensor((4,), "int64")})


RULES: tuple[Rule, ...] = (
    ("null x", 161001, absent("x"), ": x is null; it must be"),
    ("null experts", 161001, absent("experts"), ": expertIdx is null"),
    ("null rows", 161001, absent("rows"), "expandedXOut is null"),
    ("null places", 161001, absent("places"), "expandedRowIdxOut is null"),
    ("x's type", 161002, typed("x", "int32"), "the data type of x is 3"),
    ("experts' type", 161002, typed("experts", "int64"), "the data type of expertIdx is 9"),
    ("rows' type", 161002, typed("rows", "float16"), "type of expandedXOut is 1; it must be that"),
    ("places' type", 161002, typed("places", "int64"), "data type of expandedRowIdxOut is 9"),
    ("counts' type", 161002, typed("counts", "int64"), "expertTokensCountOrCumsumOutOptional is 9"),
    ("x's rank", 561002, shaped("x", 4, 6, 1), "the rank of x [4, 6, 1] is 3; it must be 2"),
    ("experts' rank", 561002, shaped("experts", 8), "the rank of expertIdx [8] is 1; it must be 2"),
    ("active", 561002, attribute("active", -1), "activeNum is -1; it must be 0 or greater"),
    ("capacity", 561002, attribute("capacity", -1), "expertCapacity is -1; it must be 0 or"),
    ("experts", 561002, attribute("expert_num", -1), "expertNum is -1; it must be 0 or greater"),
    ("mode", 561002, attribute("pad", 2), "dropPadMode is 2; it must be 0 or 1"),
    ("flag", 561002, attribute("count_flag", 3), "CountOrCumsumFlag is 3; it must be 0, 1 or 2"),
    ("rows' rank", 561002, shaped("rows", 5, 1, 6), "the rank of expandedXOut [5, 1, 6] is 3"),
    ("rows", 561002, shaped("rows", 8, 6), "dim 0 of expandedXOut is 8; it must be the number of"),
    ("columns", 561002, shaped("rows", 5, 7), "dim 1 of expandedXOut is 7; it must be dim 1 of x"),
    ("places", 561002, shaped("places", 5), "dim 0 of expandedRowIdxOut is 5; it must be the"),
    ("null counts", 561002, absent("counts"), "CountOrCumsumOutOptional is null; it must be a"),
    ("counts", 561002, shaped("counts", 5), "CountOrCumsumOutOptional is 5; it must be expertNum"),
)
PAD_RULES: tuple[Rule, ...] = (
    ("no experts", 561002, attribute("expert_num", 0), "expertNum is 0; it must be greater than 0"),
    ("no capacity", 561002, attribute("capacity", 0), "expertCapacity is 0; it must be greater"),
    ("capacity", 561002, attribute("capacity", 5), "expertCapacity is 5; it must be at most dim 0"),
    ("rows' rank", 561002, shaped("rows", 8, 6), "the rank of expandedXOut [8, 6] is 2; it must"),
    ("experts' rows", 561002, shaped("rows", 5, 2, 6), "dim 0 of expandedXOut is 5; it must be ex"),
    ("capacity's rows", 561002, shaped("rows", 4, 1, 6), "dim 1 of expandedXOut is 1; it must be"),
    ("null before", 561002, absent("before"), "BeforeCapacityOutOptional is null; it must be a"),
    ("before", 561002, shaped("before", 3), "BeforeCapacityOutOptional is 3; it must be expertNum"),
)


def touches(rule: Rule) -> str:
    """The parameter that a rule's change replaces: of two on one, the second undoes the first."""
    changed, good = rule[2](GOOD.case), GOOD.case
    for name in (*good.inputs, *good.outputs):
        for tensors, ours in ((changed.inputs, good.inputs), (changed.outputs, good.outputs)):
            if tensors.get(name) != ours.get(name):
                return name
    return next(one for one in good.attributes if changed.attributes[one] != good.attributes[one])


PAIRS = [
    (first, second) for first, second in combinations(RULES, 2) if touches(first) != touches(second)
]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with closing(open_device("sim")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("rule", "good"),
    [*((rule, GOOD) for rule in RULES), *((rule, PADDED) for rule in PAD_RULES)],
    ids=lambda one: one[0] if isinstance(one, tuple) else one.name,
)
def test_a_broken_rule_is_named_and_the_next_call_is_fine(
    rule: Rule, good: Value, device: Device
) -> None:
    _, status, breaking, text = rule
    seen = device.run(INIT_ROUTING_V2, breaking(good.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert seen.message.startswith(f"aclnn{PHASE_1}")
    assert len(seen.message.splitlines()) == 1
    assert seen.outputs_untouched
    outputs = completed(device, INIT_ROUTING_V2, good.case)
    assert bits(outputs["rows"]) == bits(good.expected["rows"])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(INIT_ROUTING_V2, second(first(GOOD.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


def test_both_entries_answer_alike_each_under_its_own_name() -> None:
    for route in TWO_PHASE:
        with closing(open_device("sim", route=route)) as device:
            seen = device.run(INIT_ROUTING_V2, with_attributes(GOOD.case, pad=2))
            assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
            assert seen.message.startswith(f"{route}{PHASE_1}dropPadMode is 2; it must be 0 or 1")
            for good in (GOOD, PADDED):
                outputs = completed(device, INIT_ROUTING_V2, good.case)
                assert bits(outputs["places"]) == bits(good.expected["places"])


def test_a_capacity_of_all_tokens_is_taken_and_one_more_is_not(device: Device) -> None:
    most = value("all", X, EXPERTS, replace(PAD, capacity=4), (2, 1024))
    outputs = completed(device, INIT_ROUTING_V2, most.case)
    assert bits(outputs["rows"]) == bits(most.expected["rows"])
    more = reshaped(with_attributes(most.case, capacity=5), "rows", (4, 5, 6))
    assert device.run(INIT_ROUTING_V2, more).outcome is Outcome.REJECTED


def test_an_output_that_nobody_asks_for_may_have_any_shape_but_no_other_type(
    device: Device,
) -> None:
    odd = replace(GOOD.case, outputs={**GOOD.case.outputs, "before": Tensor((9, 9), "int32")})
    seen = device.run(INIT_ROUTING_V2, odd)
    assert (seen.outcome, seen.unwritten["before"]) == (Outcome.COMPLETED, 81)
    seen = device.run(INIT_ROUTING_V2, before_of_int64(GOOD.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 161002)
    assert "the data type of expertTokensBeforeCapacityOutOptional is 9" in seen.message


def test_rules_hold_only_where_an_output_has_an_element(device: Device) -> None:
    none = value("no slots", X, np.zeros((4, 0), int), Mode())
    seen = device.run(INIT_ROUTING_V2, with_attributes(none.case, pad=2, active=-1))
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)
    unwanted = replace(none.case, outputs={**none.case.outputs, "before": Tensor((1,), "int32")})
    seen = device.run(INIT_ROUTING_V2, with_attributes(unwanted, pad=2))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
    seen = device.run(INIT_ROUTING_V2, unwanted)
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)
