"""`run --kernels DIR` judges a checkout's kernels and host tilings as they are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cases.operators import moe_token_permute_grad as record
from conformance.cli.main import main
from conformance.evidence.lines import VerdictLine
from conformance.evidence.reading import read_run
from conformance.evidence.summary import read_evidence
from conformance.failure import replay
from tests.conformance.front_door import conformance
from tests.foreign.a_checkout import NAME, kept_checkout, written
from tests.slow import slow_but

FLOATS = ("--operator", NAME, "-n", "0", "--device", "sim")
CELL = ("--", "-k", "(test_values or test_examples) and whole-float32")


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder, of one name in all tests: builds of a checkout are filed by where it lies
    and what it holds, and several tests judge the same.
    """
    folder = tmp_path_factory.getbasetemp() / "foreign"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


@pytest.mark.slow
def test_a_right_kernel_is_accepted_and_what_has_no_record_is_named(place: Path) -> None:
    checkout = written(place / "checkout")
    done = conformance("run", "--kernels", str(checkout), *FLOATS, *CELL, folder=place)
    assert done.status == 0, done.err
    assert "no record, not judged: moe_gating_of_another_kind" in done.err
    assert "not in the checkout" not in done.err, "only what was asked for"
    evidence = read_evidence(place / "reports" / "latest")
    assert evidence is not None
    assert evidence.cases > 100
    (keys,) = evidence.tiling_keys
    assert (keys.operator, keys.asked) == (NAME, (7,))
    assert f"cases by tiling key: {NAME}: 7: {keys.cases[7]:,}" in done.err
    run = read_run(place / "reports" / "latest")
    told = {line.digest: line for line in run.lines if isinstance(line, VerdictLine)}.values()
    without = [line for line in told if line.tiling_key is None]
    assert keys.cases == {7: evidence.cases - len(without)}
    assert all(0 in (line.shapes or {})["out"] for line in without), "no element, no launch"


SLIPS = (
    ("name >= data.rows", "name > data.rows", "gm-out-of-bounds"),
    ("slot < data.topK", "slot + 1 < data.topK", "is wrong"),
    ("TILING_KEY_IS(7)", "TILING_KEY_IS(8)", "never written"),
)


@pytest.mark.parametrize(("old", "new", "told"), slow_but(SLIPS[1:2], SLIPS))
def test_a_slip_is_found_and_shrunk(old: str, new: str, told: str, place: Path) -> None:
    checkout = kept_checkout(old0=old, new0=new)
    cell = (*CELL[:2], CELL[2].replace("whole", "uneven"))
    done = conformance("run", "--kernels", str(checkout), *FLOATS, *cell, folder=place)
    assert done.status == 1, done.err
    assert told in done.err
    assert "on 1 core with 196352 B of UB" in done.err


def test_a_saved_case_is_judged_on_the_checkout(place: Path) -> None:
    """And not on the suite's own libraries, which are right."""
    checkout = kept_checkout(old0="slot < data.topK", new0="slot + 1 < data.topK")
    case = next(one.case for one in record.OPERATOR.examples if one.case.dtype == "float32")
    replay.save(replay.Replay(case), place / "case.json")
    command = ("run", "--case", "case.json", "--device", "sim")
    done = conformance(*command, "--kernels", str(checkout), folder=place)
    assert done.status == 1, done.err
    assert " wrong" in done.err
    assert conformance(*command, folder=place).status == 0


@pytest.mark.slow
def test_a_replay_calls_the_checkout_that_failed_as_it_is_by_now(place: Path) -> None:
    """An engineer mends the kernel, and replays the failure's bundle."""
    checkout = written(place / "checkout", old0="slot < data.topK", new0="slot + 1 < data.topK")
    only = ("--", "-k", "test_examples and float32")
    done = conformance("run", "--kernels", str(checkout), *FLOATS, *only, folder=place)
    assert done.status == 1, done.err
    assert f"\ncalled: the checkout {checkout} (libopapi.so sha256 " in done.err
    assert " --device sim --kernels checkout" in done.err, "the replay line names the checkout"
    (failure, *_) = sorted((place / "reports" / "latest" / "failures").iterdir())
    again = ("replay", str(failure), "--device", "sim")
    same = conformance(*again, folder=place)
    assert same.status == 1, same.err
    assert "rebuilt since" not in same.err
    (kernel,) = (path for path in checkout.rglob("*") if "slot + 1 <" in _text(path))
    kernel.write_text(kernel.read_text().replace("slot + 1 < data.topK", "slot < data.topK"))
    mended = conformance(*again, folder=place)
    assert mended.status == 0, mended.err
    assert f"\nrebuilt since: lib{NAME}_" in mended.err
    shutil.rmtree(checkout)
    gone = conformance(*again, folder=place)
    assert gone.status == 3
    assert f"the checkout {checkout}" in gone.err
    assert "Name it by --kernels" in gone.err


def _text(path: Path) -> str:
    return path.read_text() if path.suffix in (".h", ".cpp") else ""


def test_host_code_that_uses_what_is_not_modelled_is_told_with_its_line(place: Path) -> None:
    checkout = written(place / "checkout")
    (tiling,) = checkout.rglob(f"{NAME}_tiling.cpp")
    tiling.write_text(tiling.read_text().replace("context->SetBlockDim(1)", "context->Unknown(1)"))
    done = conformance("run", "--kernels", str(checkout), *FLOATS, *CELL, folder=place)
    assert done.status == 3
    assert f"{NAME}_tiling.cpp:" in done.err
    assert "has no member named 'Unknown'" in done.err
    evidence = read_evidence(place / "reports" / "latest")
    assert evidence is not None, "an older run's folder must not stand for this one"
    assert evidence.exit_status == 3


@pytest.mark.slow
def test_what_was_asked_for_and_is_not_in_the_checkout_is_told_before_anything_is_built(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = written(place / "checkout")
    out = ("--out", str(place / "out"))
    named = ("--kernels", str(checkout), "--operator", "moe_token_permute", *FLOATS, *out)
    assert main(["run", *named, *CELL]) == 1
    reason = f"it is not in {checkout}"
    told = capsys.readouterr().err
    assert told.index(f"not judged: moe_token_permute: {reason}") < told.index("device: ")
    assert "incomplete: " in told.splitlines()[-1]
    evidence = read_evidence(place / "out")
    assert evidence is not None
    assert (evidence.left_out, evidence.exit_status) == ({"moe_token_permute": reason}, 1)
    assert evidence.cases > 0
    assert main(["gate", str(place / "out"), "--no-baseline"]) == 1
    words = f"not judged    moe_token_permute: it was asked for: {reason}"
    assert words in capsys.readouterr().err


def test_nothing_is_built_where_all_that_was_asked_for_is_elsewhere(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-compiler")
    checkout = written(place / "checkout")
    named = ("--kernels", str(checkout), "--operator", "moe_token_permute", "--device", "sim")
    assert main(["run", *named, "--out", str(place / "out")]) == 1
    evidence = read_evidence(place / "out")
    assert evidence is not None
    assert (list(evidence.left_out), evidence.cases) == (["moe_token_permute"], 0)


@pytest.mark.slow
def test_a_folder_asks_for_its_operator_also_where_it_does_not_build_or_lacks_a_part(
    place: Path,
) -> None:
    checkout = written(place / "checkout")
    broken = shutil.copytree(checkout / "moe" / NAME, checkout / "moe" / "moe_token_permute")
    for path in broken.rglob(f"{NAME}*"):
        path.rename(path.with_name(path.name.replace(NAME, "moe_token_permute")))
    (broken / "op_kernel" / "moe_token_permute.cpp").write_text("#error x\n")
    (checkout / "moe" / "moe_token_unpermute" / "op_kernel").mkdir(parents=True)
    asked = ("run", "--kernels", str(checkout), "-n", "0", "--device", "sim")
    done = conformance(*asked, *CELL, folder=place)
    assert done.status == 1, done.err
    evidence = read_evidence(place / "reports" / "latest")
    assert evidence is not None
    assert (evidence.operators, evidence.failures) == ([NAME], [])
    half = f"{checkout / 'moe' / 'moe_token_unpermute'} has no op_host"
    assert evidence.left_out["moe_token_unpermute"] == half
    assert evidence.left_out["moe_token_permute"].startswith("it does not build: ")
    assert len(evidence.left_out) == 2, "an operator without a folder was not asked for"
    assert "not in the checkout: " in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--libraries", "."), "does not go with --kernels"),
        (("--device", "npu"), "--kernels needs the simulator"),
        (("--route", "kernel"), "--kernels is called on route aclnn"),
    ],
)
def test_what_does_not_go_with_it_is_refused(
    arguments: tuple[str, ...], told: str, place: Path
) -> None:
    done = conformance("run", "--kernels", str(place), *arguments, folder=place)
    assert done.status == 2
    assert told in done.err


def test_a_folder_without_operators_is_no_checkout(place: Path) -> None:
    done = conformance("run", "--kernels", str(place), "--device", "sim", folder=place)
    assert done.status == 3
    assert "has no operator that can be judged" in done.err
