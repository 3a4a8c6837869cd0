"""The aclnn interface checks its rules in CANN's order, and says which one was broken."""

from collections.abc import Callable, Iterator
from itertools import combinations

import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR, call
from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.devices.open import open_device
from conformance.record.variations import reshaped, retyped, with_attributes, without

Breaking = Callable[[Case], Case]
GOOD = call("dropless", "float32", source=(8, 16), indices=tuple(range(8)), top_k=2)


def shaped(name: str, shape: tuple[int, ...]) -> Breaking:
    return lambda case: reshaped(case, name, shape)


RULES: tuple[tuple[str, int, Breaking, str], ...] = (
    ("null", 161001, lambda case: without(case, "expanded_row_idx"), "expandedRowIdx is null"),
    ("dtype", 161002, lambda case: retyped(case, "grad_x", "int8"), "the data type of out"),
    ("scalar", 161002, shaped("expanded_row_idx", ()), "the rank of expandedRowIdx is 0"),
    ("mode", 561002, lambda case: with_attributes(case, drop_pad_mode=2), "dropPadMode is 2"),
    ("top_k", 561002, lambda case: with_attributes(case, top_k=0), "topK is 0"),
    ("active_num", 561002, lambda case: with_attributes(case, active_num=-1), "activeNum is -1"),
    ("rank", 561002, shaped("grad_expanded_x", (2, 2, 2, 16)), "the rank of gradExpandedX"),
    ("rows", 561002, shaped("grad_expanded_x", (7, 16)), "dim 0 of gradExpandedX is 7"),
    ("out rank", 561002, shaped("grad_x", (4, 4, 4)), "the rank of out"),
    ("out width", 561002, shaped("grad_x", (4, 17)), "dim 1 of out is 17"),
    ("out rows", 561002, shaped("grad_x", (5, 16)), "dim 0 of out is 5"),
)
SAME_PARAMETER = ({"rank", "rows"}, {"out rank", "out width"}, {"out rank", "out rows"})
"""Two rules on one tensor's shape: the second change would undo the first."""
PAIRS = [
    (first, second)
    for first, second in combinations(RULES, 2)
    if {first[0], second[0]} not in SAME_PARAMETER
    and {first[0], second[0]} != {"out width", "out rows"}
]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("sim")
    yield opened
    opened.close()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[0])
def test_a_broken_rule_is_named_and_its_status_is_answered(
    rule: tuple[str, int, Breaking, str], device: Device
) -> None:
    _, status, breaking, text = rule
    seen = device.run(OPERATOR, breaking(GOOD))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert device.run(OPERATOR, GOOD).outcome is Outcome.COMPLETED


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[tuple[str, int, Breaking, str], tuple[str, int, Breaking, str]], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(OPERATOR, second(first(GOOD)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


def test_divisibility_is_checked_after_the_shapes(device: Device) -> None:
    case = with_attributes(GOOD, top_k=3)
    assert "a multiple of topK, 3" in device.run(OPERATOR, shaped("grad_x", (2, 16))(case)).message
    assert "dim 0 of out is 5" in device.run(OPERATOR, shaped("grad_x", (5, 16))(case)).message


@pytest.mark.parametrize("name", ["no tokens", "hidden 0"])
def test_an_empty_output_needs_no_workspace(name: str, device: Device) -> None:
    example = next(example for example in OPERATOR.examples if example.name == name)
    seen = device.run(OPERATOR, example.case)
    assert (seen.outcome, seen.workspace_bytes) == (Outcome.COMPLETED, 0)
