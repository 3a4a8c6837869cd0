"""A device that keeps to its CANN is called as far as a record says, and a run says what it leaves
out.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.call.observation import Observation, Outcome
from conformance.devices.device import DeviceProfile, Trait
from conformance.devices.withheld_calls import cell_withheld, why_not_refused, why_withheld
from conformance.evidence.lines import ItemLine
from conformance.gate.judgement import ACCEPTED
from conformance.gate.merge import merge
from conformance.judge.calls import judge
from conformance.record.clause import source_read
from conformance.record.operator import Mode, Operator, Rejection
from conformance.record.versions import Versions, of_dtype
from conformance.suite.records import operators
from conformance.text.records import operator_lines
from tests.conformance.gate.asking import gate
from tests.conformance.gate.runs import CELLS, OPERATOR, every_cell, run
from tests.conformance.gate.runs import device as npu_line
from tests.conformance.segment_sum import operator, whole
from tests.conformance.toy_runs import Run, toy_runs

SINCE = source_read("later ones write beyond y", "toy sources")
UNKNOWN = Trait("unknown")


def device(cann: str, kind: str = "npu") -> DeviceProfile:
    return DeviceProfile("it", kind, "Toy1", 1, 4096, cann, {}, UNKNOWN, UNKNOWN, UNKNOWN)  # type: ignore[arg-type]


def dated(until: str = "8.5") -> Operator:
    return replace(operator(), modes=(Mode("plain", SINCE, versions=Versions(SINCE, until=until)),))


@pytest.mark.parametrize("cann", ["8.1.RC1", "8.5.0", "8.5.0.alpha003", "8.5.2", "7.0", "8.5"])
def test_a_mode_is_called_up_to_its_last_version(cann: str) -> None:
    assert cell_withheld(dated(), "plain", "", device(cann)) == ""


@pytest.mark.parametrize("cann", ["8.6.0", "9.0.0", "9.1.0.alpha001", "10.0.0", "8.10.0"])
def test_it_is_not_called_with_a_later_one(cann: str) -> None:
    told = f"segment_sum, plain: not called with CANN {cann}, but up to CANN 8.5:"
    reason = f"{told} later ones write beyond y [toy sources]"
    assert cell_withheld(dated(), "plain", "", device(cann)) == reason


@pytest.mark.parametrize("cann", ["unknown", "", "V9", "9"])
def test_it_is_not_called_with_one_that_nobody_knows(cann: str) -> None:
    told = cell_withheld(dated(), "plain", "", device(cann))
    assert "with a CANN whose version is not known, but up to CANN 8.5:" in told


def test_the_simulator_makes_every_call_by_itself_and_other_modes_are_always_called() -> None:
    assert cell_withheld(dated(), "plain", "", device("9.1.0", "sim")) == ""
    assert cell_withheld(dated(), "plain", "", None) == ""
    assert cell_withheld(dated(), "another", "", device("9.1.0")) == ""
    assert cell_withheld(operator(), "plain", "", device("9.1.0")) == ""


def test_a_call_that_was_not_made_is_not_judged_in_such_a_mode_alone() -> None:
    left = Observation(Outcome.NOT_POSSIBLE, message="not called")
    verdict = judge(dated(), whole(), left)
    assert (verdict.ok, verdict.judged) == (True, False)
    assert not judge(operator(), whole(), left).ok


def test_the_listing_names_the_last_version() -> None:
    told = [line for line in operator_lines(dated()) if "plain" in line]
    assert any("(on an NPU up to CANN 8.5)" in line for line in told)


def test_the_listing_names_what_is_newer_and_for_whom_calls_are_rejected() -> None:
    (permute, unpermute) = (
        "\n".join(operator_lines(one))
        for name in ("moe_token_permute", "moe_token_unpermute")
        for one in operators([])
        if one.name == name
    )
    assert "  versions   int8: on an NPU later than CANN 8.1: tokens may be int8" in permute
    told = "rejected calls: on an NPU later than CANN 9.0: the tiling of 2026-08 checks it"
    assert told in unpermute


def newer(after: str = "8.1") -> Operator:
    return replace(operator(), dated=(of_dtype("int8", Versions(SINCE, after=after)),))


WHOLE = whole()
INT8, FLOAT32 = replace(WHOLE, dtype="int8"), replace(WHOLE, dtype="float32")


@pytest.mark.parametrize("cann", ["8.1.RC1", "8.0.0", "7.0", "unknown", ""])
def test_a_newer_data_type_is_not_called_with_a_version_that_refuses_or_is_not_known(
    cann: str,
) -> None:
    told = why_withheld(newer(), INT8, device(cann))
    assert "segment_sum, int8: not called with" in told
    assert told.endswith("but later than CANN 8.1: later ones write beyond y [toy sources]")
    assert why_withheld(newer(), FLOAT32, device(cann)) == ""


@pytest.mark.parametrize("cann", ["8.2.RC1", "8.5.0", "9.1.0"])
def test_a_newer_data_type_is_called_with_later_versions(cann: str) -> None:
    assert why_withheld(newer(), INT8, device(cann)) == ""
    assert why_withheld(newer(), INT8, device("8.0", "sim")) == ""


def test_a_simulated_npu_keeps_to_the_version_that_it_is_asked_for() -> None:
    asked = replace(device("9.1.0", "sim"), cann_asked=True)
    assert "not called with CANN 9.1.0" in cell_withheld(dated(), "plain", "", asked)


@pytest.mark.parametrize(
    ("cann", "told"),
    [
        ("8.1", "later than CANN 8.1, up to 8.5:"),
        ("8.2.0", ""),
        ("8.5.1", ""),
        ("9.0", "later than CANN 8.1, up to 8.5:"),
    ],
)
def test_a_rejected_call_is_made_with_versions_that_are_known_to_refuse_it(
    cann: str, told: str
) -> None:
    versions = Versions(SINCE, after="8.1", until="8.5")
    rejection = Rejection("too long", WHOLE, 561002, SINCE, versions=versions)
    assert bool(told) == bool(why := why_not_refused(rejection, device(cann)))
    assert told in why
    assert why_not_refused(replace(rejection, versions=None), device(cann)) == ""


def test_a_call_that_is_carried_out_since_is_rejected_only_where_a_version_is_kept_to() -> None:
    rejection = Rejection(
        "too short", WHOLE, 161001, SINCE, versions=Versions(SINCE, until="9.0"), lifted=True
    )
    told = "carried out since, and rejected up to CANN 9.0: "
    assert why_not_refused(rejection, device("8.5.0", "sim")).startswith(told)
    assert why_not_refused(rejection, None).startswith(told)
    assert why_not_refused(rejection, device("8.5.0")) == ""
    assert "up to CANN 9.0" in why_not_refused(rejection, device("9.1.0"))


def test_a_null_of_moe_token_unpermute_grad_is_rejected_before_cann_9_1_and_carried_out_since() -> (
    None
):
    (record,) = [one for one in operators([]) if one.name == "moe_token_unpermute_grad"]
    bare = next(one for one in record.examples if one.name == "neither tokens nor probabilities")
    null = next(one for one in record.rejections if one.lifted)
    assert [bool(why_withheld(record, bare.case, device(v))) for v in ("9.0", "9.1")] == [
        True,
        False,
    ]
    assert [bool(why_not_refused(null, device(v))) for v in ("9.0", "9.1")] == [False, True]


def test_an_input_of_another_listed_data_type_is_newer_too() -> None:
    (record,) = [one for one in operators([]) if one.name == "moe_token_unpermute_grad"]
    right = next(
        one.case
        for one in record.examples
        if one.case.dtype == "bfloat16"
        and one.case.mode == "whole"
        and one.case.inputs["probs"].dtype == "float32"
    )

    def told(dtype: str) -> str:
        probs = replace(right.inputs["probs"], dtype=dtype)
        case = replace(right, inputs={**right.inputs, "probs": probs})
        return why_withheld(record, case, device("8.1.RC1"))

    assert "probs of another data type: not called with CANN 8.1.RC1" in told("float32")
    assert [told(dtype) for dtype in ("bfloat16", "int32")] == ["", ""]


def test_int8_tokens_are_calls_of_moe_token_permute_that_cann_8_1_is_not_given() -> None:
    (record,) = [one for one in operators([]) if one.name == "moe_token_permute"]
    assert "int8" in record.dtypes
    assert not cell_withheld(record, "whole", "int8", device("8.5.0"))
    assert "CANN 8.1.RC1" in cell_withheld(record, "whole", "int8", device("8.1.RC1"))
    assert not cell_withheld(record, "whole", "float16", device("8.1.RC1"))


def test_slots_without_a_row_are_not_given_to_a_later_moe_token_unpermute_grad() -> None:
    """From the sources of 2026-07 on, such a slot reads and writes beyond the rows."""
    (record,) = [one for one in operators([]) if one.name == "moe_token_unpermute_grad"]
    called = {
        cann: [m.name for m in record.modes if not cell_withheld(record, m.name, "", device(cann))]
        for cann in ("8.5.0", "9.1.0", "unknown")
    }
    assert called["8.5.0"] == ["whole", "uneven", "single"]
    assert called["9.1.0"] == called["unknown"] == ["whole", "single"]
    uneven = next(one.case for one in record.examples if one.name == "no rows, no probs")
    assert why_withheld(record, uneven, device("8.5.0")) == ""
    assert "a slot without a row" in why_withheld(record, uneven, device("9.1.0"))


@pytest.fixture
def toy(tmp_path: Path) -> Run:
    return toy_runs(tmp_path)


TOLD = (
    "by_version, careful: not called with CANN 9.1.0, but up to CANN 8.5:"
    " later ones write beyond y [toy sources]"
)


def test_a_run_leaves_the_mode_out_and_says_so(toy: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANN", "9.1.0")
    ended = toy("--conformance-operator=by_version")
    assert ended.status == 0, ended.output
    evidence = ended.evidence
    assert evidence.withheld == [TOLD]
    assert f"not possible here, not judged: {TOLD}" in ended.output
    assert {cell.mode for cell in evidence.cells} == {"plain"}
    assert (evidence.unjudged, evidence.selected, evidence.declared) == ([], 2, 4)
    assert {line.mode for line in ended.verdicts()} == {"plain"}


def test_a_run_with_a_known_version_makes_all_calls(
    toy: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANN", "8.5.0")
    ended = toy("--conformance-operator=by_version")
    assert ended.status == 0, ended.output
    assert ended.evidence.withheld == []
    assert {line.mode for line in ended.verdicts()} == {"plain", "careful"}


LEFT_OUT = ItemLine(
    worker="main",
    item=f"cases/test_values.py::test_values[{OPERATOR}-late-float16]",
    outcome="withheld",
    reason=TOLD,
)


def test_a_gate_lets_the_run_pass_and_notes_what_is_left_out(tmp_path: Path) -> None:
    npu = npu_line(kind="npu", name="npu:0", cann="9.1.0")
    folder = run(tmp_path / "run", every_cell(LEFT_OUT), on=npu, withheld=[TOLD])
    judgement, text = gate(folder)
    assert judgement.status == ACCEPTED, text
    assert f"not possible on this device, not judged: {TOLD}" in judgement.notes


def test_a_gate_asks_that_lines_and_device_say_so_too(tmp_path: Path) -> None:
    npu = npu_line(kind="npu", name="npu:0", cann="9.1.0")
    alone, _ = gate(run(tmp_path / "alone", on=npu, withheld=[TOLD]))
    assert "other modes that are not called than the lines do" in alone.reasons[0]
    simulated, _ = gate(run(tmp_path / "sim", every_cell(LEFT_OUT), withheld=[TOLD]))
    assert "leaves modes out as on an NPU, but was made on none" in simulated.reasons[0]


def test_shards_of_a_run_leave_out_together_what_each_does(tmp_path: Path) -> None:
    npu = npu_line(kind="npu", name="npu:0", cann="9.1.0")
    late = (OPERATOR, "late", "float16")
    shards = [
        run(
            tmp_path / f"{number}",
            lines,
            on=npu,
            cells=cells,
            withheld=withheld,
            request={"shard": f"{number}/2", "profile": "gate", "seed": "0"},
        )
        for number, lines, cells, withheld in (
            (1, every_cell(), [*CELLS, late], []),
            (2, [LEFT_OUT], [], [TOLD]),
        )
    ]
    merged = merge(shards, tmp_path / "whole")
    assert merged.withheld == [TOLD]
    assert "late" not in {cell.mode for cell in merged.cells}
