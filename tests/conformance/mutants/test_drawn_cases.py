"""The cases that mutants are held against: those of a seed."""

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.mutants.drawn_cases import drawn


def test_the_same_seed_draws_the_same_cases_and_another_one_others():
    strategy = OPERATOR.small_cases("drop_pad", "float16")
    first, again, other = ([*drawn(strategy, 20, seed, "a")] for seed in (3, 3, 4))
    assert [case.digest for case in first] == [case.digest for case in again]
    assert {case.digest for case in first} != {case.digest for case in other}
