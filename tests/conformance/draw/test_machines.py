"""Machines and the order of their blocks are drawn, and shrink to the plainest that still shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from conformance.call.case import FUNCTIONS, Case, Machine
from conformance.draw.machines import block_orders, in_any_order, machines, schedules
from conformance.judge.legality import check_shape_and_data

QUICK = settings(database=None, max_examples=2000, derandomize=True)


def case_on(machine: Machine | None) -> Case:
    return Case("toy", "plain", "int32", {}, {}, {}, machine)


def on_any_machine() -> st.SearchStrategy[Case]:
    return in_any_order(machines().map(case_on))


def test_an_order_that_does_not_matter_shrinks_to_forward() -> None:
    assert find(block_orders(), lambda order: True, settings=QUICK) == "forward"
    smallest = find(on_any_machine(), lambda c: c.machine.cores >= 3, settings=QUICK)
    assert smallest.machine == Machine(3, 1024)


@pytest.mark.parametrize("small", [False, True])
def test_any_multiple_of_32_bytes_from_the_least_is_drawn_and_shrinks_to_a_whole_kib(
    small: bool,
) -> None:
    def shrunk(least: int, wrong: Callable[[int], bool]) -> int:
        return find(machines(least, small), lambda m: wrong(m.ub_bytes), settings=QUICK).ub_bytes

    assert shrunk(0, lambda ub: ub == 1120) == 1120
    assert shrunk(0, lambda ub: ub % 64 == 32) == 1056
    assert shrunk(1500, lambda ub: ub % 1024 != 0) == 1504
    assert shrunk(0, lambda ub: ub > 1500) == 2048
    assert shrunk(1500, lambda ub: True) == 2048


def test_every_kind_of_order_is_drawn_and_one_that_matters_is_kept() -> None:
    def shown(prefix: str) -> Machine | None:
        def shows(case: Case) -> bool:
            return case.machine is not None and case.machine.block_order.startswith(prefix)

        return find(on_any_machine(), shows, settings=QUICK).machine

    assert shown("reverse") == Machine(2, 1024, "reverse")
    assert shown("shuffled:") == Machine(2, 1024, "shuffled:0")


@pytest.mark.parametrize("functions", FUNCTIONS)
def test_functions_are_drawn_of_an_operator_that_computes_some(functions: str) -> None:
    def shows(case: Case) -> bool:
        return case.machine is not None and case.machine.functions == functions

    computing = in_any_order(machines().map(case_on), computes=True)
    assert find(computing, shows, settings=QUICK).machine == Machine(1, 1024, functions=functions)


@pytest.mark.parametrize(("first", "pipes"), [("late", "late"), ("random:", "random:0")])
def test_schedules_of_pipes_are_drawn_and_shrink_to_that_of_the_program(
    first: str, pipes: str
) -> None:
    def shows(case: Case) -> bool:
        return case.machine is not None and case.machine.pipes.startswith(first)

    assert find(on_any_machine(), shows, settings=QUICK).machine == Machine(1, 1024, pipes=pipes)
    assert find(schedules(), lambda schedule: True, settings=QUICK) == "program"


def test_no_functions_are_drawn_of_others_nor_without_a_machine() -> None:
    @settings(QUICK, max_examples=50)
    @given(on_any_machine(), in_any_order(st.just(case_on(None)), computes=True))
    def check(case: Case, without: Case) -> None:
        assert case.machine is not None
        assert case.machine.functions == "rounded"
        assert without.machine is None

    check()


@pytest.mark.parametrize("machine", [None, Machine(1, 4096)])
def test_one_block_and_the_devices_own_machine_have_no_drawn_order(
    machine: Machine | None,
) -> None:
    @settings(QUICK, max_examples=50)
    @given(in_any_order(st.just(case_on(machine))))
    def check(case: Case) -> None:
        told = None if case.machine is None else replace(case.machine, pipes="program")
        assert told == machine

    check()


def test_every_drawn_order_is_legal() -> None:
    @settings(QUICK, max_examples=200)
    @given(on_any_machine())
    def check(case: Case) -> None:
        check_shape_and_data(case)

    check()
