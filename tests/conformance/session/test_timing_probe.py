"""Fixed calls are timed on a device: which, how often, and what is said where one is not."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conformance import places
from conformance.call.case import Case
from conformance.devices.isolated import NotTimed
from conformance.devices.open import Kernels, open_device
from conformance.errors import OperatorUnavailable, UsageError
from conformance.record import workload
from conformance.record.operator import Operator
from conformance.session.timing_probe import (
    WARM,
    TimedBatch,
    repetitions,
    timed_batches,
    timing_lines,
)
from conformance.suite import records as suite

NAMES = ("moe_token_permute", "moe_token_unpermute")
SMALL = TimedBatch(workload="gpt_oss_20b", tokens=2, routing="balanced", seed=2)


class Clock:
    """A device that answers given times, or fails."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.asked: list[tuple[str, str, int, int]] = []
        self._failure = failure

    def times(self, operator: Operator, case: Case, warm: int, times: int) -> tuple[float, ...]:
        self.asked.append((operator.name, case.digest, warm, times))
        if self._failure is not None:
            raise self._failure
        return tuple(1e-4 for _ in range(times))


def lines(device: Any, times: int = 6) -> list[Any]:
    operators = suite.chosen(suite.records(), NAMES)
    return list(timing_lines(device, operators, times, batches=[SMALL]))


def test_each_operator_is_timed_once_for_each_batch_after_warm_repetitions() -> None:
    clock = Clock()
    found = lines(clock)
    assert [(one.operator, one.name) for one in found] == [
        (name, "gpt_oss_20b 2 balanced") for name in NAMES
    ]
    assert [len(one.seconds) for one in found] == [6, 6]
    assert [asked[2:] for asked in clock.asked] == [(WARM, 6)] * 2


def test_the_calls_are_the_same_each_time() -> None:
    first, again = ([one.digest for one in lines(Clock())] for _ in range(2))
    assert first == again
    assert all(first)


@pytest.mark.parametrize("failure", [NotTimed("it hung"), OperatorUnavailable("it hung")])
def test_a_call_that_cannot_be_timed_says_why(failure: Exception) -> None:
    for one in lines(Clock(failure)):
        assert (one.seconds, one.reason) == ((), "it hung")


def test_a_device_that_measures_nothing_gives_no_lines() -> None:
    assert lines(object()) == []


def test_every_batch_of_the_suite_is_one_that_its_workload_has() -> None:
    known = {one.name: one for one in workload.own(places.workloads())}
    found = timed_batches()
    assert len({one.name for one in found}) == len(found) >= 2
    for one in found:
        sizes = known[one.workload]
        assert one.batch(places.workloads()).columns == sizes.hidden
        assert one.tokens <= max((*sizes.decode, *sizes.prefill, *sizes.chunked))


@pytest.mark.parametrize(
    "text", ["", "batch = 1", "[[batch]]\nworkload = 'x'\n", "[[batch]]\nnone = 1\n", "\xff"]
)
def test_a_file_that_is_no_list_of_batches_is_rejected(tmp_path: Path, text: str) -> None:
    path = tmp_path / "batches.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match="timing"):
        timed_batches(path)


@pytest.mark.parametrize("text", ["0", "4", "1001", "-5", "ten", "5.5", ""])
def test_another_number_of_repetitions_is_rejected(text: str) -> None:
    with pytest.raises(UsageError, match="5 to 1000 repetitions"):
        repetitions(text, "npu")


def test_the_simulated_device_is_not_timed() -> None:
    with pytest.raises(UsageError, match="takes no time of its own"):
        repetitions("30", "sim")
    assert repetitions(None, "sim") == 0
    assert repetitions("30", "npu:1") == 30


def test_phase_two_is_timed_by_events_of_a_card() -> None:
    lib = _built()
    with closing(open_device("npu:0", libraries=lib)) as device:
        found = lines(device)
    assert [one.reason for one in found] == ["", ""]
    assert all(len(one.seconds) == 6 and min(one.seconds) > 0 for one in found)


def _built() -> Path:
    from conformance.devices.open import simulator_libraries

    return simulator_libraries(*Kernels(None, NAMES))
