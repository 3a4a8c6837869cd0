"""The interface of MoeTokenPermute checks its rules in order, and says which was broken."""

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
from tests.kernels.moe_token_permute_values import value
from tests.kernels.signatures import PERMUTE, bits, completed, random_bits, random_rows

Rule = tuple[str, int, Callable[[Case], Case], str]
TOKENS, INDICES = random_rows((4, 6), "float32", 0), np.array([[3, 0], [1, 2], [3, 3], [0, 1]])
NUMBER, ROWS = 5, 5
GOOD = value("good", TOKENS, INDICES.astype(np.int32), NUMBER, (2, 1024))
PHASE_1 = "MoeTokenPermuteGetWorkspaceSize: "


def shaped(name: str, *shape: int) -> Callable[[Case], Case]:
    return lambda case: reshaped(case, name, shape)


def typed(name: str, dtype: str) -> Callable[[Case], Case]:
    return lambda case: retyped(case, name, dtype)


def attribute(name: str, number: int) -> Callable[[Case], Case]:
    return lambda case: with_attributes(case, **{name: number})


RULES: tuple[Rule, ...] = (
    ("null tokens", 161001, lambda case: without(case, "tokens"), ": tokens is null; it must be"),
    ("null indices", 161001, lambda case: without(case, "indices"), ": indices is null"),
    ("null rows", 161001, lambda case: without(case, "permuted"), "permuteTokensOut is null"),
    ("null ranks", 161001, lambda case: without(case, "ranks"), "sortedIndicesOut is null"),
    ("tokens' type", 161002, typed("tokens", "int32"), "the data type of tokens is 3"),
    ("indices' type", 161002, typed("indices", "float32"), "the data type of indices is 0"),
    ("rows' type", 161002, typed("permuted", "int8"), "type of permuteTokensOut is 2; it must be"),
    ("ranks' type", 161002, typed("ranks", "int64"), "the data type of sortedIndicesOut is 9"),
    ("padded", 561002, attribute("padded", 1), "paddedMode is true; it must be false"),
    ("indices' rank", 561002, shaped("indices", 4, 2, 1), "the rank of indices [4, 2, 1] is 3"),
    ("tokens' dim", 561002, shaped("tokens", 5, 6), "dim 0 of tokens is 5; it must be dim 0 of"),
    ("slots of a token", 561002, shaped("indices", 4, 513), "topK, dim 1 of indices is 513"),
    ("rows' rank", 561002, shaped("permuted", 30), "the rank of permuteTokensOut [30] is 1"),
    ("columns", 561002, shaped("permuted", 5, 7), "columns of permuteTokensOut [5, 7] is 7"),
    ("rows", 561002, shaped("permuted", 8, 6), "dim 0 of permuteTokensOut is 8; it must be the"),
    ("kept", 561002, attribute("num_out_tokens", -5), "numOutTokens -5 keeps of 8, 3"),
    ("ranks' rank", 561002, shaped("ranks", 4, 2), "the rank of sortedIndicesOut [4, 2] is 2"),
    ("ranks", 561002, shaped("ranks", 5), "dim 0 of sortedIndicesOut is 5; it must be the number"),
)
ONE_RULE = {"rows", "kept"}
"""One sentence, which either of two parameters can make wrong."""


def touches(rule: Rule) -> str:
    """The parameter that a rule's change replaces: of two on one, the second undoes the first."""
    changed, good = rule[2](GOOD.case), GOOD.case
    for name in (*good.inputs, *good.outputs):
        for tensors, ours in ((changed.inputs, good.inputs), (changed.outputs, good.outputs)):
            if tensors.get(name) != ours.get(name):
                return name
    return next(one for one in good.attributes if changed.attributes[one] != good.attributes[one])


PAIRS = [
    (first, second)
    for first, second in combinations(RULES, 2)
    if touches(first) != touches(second) and {first[0], second[0]} != ONE_RULE
]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with closing(open_device("sim")) as opened:
        yield opened


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[0])
def test_a_broken_rule_is_named_and_the_next_call_is_fine(rule: Rule, device: Device) -> None:
    _, status, breaking, text = rule
    seen = device.run(PERMUTE, breaking(GOOD.case))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert seen.message.startswith(f"aclnn{PHASE_1}")
    assert len(seen.message.splitlines()) == 1
    assert seen.outputs_untouched
    outputs = completed(device, PERMUTE, GOOD.case)
    assert bits(outputs["permuted"]) == bits(GOOD.expected["permuted"])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[Rule, Rule], device: Device
) -> None:
    (_, status, first, text), (_, _, second, other) = pair
    seen = device.run(PERMUTE, second(first(GOOD.case)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, status)
    assert text in seen.message
    assert other not in seen.message


def test_both_entries_refuse_padded_rows_each_under_its_own_name() -> None:
    padded = with_attributes(GOOD.case, padded=1)
    for route in TWO_PHASE:
        with closing(open_device("sim", route=route)) as device:
            seen = device.run(PERMUTE, padded)
            assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
            assert seen.message.startswith(f"{route}{PHASE_1}paddedMode is true; it must be false")
            completed(device, PERMUTE, GOOD.case)


def test_512_slots_are_accepted_and_513_are_not(device: Device) -> None:
    for top_k, outcome in ((512, Outcome.COMPLETED), (513, Outcome.REJECTED)):
        indices = np.zeros((2, top_k), np.int64)
        one = value("many slots", random_bits((2, 3), "int8", 1), indices, 0, (1, 4096))
        assert device.run(PERMUTE, one.case).outcome is outcome


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_indices_of_both_types_are_taken(device: Device, dtype: str) -> None:
    one = value("typed", random_bits((4, 6), "int8", 1), INDICES.astype(dtype), -3, (2, 1024))
    assert bits(completed(device, PERMUTE, one.case)["permuted"]) == bits(one.expected["permuted"])


def test_without_slots_the_rules_on_shapes_hold_only_where_an_output_has_an_element(
    device: Device,
) -> None:
    none = value("no slots", TOKENS, np.zeros((4, 0), np.int32), 2)
    assert device.run(PERMUTE, none.case).outcome is Outcome.COMPLETED
    empty = reshaped(with_attributes(none.case, padded=1), "permuted", (0, 99))
    assert device.run(PERMUTE, empty).outcome is Outcome.COMPLETED
    for name, shape in (("permuted", (2, 6)), ("ranks", (1,))):
        seen = device.run(PERMUTE, reshaped(none.case, name, shape))
        assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)


def test_an_output_of_no_rows_does_not_make_the_other_one_needless(device: Device) -> None:
    one = value("no rows", TOKENS, INDICES.astype(np.int32), -8, (2, 1024))
    assert bits(completed(device, PERMUTE, one.case)["ranks"]) == bits(one.expected["ranks"])
    seen = device.run(PERMUTE, reshaped(one.case, "permuted", (0, 7)))
    assert (seen.outcome, seen.status) == (Outcome.REJECTED, 561002)
