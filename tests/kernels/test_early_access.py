"""A failure by a schedule of the pipes names the first instruction that was too early."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.call.case import PROGRAM, Case, Machine
from conformance.call.observation import Observation
from conformance.catalogue.message import within
from conformance.judge.calls import judge
from conformance.record.operator import Operator
from conformance.suite.records import records
from device_kernels.build import build
from tests.kernels.launches import simulator
from tests.kernels.removal_run import KERNELS
from tests.kernels.removals import apply, removals
from tests.snapshots import both_pinned

SNAPSHOT = Path(__file__).parent / "snapshots" / "early_access.txt"
KERNEL, WHAT = "moe_init_routing_v2_grad_kernel.cpp", "resultQueue_.EnQue"
"""The queue orders the copy of a result behind the instruction that computes it."""


@pytest.fixture(scope="module")
def without_queue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The libraries of a kernel whose results go through no queue."""
    folder = tmp_path_factory.mktemp("removed") / "kernels"
    (removal,) = [one for one in removals(KERNELS) if (one.file.name, one.what) == (KERNEL, WHAT)]
    apply(removal, KERNELS, folder)
    return build(folder, quiet=True).lib


OPERATOR = records()["moe_init_routing_v2_grad"]
CASE = replace(OPERATOR.examples[0].case, machine=Machine(cores=1, ub_bytes=96 * 1024))


def seen_in(schedule: str, libraries: Path, operator: Operator, case: Case) -> Observation:
    """What the call shows in a schedule, where no clock judges."""
    loose = {"ASCENDSIM_PIPES": schedule, "ASCENDSIM_SYNC_LEVEL": "none"}
    with simulator(loose, libraries) as device:
        return device.run(operator, case)


def test_values_that_change_with_the_schedule_name_the_instruction_that_was_too_early(
    without_queue: Path,
) -> None:
    assert not seen_in(PROGRAM, without_queue, OPERATOR, CASE).diagnostics
    verdict = judge(OPERATOR, CASE, seen_in("late", without_queue, OPERATOR, CASE))

    def without_lines(text: str) -> str:
        return re.sub(r"(\.cpp:|in line )\d+", r"\1N", text)

    both_pinned(SNAPSHOT, without_lines(verdict.text), without_lines(within(verdict.text, "zh")))
