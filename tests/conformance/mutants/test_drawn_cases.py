"""The cases that mutants are held against: those of a seed, the first few at once."""

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.mutants.drawn_cases import FEW, as_needed, drawn


def test_the_same_seed_draws_the_same_cases_and_another_one_others():
    strategy = OPERATOR.small_cases("drop_pad", "float16")
    first, again, other = (drawn(strategy, 20, seed, "a") for seed in (3, 3, 4))
    assert [case.digest for case in first] == [case.digest for case in again]
    assert {case.digest for case in first} != {case.digest for case in other}


def test_the_first_few_cases_are_those_of_the_whole_and_the_others_follow():
    strategy = OPERATOR.small_cases("drop_pad", "float16")
    whole = [case.digest for case in drawn(strategy, FEW + 9, 3, "a")]
    assert len(whole) == FEW + 9
    assert [case.digest for case in as_needed(strategy, FEW + 9, 3, "a")] == whole
    assert [case.digest for case in as_needed(strategy, 9, 3, "b")] == [
        case.digest for case in drawn(strategy, 9, 3, "b")
    ]
