"""ASCENDSIM_FAULTS strikes the calls that it names, and says so; ASCENDSIM_DEVICES gives cards."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from device_kernels.build import ROOT
from tests.waiting import HANGS

STRUCK = {
    "aclInit": "acl.aclInit(None)",
    "aclrtGetDeviceCount": "acl.aclrtGetDeviceCount(byref(c_uint32()))",
    "aclrtSetDevice": "acl.aclrtSetDevice(0)",
    "aclrtMalloc": "acl.aclrtMalloc(byref(c_void_p()), 8, 0)",
    "aclrtMallocAlign32": "acl.aclrtMallocAlign32(byref(c_void_p()), 8, 0)",
    "aclrtFree": "acl.aclrtFree(buffer())",
    "aclrtMemcpy": "acl.aclrtMemcpy(buffer(), 8, b'12345678', 8, 1)",
    "aclrtMemcpyAsync": "acl.aclrtMemcpyAsync(buffer(), 8, b'12345678', 8, 1, None)",
    "aclrtMemset": "acl.aclrtMemset(buffer(), 8, 0, 8)",
    "aclrtMemsetAsync": "acl.aclrtMemsetAsync(buffer(), 8, 0, 8, None)",
    "aclrtCreateStream": "acl.aclrtCreateStream(byref(c_void_p()))",
    "aclrtDestroyStream": "acl.aclrtDestroyStream(acl.stream())",
    "aclrtSynchronizeStream": "acl.aclrtSynchronizeStream(None)",
    "aclrtSynchronizeDevice": "acl.aclrtSynchronizeDevice()",
}
PREPARE = """
import os, sys
from ctypes import byref, c_int32, c_uint32, c_void_p
from pathlib import Path
from tests.simulator.runtime.driver import Acl
class Unloaded:  # until it is used: the library reads the environment that it is loaded with
    def __getattr__(self, name):
        global acl
        acl = Acl(Path(sys.argv[1]))
        return getattr(acl, name)
acl = Unloaded()
def buffer():
    return acl.malloc(8)
def alone(faults, action):
    os.environ["ASCENDSIM_FAULTS"] = faults
    child = os.fork()
    if child == 0:
        print(action(), flush=True)
        os._exit(0)
    return os.waitpid(child, 0)[1]
def there_and_back():
    assert acl.aclrtSetDevice(0) == 0
    return acl.download(acl.upload(b"12345678"), 8)
"""


def told(lib: Path, program: str, faults: str = "", devices: str = "1", **more: str) -> list[str]:
    """The lines that a program prints whose runtime has these faults and devices."""
    environment = {**os.environ, "ASCENDSIM_FAULTS": faults, "ASCENDSIM_DEVICES": devices, **more}
    command = [sys.executable, "-c", PREPARE + program, str(lib)]
    done = subprocess.run(
        command, cwd=ROOT.parent, env=environment, capture_output=True, text=True, timeout=HANGS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_each_function_that_can_be_struck_is_struck_by_its_name(lib: Path) -> None:
    program = "def struck(call):\n    acl.aclrtSetDevice(0), acl.text()\n"
    program += "    return eval(call), acl.text()\n"
    program += f"for name, call in {STRUCK!r}.items():\n"
    program += "    alone(name + ':507010', lambda: struck(call))\n"
    assert told(lib, program) == [
        f"(507010, '{name}: injected by ASCENDSIM_FAULTS ({name}:507010)')" for name in STRUCK
    ]


@pytest.mark.parametrize(
    ("faults", "answers"),
    [
        ("aclrtMemset@2:507000", [0, 507000, 0, 0]),
        ("aclrtMemset@2+:507000", [0, 507000, 507000, 507000]),
        ("aclrtMemset@1:1,aclrtMemset@2:2", [1, 2, 0, 0]),
        ("aclrtMemset@1:1,aclrtMemset@1:2", [1, 0, 0, 0]),
        ("*@4:507000", [0, 507000, 0, 0]),
        ("aclrtMemset@2#1:507000", [0, 0, 0, 507000]),
        ("aclrtMemset#0:507000", [507000, 507000, 0, 0]),
        ("", [0, 0, 0, 0]),
    ],
)
def test_a_call_is_struck_by_its_number_and_on_its_device(
    lib: Path, faults: str, answers: list[int]
) -> None:
    program = """
assert acl.aclrtSetDevice(0) == 0
memory = buffer()
answers = [acl.aclrtMemset(memory, 8, 0, 8) for call in range(2)]
assert acl.aclrtSetDevice(1) == 0
print(answers + [acl.aclrtMemset(memory, 8, 0, 8) for call in range(2)])
"""
    assert told(lib, program, faults, devices="2") == [str(answers)]


def test_all_processes_with_a_ledger_are_counted_together(lib: Path, tmp_path: Path) -> None:
    program = """
print(os.getpid(), acl.aclrtSetDevice(0), acl.aclrtMemset(buffer(), 8, 0, 8))
print(acl.aclrtMemset(buffer(), 8, 0, 8))
"""
    ledger = tmp_path / "calls"
    both = [told(lib, program, "*@10:507000", ASCENDSIM_CALLS=str(ledger)) for _ in range(2)]
    assert [lines[1] for lines in both] == ["0", "507000"]
    pids = [lines[0].split()[0] for lines in both]
    made = ("aclrtSetDevice", "aclrtMalloc", "aclrtMemset", "aclrtMalloc", "aclrtMemset")
    assert [line.split() for line in ledger.read_text().splitlines()] == [
        [function, pid] for pid in pids for function in made
    ]


def test_a_ledger_that_cannot_be_written_strikes_every_call(lib: Path, tmp_path: Path) -> None:
    program = "print(acl.aclInit(None), acl.text())"
    (line,) = told(lib, program, ASCENDSIM_CALLS=str(tmp_path))
    assert line == f"100000 ASCENDSIM_CALLS: {tmp_path} cannot be written"


def test_a_copy_is_cut_short_or_wrong_in_one_bit_and_says_success(lib: Path) -> None:
    program = """
for effect in ("short", "wrong"):
    alone("aclrtMemcpy@1:" + effect, there_and_back)
alone("aclrtMalloc:short,aclrtFree:wrong", there_and_back)
"""
    short, wrong, whole = map(eval, told(lib, program))
    assert short[:4] == b"1234"
    assert short[4:] != b"5678"
    assert (wrong, whole) == (b"12344678", b"12345678")


def test_a_crash_ends_the_process_and_a_hang_does_not_return(lib: Path) -> None:
    program = """
import signal
print(alone("aclrtMemcpy@2:crash", there_and_back))

def hung():
    signal.alarm(1)
    return there_and_back()
print(alone("aclrtMemcpy@2:hang", hung))
"""
    assert told(lib, program) == [str(int(signal.SIGABRT)), str(int(signal.SIGALRM))]


@pytest.mark.parametrize(
    ("faults", "rule"),
    [
        ("aclrtMalloc", "what follows : must be a status of at least 1, crash, hang, short or"),
        ("aclrtMalloc:0", "what follows : must be a status"),
        ("aclrtMalloc@0:1", "what follows @ must be a call's number, from 1, with or without +"),
        ("aclrtMalloc@+:1", "what follows @ must be"),
        ("aclrtMalloc#x:1", "what follows # must be a device's number"),
        ("aclrtMallocs:1", "no fault is injected into this function"),
    ],
)
def test_a_list_that_cannot_be_read_strikes_every_call_with_the_reason(
    lib: Path, faults: str, rule: str
) -> None:
    (line,) = told(lib, "print(acl.aclInit(None), acl.text())", f"aclrtFree:1,{faults}")
    assert line.startswith(f'100000 ASCENDSIM_FAULTS: "{faults}" cannot be read: {rule}')


@pytest.mark.parametrize(("asked", "count"), [("1", 1), ("3", 3), ("0", 1), ("65", 64), ("x", 1)])
def test_a_host_has_as_many_devices_as_it_is_given(lib: Path, asked: str, count: int) -> None:
    program = """
count = c_uint32()
assert acl.aclrtGetDeviceCount(byref(count)) == 0
print(count.value, acl.aclrtSetDevice(count.value - 1), acl.aclrtSetDevice(count.value))
print(acl.text())
"""
    numbers, text = told(lib, program, devices=asked)
    assert numbers == f"{count} 0 107001"
    there = "device 0 only" if count == 1 else f"devices 0 to {count - 1}"
    assert text.endswith(f"deviceId is {count}; the simulated host has {there}")


def test_the_environment_that_counts_is_the_one_that_the_library_was_loaded_with(lib: Path) -> None:
    program = """
first = acl.text()
os.environ.update(
    ASCENDSIM_DEVICES="3", ASCENDSIM_FAULTS="*:1", ASCENDSIM_CALLS="/", ASCENDSIM_MEMORY_BYTES="1"
)
count = c_uint32()
print(acl.aclrtGetDeviceCount(byref(count)), count.value, acl.aclrtSetDevice(0), buffer() > 0)
"""
    assert told(lib, program, devices="2") == ["0 2 0 True"]


def test_nothing_of_the_simulator_asks_the_environment_later() -> None:
    sources = sorted((ROOT.parent / "device_kernels" / "simulator").rglob("*.[ch]*"))
    assert len(sources) > 100
    asking = [one.name for one in sources if re.search(r"getenv|\benviron\b", one.read_text())]
    assert asking == ["environment.cpp"]


def test_each_device_has_a_context_of_its_own(lib: Path) -> None:
    program = """
contexts, current = [], c_int32()
for device in range(2):
    assert acl.aclrtSetDevice(device) == 0
    contexts.append(c_void_p())
    assert acl.aclrtGetCurrentContext(byref(contexts[-1])) == 0
assert contexts[0].value != contexts[1].value
assert acl.aclrtSetCurrentContext(contexts[0]) == 0
assert acl.aclrtGetDevice(byref(current)) == 0
print(current.value, acl.aclrtSetCurrentContext(c_void_p(contexts[1].value + 400)))
"""
    assert told(lib, program, devices="2") == ["0 100000"]
