"""A bundle makes the calls before its own: by ``replay``, and by its Python program alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.call.case import Case, Machine
from conformance.call.surroundings import AS_LEFT, ZEROED, Setting
from conformance.cli.main import main
from conformance.errors import UsageError
from conformance.failure.bundle import manifest as told
from conformance.failure.bundle.read import as_stored, read_bundle
from conformance.failure.bundle.write import write_bundle
from conformance.failure.replay import Replay
from conformance.judge.sequences import rejection_of
from conformance.suite import records as suite
from device_kernels.build import build
from tests.conformance.failure.bundle.bundles import CASE, ORIGIN, answer, rewrite

RECORDS = {one.name: one for one in suite.operators()}
REFUSED = OPERATOR.rejections[0].case
OTHER = RECORDS["moe_token_permute"].examples[0].case
BEFORE = (
    replace(CASE, setting=Setting(ZEROED)),
    REFUSED,
    replace(OTHER, machine=Machine(1, 65536)),
    replace(CASE, setting=Setting(AS_LEFT)),
)
AFTER = replace(CASE, before=BEFORE, setting=Setting(AS_LEFT))


def bundle(folder: Path, case: Case = AFTER) -> Path:
    write_bundle(
        folder,
        Replay(case, "sequence"),
        OPERATOR,
        answer(replace(case, before=())),
        ORIGIN,
        RECORDS,
    )
    return folder


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle(tmp_path_factory.mktemp("right") / "b")


def python(folder: Path) -> tuple[int, list[str]]:
    libraries = ("--libraries", str(build(quiet=True).lib))
    program = str(folder / told.PYTHON_PROGRAM)
    done = subprocess.run(
        [sys.executable, "-I", program, *libraries], cwd="/", capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


def test_the_python_program_makes_every_call_and_judges_the_last(right: Path) -> None:
    status, lines = python(right)
    assert status == 0, lines
    symbol = OPERATOR.aclnn
    assert lines[1:5] == [
        f"call 1 before it, {symbol}: made",
        f"call 2 before it, {symbol}: made",
        f"call 3 before it, {RECORDS['moe_token_permute'].aclnn}: made",
        f"call 4 before it, {symbol}: made",
    ]
    assert lines[-1] == "the device is right"
    assert not (right / "__pycache__").exists()


def test_the_bundle_says_that_there_is_no_program_in_cpp(right: Path) -> None:
    manifest = read_bundle(right).manifest
    assert manifest.no_cpp == "the calls before it are made by the Python program alone"
    assert not manifest.no_programs
    assert not (right / told.CPP_PROGRAM).exists()


def test_replay_makes_every_call(right: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(right), "--device", "sim"]) == 0
    assert "bundle: the outputs are those of then, byte for byte" in capsys.readouterr().err


def test_the_case_that_is_read_has_the_calls_before_it(right: Path) -> None:
    found, notes = as_stored(read_bundle(right))
    assert [one.key for one in found.replay.case.before] == [one.key for one in BEFORE]
    assert not notes
    assert rejection_of(OPERATOR, found.replay.case.before[1]) is not None


def test_a_call_before_it_that_is_another_one_is_refused(right: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(right, tmp_path / "b")

    def change(said: dict[str, object]) -> None:
        said["before"][3]["digest"] = "0" * 16  # type: ignore[index]

    rewrite(folder, change)
    with pytest.raises(UsageError, match=rf"has digest {CASE.digest}, manifest.json tells another"):
        as_stored(read_bundle(folder))


def test_a_call_before_it_that_no_device_must_stand_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    illegal = replace(CASE, attributes={**CASE.attributes, "top_k": 3})
    folder = bundle(tmp_path / "b", replace(CASE, before=(CASE, illegal)))
    assert main(["replay", str(folder), "--device", "sim"]) == 2
    assert "is no case to judge: before[2]: " in capsys.readouterr().err
