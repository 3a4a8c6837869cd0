"""The device process ends with its parent, however the parent ends, and leaves nothing behind."""

from __future__ import annotations

import gc
import os
import resource
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from conformance.call.observation import Outcome
from conformance.devices.child import environment
from conformance.devices.open import open_device
from conformance.errors import EnvironmentFailure
from tests.conformance.devices.fakes import fake_case, fake_operator
from tests.waiting import HANGS, wait_for

TICKS = os.sysconf("SC_CLK_TCK")
ROOT = Path(__file__).parents[3]

PARENT = """
import sys
from pathlib import Path
from conformance.devices.open import open_device
from tests.conformance.devices.fakes import fake_case, fake_operator

device = open_device("sim", libraries=Path(sys.argv[1]), time_limit=60.0)
observation = device.run(fake_operator("FakePid"), fake_case())
print(observation.outputs["y"].flat[0], flush=True)
device.run(fake_operator(sys.argv[2]), fake_case())
print("ran", flush=True)
sys.stdin.read()
"""


def start_parent(libraries: Path, operator: str) -> tuple[subprocess.Popen[str], int]:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(libraries), operator],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


def assert_ends(process: int) -> None:
    wait_for(lambda: stat(process)[:1] in ([], ["Z"]), f"the end of process {process}")


def stat(process: int) -> list[str]:
    """What the kernel tells of a process, from its state on; nothing if there is none."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []


def computed(process: int) -> int:
    """The processor time of a process, in ticks."""
    return int(stat(process)[11])


@pytest.mark.parametrize("operator", ["FakeAdd", "FakeSpin"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_the_process_ends_with_its_parent(
    fake_libraries: Path, operator: str, how: signal.Signals
) -> None:
    parent, child = start_parent(fake_libraries, operator)
    with parent:
        assert parent.stdout is not None
        if operator == "FakeAdd":
            assert parent.stdout.readline() == "ran\n"
        else:
            before = computed(child)
            wait_for(lambda: computed(child) >= before + 10, "a call that does not end")
        assert Path(f"/proc/{child}").exists()
        parent.send_signal(how)
        assert_ends(child)
        assert parent.wait(HANGS) == -how


def busy(processor: int) -> subprocess.Popen[bytes]:
    """A process that computes on one processor until it is ended."""
    program = f"import os; os.sched_setaffinity(0, [{processor}])\nwhile True: pass"
    return subprocess.Popen([sys.executable, "-c", program])


def test_what_the_process_waits_for_a_processor_does_not_count(fake_libraries: Path) -> None:
    mine, limit = os.sched_getaffinity(0), 0.3
    processor = min(mine)
    others = [busy(processor) for _ in range(4)]
    try:
        with closing(open_device("sim", libraries=fake_libraries, time_limit=limit)) as device:
            child = int(device.run(fake_operator("FakePid"), fake_case()).outputs["y"].flat[0])
            os.sched_setaffinity(child, [processor])
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime + computed(child) / TICKS
            ended = device.run(fake_operator("FakeSpin"), fake_case())
            took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert ended.outcome is Outcome.TIMED_OUT
    # It had a fifth of a processor: by the clock of the host it would be ended after 0.06 s.
    assert took >= 0.8 * limit


def test_no_shared_memory_file_is_ever_made(fake_libraries: Path) -> None:
    before = set(Path("/dev/shm").iterdir())
    device = open_device("sim", libraries=fake_libraries)
    device.run(fake_operator("FakeAdd"), fake_case(tuple(range(100_000))))
    assert set(Path("/dev/shm").iterdir()) <= before
    device.close()


def test_no_descriptor_is_left_open(fake_libraries: Path) -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    device = open_device("sim", libraries=fake_libraries)
    for name in ("FakeAdd", "FakeCrash", "FakeAdd", "FakeExit"):
        device.run(fake_operator(name), fake_case())
    device.close()
    device.close()
    assert sorted(os.listdir("/proc/self/fd")) == before


def test_a_closed_device_does_not_run(fake_libraries: Path) -> None:
    device = open_device("sim", libraries=fake_libraries)
    process = int(device.run(fake_operator("FakePid"), fake_case()).outputs["y"].flat[0])
    device.close()
    assert_ends(process)
    with pytest.raises(RuntimeError, match="closed"):
        device.run(fake_operator("FakeAdd"), fake_case())


def test_the_process_knows_no_reference() -> None:
    script = "import sys, conformance.devices.worker; print(*sys.modules)"
    command = [sys.executable, "-c", script]
    loaded = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment("sim")
    ).stdout.split()
    assert "conformance.devices.aclnn_route" in loaded
    assert not [name for name in loaded if name.split(".")[0] in ("reference", "cases")]


def test_an_npu_process_keeps_the_environment_of_cann(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_HOME_PATH", "/somewhere")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/somewhere")
    kept = {"ASCEND_HOME_PATH", "LD_LIBRARY_PATH"}
    assert kept <= set(environment("npu"))
    assert not kept & set(environment("sim"))


def test_a_process_that_does_not_start_is_a_failure_of_the_environment(
    fake_libraries: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    before = sorted(os.listdir("/proc/self/fd"))
    with pytest.raises(EnvironmentFailure, match="the device process does not start: "):
        open_device("sim", libraries=fake_libraries)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= len(before)
