"""The toy's device, in place of the plugin's: it copies, and errs as the variable TOY says."""

import os
import signal
import time

import pytest

from conformance.call.observation import Observation, Outcome
from conformance.devices.device import DeviceProfile, Trait
from conformance.errors import EnvironmentFailure
from conformance.plugin import CONTEXT

SECONDS = 0.4
SLOW = "slow"


def npu(cann: str) -> DeviceProfile:
    trait = Trait("unknown")
    return DeviceProfile("npu:0", "npu", "Toy1", 1, 4096, cann, {}, trait, trait, trait)


class Clock:
    """The time of a slow toy: a hundredth of a second a call, and nothing else takes any."""

    seconds, of_call = 0.0, 0.01

    @classmethod
    def now(cls) -> float:
        return cls.seconds


def pytest_sessionstart(session):
    budget = session.config.stash[CONTEXT].budget
    if budget is not None and os.environ.get("TOY", "").startswith(SLOW):
        budget.clock = Clock.now


class ToyDevice:
    """TOY: good; wrong or hangs (from 5 elements on), moody (wrong once), lost, half (lost where
    the data type is int32), absent, skips.

    CANN gives it the profile of an NPU with that version.

    rejects answers 161002, as an interface does to which an output's shape is wrong.
    slow is by its own clock, and may be wrong too; dies ends its process after 180 calls.
    """

    profile: DeviceProfile | None = None

    def __init__(self) -> None:
        self.mood = os.environ.get("TOY", "good")
        self.mood = self.mood.removeprefix(f"{SLOW} and ")
        self.calls = 0
        if cann := os.environ.get("CANN"):
            self.profile = npu(cann)

    def run(self, operator, case):
        self.calls += 1
        if os.environ.get("CANN") == "9.1.0":
            assert case.mode != "careful", "a call that may do harm was made"
        Clock.seconds += Clock.of_call
        if self.mood == "dies" and self.calls > 180:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.mood == "lost" and self.calls > 10:
            raise EnvironmentFailure("the toy is lost")
        if self.mood == "half" and case.dtype == "int32":
            raise EnvironmentFailure("half of the toy is lost")
        if self.mood == "skips" and case.mode == "careful":
            pytest.skip("not today")
        if self.mood == "rejects":
            return Observation(Outcome.REJECTED, 161002, "aclnnToyGetWorkspaceSize")
        copied = case.arrays["x"].copy()
        if copied.size >= 5 and self.mood == "hangs":
            time.sleep(SECONDS)
            return Observation(Outcome.TIMED_OUT, seconds=SECONDS)
        if copied.size >= 5 and self.mood == "wrong":
            copied[-1] += 1
        if copied.size >= 5 and self.mood == "moody":
            self.mood = "good"
            copied[-1] += 1
        return Observation(Outcome.COMPLETED, outputs={"y": copied}, unwritten={"y": 0})


@pytest.fixture(scope="session")
def device():
    if os.environ.get("TOY") == "absent":
        raise EnvironmentFailure("there is no toy here")
    return ToyDevice()
