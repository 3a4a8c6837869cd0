"""Sequences are long, of many kinds of calls, and shrink to few."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import strategies as st

from conformance.call.case import Case
from conformance.call.surroundings import AS_LEFT
from conformance.draw.plain import plainly
from conformance.draw.sequences import LONGEST_PART, PARTS, sequences
from conformance.judge.sequences import rejection_of
from conformance.suite import records as suite

PERMUTE, UNPERMUTE = suite.chosen(suite.records(), ["moe_token_permute", "moe_token_unpermute"])
OPERATORS = {one.name: one for one in (PERMUTE, UNPERMUTE)}


def drawn(strategy: st.SearchStrategy[Case]) -> list[Case]:
    return [case for case, _ in plainly(strategy, 60, 1)]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return drawn(sequences(PERMUTE, OPERATORS.values()))


def test_a_sequence_ends_with_a_call_of_its_own_operator(cases: list[Case]) -> None:
    assert {case.operator for case in cases} == {PERMUTE.name}
    assert not any(one.before for case in cases for one in case.before)


def test_sequences_are_long(cases: list[Case]) -> None:
    lengths = [len(case.before) for case in cases]
    assert sum(lengths) / len(lengths) > 6
    assert max(lengths) <= PARTS * LONGEST_PART


def test_sequences_hold_calls_of_other_operators_refused_and_repeated_ones(
    cases: list[Case],
) -> None:
    before = [one for case in cases for one in case.before]
    assert {one.operator for one in before} == set(OPERATORS)
    assert any(rejection_of(OPERATORS[one.operator], one) for one in before)
    again = [one for case in cases for n, one in enumerate(case.before) if one in case.before[:n]]
    assert again


def test_sequences_grow_and_shrink(cases: list[Case]) -> None:
    sizes = [
        [one.inputs["tokens"].size for one in case.before if "tokens" in one.inputs]
        for case in cases
    ]
    steps = [(a, b) for some in sizes for a, b in pairwise(some)]
    assert any(a < b for a, b in steps)
    assert any(a > b for a, b in steps)


def test_a_call_that_some_versions_of_cann_carry_out_is_not_among_the_refused_ones() -> None:
    (grad,) = suite.chosen(suite.records(), ["moe_token_unpermute_grad"])
    assert any(one.versions for one in grad.rejections)
    refused = [
        rejection_of(grad, one)
        for case in drawn(sequences(grad, [grad]))
        for one in case.before
        if rejection_of(grad, one) is not None
    ]
    assert refused
    assert [one for one in refused if one is not None and one.versions is not None] == []


def test_most_calls_find_memory_as_it_was_left(cases: list[Case]) -> None:
    called = [
        one
        for case in cases
        for one in case.before
        if rejection_of(OPERATORS[one.operator], one) is None
    ]
    left = [one for one in called if one.setting.memory == AS_LEFT]
    assert len(left) > len(called) / 2


def test_a_refused_call_is_made_on_poisoned_memory(cases: list[Case]) -> None:
    """That it wrote nothing can be seen there alone."""
    for case in cases:
        for one in case.before:
            if rejection_of(OPERATORS[one.operator], one) is not None:
                assert one.setting.memory == "poisoned"


def test_without_others_a_sequence_is_of_one_operator() -> None:
    alone = drawn(sequences(UNPERMUTE, [UNPERMUTE]))
    assert {one.operator for case in alone for one in case.before} == {UNPERMUTE.name}


def test_every_call_is_put_on_a_machine_that_the_libraries_are_meant_for() -> None:
    def marked(case: Case) -> Case:
        return replace(case, mode="fitted")

    some = drawn(sequences(PERMUTE, OPERATORS.values(), marked))
    for case in some:
        for one in (*case.before, case):
            refused = rejection_of(OPERATORS[one.operator], one) is not None
            assert refused or one.mode == "fitted"
