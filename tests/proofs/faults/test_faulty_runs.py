"""A run whose device is struck ends by itself, says what became of it, and leaves nothing behind.

A sample of the faults; ``make proofs RUN=faults`` has them all.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conformance.gate.runs import refused, run, verdict
from tests.proofs.faults import faulty
from tests.proofs.faults.expected import EFFECTS, Role, Struck, allowed, roles
from tests.proofs.faults.faults_run import double, judged, single
from tests.proofs.faults.faulty import MARK, Ended, broken, calls_in, faulty_run

SAMPLE = (
    "(aclrtMalloc, allocation) memory",
    "(aclrtSynchronizeStream, run) hang",
    "(aclrtMemcpy, reading back of an output) wrong",
    "(aclrtFree, end) crash",
)


@pytest.mark.slow
def test_struck_runs_keep_the_rules(tmp_path: Path) -> None:
    whole = faulty_run(tmp_path / "whole", "")
    assert (list(broken(whole, None)), whole.status) == ([], 0), whole.told
    plans = list(single(roles(whole.calls)))
    chosen = [next(plan for plan in plans if plan.name.endswith(name)) for name in SAMPLE]
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda plan: judged(plan, tmp_path, whole), chosen))
    assert [rules for _, _, rules in made] == [[], [], [], []]
    assert [ended.status for _, ended, _ in made] == [1, 1, 1, 0]


def test_a_refusal_stands_though_its_device_does_not_open_again(tmp_path: Path) -> None:
    ended = faulty_run(tmp_path / "run", "*@41:crash,*@42:207001")
    assert (list(broken(ended, None)), ended.status) == ([], 1), ended.told
    assert "the call crashed" in ended.told
    lost = "the case was not run again, as the device was lost: the device does not open again"
    assert f"{lost}: aclInit answered 207001" in ended.told


CALL = (
    *("aclrtMalloc", "aclrtMemcpy", "aclrtMemcpy", "aclrtMemcpy", "aclrtMemcpy"),
    *("aclrtMemcpy", "aclrtMemcpy", "aclrtMemcpy", "aclrtMemcpyAsync", "aclrtSynchronizeStream"),
    *("aclrtMemcpy",) * 6,
)


def test_what_a_call_of_the_runtime_is_for_is_read_off_the_order() -> None:
    functions = ("aclInit", "aclrtCreateStream", *CALL, *CALL[1:], "aclrtFree")
    seen = roles([(name, 7) for name in functions])
    told = [struck.role for struck in seen]
    call = [Role.INPUT, Role.INPUT, Role.POISON, Role.POISON]
    call += [Role.WORKSPACE, Role.GUARDS, Role.GUARDS]
    call += [Role.PLAN, Role.RUN, Role.LOOK, Role.LOOK, Role.RESULT, Role.RESULT]
    call += [Role.DAMAGE, Role.DAMAGE]
    assert [struck.call for struck in seen] == [0] * 18 + [1] * 16
    assert told == [Role.OPENING, Role.OPENING, Role.MEMORY, *call, *call, Role.END]


@pytest.mark.parametrize(
    ("struck", "effect", "statuses"),
    [
        (Struck(1, "aclInit", Role.OPENING), "crash", {3}),
        (Struck(1, "aclInit", Role.OPENING), "short", {0}),
        (Struck(9, "aclrtMemcpy", Role.INPUT), "short", {1}),
        (Struck(9, "aclrtMemcpy", Role.INPUT, call=2), "short", {0, 1}),
        (Struck(9, "aclrtMemcpy", Role.RESULT), "wrong", {1}),
        (Struck(9, "aclrtMemcpy", Role.LOOK), "wrong", {0}),
        (Struck(9, "aclrtMemcpy", Role.LOOK), "error", {1}),
        (Struck(9, "aclrtFree", Role.END), "hang", {0}),
    ],
)
def test_the_status_of_a_struck_run_follows_from_what_was_struck(
    struck: Struck, effect: str, statuses: set[int]
) -> None:
    assert allowed(struck, effect) == statuses


def test_double_faults_are_drawn_by_their_seed_and_strike_two_calls() -> None:
    calls = [Struck(n, "aclrtMemcpy", Role.RESULT) for n in range(1, 49)]
    plans = list(double(calls, 40, seed=1))
    assert plans == list(double(calls, 40, seed=1))
    assert plans != list(double(calls, 40, seed=2))
    assert all(plan.faults.count("*@") == 2 for plan in plans)
    assert {plan.device for plan in plans} == {"sim", "npu:0,1"}
    assert {effect for plan in plans for effect in EFFECTS.values() if effect in plan.faults}


@pytest.fixture
def ended(tmp_path: Path) -> Ended:
    """An accepted run that breaks no rule but that its status is not its evidence's."""
    run(tmp_path / "out", [verdict()], exit_status=0)
    (tmp_path / "locks").mkdir()
    return Ended(0, 1.0, "", (), tmp_path, f"test-{tmp_path}")


def told_of(ended: Ended, text: str) -> bool:
    return any(text in rule for rule in list(broken(ended, None)))


def test_a_run_that_does_not_end_or_dies_is_seen(ended: Ended) -> None:
    assert told_of(Ended(None, 240.0, "", (), ended.folder, ""), "had not ended after")
    assert told_of(Ended(-9, 1.0, "", (), ended.folder, ""), "ended with status -9")
    assert told_of(Ended(2, 1.0, "", (), ended.folder, ""), "ended with status 2")


def test_a_traceback_is_seen(ended: Ended) -> None:
    text = "Traceback (most recent call last):\n  ...\nKeyError: 'x'"
    assert told_of(Ended(1, 1.0, text, (), ended.folder, ""), "KeyError: 'x'")


def test_a_process_that_outlives_its_run_is_seen_and_ended(
    ended: Ended, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faulty, "GRACE", 0)
    left = subprocess.Popen(
        [sys.executable, "-c", "import time; print(flush=True); time.sleep(10**6)"],
        env={MARK: ended.mark},
        stdout=subprocess.PIPE,
    )
    with left:
        assert left.stdout is not None
        left.stdout.readline()
        assert told_of(ended, f"processes [{left.pid}] outlive the run")
    assert left.returncode == -9


def test_a_held_lock_is_seen(ended: Ended) -> None:
    assert not told_of(ended, "is held")
    with open(ended.out / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert told_of(ended, ".lock is held")


def test_a_status_that_the_evidence_does_not_bear_out_is_seen(tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir()
    run(tmp_path / "out", [refused()], exit_status=0)
    assert told_of(Ended(0, 1.0, "", (), tmp_path, ""), "status 0, but a verdict was refused")
    assert told_of(Ended(1, 1.0, "", (), tmp_path, ""), "status 1, but the evidence is")
    assert told_of(Ended(3, 1.0, "", (), tmp_path, ""), "does not say what failed")


def test_a_ledger_is_read_line_by_line(tmp_path: Path) -> None:
    assert calls_in(tmp_path / "none") == ()
    (tmp_path / "calls").write_text(f"{'aclInit':23} {12:7}\n{'aclrtMalloc':23} {4194304:7}\n")
    assert calls_in(tmp_path / "calls") == (("aclInit", 12), ("aclrtMalloc", 4194304))
