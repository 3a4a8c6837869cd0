"""Every diagnostic, by the smallest kernel that deserves it, at the line that does."""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.devices.forbidden import ADVICE
from tests.simulator.simulated_machine import (
    INVALID_PARAMETER,
    KERNEL_EXCEPTION,
    LANGUAGE,
    OK,
    REGION_BYTES,
    Expectation,
    SimulatedMachine,
    aligned_zeros,
    compile_unit,
    expectations,
    twins,
)


@pytest.fixture
def machine(strict_machine: SimulatedMachine) -> SimulatedMachine:
    return strict_machine


NO_MATCH = "no matching (function|constructor)"
"""In the words of g++ and of clang."""
DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "diagnostics.md"
BETWEEN_BLOCKS = {"race"}
LAST_WORDS = 2048
"""The least that ascendsimLastWords takes, in bytes."""
SEVERITY = {
    "index-unread": "note",
    "ub-budget": "note",
    "ub-overlap": "warning",
    "merge-alignment": "warning",
    "event-fixed": "warning",
    "early-access": "warning",
    "copy-rounded": "warning",
    "copy-empty": "warning",
    "field-truncated": "warning",
    "cache-left-dirty": "warning",
}
TAKEN_BY_SANITIZERS = {"writes_through_a_null_pointer", "asks_for_all_memory"}


def skip_under_sanitizers() -> None:
    if "-fsanitize" in os.environ.get("CXXFLAGS", ""):
        pytest.skip("a sanitizer takes this fault before the device does")


@pytest.mark.parametrize("expected", list(expectations()), ids=lambda expected: expected.kernel)
def test_a_fault_is_reported_at_its_line(machine: SimulatedMachine, expected: Expectation) -> None:
    if expected.kernel in TAKEN_BY_SANITIZERS:
        skip_under_sanitizers()
    blocks = max(expected.blocks, 2 if expected.code in BETWEEN_BLOCKS else 1)
    status, found = machine.run_fault(expected.kernel, blocks=blocks)
    severity = SEVERITY.get(expected.code, "error")
    assert [(one["code"], Path(one["file"]).name, one["line"]) for one in found] == [
        (expected.code, expected.file, expected.line)
    ]
    assert (found[0]["severity"], found[0]["kernel"]) == (severity, expected.kernel)
    assert 0 <= found[0]["block"] < blocks
    assert found[0]["message"]
    assert found[0]["advice"].endswith(".")
    assert status == (KERNEL_EXCEPTION if severity == "error" else OK)


@pytest.mark.parametrize("kernel", ["throws_an_exception", "throws_a_number"])
def test_an_exception_that_leaves_a_kernel_is_a_crash(
    machine: SimulatedMachine, kernel: str
) -> None:
    status, found = machine.run_fault(kernel)
    assert status == KERNEL_EXCEPTION
    assert [one["code"] for one in found] == ["kernel-crash"]
    assert ("of its own" in found[0]["message"]) == (kernel == "throws_an_exception")


@pytest.mark.parametrize(
    ("kernel", "code"),
    [("outlives_its_time", "kernel-endless"), ("outgrows_its_memory", "memory-exhausted")],
)
def test_a_process_that_is_about_to_end_says_what_its_kernel_is_at(
    machine: SimulatedMachine, kernel: str, code: str
) -> None:
    words = ctypes.create_string_buffer(LAST_WORDS)
    assert machine.c.ascendsimLastWords(words, ctypes.c_uint64(LAST_WORDS)) == OK
    assert machine.run_fault(kernel, blocks=3) == (OK, [])
    [said] = json.loads(words.value)
    assert (said["code"], said["severity"], said["kernel"]) == (code, "error", kernel)
    assert (Path(said["file"]).name, said["block"]) == ("faults_endings.cpp", 2)
    assert f"its last call was GetValue in line {said['line']}" in said["message"]


def test_outside_a_kernel_the_last_words_are_none(machine: SimulatedMachine) -> None:
    words = ctypes.create_string_buffer(LAST_WORDS)
    assert machine.c.ascendsimLastWords(words, ctypes.c_uint64(LAST_WORDS)) == OK
    signal.raise_signal(signal.SIGXCPU)
    assert words.value == b"[]"
    assert machine.c.ascendsimLastWords(words, ctypes.c_uint64(LAST_WORDS - 1)) == INVALID_PARAMETER
    assert machine.c.ascendsimLastWords(None, ctypes.c_uint64(LAST_WORDS)) == INVALID_PARAMETER


def test_a_fault_names_the_nearest_buffer(machine: SimulatedMachine) -> None:
    skip_under_sanitizers()
    _, [found] = machine.run_fault("reads_far_before_a_buffer_by_pointer")
    [[offset, room]] = re.findall(r"offset (-\d+) of \w+, which has (\d+) bytes", found["message"])
    assert int(offset) == pytest.approx(-(1 << 40), rel=0.01)
    assert int(room) <= REGION_BYTES
    _, [found] = machine.run_fault("writes_through_a_null_pointer")
    assert "a null pointer" in found["message"]


def test_a_signal_that_is_no_kernels_reaches_whoever_was_there_before(
    machine: SimulatedMachine,
) -> None:
    machine.run_fault("aborts")
    seen: list[int] = []
    before = signal.signal(signal.SIGABRT, lambda number, frame: seen.append(number))
    try:
        machine.run_fault("aborts")
        signal.raise_signal(signal.SIGABRT)
    finally:
        signal.signal(signal.SIGABRT, before)
    assert seen == [signal.SIGABRT]


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("kernel", twins())
def test_without_the_mistake_nothing_is_reported(
    machine: SimulatedMachine, kernel: str, blocks: int
) -> None:
    for order in ("forward", "reverse", "shuffled:1"):
        machine.order_blocks(order)
        assert machine.run_fault(f"right_{kernel}", blocks=blocks) == (OK, [])


def engine_codes() -> set[str]:
    source = (LANGUAGE / "engine" / "report" / "diagnostics.cpp").read_text()
    return set(re.findall(r'\{"([\w-]+)",\s*"(?:error|warning|note)"', source))


ELSEWHERE = {"kernel-endless", "early-access"}
"""Of tests/conformance/devices and of test_pipes.py."""


def test_every_code_has_a_kernel_that_triggers_it() -> None:
    assert {one.code for one in expectations()} | ELSEWHERE == engine_codes()


def test_every_code_has_a_kernel_with_one_mistake_and_a_twin_without() -> None:
    found = {one.code for one in expectations() if one.kernel in set(twins())}
    assert found | ELSEWHERE == engine_codes()


def test_mistakes_of_every_kind_of_synchronisation_have_twins() -> None:
    mistakes = set(twins())
    codes = [one.code for one in expectations() if one.kernel in mistakes]
    kinds = ("sync-missing", "sync-scalar", "barrier-missing", "sync-deadlock", "flag-left-set")
    assert all(codes.count(kind) >= 1 for kind in kinds)
    assert sum(codes.count(kind) for kind in kinds) >= 8
    assert len(codes) >= 40


def test_every_code_is_explained() -> None:
    told = set(re.findall(r"^\| `([\w-]+)` \|", DOCUMENT.read_text(), re.M))
    assert told == engine_codes() | set(ADVICE)


@pytest.mark.parametrize(
    "fault",
    [
        "leaves_a_flag_set",
        "frees_twice",
        "allocates_more_than_ub",
        "recurses_without_end",
        "aborts",
    ],
)
def test_the_next_launch_is_fine(machine: SimulatedMachine, fault: str) -> None:
    machine.run_fault(fault)
    left, right = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
    result = machine.run("add_float", left, np.zeros(8, np.float32), [8], second=right)
    assert result.tolist() == (left + right).tolist()


def test_an_error_ends_the_launch_and_names_its_block(machine: SimulatedMachine) -> None:
    result = aligned_zeros(256, 64).view(np.int32)
    assert machine.launch("fails_in_block_2", result, result, result, blocks=4) == KERNEL_EXCEPTION
    assert [one["block"] for one in machine.take_diagnostics()] == [2]
    assert result[::16].tolist() == [1, 1, 1, 0]


def test_a_warning_is_told_once_per_line_and_launch(machine: SimulatedMachine) -> None:
    _, found = machine.run_fault("copies_a_length_that_is_rounded_down", blocks=48)
    assert len(found) == 1
    _, again = machine.run_fault("copies_a_length_that_is_rounded_down")
    assert len(again) == 1


def test_a_copy_that_is_rounded_down_leaves_the_rest(machine: SimulatedMachine) -> None:
    first, result = np.ones(256, np.float32), np.zeros(256, np.float32)
    machine.launch("copies_a_length_that_is_rounded_down", first, first, result)
    assert result[:16].tolist() == [1] * 8 + [0] * 8


def test_a_truncated_length_copies_what_hardware_would(machine: SimulatedMachine) -> None:
    """65568 bytes become 32 in a field of 16 bits."""
    first, result = np.ones(256, np.float32), np.zeros(256, np.float32)
    machine.launch("truncates_a_block_length", first, first, result)
    assert result[:16].tolist() == [1] * 8 + [0] * 8


def test_two_live_pipes_share_their_addresses(machine: SimulatedMachine) -> None:
    result = np.zeros(1, np.int32)
    machine.launch("second_pipe_shadows_the_first", result, result, result)
    assert result[0] == 2


def test_a_smaller_machine_has_a_smaller_ub(machine: SimulatedMachine) -> None:
    machine.configure(ub_bytes=1024)
    status, _ = machine.run_fault("counts_below_zero")
    assert status == KERNEL_EXCEPTION
    _, found = machine.run_fault("fills_ub_beyond_the_tiling_budget")
    assert [one["code"] for one in found] == ["ub-capacity"]
    assert "0 of 1024 bytes" in found[0]["message"]


def test_the_message_tells_what_was_touched(machine: SimulatedMachine) -> None:
    _, found = machine.run_fault("copies_past_its_region")
    expected = f"DataCopy reads 32 bytes at offset 1008 of first, which has {REGION_BYTES}"
    assert found[0]["message"] == expected
    assert found[0]["pipe"] == "MTE2"
    _, found = machine.run_fault("reads_where_a_32_bit_offset_wraps")
    expected = f"GetValue reads 4 bytes at offset -8589934592 of first, which has {REGION_BYTES}"
    assert found[0]["message"] == expected
    _, found = machine.run_fault("adds_past_its_buffer")
    assert found[0]["message"] == "Add touches 68 bytes at offset 0 of a UB buffer of 64 bytes"
    assert (found[0]["pipe"], found[0]["address"]) == ("V", 0)


def test_a_finding_names_the_access_that_it_conflicts_with(machine: SimulatedMachine) -> None:
    _, [found] = machine.run_fault("adds_before_the_copy_has_arrived")
    assert (found["pipe"], found["address"]) == ("V", 0)
    earlier = found["earlier"]
    assert (earlier["operation"], earlier["pipe"], earlier["block"]) == ("DataCopy", "MTE2", 0)
    assert found["line"] - earlier["line"] == 4
    _, [found] = machine.run_fault("writes_one_place_from_every_block", blocks=2)
    assert (found["block"], found["earlier"]["block"], found["earlier"]["pipe"]) == (1, 0, "MTE3")
    assert found["line"] == found["earlier"]["line"]
    _, [found] = machine.run_fault("frees_twice")
    assert found["earlier"] is None


LEVELS = [("none", 0), ("pipes", 1), ("scalar", 2), ("vector", 3)]
KERNELS_BY_LEVEL = {
    1: "copies_a_sum_out_before_it_is_there",
    2: "reads_a_scalar_before_the_sum_is_there",
    3: "adds_to_a_sum_that_is_not_there",
}


@pytest.mark.parametrize(("level", "strictness"), LEVELS)
def test_each_level_of_synchronisation_judges_more(
    machine: SimulatedMachine, level: str, strictness: int
) -> None:
    machine.synchronise(level)
    for needed, kernel in KERNELS_BY_LEVEL.items():
        assert bool(machine.run_fault(kernel)[1]) == (strictness >= needed), kernel


def test_blocks_run_in_the_order_that_is_set(machine: SimulatedMachine) -> None:
    firsts = {}
    for order in ("forward", "reverse", "shuffled:3", "shuffled:4"):
        machine.order_blocks(order)
        _, [found] = machine.run_fault("writes_one_place_from_every_block", blocks=40)
        firsts[order] = (found["earlier"]["block"], found["block"])
    assert firsts["forward"] == (0, 1)
    assert firsts["reverse"] == (39, 38)
    assert len(set(firsts.values())) == 4


@pytest.mark.parametrize("text", [b"", b"backward", b"shuffled", b"shuffled:", b"shuffled:-1"])
def test_a_setting_that_is_none_is_refused(machine: SimulatedMachine, text: bytes) -> None:
    assert machine.c.ascendsimBlockOrder(text) == INVALID_PARAMETER
    assert machine.c.ascendsimSyncLevel(text) == INVALID_PARAMETER
    _, [found] = machine.run_fault("writes_one_place_from_every_block", blocks=2)
    assert found["block"] == 1


def test_diagnostics_wait_until_they_fit(machine: SimulatedMachine) -> None:
    nothing = np.zeros(1, np.int32)
    machine.launch("frees_twice", nothing, nothing, nothing)
    needed = machine.c.ascendsimTakeDiagnostics(None, ctypes.c_uint64(0))
    buffer = ctypes.create_string_buffer(needed)
    machine.c.ascendsimTakeDiagnostics(buffer, ctypes.c_uint64(needed - 1))
    assert buffer.value == b""
    assert len(machine.take_diagnostics()) == 1
    assert machine.take_diagnostics() == []


def test_diagnostics_do_not_pile_up(machine: SimulatedMachine) -> None:
    nothing = np.zeros(1, np.int32)
    for _ in range(1030):
        machine.launch("frees_twice", nothing, nothing, nothing)
    taken = machine.take_diagnostics()
    assert len(taken) == 1024
    assert taken[-1]["message"].endswith(" (6 later findings are not kept)")
    assert not taken[0]["message"].endswith("kept)")
    machine.launch("frees_twice", nothing, nothing, nothing)
    [found] = machine.take_diagnostics()
    assert not found["message"].endswith("kept)")


STATEMENTS = [
    ("PipeBarrier<PIPE_S>()", "takes no PIPE_S"),
    ("TQue<TPosition::VECIN, 0> queue", "1 to 64 tensors deep"),
    ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY)", ""),
    ("DataCopyPadExtParams<bfloat16_t> pad{false, 0, 0, 0}", ""),
    ("DataCopyExtParams copy{1, 32}", NO_MATCH),
    ("DataCopyExtParams copy{1, 32, 0, 0, 0}", ""),
    ("DataCopyParams copy{1, 1}", NO_MATCH),
    ("DataCopyPadParams pad{true}", NO_MATCH),
    ("UnaryRepeatParams strides{1, 1}", NO_MATCH),
    ("BinaryRepeatParams strides{1, 1, 1}", NO_MATCH),
    ("TQue<TPosition::VECIN, 1> queue; queue.FreeTensor(queue.AllocTensor<half>())", "lvalue"),
    ("TPipe pipe; GetTPipePtr()", ""),
    ("TPipe pipe; AscendC::GetTPipePtr()", "GetTPipePtr"),
]
"""Each with what the compiler says of it: "" if the device takes it."""


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """What the compiler says of each statement that it refuses; of all in one compilation."""
    source = tmp_path_factory.mktemp("statements") / "statements.cpp"
    head = (
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        "template <typename T> LocalTensor<T> Of() { return {}; }\n"
    )
    functions = (f"void Kernel{at}() {{ {one}; }}\n" for at, (one, _) in enumerate(STATEMENTS))
    source.write_text(head + "".join(functions))
    told: dict[int, str] = {}
    text = compile_unit(source).stderr
    begin = r": In (?:function|instantiation of)" if ": In function" in text else r": error:"
    for part in re.split(rf"^(?=\S+{begin})", text, flags=re.M)[1:]:
        line = re.search(r"statements\.cpp:(\d+):", part)
        assert line, part
        at = int(line[1]) - head.count("\n") - 1
        told[at] = told.get(at, "") + part
    return told


@pytest.mark.parametrize("at", range(len(STATEMENTS)), ids=[one for one, _ in STATEMENTS])
def test_what_compiles_is_what_the_device_takes(refusals: dict[int, str], at: int) -> None:
    _, message = STATEMENTS[at]
    assert (at not in refusals) == (message == "")
    assert re.search(message, refusals.get(at, ""))


@pytest.mark.parametrize(
    ("kernel", "goes_on"),
    [("copies_a_tail_past_its_buffer", True), ("copies_past_the_end_of_ub", False)],
)
def test_who_tolerates_it_may_touch_what_lies_behind_a_buffer_inside_ub(
    machine: SimulatedMachine, kernel: str, goes_on: bool
) -> None:
    """Hardware knows no buffers: behind one is UB, up to its end."""
    program = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from tests.simulator.simulated_machine import SimulatedMachine\n"
        "seen = SimulatedMachine(Path(sys.argv[1])).run_fault(sys.argv[2])\n"
        "print(json.dumps(seen))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(machine.library), kernel],
        env={**os.environ, "ASCENDSIM_TOLERATED": "ub-out-of-bounds"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    status, found = json.loads(done.stdout)
    assert [one["code"] for one in found] == ["ub-out-of-bounds"]
    assert (status, found[0]["severity"]) == (
        (OK, "warning") if goes_on else (KERNEL_EXCEPTION, "error")
    )
