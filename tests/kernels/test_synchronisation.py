"""The project's kernels are in order on every machine, in every order of blocks."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.draw.machines import ordered
from conformance.record.operator import Operator
from conformance.suite.records import operators, records
from device_kernels.build import build
from tests.kernels.launches import drawn, simulator
from tests.kernels.removal_run import KERNELS, leaves_unordered, reported
from tests.kernels.removals import apply, removals, users
from tests.slow import slow_but

ORDERS = ("forward", "reverse", *(f"shuffled:{seed}" for seed in range(48)))


@pytest.fixture(scope="module")
def lib() -> Path:
    return build(quiet=True).lib


def calls(of: Iterable[Operator], per_cell: int) -> list[tuple[Operator, Case]]:
    """Calls of operators, so many of each mode and data type."""
    return [(one, case) for one in of for case in drawn(one, per_cell, most_elements=600)]


@pytest.fixture(scope="module")
def every() -> list[tuple[Operator, Case]]:
    """A call of each operator in each mode and data type."""
    return calls(operators(), 1)


@pytest.mark.parametrize("orders", slow_but([3], [3, len(ORDERS)]))
def test_the_kernels_are_silent_and_the_same_in_any_order_of_blocks(
    orders: int, lib: Path, every: list[tuple[Operator, Case]]
) -> None:
    cases = [(one, case) for one, case in every if case.machine and case.machine.cores > 1]
    assert {one.name for one, _ in cases} == {one.name for one in operators()}
    assert len(cases) > 0.8 * len(every), "most calls have blocks to order"
    answers: list[list[bytes]] = []
    with simulator({}, lib) as device:
        for order in ORDERS[:orders]:
            seen = [device.run(operator, ordered(case, order)) for operator, case in cases]
            assert [one.diagnostics for one in seen] == [()] * len(cases), order
            assert any(one.outputs for one in seen)
            answers.append([out.tobytes() for one in seen for out in one.outputs.values()])
            assert answers[-1] == answers[0], order


BUILT_AGAIN = ("moe_finalize_routing_v2_grad", "moe_token_permute_with_ep")
"""One adds and multiplies, one sorts: most of the language."""


@pytest.mark.slow
def test_without_checks_the_same_is_computed(lib: Path, tmp_path: Path) -> None:
    cases = calls(map(records().__getitem__, BUILT_AGAIN), 2)
    for folder in (*BUILT_AGAIN, "shared"):
        shutil.copytree(KERNELS / folder, tmp_path / folder)
    answers = []
    for built in (lib, build(tmp_path, checks="off", quiet=True).lib):
        with simulator({}, built) as device:
            seen = [device.run(operator, case) for operator, case in cases]
        assert {one.outcome for one in seen} == {Outcome.COMPLETED}
        answers.append([out.tobytes() for one in seen for out in one.outputs.values()])
    assert answers[1] == answers[0] != []


def test_every_removal_takes_one_place_out() -> None:
    found = list(removals(KERNELS))
    assert len({removal.name for removal in found}) == len(found) >= 5
    for removal in found:
        before = (KERNELS / removal.file).read_text()
        assert removal.text != before
        assert 0 <= before.count("\n") - removal.text.count("\n") <= 2
        if not removal.what.endswith("EnQue"):
            assert set(removal.text.splitlines()) <= set(before.splitlines()), removal.name


def test_a_removal_from_a_shared_part_concerns_the_operators_that_are_compiled_from_it() -> None:
    of = {removal.file.name: users(removal.file, KERNELS) for removal in removals(KERNELS)}
    assert of["moe_init_routing_v2_grad_kernel.cpp"] == {"moe_init_routing_v2_grad"}
    sorting = {
        *("moe_init_routing", "moe_init_routing_v2", "moe_init_routing_v3"),
        "moe_init_routing_quant_v2",
        *("moe_token_permute", "moe_token_permute_with_ep"),
    }
    added = {"moe_token_unpermute_with_routing_map"}
    assert of["stable_sort_kernel.h"] == sorting | added | {"moe_init_routing_quant"}
    graded = {
        "moe_finalize_routing_v2_grad",
        "moe_token_unpermute_grad",
        "moe_token_unpermute_with_ep_grad",
    }
    assert of["slot_copy_kernel.h"] == sorting | graded | {"moe_token_permute_with_routing_map"}
    assert of["slot_grad_kernel.h"] == graded | {"moe_token_unpermute_with_routing_map_grad"}
    adding = {
        "moe_finalize_routing",
        "moe_finalize_routing_v2",
        "moe_finalize_routing_v3",
        "moe_finalize_routing_v4",
        "moe_token_permute_grad",
        "moe_token_permute_with_ep_grad",
        "moe_token_permute_with_routing_map_grad",
        "moe_token_unpermute",
        "moe_token_unpermute_with_ep",
    }
    assert of["row_sum_kernel.h"] == adding | added
    assert of["slot_gather_kernel.h"] == {"moe_token_permute_with_ep_grad"}
    shared = {removal.file.name for removal in removals(KERNELS) if "shared" in removal.file.parts}
    assert len(shared) > 3
    assert set().union(*of.values()) == {
        path.parent.name for path in KERNELS.glob("*/*_kernel.cpp")
    }


@pytest.mark.slow
def test_a_barrier_and_a_queue_that_are_taken_out_are_missed(
    lib: Path, every: list[tuple[Operator, Case]], tmp_path: Path
) -> None:
    """Two of the removals of removal_run.py: by the graph and by the simulator."""
    assert not leaves_unordered(lib, every, tmp_path / "trace")
    for kind in ("PipeBarrier", ".EnQue"):
        of_kind = [one for one in removals(KERNELS) if kind in one.what]
        removal = min(of_kind, key=lambda one: len(users(one.file, KERNELS)))  # least to compile
        concerned = users(removal.file, KERNELS)
        its = calls(map(records().__getitem__, sorted(concerned)), 4)
        apply(removal, KERNELS, tmp_path / kind)
        broken = build(tmp_path / kind, quiet=True).lib
        assert leaves_unordered(broken, its, tmp_path / "trace"), removal.name
        assert reported(broken, its), removal.name
