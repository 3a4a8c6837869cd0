"""Each interface refuses the wrong calls of its record with a sentence, in the order of its rules.

What it says is pinned in interfaces/, a file for each operator, in the order of its checks. Read it
beside tests/cases/constraints, which says from the documents which calls break which constraint.
With UPDATE_SNAPSHOTS=1 the files are written anew.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from conformance.call.case import Case, Machine
from conformance.call.observation import Outcome
from conformance.devices.device import Device
from conformance.record.operator import AttributeParameter, Operator
from conformance.record.variations import retyped
from conformance.suite.on_route import on_route
from conformance.suite.records import operators
from tests.kernels.by_definition import expected
from tests.kernels.interfaces import (
    WRONG,
    Broken,
    Pair,
    Said,
    broken,
    pin,
    pinned,
    rule,
    said,
    variations,
    wrong_calls,
)
from tests.kernels.value_calls import Value, difference, is_small
from tests.slow import slow_but
from tests.snapshots import UPDATE

RECORDS = {one.name: one for one in operators([])}
ALL = 10_000
"""More rules than an interface has."""

MOST_OTHERS = 7
"""Pairs of changes of an operator that are right together, so that a third rule answers, or none:
int8 beside another quantMode."""

Devices = dict[str, Device]


def documented(operator: Operator) -> list[Case]:
    examples = on_route(operator, "aclnn").examples
    return [one.case for one in examples if not one.case.before and is_small(one.case)]


def sentences(operator: Operator, devices: Devices) -> dict[str, Said]:
    """What is said of each wrong call, by its name; whenever a rule is told for the first time, the
    other entry says the same, and the next call is fine.
    """
    case = documented(operator)[0]
    holds = {} if operator.computes else expected(case)
    good, found, rules = Value("good", case, holds), {}, set()
    of_kernel = {one.name for one in wrong_calls(operator, "kernel")}
    for one in wrong_calls(operator, "aclnn"):
        told = found[one.name] = said(devices["aclnn"].run(operator, one.case), operator, "aclnn")
        assert told[0] == one.status, one.name
        if rule(told[1]) not in rules:
            assert difference(good, devices["aclnn"].run(operator, case)) == "", one.name
        if rule(told[1]) not in rules and one.name in of_kernel:
            seen = devices["kernel"].run(operator, one.case)
            assert said(seen, operator, "kernel") == told
        rules.add(rule(told[1]))
    return found


def beside(operator: Operator, device: Device, every: list[Broken]) -> set[Said]:
    """What is said of calls of which the record does not say that they are wrong, if they are
    refused: those in quarantine, and odd ones, which are put among the others.
    """
    found = set()
    for doubtful in on_route(operator, "aclnn").quarantine:
        seen = device.run(operator, doubtful.case)
        if seen.outcome is Outcome.REJECTED:
            found.add(said(seen, operator, "aclnn"))
    for calls in every:
        for name, case in variations(operator, calls.base):
            seen = device.run(operator, case)
            if seen.outcome is Outcome.REJECTED:
                told = said(seen, operator, "aclnn")
                calls.rules.setdefault(rule(told[1]), (name, case))
                found.add(told)
    return found


def answers(
    operator: Operator, device: Device, pairs: Iterable[Pair]
) -> Mapping[tuple[str, str], str]:
    """Of two rules that a call breaks the one that is told."""
    found, others = {}, 0
    for case, first, second in pairs:
        if (first, second) not in found:
            seen = device.run(operator, case)
            if seen.outcome is Outcome.COMPLETED:
                others += 1
                continue
            told = rule(said(seen, operator, "aclnn")[1])
            others += told not in (first, second)
            found |= {(first, second): told} if told in (first, second) else {}
    assert others <= MOST_OTHERS, others
    return found


def nearest(pairs: Iterable[Pair], places: Mapping[str, int], most: int) -> list[Pair]:
    """Of the pairs of each rule the ``most`` whose other rule is looked at soonest before it or
    after it.
    """
    apart = sorted(pairs, key=lambda pair: abs(places[pair[1]] - places[pair[2]]))
    partners: dict[str, set[str]] = defaultdict(set)
    kept = []
    for case, first, second in apart:
        if min(len(partners[first]), len(partners[second])) < most or second in partners[first]:
            partners[first].add(second)
            partners[second].add(first)
            kept.append((case, first, second))
    return kept


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("partners", slow_but([2], [2, ALL]))
def test_a_wrong_call_gets_its_sentence_and_of_two_broken_rules_the_earlier_one_answers(
    name: str, partners: int, devices: Devices
) -> None:
    """Each rule is broken beside so many others, the nearest in the order of the checks."""
    operator = RECORDS[name]
    found = sentences(operator, devices)
    rules = {wrong: rule(sentence) for wrong, (_, sentence) in found.items()}
    every = broken(operator, "aclnn", rules)
    told_of_all = {*found.values()} | beside(operator, devices["aclnn"], every)
    pairs = [pair for calls in every for pair in calls.pairs()]
    if os.environ.get(UPDATE) == "1":
        pin(operator, told_of_all, answers(operator, devices["aclnn"], pairs))
    known = pinned(operator)
    assert told_of_all == {*known}
    assert len(known) == len({*known})
    places = {rule(sentence): at for at, (_, sentence) in enumerate(known)}
    first = answers(operator, devices["aclnn"], nearest(pairs, places, partners))
    for pair, told in first.items():
        assert told == min(pair, key=places.__getitem__), pair


def has_elements(operator: Operator) -> bool:
    """Whether some output has an element in every call, as each of its sizes is at least 1."""
    assert operator.signature is not None
    outputs = [one for one in operator.signature.tensors if one.role == "output"]
    return any(all(getattr(axis, "least", 0) for axis in one.shape) for one in outputs)


@pytest.mark.parametrize("name", RECORDS)
def test_without_an_element_of_an_output_no_workspace_is_needed_and_no_attribute_looked_at(
    name: str, devices: Devices
) -> None:
    """CANN looks at those of MoeTokenPermuteWithRoutingMap first."""
    operator = RECORDS[name]
    kinds = [one for one in operator.parameters if isinstance(one, AttributeParameter)]
    wrong = {one.name: WRONG[one.ctype][-1] for one in kinds}
    doubtful = [one.case for one in operator.quarantine]
    every = [*documented(operator), *doubtful]
    none = [one for one in every if not any(t.size for t in one.outputs.values())]
    assert none or has_elements(operator), "no call is documented whose outputs have no element"
    none = [one for one in none if one not in doubtful]
    for case in none:
        for attributes in (case.attributes, wrong):
            seen = devices["aclnn"].run(operator, replace(case, attributes=attributes))
            looked = attributes is wrong and name == "moe_token_permute_with_routing_map"
            assert seen.outcome is (Outcome.REJECTED if looked else Outcome.COMPLETED)
            assert seen.workspace_bytes == 0


LEAST_BUFFERS = (
    "moe_init_routing_v2_grad",
    "moe_token_permute_grad",
    "moe_token_permute_with_ep_grad",
    "moe_token_permute_with_routing_map_grad",
    "moe_token_unpermute",
    "moe_token_unpermute_with_ep",
    "moe_token_unpermute_with_routing_map",
)
"""Those whose calls of many slots need more buffer than the smallest machine has."""


@pytest.mark.parametrize("name", LEAST_BUFFERS)
def test_a_buffer_that_is_too_small_is_refused_with_the_least_that_is_enough(
    name: str, devices: Devices
) -> None:
    found = 0
    for case in documented(RECORDS[name]):

        def with_buffer(ub_bytes: int, case: Case = case) -> tuple[Outcome, str]:
            seen = devices["aclnn"].run(RECORDS[name], replace(case, machine=Machine(1, ub_bytes)))
            return seen.outcome, seen.message

        outcome, message = with_buffer(1024)
        if outcome is Outcome.REJECTED:
            told = "the unified buffer is 1024 bytes; it must be ([0-9]+) bytes or more"
            least = int(re.search(told, message)[1])  # type: ignore[index]
            assert with_buffer(least) == (Outcome.COMPLETED, "")
            outcome, again = with_buffer(least - 32)
            assert again == message.replace("1024 bytes;", f"{least - 32} bytes;")
            found += 1
    assert found


FLOATS = ("float32", "float16", "bfloat16")


@pytest.mark.parametrize("rows", FLOATS)
@pytest.mark.parametrize("scales", FLOATS)
def test_scales_have_the_type_of_the_rows_or_are_fp32_beside_bf16(
    rows: str, scales: str, devices: Devices
) -> None:
    operator = RECORDS["moe_finalize_routing_v2"]
    case = next(c for c in documented(operator) if c.dtype == rows and "scales" in c.inputs)
    seen = devices["aclnn"].run(operator, retyped(case, "scales", scales))
    if rows == scales or (rows, scales) == ("bfloat16", "float32"):
        assert seen.outcome is Outcome.COMPLETED
    else:
        status, sentence = said(seen, operator, "aclnn")
        assert (status, "the data type of scalesOptional is" in sentence) == (161002, True)
        assert ("or 0 (fp32)" in sentence) == (rows == "bfloat16")


NAMING = {
    "moe_init_routing_v2_grad": "expanded_row_idx",
    "moe_token_permute_grad": "sorted_indices",
    "moe_token_permute_with_routing_map_grad": "sorted_indices",
    "moe_token_unpermute": "sorted_indices",
    "moe_token_unpermute_grad": "sorted_indices",
}
"""By operator a tensor whose negative indices lie before the rows that they name."""


def with_first(case: Case, name: str, index: int) -> Case:
    """The call with another first element of a tensor of indices."""
    rest = case.arrays[name].reshape(-1).tolist()[1:]
    changed = replace(case.inputs[name], values=(index, *rest), fill=None)
    return replace(case, machine=Machine(2, 1024), inputs={**case.inputs, name: changed})


@pytest.mark.parametrize(("name", "indices"), NAMING.items())
def test_a_negative_index_is_the_callers_mistake_and_told(
    name: str, indices: str, devices: Devices
) -> None:
    case = next(c for c in documented(RECORDS[name]) if min(c.inputs[indices].shape) > 1)
    for index in (-1, -7):
        seen = devices["aclnn"].run(RECORDS[name], with_first(case, indices, index))
        assert seen.outcome is Outcome.FAILED
        assert [one.code for one in seen.diagnostics] == ["gm-out-of-bounds"]
    good = Value("good", case, expected(case))
    assert difference(good, devices["aclnn"].run(RECORDS[name], case)) == ""


def test_a_row_that_two_cores_write_is_the_callers_mistake_and_told(devices: Devices) -> None:
    operator = RECORDS["moe_token_unpermute_grad"]
    for mode in ("whole", "single"):
        case = next(c for c in documented(operator) if c.mode == mode and c.outputs)
        last = int(case.arrays["sorted_indices"][-1])
        seen = devices["aclnn"].run(operator, with_first(case, "sorted_indices", last))
        assert "race" in [one.code for one in seen.diagnostics]
