"""A kernel that takes its branches elsewhere than the record draws its cases is told."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from conformance.call.case import Case
from conformance.call.observation import Observation, Outcome
from conformance.devices.device import Device, DeviceProfile
from conformance.devices.open import open_device
from conformance.errors import LimitsCrash, OperatorUnavailable
from conformance.record.call_rules import Limit
from conformance.record.operator import Operator
from conformance.session.boundaries import UNKNOWN, limit_lines, limits_told
from conformance.suite.records import operators
from tests.conformance.segment_sum import case, operator

LEAST = Limit("ub-bytes", 2048, top_k=4, dtype="float16")
WIDE = Limit("hidden", 200, top_k=4, dtype="float16", ub_bytes=4096)
RECORD = replace(
    operator(), limits=(LEAST, WIDE), row_sum=lambda dtype, x: case(x.tolist(), [range(len(x))])
)


class Tiling:
    """A device that only knows the limits of its tiling, and accepts calls from ``runs`` B on."""

    def __init__(self, said: dict[str, int], runs: int = 2048) -> None:
        self.said = {UNKNOWN.axis: -1, **said}
        self.runs = runs

    @property
    def profile(self) -> DeviceProfile:
        raise AssertionError("nobody asks for it")

    def run(self, operator: Operator, case: Case) -> Observation:
        assert case.machine is not None
        assert case.machine.cores == 1
        accepted = case.machine.ub_bytes >= self.runs
        return Observation(Outcome.COMPLETED if accepted else Outcome.REJECTED)

    def limits(self, operator: Operator, asked: Sequence[Limit]) -> tuple[int, ...]:
        return tuple(self.said[one.axis] for one in asked)

    def close(self) -> None:
        pass


def test_nothing_is_told_of_a_kernel_with_the_records_limits() -> None:
    (line,) = limit_lines(Tiling({"ub-bytes": 2048, "hidden": 200}), [RECORD])
    assert (line.compared, line.differing, line.reason) == (2, (), "")
    assert list(limits_told([line])) == []


@pytest.mark.parametrize(
    ("tiling", "told"),
    [
        (
            Tiling({"ub-bytes": 2048, "hidden": 208}),
            "hidden (float16, top_k 4, UB 4096): 200, the kernels 208",
        ),
        (
            Tiling({"ub-bytes": 1024, "hidden": 200}),
            "ub-bytes (float16, top_k 4): 2048, the kernels 1024",
        ),
        (
            Tiling({"ub-bytes": 2048, "hidden": 200}, runs=1024),
            "ub-bytes (float16, top_k 4): 2048, a call on 2016 B completed",
        ),
        (
            Tiling({"ub-bytes": 2048, "hidden": 200}, runs=4096),
            "ub-bytes (float16, top_k 4): 2048, a call on 2048 B rejected",
        ),
        (
            Tiling({"ub-bytes": 2048, "hidden": 200, UNKNOWN.axis: 7}),
            "no such axis (float32, top_k 1, cores 1, UB 196608): -1, the kernels 7",
        ),
    ],
)
def test_a_limit_that_differs_or_does_not_hold_is_told(tiling: Tiling, told: str) -> None:
    assert list(limits_told(limit_lines(tiling, [RECORD]))) == [
        "boundaries of segment_sum: 1 of 2 sizes are not where the record draws its cases",
        f"  {told}",
    ]


def test_a_library_without_limits_is_taken_at_the_records() -> None:
    class Silent(Tiling):
        def limits(self, operator: Operator, asked: Sequence[Limit]) -> tuple[int, ...]:
            raise OperatorUnavailable("the operator library exports no SegmentSumTilingLimit")

    (line,) = limit_lines(Silent({}), [RECORD])
    assert (line.compared, line.reason) == (
        0,
        "the operator library exports no SegmentSumTilingLimit",
    )
    assert list(limits_told([line])) == []


def test_a_function_of_limits_that_crashes_is_told() -> None:
    class Crashing(Tiling):
        def limits(self, operator: Operator, asked: Sequence[Limit]) -> tuple[int, ...]:
            raise LimitsCrash("SegmentSumTilingLimit: the process was ended by SIGFPE")

    assert list(limits_told(limit_lines(Crashing({}), [RECORD]))) == [
        "boundaries of segment_sum: cannot be compared",
        "  SegmentSumTilingLimit: the process was ended by SIGFPE",
    ]


@pytest.fixture(scope="module")
def simulator() -> Iterator[Device]:
    with contextlib.closing(open_device("sim")) as device:
        yield device


@pytest.mark.parametrize("record", operators(), ids=lambda record: record.name)
def test_the_projects_kernels_take_their_branches_where_their_records_say(
    record: Operator, simulator: Device
) -> None:
    for line in limit_lines(simulator, [record]):
        assert (line.compared, line.differing) == (len(record.limits), ())


def test_an_operator_without_limits_is_not_asked() -> None:
    assert list(limit_lines(Tiling({}), [operator()])) == []
