"""The aclnn interface checks its rules in CANN's order, and says which one was broken."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from device_kernels.build import build
from tests.kernels.permute_calls import (
    BF16,
    FP16,
    INT64,
    UNTOUCHED,
    Answer,
    Call,
    Permuter,
    drawn_call,
)
from tests.kernels.permute_values import Trial, difference
from tests.simulator.runtime.driver import Acl

NULL, INVALID, TILING_FAILED = 161001, 161002, 561002
GOOD = drawn_call(np.array([[1, 2], [3, 1], [2, 3]], np.int32), 5, span=(1, 5))
PHASE_1 = "aclnnMoeTokenPermuteWithEpGetWorkspaceSize: "


@pytest.fixture(scope="module")
def permuter() -> Permuter:
    made = Permuter(Acl(build(quiet=True).lib))
    made.machine()
    return made


def shaped(call: Call, name: str, *shape: int) -> Call:
    return replace(call, shapes={**call.shapes, name: shape})


def typed(call: Call, name: str, dtype: int) -> Call:
    return replace(call, dtypes={**call.dtypes, name: dtype})


def without(call: Call, name: str) -> Call:
    return replace(call, missing=(*call.missing, name))


REQUIRED = ("tokens", "indices", "permuteTokensOut", "sortedIndicesOut", "permuteProbsOut")
TYPED = ("tokens", "indices", "probsOptional", "permuteTokensOut", "permuteProbsOut")

RULES: tuple[tuple[str, int, Any, str], ...] = (
    ("null", NULL, lambda call: without(call, "indices"), "indices is null; it must be a tensor"),
    ("executor", NULL, lambda call: without(call, "executor"), "executor is null"),
    ("dtype", INVALID, lambda call: typed(call, "tokens", 2), "the data type of tokens is 2"),
    ("index dtype", INVALID, lambda call: typed(call, "indices", 6), "type of indices is 6"),
    ("probs dtype", INVALID, lambda call: typed(call, "probsOptional", FP16), "probsOptional is 1"),
    ("ranks dtype", INVALID, lambda call: typed(call, "sortedIndicesOut", INT64), "Out is 9"),
    ("length", TILING_FAILED, lambda call: replace(call, span=(1,), rows=4), "the length of range"),
    ("padded", TILING_FAILED, lambda call: replace(call, padded=True), "paddedMode is true"),
    ("rank", TILING_FAILED, lambda call: shaped(call, "indices", 3, 2, 1), "the rank of indices"),
    ("tokens", TILING_FAILED, lambda call: shaped(call, "tokens", 5, 3), "dim 0 of tokens is 5"),
    ("probs", TILING_FAILED, lambda call: shaped(call, "probsOptional", 6), "of probsOptional"),
    (
        "start",
        TILING_FAILED,
        lambda call: replace(call, span=(-1, 3), rows=4),
        "the start of rangeOptional is -1; it must be 0 to the number of elements of indices, 6",
    ),
    (
        "rows",
        TILING_FAILED,
        lambda call: shaped(call, "permuteTokensOut", 3, 5),
        "dim 0 of permuteTokensOut is 3; it must be the number of ranks in the range, 4",
    ),
    (
        "ranks",
        TILING_FAILED,
        lambda call: shaped(call, "sortedIndicesOut", 4),
        "dim 0 of sortedIndicesOut is 4; it must be the number of elements of indices, 6",
    ),
    ("probs out", TILING_FAILED, lambda call: shaped(call, "permuteProbsOut", 5), "ProbsOut is 5"),
)
SAME_PARAMETER = ({"length", "start"},)
"""Two rules on one parameter: the second change would undo the first."""
PAIRS = [
    (first, second)
    for first, second in combinations(RULES, 2)
    if {first[0], second[0]} not in SAME_PARAMETER
]


def assert_untouched(answer: Answer) -> None:
    for output in (answer.tokens, answer.ranks, answer.probs):
        assert set(output.tobytes()) == {UNTOUCHED}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[0])
def test_a_broken_rule_is_named_nothing_is_written_and_the_next_call_is_fine(
    rule: tuple[str, int, Any, str], permuter: Permuter
) -> None:
    _, status, breaking, text = rule
    answer = permuter.run(breaking(GOOD))
    assert answer.status == status
    assert answer.text.startswith(PHASE_1)
    assert text in answer.text
    assert len(answer.text.splitlines()) == 1
    assert_untouched(answer)
    assert difference(permuter, Trial(0, 0, GOOD)) == ""


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]} before {pair[1][0]}")
def test_of_two_broken_rules_the_earlier_one_answers(
    pair: tuple[tuple[str, int, Any, str], tuple[str, int, Any, str]], permuter: Permuter
) -> None:
    (_, status, first, text), (_, _, second, _) = pair
    answer = permuter.run(second(first(GOOD)))
    assert answer.status == status
    assert text in answer.text
    assert_untouched(answer)


@pytest.mark.parametrize("name", REQUIRED)
def test_the_first_null_tensor_is_named(permuter: Permuter, name: str) -> None:
    broken = replace(GOOD, missing=REQUIRED[REQUIRED.index(name) :])
    answer = permuter.run(broken)
    assert answer.status == NULL
    assert answer.text == f"{PHASE_1}{name} is null; it must be a tensor"


@pytest.mark.parametrize("name", TYPED)
def test_every_tensor_must_have_its_data_type(permuter: Permuter, name: str) -> None:
    answer = permuter.run(typed(GOOD, name, 12))
    assert answer.status == INVALID
    assert f"the data type of {name} is 12; it must be " in answer.text
    assert answer.text.endswith("(operator definition of MoeTokenPermuteWithEp)")


def test_probs_out_has_the_dtype_of_tokens_also_where_nothing_goes_there(
    permuter: Permuter,
) -> None:
    call = typed(replace(GOOD, probs=None), "permuteProbsOut", BF16)
    answer = permuter.run(call)
    assert answer.status == INVALID
    assert "the data type of permuteProbsOut is 27; it must be that of tokens, 0" in answer.text


@pytest.mark.parametrize("count", [-1, 7])
def test_a_number_of_rows_outside_the_slots_is_refused(permuter: Permuter, count: int) -> None:
    answer = permuter.run(replace(GOOD, span=None, num_out_tokens=count, rows=6))
    assert answer.status == TILING_FAILED
    assert f"numOutTokens is {count}; it must be 0 to the number" in answer.text


@pytest.mark.parametrize("count", [-1, 7])
def test_a_range_overrules_the_number_of_rows(permuter: Permuter, count: int) -> None:
    assert difference(permuter, Trial(0, 0, replace(GOOD, num_out_tokens=count))) == ""


def test_top_k_of_512_is_the_most(permuter: Permuter) -> None:
    most = drawn_call(np.zeros((2, 512), np.int64), 1)
    assert difference(permuter, Trial(0, 0, most)) == ""
    answer = permuter.run(drawn_call(np.zeros((2, 513), np.int64), 1))
    assert answer.status == TILING_FAILED
    assert "topK, dim 1 of indices is 513; it must be 1 to 512" in answer.text


def test_without_slots_there_is_no_rule_but_the_output_must_be_empty(permuter: Permuter) -> None:
    none = drawn_call(np.zeros((3, 0), np.int32), 1)
    assert permuter.run(none).status == 0
    answer = permuter.run(shaped(none, "sortedIndicesOut", 1))
    assert answer.status == TILING_FAILED
    assert "topK, dim 1 of indices is 0" in answer.text


def test_a_machine_that_holds_no_run_is_refused_with_a_reason(permuter: Permuter) -> None:
    """The smallest that can be configured holds one: the rule is tested at the tiling."""
    assert permuter.acl.ascendsimConfigure(None, 1, 768) != 0
    permuter.machine(1, 1024)
    assert permuter.run(GOOD).status == 0
    permuter.machine()


def test_an_input_shorter_than_its_shape_is_refused_by_name(permuter: Permuter) -> None:
    short = shaped(replace(GOOD, tokens=GOOD.tokens[:2]), "tokens", 3, 500)
    answer = permuter.run(shaped(short, "permuteTokensOut", 4, 500))
    assert answer.status == 507015
    assert "kernel moe_token_permute_with_ep: tokens is given as 6000 bytes" in answer.text
    assert_untouched(answer)
    assert difference(permuter, Trial(0, 0, GOOD)) == ""
