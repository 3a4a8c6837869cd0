"""The front door as people and CI meet it: real commands on the simulated device."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.evidence.lines import VerdictLine, read_lines
from conformance.evidence.summary import read_evidence
from conformance.failure.replay import load
from conformance.numerics import compiled
from conformance.record.functions import NAMES
from conformance.text.command_lines import called
from tests.conformance.evidence.page import is_named, tables
from tests.conformance.front_door import (
    BY_WORKERS,
    HERE,
    NAME,
    ON_SIMULATOR,
    ONE_OPERATOR,
    ROOT,
    WRONG,
    Ended,
    conformance,
    host,
)
from tests.shrinking import ENDS_EARLY
from tests.waiting import HANGS, wait_for

SOME = 50
"""Verdicts of a run that has judged a little and is far from its end."""


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Path]:
    """One cell, the examples and the rejections, judged on the simulated device."""
    folder = tmp_path_factory.mktemp("accepted")
    chosen = ("--", "-k", "dropless-float16 or examples or rejections")
    asked = ("--json", "--out", "out", "--history", "history.sqlite", *chosen)
    return conformance("run", *ONE_OPERATOR, *asked, folder=folder), folder / "out"


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, Path]:
    """A record whose claim is wrong, judged on the simulated device."""
    folder = tmp_path_factory.mktemp("refused")
    asked = ("--json", "--out", "out", "--history", ".", *WRONG, "--", "-k", "test_values")
    return conformance("run", *ON_SIMULATOR, *asked, folder=folder), folder / "out"


def test_an_accepted_run_says_what_is_judged_on_and_how_it_came_out(
    accepted: tuple[Ended, Path],
) -> None:
    ended, _ = accepted
    assert ended.status == 0, ended.err
    lines = [line for line in ended.err.splitlines() if not line.startswith(("building", "built"))]
    assert lines[0] == "device: simulated Ascend910B1, 48 vector cores"
    assert lines[1].startswith("called: the suite's own kernels (libopapi.so sha256 ")
    assert lines[2] == f"run: {NAME}; route aclnn, profile smoke, seed 0"
    assert lines[3].split()[:4] == ["operator", "modes", "dtypes", "cases"]
    (row,) = [row for row in map(str.split, lines) if row[0] == NAME]
    assert int(row[3]) > 100
    assert int(row[4]) > 50
    assert (row[5], row[-1]) == ("100%", "accepted")
    assert lines[-1].startswith("accepted: ")
    assert lines[-1].endswith("evidence: out/evidence.json")
    assert len(lines) < 25, "a pipe gets no progress bar"


def test_a_run_of_ladders_alone_says_nothing_of_cells_that_it_was_not_asked_for(
    tmp_path: Path,
) -> None:
    chosen = ("--", "-k", "ladders and top_k")
    ended = conformance("run", *ONE_OPERATOR, "--out", "out", *chosen, folder=tmp_path)
    assert ended.status == 0, ended.err
    assert "discrete cells" not in ended.err
    assert re.search(
        r"^accepted: 73 distinct cases in 0 of 9 declared cells in \d+ s; ", ended.err, re.M
    )


def test_output_that_nobody_reads_ends_a_command_in_silence() -> None:
    read, written = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "conformance", "operators"]
    done = subprocess.run(command, stdout=written, stderr=subprocess.PIPE, env=host(), cwd=ROOT)
    os.close(written)
    assert (done.returncode, done.stderr) == (141, b"")


def test_json_is_one_line_on_standard_output(accepted: tuple[Ended, Path]) -> None:
    ended, out = accepted
    (line,) = ended.out.splitlines()
    told = json.loads(line)
    assert (told["status"], told["verdict"], told["failures"]) == (0, "accepted", 0)
    assert told["device"] == "simulated Ascend910B1, 48 vector cores"
    assert told["evidence"] == str(out / "evidence.json")


def test_the_evidence_holds_device_provenance_and_junit(accepted: tuple[Ended, Path]) -> None:
    _, out = accepted
    evidence = read_evidence(out)
    assert evidence is not None
    command = evidence.provenance["command"]
    assert " -m conformance run " in command
    assert command.endswith(" -- -k 'dropless-float16 or examples or rejections'")
    (device,) = evidence.devices
    orders = {(order.dtype, order.slots): order for order in evidence.orders}
    assert orders["float16", 5].order == "bins(2)"
    assert all(order.as_declared for order in evidence.orders)
    libraries = device.profile["libraries"]
    assert {"libascendcl.so", "libopapi.so"} <= set(libraries)
    assert all(len(library["sha256"]) == 64 for library in libraries.values())
    assert evidence.provenance["packages"]["hypothesis"]
    assert evidence.provenance["sums"] == compiled.name()
    assert (evidence.exit_status, evidence.status, evidence.unjudged) == (0, "finished", [])
    assert '<testcase classname="cases.test_values"' in (out / "junit.xml").read_text()
    assert (out / "pytest.log").is_file()


@pytest.mark.slow
def test_the_page_of_evidence_has_every_file_and_every_version_that_a_run_leaves(
    accepted: tuple[Ended, Path], refused: tuple[Ended, Path]
) -> None:
    told = tables()
    bundle = [f"failures/ID/{file}" for file in told["file of a bundle"]]
    every = [*(file for file in told["file of a run"] if file != "failures/ID/"), *bundle]
    for _, out in (accepted, refused):
        made = [str(one.relative_to(out)) for one in out.rglob("*") if one.is_file()]
        assert [path for path in made if not is_named(path, every)] == []
        evidence = read_evidence(out)
        assert evidence is not None
        assert {*evidence.provenance, "shards"} == {*told["key of `provenance`"]}


def test_a_run_is_in_the_history_that_it_was_told_of(accepted: tuple[Ended, Path]) -> None:
    _, out = accepted
    shown = conformance("history", "show", "--db", "history.sqlite", "--json", folder=out.parent)
    told = {(point["operator"], point["cases"] > 0) for point in json.loads(shown.out)}
    assert told == {(NAME, True)}


def test_a_history_that_cannot_be_written_changes_no_verdict(refused: tuple[Ended, Path]) -> None:
    ended, _ = refused
    assert "not added to the history: db is '.': must be a file" in ended.err
    assert ended.status == 1


def test_a_wrong_claim_is_refused_with_the_smallest_input_on_the_smallest_machine(
    refused: tuple[Ended, Path],
) -> None:
    ended, _ = refused
    assert ended.status == 1
    top_k, rows = (3, 6) if ENDS_EARLY else (2, 2)
    assert f"top_k={top_k}, drop_pad_mode=0, active_num=0" in ended.err
    assert f"grad_expanded_x: float32[{rows}x1]" in ended.err
    assert "on 1 core with 1024 B of UB" in ended.err
    python = called([sys.executable, "-m", "conformance"])[0]
    assert f"  replay: {python} -m conformance replay out/failures/" in ended.err
    assert "Traceback" not in ended.err
    assert json.loads(ended.out)["failures"] == 1


def test_the_replay_line_judges_the_same_case_the_same_way(refused: tuple[Ended, Path]) -> None:
    ended, out = refused
    (line,) = [line for line in ended.err.splitlines() if "  replay: " in line]
    words = line.split(" -m conformance ")[1].split()
    again = conformance(*words, folder=out.parent)
    assert again.status == 1
    verdict = ended.err.split("\n\n")[1].split("\n", 1)[1].split("  replay: ")[0]
    assert verdict.split("  in a larger case")[0] in again.err
    evidence = read_evidence(out)
    assert evidence is not None
    digest = evidence.failures[0].digest
    assert load(next(out.glob("failures/*/case.json"))).case.digest == digest
    told = [v for v in read_lines(out) if isinstance(v, VerdictLine) and v.phase == "replay"]
    assert [v.digest for v in told] == [digest]


def test_the_larger_case_that_is_told_of_is_stored_and_refused_again(
    refused: tuple[Ended, Path],
) -> None:
    ended, out = refused
    (line,) = [line for line in ended.err.splitlines() if "  the larger case: " in line]
    again = conformance(*line.split("python -m conformance ")[1].split(), folder=out.parent)
    assert again.status == 1
    evidence = read_evidence(out)
    assert evidence is not None
    failure = evidence.failures[0]
    assert load(out / failure.larger).case.digest != failure.digest
    assert "in a larger case, grad_x" in ended.err


def test_an_npu_that_does_not_open_is_never_simulated_in_silence(tmp_path: Path) -> None:
    ended = conformance(
        "run", "--json", folder=tmp_path, ASCEND_HOME_PATH=str(tmp_path / "no_cann_here")
    )
    assert ended.status == 3
    assert "nothing was judged: this host has ASCEND_HOME_PATH=" in ended.err
    assert json.loads(ended.out)["status"] == 3
    evidence = read_evidence(tmp_path / "reports" / "latest")
    assert evidence is not None, "an older run's folder must not stand for this one"
    assert (evidence.exit_status, evidence.cases) == (3, 0)
    assert "ASCEND_HOME_PATH" in evidence.environment[0]


def test_an_interrupted_run_keeps_what_it_judged(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "conformance", "run", *BY_WORKERS]
    child = subprocess.Popen(
        [*command, "--out", "out"], cwd=tmp_path, env=host(), stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: judged(tmp_path / "out") >= SOME, "verdicts of a run")
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=HANGS)
    assert child.returncode == 130, err
    evidence = read_evidence(tmp_path / "out")
    assert evidence is not None
    assert (evidence.status, evidence.exit_status) == ("interrupted", 130)
    assert evidence.cases > 0
    assert "interrupted: what was judged is summed up" in err
    assert "interrupted: " in err
    assert "incomplete" in err
    assert "not reached: " in err
    again = ("run", *ONE_OPERATOR, "--out", "out", "--resume")
    refused = conformance(*again, "--seed", "5", folder=tmp_path)
    assert refused.status == 2
    assert "its run was asked with seed '0', this one with '5'" in refused.err
    conformance(*again, "--budget", "1s", folder=tmp_path)
    resumed = read_evidence(tmp_path / "out")
    assert resumed is not None
    assert (resumed.parts, resumed.status) == (2, "incomplete")
    assert resumed.cases >= evidence.cases


@pytest.mark.slow
def test_a_run_whose_front_door_is_killed_keeps_its_verdicts_and_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "conformance", "run", *BY_WORKERS, "--profile", "gate"]
    with subprocess.Popen(
        [*command, "--out", "out"], cwd=tmp_path, env=host(), stderr=subprocess.DEVNULL
    ) as front_door:
        wait_for(lambda: judged(tmp_path / "out") > 0, "a verdict of a run")
        front_door.kill()
    wait_for(lambda: status_of(tmp_path / "out") != "running", "the end of an orphaned run")
    evidence = read_evidence(tmp_path / "out")
    assert evidence is not None
    assert (evidence.status, evidence.exit_status) == ("interrupted", 130)
    assert evidence.cases > 0


def test_a_run_of_a_part_does_not_pass_for_the_whole(tmp_path: Path) -> None:
    ended = conformance(
        "run", *ONE_OPERATOR, "--out", "out", "--", "-k", "test_rejections", folder=tmp_path
    )
    assert ended.status == 0, ended.err
    assert re.search(r"accepted: [1-9]\d* distinct cases in 0 of 9 declared cells in ", ended.err)


@pytest.mark.slow
def test_a_folder_of_records_is_judged_alone_and_the_list_of_operators_knows_all(
    tmp_path: Path,
) -> None:
    folder = WRONG[:2]
    ended = conformance("run", *ON_SIMULATOR, *folder, "--", "-k", "nothing", folder=tmp_path)
    (headline,) = [line for line in ended.err.splitlines() if line.startswith("run: ")]
    assert headline.startswith("run: first_slot_only; route ")
    listed = conformance("operators", *folder, folder=tmp_path).out.splitlines()
    assert {NAME, "first_slot_only"} <= set(listed)


@pytest.mark.slow
def test_a_record_without_a_kernel_is_told_before_anything_is_built(tmp_path: Path) -> None:
    folder = ("--operators", str(HERE / "toy" / "records"), "--operator", "copying")
    cache = tmp_path / "cache"
    ended = conformance(
        "run", *ON_SIMULATOR, *folder, folder=tmp_path, MOE_CONFORMANCE_CACHE=str(cache)
    )
    assert ended.status == 3
    missing = ROOT / "device_kernels" / "kernels" / "copying" / "copying_kernel.cpp"
    assert f"there is no kernel of copying: no {missing}" in ended.err
    assert not cache.exists()
    both = (*folder, "--operator", "first_slot_only", *WRONG[:2])
    ended = conformance("run", *ON_SIMULATOR, *both, "--", "-k", "nothing", folder=tmp_path)
    words = f"no kernel: copying: there is no folder of that name in {missing.parents[1]}\n"
    assert ended.err.startswith(words)


def status_of(out: Path) -> str:
    evidence = read_evidence(out)
    return "running" if evidence is None else evidence.status


def judged(out: Path) -> int:
    return sum(isinstance(line, VerdictLine) for line in read_lines(out)) if out.is_dir() else 0


def test_operators_tells_what_is_judged_and_where_it_is_written(tmp_path: Path) -> None:
    ended = conformance("operators", folder=tmp_path)
    assert ended.status == 0
    lines = ended.out.splitlines()
    lines = lines[lines.index(NAME) :]
    assert "  dtypes     float16, bfloat16, float32" in lines
    assert "  modes      dropless, active, drop_pad" in lines
    assert "  products   Ascend910B, Ascend910_93" in lines
    assert any(line.startswith("  target     Ascend910B: all modes supported: ") for line in lines)
    assert any(line.startswith("  contract   grad_x: ") and "[document: " in line for line in lines)


def test_devices_tells_what_opens_here_and_why_the_rest_does_not(tmp_path: Path) -> None:
    ended = conformance("devices", folder=tmp_path)
    assert ended.status == 0
    npu, sim = ended.out.splitlines()
    assert npu.startswith("npu: ")
    assert sim == "sim: simulated Ascend910B1, 48 vector cores"


@pytest.mark.slow
def test_devices_names_the_order_of_additions_when_it_is_asked_to_probe(tmp_path: Path) -> None:
    ended = conformance("devices", "--probe", folder=tmp_path)
    assert ended.status == 0
    profile = ended.out.splitlines()
    functions = (f"function {name}" for name in NAMES)
    for trait in ("cast mode", "flush to zero", "overflow mode", "determinism", *functions):
        (line,) = [line for line in profile if line.startswith(f"  {trait} ")]
        assert line.endswith("(declared, not probed)")
    for name in NAMES:
        (line,) = [line for line in profile if line.startswith(f"  {name} in a kernel")]
        assert line.endswith(": at most 0 steps off, uniform, monotone (probed)")
    (orders,) = [line for line in profile if line.startswith(f"  {NAME}, ")]
    assert orders.startswith(f"  {NAME}, float16, bfloat16, float32: sequential (K=2), bins(1) ")
