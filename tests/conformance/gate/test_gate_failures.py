"""What the gate says of failures, cells that were not run, and waivers: status and text."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import msgspec

from conformance.evidence.coverage import Coverage
from conformance.evidence.lines import FailureLine, VerdictLine
from tests.conformance.gate.asking import TODAY, accepted, gate, waiver
from tests.conformance.gate.runs import (
    OPERATOR,
    every_cell,
    failure,
    refused,
    run,
    verdict,
)


def test_a_run_without_a_failure_is_accepted(tmp_path: Path) -> None:
    judgement, text = gate(run(tmp_path / "run"))
    assert judgement.status == 0
    assert text == (
        "shown: time on the device of 1 named calls: 0 s\n"
        "shown: workspace of 1 named calls: 0 B\n"
        "gate: accepted: 5 cases on simulated Ascend910B1, 48 vector cores, without a baseline"
    )


def test_a_new_failure_is_rejected_with_its_headline_and_its_case(tmp_path: Path) -> None:
    judgement, text = gate(run(tmp_path / "run", every_cell(refused())))
    assert judgement.status == 1
    assert text.splitlines()[:2] == [
        "  failure  test_values[permute-tail-float16]: permute, tail, float16: output has 3 wrong"
        " elements.",
        "           see failures/bad/case.json",
    ]
    assert text.splitlines()[-1].startswith("gate: rejected for failure (1): 6 cases on ")


def test_an_item_that_ended_without_a_verdict_is_rejected(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", errors={"t.py::test_x[a]": "Traceback\nTypeError: no"})
    judgement, text = gate(folder)
    assert judgement.status == 1
    assert "error  test_x[a]: ended without a verdict: TypeError: no" in text


def test_a_failure_that_only_the_summary_has_is_not_judged(tmp_path: Path) -> None:
    told = FailureLine(
        worker="main",
        item="t.py::t[x]",
        operator=OPERATOR,
        mode="tail",
        dtype="float16",
        digest="d",
        case="failures/d/case.json",
        headline="wrong",
        text="",
    )
    judgement, text = gate(run(tmp_path / "run", failures=[told]))
    assert judgement.status == 3
    assert "the failure of t[x] is in the summary and not in the lines" in text


def test_a_verdict_that_failed_as_its_call_could_not_be_made_is_a_failure(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused(outcome="not possible here")))
    judgement, text = gate(folder)
    assert [finding.kind for finding in judgement.findings] == ["failure"]
    assert "output has 3 wrong elements" in text


def test_a_waived_failure_is_accepted_and_told(tmp_path: Path) -> None:
    judgement, text = gate(run(tmp_path / "run", every_cell(refused())), waiver())
    assert judgement.status == 0
    assert text.splitlines()[0] == (
        'waived: waiver 1 (permute where mode == "tail" and tokens.shape[0] > 1024) excuses'
        " test_values[permute-tail-float16]: the last range is dropped (kernel team, until"
        " 2026-12-31, https://example.org/issues/7)"
    )


def test_a_waiver_holds_on_its_last_day(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    assert gate(folder, waiver(expires=TODAY))[0].status == 0


def test_an_expired_waiver_rejects_and_excuses_nothing(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    judgement, text = gate(folder, waiver(expires=date(2026, 2, 28)))
    assert judgement.status == 1
    assert [finding.kind for finding in judgement.findings] == ["failure", "expired waiver"]
    assert "expired on 2026-02-28; ask kernel team: https://example.org/issues/7" in text


def test_a_waiver_that_covers_no_failure_rejects(tmp_path: Path) -> None:
    judgement, text = gate(run(tmp_path / "run"), waiver(where="top_k == 3"))
    assert judgement.status == 1
    assert (
        "unmatched waiver  waiver 1 (permute where top_k == 3): excuses nothing: it covers no"
        " failure and 0 accepted cases; remove it" in text
    )


def test_a_waiver_that_covers_accepted_cases_rejects_and_shows_one(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    judgement, text = gate(folder, waiver(where='mode == "tail"'))
    assert judgement.status == 1
    assert [finding.kind for finding in judgement.findings] == ["failure", "over-broad waiver"]
    assert (
        "covers 2 accepted cases beside 1 failed one, such as tail float16; top_k=2; tokens 8x64:"
        " say more exactly when it fails, or mark it intermittent" in text
    )


def test_an_intermittent_waiver_may_cover_accepted_cases(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    assert gate(folder, waiver(where='mode == "tail"', intermittent=True))[0].status == 0


def test_an_intermittent_waiver_need_not_find_a_failure(tmp_path: Path) -> None:
    judgement, text = gate(run(tmp_path / "run"), waiver(where='mode == "tail"', intermittent=True))
    assert judgement.status == 0
    assert "excuses nothing in this run (intermittent)" in text


def test_an_intermittent_waiver_that_covers_no_case_rejects(tmp_path: Path) -> None:
    judgement, _ = gate(run(tmp_path / "run"), waiver(where="top_k == 3", intermittent=True))
    assert [finding.kind for finding in judgement.findings] == ["unmatched waiver"]


def test_an_intermittent_waiver_of_a_whole_operator_is_over_broad(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    judgement, text = gate(folder, waiver(where="top_k == 2", intermittent=True))
    assert [finding.kind for finding in judgement.findings] == ["failure", "over-broad waiver"]
    assert "covers every case of its operator" in text


def test_a_waiver_that_covers_only_some_refused_cases_of_an_item_excuses_it_not(
    tmp_path: Path,
) -> None:
    other = refused("small", shapes={"tokens": (9, 64)}, phase="shrink")
    judgement, text = gate(run(tmp_path / "run", every_cell(refused(), other)), waiver())
    assert judgement.status == 1
    assert "(no waiver covers every failed case of it)" in text


def test_a_waiver_of_another_device_is_not_evaluated(tmp_path: Path) -> None:
    old = waiver(device="Ascend910_93*", expires=date(2020, 1, 1))
    judgement, text = gate(run(tmp_path / "run"), old)
    assert judgement.status == 0
    assert "note: not evaluated: 1 waiver of other devices or cells" in text


def test_a_waiver_with_a_name_that_no_case_has_rejects_and_names_it(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", every_cell(refused()))
    judgement, text = gate(folder, waiver(where="topk == 2"))
    assert judgement.findings[-1].kind == "wrong waiver"
    assert "'topk' at column 1 is no name of these cases; known: cores, dtype, kind, mode" in text


def test_a_declared_cell_that_was_not_run_is_rejected(tmp_path: Path) -> None:
    lines = [line for line in every_cell() if getattr(line, "digest", "") != "tailfloat32"]
    judgement, text = gate(run(tmp_path / "run", lines))
    assert judgement.status == 1
    assert "missing cell  permute-tail-float32: declared, and not run" in text


def test_a_cell_without_a_possible_call_is_rejected(tmp_path: Path) -> None:
    lines = [
        msgspec.structs.replace(line, outcome="not possible here")
        if getattr(line, "digest", "") == "tailfloat32"
        else line
        for line in every_cell()
    ]
    judgement, text = gate(run(tmp_path / "run", lines))
    assert judgement.status == 1
    assert "none of its 1 calls was possible on this device" in text


def test_a_discrete_cell_without_a_case_is_rejected(tmp_path: Path) -> None:
    shown = Coverage(
        operator=OPERATOR,
        mode="tail",
        dtype="float16",
        strength=2,
        levels={},
        tuples=1,
        missing=["family nan, routing skewed"],
        edges={"hidden at 4096": 0},
    )
    judgement, text = gate(run(tmp_path / "run", coverage=[shown]))
    assert judgement.status == 1
    assert "no judged case shows family nan, routing skewed; hidden at 4096" in text


def test_a_named_call_that_a_waiver_excuses_is_not_newly_failing(tmp_path: Path) -> None:
    accepted(tmp_path / "b", run(tmp_path / "before"))
    failing = [
        msgspec.structs.replace(line, ok=False, headline="wrong")
        if getattr(line, "name", "")
        else line
        for line in every_cell()
    ]
    folder = run(tmp_path / "now", failing)
    judgement, _ = gate(folder, waiver(where='name == "README"'), baselines=tmp_path / "b")
    assert judgement.findings == []


def test_every_finding_is_told_at_once(tmp_path: Path) -> None:
    lines = every_cell(*(refused(f"bad{n}", item=f"t.py::t[{n}]") for n in range(13)))
    judgement, text = gate(run(tmp_path / "run", lines), require_device="npu")
    assert [finding.kind for finding in judgement.findings].count("failure") == 13
    assert "failure  and 3 more (--json has all)" in text
    assert "rejected for device (1), failure (13)" in text


def test_what_an_item_left_unjudged_behind_a_waived_failure_is_told(tmp_path: Path) -> None:
    shown = Coverage(
        operator=OPERATOR,
        mode="tail",
        dtype="float16",
        strength=2,
        levels={},
        tuples=1,
        missing=["family nan, routing skewed"],
    )
    folder = run(tmp_path / "run", every_cell(refused()), coverage=[shown])
    judgement, text = gate(folder, waiver())
    assert judgement.status == 0
    assert (
        "note: permute-tail-float16 ended at a failed case (waiver 1): no judged case shows family"
        " nan, routing skewed" in text
    )


SHARED = Coverage(
    operator=OPERATOR,
    mode="tail",
    dtype="float16, float32",
    strength=2,
    levels={},
    tuples=730,
    missing=[f"family {n}, routing skewed" for n in range(730)],
    edges={"float16: hidden at 4096": 0},
)


def test_data_types_that_share_rows_are_left_unjudged_behind_a_waived_failure_of_one(
    tmp_path: Path,
) -> None:
    folder = run(tmp_path / "run", every_cell(refused()), coverage=[SHARED])
    judgement, text = gate(folder, waiver())
    assert (judgement.status, judgement.findings) == (0, [])
    (note,) = (line for line in text.splitlines() if line.startswith("note: "))
    assert note.startswith("note: permute-tail-float16_float32 ended at a failed case (waiver 1): ")
    assert note.endswith("family 4, routing skewed and 726 more")


def test_what_another_data_type_left_out_is_no_consequence(tmp_path: Path) -> None:
    shown = msgspec.structs.replace(
        SHARED,
        tuples=2,
        missing=["dtype float16, family nan", "dtype float32, family nan"],
        edges={"float32: hidden at 4096": 0},
    )
    folder = run(tmp_path / "run", every_cell(refused()), coverage=[shown])
    judgement, text = gate(folder, waiver())
    assert [finding.kind for finding in judgement.findings] == ["missing cell"]
    assert (
        "missing cell  permute-tail-float16_float32: no judged case shows dtype float32, family"
        " nan; float32: hidden at 4096\n" in text
    )


def test_a_failing_relation_ends_no_item_of_values(tmp_path: Path) -> None:
    law = refused("law", judged_as="relation", item="t.py::test_relations[permute-a_law-tail]")
    folder = run(tmp_path / "run", every_cell(law), coverage=[SHARED])
    assert [one.kind for one in gate(folder)[0].findings] == ["failure", "missing cell"]


def test_causes_are_told_before_consequences(tmp_path: Path) -> None:
    lines = [line for line in every_cell(refused()) if getattr(line, "digest", "") != "tailfloat32"]
    judgement, text = gate(
        run(tmp_path / "run", lines, errors={"t.py::t[a]": "no"}), waiver(where="top_k == 9")
    )
    kinds = ["failure", "error", "unmatched waiver", "missing cell"]
    assert [finding.kind for finding in judgement.findings] == kinds
    assert "rejected for failure (1), error (1), unmatched waiver (1), missing cell (1)" in text


def test_failures_of_one_diagnosis_are_one_finding(tmp_path: Path) -> None:
    lines = [refused(f"bad{n}", item=f"t.py::t[{n}]") for n in range(13)]
    lines += [refused("other", item="t.py::t[other]", headline="crashed")]

    def told(line: VerdictLine) -> FailureLine:
        small = line.digest == "bad7"
        which = "one" if line.digest != "other" else "another"
        return failure(line, diagnosis=which, elements=8 if small else 80)

    folder = run(tmp_path / "run", every_cell(*lines), tells=told)
    judgement, text = gate(folder)
    assert [one.subject for one in judgement.findings] == ["t[7]", "t[other]"]
    assert judgement.findings[0].items == tuple(f"t[{n}]" for n in range(13))
    assert text.splitlines()[:4] == [
        "  failure  t[7]: permute, tail, float16: output has 3 wrong elements. 12 more items of the"
        " same diagnosis: t[0], t[1], t[2] and 9 more",
        "           see failures/bad7/case.json",
        "  failure  t[other]: crashed",
        "           see failures/other/case.json",
    ]
    assert "gate: rejected for failure (2 diagnoses of 14 items): 19 cases" in text


def test_what_was_never_reached_of_a_judged_cell_is_a_finding(tmp_path: Path) -> None:
    """A part of a run that is told as the whole of it."""
    levels = {"family": ("nan",)}
    shown = Coverage(
        operator=OPERATOR,
        mode="whole",
        dtype="float16",
        strength=2,
        levels={"family": {"nan": 1}},
        tuples=9,
        open=8,
        open_edges=2,
    )
    lines = every_cell(verdict("shown", levels=levels))
    judgement, text = gate(run(tmp_path / "run", lines, coverage=[shown]))
    assert judgement.status == 1
    assert "permute-whole-float16: 8 combinations of levels and 2 edges not reached" in text
