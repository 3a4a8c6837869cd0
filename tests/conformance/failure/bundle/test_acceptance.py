"""A refused call is the same everywhere: in a fresh copy of the sources, in another order of
blocks, by both programs of its bundle; a byte that was flipped is refused by its file's name."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR as RIGHT
from conformance.cli.main import main
from conformance.devices.open import open_device
from conformance.evidence.implementation import of_device
from conformance.judge.calls import judge
from conformance.numerics.arithmetic import Arithmetic
from tests.conformance.failure.bundle.bundles import CASE, ORIGIN, bundle
from tests.conformance.failure.bundle.test_programs import WRONG, compiled, cpp, python
from tests.conformance.front_door import HERE, ROOT, Ended, conformance
from tests.conformance.wrong.first_slot_only import OPERATOR, renamed

OPERATORS = ("--operators", str(HERE / "wrong"))
BYTES = "bundle: the outputs are those of then, byte for byte"
PATTERNS = "bundle: the accepted patterns are those that it stores"


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a call that the simulated device answered and its record refused."""
    made = {name: replace(tensor, dtype="float32") for name, tensor in CASE.inputs.items()}
    inputs = {**CASE.inputs, "grad_expanded_x": made["grad_expanded_x"]}
    outputs = {"grad_x": replace(CASE.outputs["grad_x"], dtype="float32")}
    case = replace(renamed(CASE), dtype="float32", inputs=inputs, outputs=outputs)
    device = open_device("sim")
    try:
        seen, profile = device.run(OPERATOR, case), device.profile
        called = of_device(device, case.operator)
    finally:
        device.close()
    verdict = judge(OPERATOR, case, seen, Arithmetic.of(profile))
    assert not verdict.ok
    origin = replace(ORIGIN, headline=verdict.headline, text=str(verdict), device=profile)
    folder = tmp_path_factory.mktemp("refused") / "b"
    return bundle(folder, case, OPERATOR, seen, origin, implementation=called)


def replayed(folder: Path, *arguments: str, root: Path = ROOT, at: Path | None = None) -> Ended:
    asked = ("replay", str(folder), "--device", "sim", *OPERATORS, *arguments)
    paths = {"PYTHONPATH": str(root), "MOE_CONFORMANCE_CACHE": str(ROOT / "build")}
    return conformance(*asked, folder=at or folder.parent, **paths)


def test_it_is_the_same_in_a_fresh_copy_of_the_sources(refused: Path, tmp_path: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "clone" / name)
    elsewhere = shutil.copytree(refused, tmp_path / "b")
    ended = replayed(elsewhere, root=tmp_path / "clone", at=tmp_path / "clone")
    assert ended.status == 1, ended.err
    assert "elements of grad_x are wrong." in ended.err
    assert {BYTES, PATTERNS} <= set(ended.err.splitlines())


@pytest.mark.parametrize("order", ["forward", "shuffled:3"])
def test_it_is_the_same_in_another_order_of_blocks(refused: Path, order: str) -> None:
    ended = replayed(refused, "--order", order, "--json")
    assert ended.status == 1
    assert {BYTES, PATTERNS} <= set(ended.err.splitlines())
    told = json.loads(ended.out)
    assert (told["status"], told["bytes"]) == (1, BYTES.partition(": ")[2])
    blocks = "" if order == "forward" else f", blocks in order {order}"
    assert f"on 2 cores with 8192 B of UB{blocks})" in ended.err


@pytest.mark.parametrize("schedule", ["program", "late", "random:7"])
def test_it_is_the_same_in_another_schedule_of_the_pipes(refused: Path, schedule: str) -> None:
    ended = replayed(refused, "--schedule", schedule, "--json")
    assert ended.status == 1
    assert {BYTES, PATTERNS} <= set(ended.err.splitlines())
    pipes = "" if schedule == "program" else f", pipes {schedule}"
    assert f"on 2 cores with 8192 B of UB, blocks in order reverse{pipes})" in ended.err


def test_it_is_the_same_by_both_programs_in_either_order(refused: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(refused, tmp_path / "b")
    program = compiled(folder)
    for order in ("reverse", "forward"):
        said = python(folder, "--order", order)
        assert said == cpp(program, order)
        assert said.status == WRONG
        assert re.search(r"grad_x: \d+ of 40 elements are accepted; the bytes that were", said.text)


@pytest.mark.parametrize(("language", "ending"), [("en", ".txt"), ("zh", ".zh.txt")])
def test_the_text_of_a_replay_is_pinned(refused: Path, language: str, ending: str) -> None:
    ended = replayed(refused, "--lang", language)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:+]+", "TIME", ended.err)
    text = re.sub(r"sha256 [0-9a-f]{16}", "sha256 HASH", text)
    snapshot = HERE / "snapshots" / f"replay{ending}"
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        snapshot.write_text(text, encoding="utf-8")
    assert text == snapshot.read_text(encoding="utf-8")


def test_a_relation_is_made_again_by_replay_and_has_no_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    relation = next(one for one in RIGHT.relations if one.case(CASE) is not None)
    folder = bundle(tmp_path / "b", judged_as="relation", name=relation.name)
    assert not (folder / "replay.py").exists()
    assert main(["replay", str(folder), "--device", "sim"]) == 0
    assert f"{relation.name} holds." in capsys.readouterr().err


@pytest.mark.parametrize(
    "path", ["inputs/grad_expanded_x.npy", "accepted/grad_x.low.npy", "case.json", "replay.py"]
)
def test_a_flipped_byte_is_refused_by_the_name_of_its_file(
    refused: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    folder = shutil.copytree(refused, tmp_path / "b")
    content = bytearray((folder / path).read_bytes())
    content[len(content) // 2] ^= 0xFF
    (folder / path).write_bytes(content)
    assert main(["replay", str(folder)]) == 2
    words = f"{path} was changed: it has not the sha256 that manifest.json tells"
    assert capsys.readouterr().err == f"error: bundle is '{folder}': {words}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--order", "sideways"), "order is 'sideways': allowed: forward, reverse, shuffled:SEED"),
        (
            ("--order", "reverse", "--device", "npu:0"),
            "order is 'reverse': only a simulated device can choose it",
        ),
        (
            ("--schedule", "random"),
            "schedule is 'random': allowed: program, late, random:SEED",
        ),
        (
            ("--schedule", "late", "--device", "npu:0"),
            "schedule is 'late': only a simulated device can choose it",
        ),
        (
            ("--route", "air"),
            "route of the case is 'air': allowed: aclnn, kernel, torch_npu, python",
        ),
        (("--time-limit", "0"), "time limit is '0': allowed: seconds above 0"),
        (("--libraries", "/nowhere"), "libraries is '/nowhere': allowed: a folder that exists"),
    ],
)
def test_what_is_asked_wrongly_is_told(
    refused: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    assert main(["replay", str(refused), *OPERATORS, *arguments]) == 2
    assert capsys.readouterr().err == f"error: {words}\n"


def test_a_folder_that_is_no_bundle_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "nowhere"]) == 2
    rule = "allowed: the folder of a failure, failures/ID of a run"
    assert capsys.readouterr().err == f"error: bundle is 'nowhere': {rule}\n"
