"""`run --kernels DIR` judges a checkout's kernels and host tilings as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases.operators import moe_token_permute_grad as record
from conformance import replay
from conformance.evidence import VerdictLine
from conformance.gate.reading import read_run
from conformance.summary import read_evidence
from tests.conformance.front_door import conformance
from tests.foreign.a_checkout import NAME, written

FLOATS = ("--operator", NAME, "-n", "0", "--device", "sim")
CELL = ("--", "-k", "(test_values or test_examples) and whole-float32")


def test_a_right_kernel_is_accepted_and_what_has_no_record_is_named(tmp_path: Path) -> None:
    checkout = written(tmp_path / "checkout")
    done = conformance("run", "--kernels", str(checkout), *FLOATS, *CELL, folder=tmp_path)
    assert done.status == 0, done.err
    assert "no record, not judged: moe_gating_of_another_kind" in done.err
    assert "not in the checkout" not in done.err, "only what was asked for"
    evidence = read_evidence(tmp_path / "reports" / "latest")
    assert evidence is not None
    assert evidence.cases > 100
    (keys,) = evidence.tiling_keys
    assert (keys.operator, keys.asked) == (NAME, (7,))
    assert f"cases by tiling key: {NAME}: 7: {keys.cases[7]:,}" in done.err
    run = read_run(tmp_path / "reports" / "latest")
    told = {line.digest: line for line in run.lines if isinstance(line, VerdictLine)}.values()
    without = [line for line in told if line.tiling_key is None]
    assert keys.cases == {7: evidence.cases - len(without)}
    assert all(0 in (line.shapes or {})["out"] for line in without), "no element, no launch"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("name >= data.rows", "name > data.rows", "gm-out-of-bounds"),
        ("slot < data.topK", "slot + 1 < data.topK", "is wrong"),
        ("TILING_KEY_IS(7)", "TILING_KEY_IS(8)", "never written"),
    ],
)
def test_a_slip_is_found_and_shrunk(old: str, new: str, told: str, tmp_path: Path) -> None:
    checkout = written(tmp_path / "checkout", old0=old, new0=new)
    cell = (*CELL[:2], CELL[2].replace("whole", "uneven"))
    done = conformance("run", "--kernels", str(checkout), *FLOATS, *cell, folder=tmp_path)
    assert done.status == 1, done.err
    assert told in done.err
    assert "on 1 core with 196352 B of UB" in done.err


def test_a_saved_case_is_judged_on_the_checkout(tmp_path: Path) -> None:
    """And not on the suite's own libraries, which are right."""
    checkout = written(tmp_path / "checkout", old0="slot < data.topK", new0="slot + 1 < data.topK")
    case = next(one.case for one in record.OPERATOR.examples if one.case.dtype == "float32")
    replay.save(replay.Replay(case), tmp_path / "case.json")
    command = ("run", "--case", "case.json", "--device", "sim")
    done = conformance(*command, "--kernels", str(checkout), folder=tmp_path)
    assert done.status == 1, done.err
    assert " wrong" in done.err
    assert conformance(*command, folder=tmp_path).status == 0


def test_host_code_that_uses_what_is_not_modelled_is_told_with_its_line(tmp_path: Path) -> None:
    checkout = written(tmp_path / "checkout")
    (tiling,) = checkout.rglob(f"{NAME}_tiling.cpp")
    tiling.write_text(tiling.read_text().replace("context->SetBlockDim(1)", "context->Unknown(1)"))
    done = conformance("run", "--kernels", str(checkout), *FLOATS, *CELL, folder=tmp_path)
    assert done.status == 3
    assert f"{NAME}_tiling.cpp:" in done.err
    assert "has no member named 'Unknown'" in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--libraries", "."), "does not go with --kernels"),
        (("--device", "npu"), "--kernels needs the simulator"),
        (("--route", "kernel"), "--kernels is called on route aclnn"),
    ],
)
def test_what_does_not_go_with_it_is_refused(
    arguments: tuple[str, ...], told: str, tmp_path: Path
) -> None:
    done = conformance("run", "--kernels", str(tmp_path), *arguments, folder=tmp_path)
    assert done.status == 2
    assert told in done.err


def test_a_folder_without_operators_is_no_checkout(tmp_path: Path) -> None:
    done = conformance("run", "--kernels", str(tmp_path), "--device", "sim", folder=tmp_path)
    assert done.status == 3
    assert "has no operator that can be judged" in done.err
