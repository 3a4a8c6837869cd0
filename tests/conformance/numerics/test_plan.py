"""Plans: the same sum as the merges, in few registers."""

import numpy as np
import pytest

from cases.operators.moe_init_routing_v2_grad import bin_tree
from conformance.numerics.order import emulate, sequential
from conformance.numerics.plan import Add, Load, compile_merges
from tests.conformance.numerics.hard_data import drawn_tree, pairwise, reversed_order


def run(plan, values):
    registers = [None] * plan.registers
    for step in plan.steps:
        if isinstance(step, Load):
            registers[step.register] = values[step.slot].copy()
        else:
            registers[step.into] = registers[step.into] + registers[step.origin]
    return registers[0]


@pytest.mark.parametrize("slots", [1, 2, 3, 5, 8, 17, 64, 130])
def test_a_plan_gives_the_bits_of_its_merges(slots):
    generator = np.random.default_rng(slots)
    values = generator.standard_normal((slots, 50)).astype(np.float32)
    drawn = [drawn_tree(generator, slots) for _ in range(5)]
    for merges in (sequential(slots), reversed_order(slots), pairwise(slots), *drawn):
        plan = compile_merges(merges, slots)
        assert (run(plan, values) == emulate(merges, values.copy())).all()
        assert sum(isinstance(step, Load) for step in plan.steps) == slots
        assert sum(isinstance(step, Add) for step in plan.steps) == slots - 1


def test_left_to_right_takes_two_registers_for_thousands_of_slots():
    assert compile_merges(sequential(5000), 5000).registers == 2
    assert compile_merges(reversed_order(5000), 5000).registers == 2


def test_balanced_trees_take_the_logarithm_of_their_slots():
    assert compile_merges(pairwise(64), 64).registers == 7
    assert compile_merges(bin_tree(8), 8).registers == 4


def test_one_slot_is_loaded():
    assert compile_merges((), 1).steps == (Load(0, 0),)


def test_of_two_sides_that_need_as_many_registers_the_one_that_is_added_to_comes_first():
    assert compile_merges([(1, 2), (0, 1)], 3).steps == (
        Load(1, 0),
        Load(2, 1),
        Add(0, 1),
        Load(0, 1),
        Add(0, 1),
    )


@pytest.mark.parametrize("slots", [2, 3, 8, 17])
def test_without_all_zeros_but_one_a_plan_gives_the_same_bits(slots):
    generator = np.random.default_rng(slots)
    for _ in range(20):
        zeros = np.flatnonzero(generator.random(slots) < 0.7)
        values = generator.choice(np.array([-0.0, 1.5, -1.5, 3.0], np.float32), (slots, 50))
        values[zeros] = 0.0
        merges = drawn_tree(generator, slots)
        plan = compile_merges(merges, slots, zeros[1:])
        found, right = run(plan, values), emulate(merges, values.copy())
        assert found.tobytes() == right.tobytes()
        assert {step.slot for step in plan.steps if isinstance(step, Load)}.isdisjoint(zeros[1:])
