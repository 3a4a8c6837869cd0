"""Where the gate cannot judge: status 3, with the reason; nothing is accepted by mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.evidence.run_folder import Hold
from tests.conformance.gate.asking import accepted, gate, waiver
from tests.conformance.gate.runs import (
    device,
    every_cell,
    refused,
    rewrite,
    run,
)


@pytest.mark.parametrize("where", ['mode == "padded"', 'dtype == "bfloat16" and top_k > 1'])
def test_a_waiver_of_cells_that_were_not_judged_is_not_evaluated(
    tmp_path: Path, where: str
) -> None:
    assert gate(run(tmp_path / "run"), waiver(where=where))[0].status == 0


def test_a_waiver_of_an_operator_that_was_not_judged_is_not_evaluated(tmp_path: Path) -> None:
    assert gate(run(tmp_path / "run"), waiver(operator="other"))[0].status == 0


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"status": "running", "process": 77}, "incomplete: the run (process 77) ended before its"),
        ({"status": "interrupted"}, "incomplete: the run is interrupted"),
        (
            {"status": "incomplete", "cut": ["t.py::t[a]"], "unreached": ["t.py::t[b]"]},
            "incomplete: the run is incomplete: 1 cut short (t[a]); 1 not reached (t[b])",
        ),
        ({"cut": ["t.py::t[a]"]}, "incomplete: 1 cut short (t[a])"),
        ({"environment": ["the device is lost"]}, "failed: the device is lost"),
        ({"exit_status": 130}, "incomplete: the run ended with status 130"),
        ({"exit_status": None}, "incomplete: the run ended with status None"),
        ({"request": {"shard": "2/4"}}, "this is shard 2/4 of a run: merge it with the others"),
        ({"devices": []}, "no device: the evidence does not say what was judged"),
        (
            {"devices": [device(), device(soc="Ascend910_9391", name="other")]},
            "several devices in one run: simulated Ascend910B1, 48 vector cores, other",
        ),
    ],
)
def test_a_run_that_did_not_end_well_is_not_judged(
    tmp_path: Path, changed: dict[str, Any], reason: str
) -> None:
    judgement, text = gate(run(tmp_path / "run", **changed))
    assert judgement.status == 3
    assert reason in text
    assert text.endswith("nothing is accepted, nothing rejected")


def test_a_run_that_is_still_going_on_is_not_judged(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", status="running")
    hold = Hold(folder)
    try:
        assert "has not ended yet" in gate(folder)[1]
    finally:
        hold.release()


def test_an_empty_run_is_not_judged(tmp_path: Path) -> None:
    judgement, text = gate(run(tmp_path / "run", []))
    assert (judgement.status, "empty: no case was judged" in text) == (3, True)


@pytest.mark.parametrize(("schema", "words"), [(0, "older schema"), (99, "newer schema")])
def test_another_schema_is_not_judged(tmp_path: Path, schema: int, words: str) -> None:
    judgement, text = gate(rewrite(run(tmp_path / "run"), schema=schema))
    assert judgement.status == 3
    assert f"{words}: evidence.json has schema {schema}" in text


def test_evidence_that_lost_a_file_of_verdicts_is_not_judged(tmp_path: Path) -> None:
    folder = run(tmp_path / "run")
    (folder / "evidence.main.jsonl").unlink()
    judgement, text = gate(folder)
    assert judgement.status == 3
    assert "corrupted: of permute-whole-float16 the summary has 2 cases, 0 failed" in text


def test_a_summary_that_hides_a_failure_is_not_judged(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    told = msgspec.json.decode((folder / "evidence.json").read_bytes())
    for cell in told["cells"]:
        cell["failed"] = 0
    rewrite(folder, cells=told["cells"], failures=[], exit_status=0)
    assert gate(folder)[0].status == 3


def test_a_cut_line_in_a_run_that_ended_is_not_judged(tmp_path: Path) -> None:
    folder = run(tmp_path / "run")
    with (folder / "evidence.main.jsonl").open("ab") as file:
        file.write(b'{"kind":"verdict"')
    judgement, text = gate(folder)
    assert judgement.status == 3
    assert "evidence.main.jsonl, line 13: it is cut, though the run says that it ended" in text


def test_without_a_baseline_nothing_is_judged_unless_that_is_meant(tmp_path: Path) -> None:
    judgement, text = gate(run(tmp_path / "run"), baselines=tmp_path / "b")
    assert judgement.status == 3
    assert (
        'accept one (baseline accept RUN --who NAME --why "..."), or ask for --no-baseline' in text
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"on": device(cann="8.6.0")}, "CANN 8.5.0 -> 8.6.0"),
        ({"on": device(soc="Ascend910_9391")}, "SoC Ascend910B1 -> Ascend910_9391"),
        ({"route": "kernel"}, "route aclnn -> kernel"),
        ({"profile": "smoke"}, "profile gate -> smoke"),
        ({"provenance": {"corpus": "2"}}, "corpus none -> 2"),
        (
            {"on": device(kind="npu"), "provenance": {"driver": "25.0", "torch_npu": "2.7"}},
            "driver none -> 25.0, torch_npu none -> 2.7",
        ),
    ],
)
def test_another_profile_needs_a_baseline_of_its_own(
    tmp_path: Path, changed: dict[str, Any], words: str
) -> None:
    name = accepted(tmp_path / "b", run(tmp_path / "before"))
    folder = run(tmp_path / "now", **changed)
    for asked in ({}, {"baseline": name}):
        judgement, text = gate(folder, baselines=tmp_path / "b", **asked)
        assert judgement.status == 3
        assert f"beside the baseline {name} it differs in {words}" in text
