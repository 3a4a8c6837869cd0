"""Runs judge regressions first, then the frozen corpus, and tell both by their names."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.cli.main import main
from conformance.devices.device import Device
from conformance.evidence.lines import VerdictLine, read_lines
from conformance.evidence.reading import read_run
from conformance.evidence.summary import read_evidence
from conformance.failure.bundle.read import read_bundle
from conformance.failure.replay import Replay, judgement
from conformance.frozen.attach import attached
from conformance.frozen.regressions import promote, read_regressions
from conformance.gate.facts import facts
from conformance.record.frozen import frozen_now
from conformance.record.operator import Operator
from conformance.session.judge_frozen import judge_frozen
from conformance.session.trial import BrokenRecord
from conformance.suite import records as suite
from tests.conformance.failure.bundle.bundles import CASE, bundle
from tests.conformance.front_door import HERE, NAME, ON_SIMULATOR, Ended, conformance
from tests.conformance.wrong.first_slot_only import OPERATOR as FIRST_SLOT_ONLY
from tests.conformance.wrong.first_slot_only import renamed

WRONG = "first_slot_only"
LINK = "https://github.com/owner/kernels/issues/12"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of records with a regression of an operator of the suite."""
    folder = tmp_path_factory.mktemp("records")
    shutil.copy(HERE / "wrong" / f"{WRONG}.py", folder)
    promote(folder / "regressions", Replay(CASE), "a row too late", "it was wrong once")
    return folder


@pytest.fixture(scope="module")
def gate(records: Path) -> tuple[Ended, Path]:
    """Regressions and corpus of one operator, in the gate's profile."""
    return judged(records, "gate", "--operator", NAME)


def judged(records: Path, profile: str, *chosen: str) -> tuple[Ended, Path]:
    out = records.parent / f"{records.name}-{profile}"
    ended = conformance(
        *("run", *ON_SIMULATOR, "--profile", profile, "--operators", str(records), *chosen),
        *("--out", str(out), "-n", "0", "--", "-k", "corpus or regressions or examples"),
        folder=records,
    )
    return ended, out


def verdicts(out: Path) -> list[VerdictLine]:
    return [line for line in read_lines(out) if isinstance(line, VerdictLine)]


def test_regressions_run_first_and_the_corpus_before_all_others(gate: tuple[Ended, Path]) -> None:
    ended, out = gate
    assert ended.status == 0, ended.err
    kinds = [line.judged_as for line in verdicts(out)]
    assert list(dict.fromkeys(kinds)) == ["regression", "corpus", "example"]
    own = attached((OPERATOR,), [], corpus=False).operators[0].regressions
    assert kinds.count("regression") == len(own) + 1


def test_verdicts_carry_the_names_of_their_cases(gate: tuple[Ended, Path]) -> None:
    _, out = gate
    kept = attached((OPERATOR,), [], corpus=True).operators[0]
    told = {line.name: line.digest for line in verdicts(out) if line.judged_as == "corpus"}
    assert told == {one.name: one.digest for one in kept.corpus}
    told = {line.name: line.digest for line in verdicts(out) if line.judged_as == "regression"}
    mine = {one.name: one.digest for one in kept.regressions}
    assert told == {**mine, "a row too late": CASE.digest}


def test_the_run_tells_the_version_of_the_corpus_and_the_gate_keys_by_it(
    gate: tuple[Ended, Path],
) -> None:
    _, out = gate
    evidence = read_evidence(out)
    assert evidence is not None
    kept = attached((OPERATOR,), [], corpus=True)
    assert evidence.provenance["corpus"] == kept.corpus
    found = facts(read_run(out))
    assert found.key.corpus == kept.corpus
    assert f"{NAME}/regression/a row too late" in found.named
    frozen = [name for name in found.named if name.startswith(f"{NAME}/corpus/")]
    assert len(frozen) == len(kept.operators[0].corpus)


def test_smoke_judges_regressions_and_no_corpus(records: Path) -> None:
    ended, out = judged(records, "smoke", "--operator", NAME)
    assert ended.status == 0, ended.err
    assert next(line.judged_as for line in verdicts(out)) == "regression"
    assert {line.judged_as for line in verdicts(out)} == {"regression", "example"}
    evidence = read_evidence(out)
    assert evidence is not None
    assert evidence.provenance["corpus"] is None
    assert evidence.provenance["regressions"] is not None


def test_a_refused_call_becomes_a_regression_that_every_run_refuses_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From a failure's bundle to a file, and from that to the next run's failure."""
    mine = tmp_path / "records"
    mine.mkdir()
    shutil.copy(HERE / "wrong" / f"{WRONG}.py", mine)
    refused = bundle(tmp_path / "b", wrongly_judged(), FIRST_SLOT_ONLY)
    asked = ["replay", str(refused), *ON_SIMULATOR, "--operators", str(mine), "--promote"]
    asked += ["--name", "only the first slot", "--why", "the reference is wrong on purpose"]
    asked += ["--link", LINK]
    assert main(asked) == 1
    assert "only the first slot.json (" in capsys.readouterr().err
    ((kept,),) = read_regressions(mine / "regressions").values()
    assert (kept.name, kept.why) == ("only the first slot", "the reference is wrong on purpose")
    assert kept.links == (LINK,)
    assert kept.digest == wrongly_judged().digest
    ended, out = judged(mine, "smoke", "--operator", WRONG)
    assert ended.status == 1
    evidence = read_evidence(out)
    assert evidence is not None
    (failure,) = evidence.failures
    assert failure.item.endswith(f"test_regressions[{WRONG}-only_the_first_slot]")
    assert failure.links == [LINK]
    for line in (
        "called: only the first slot",
        "reference is wrong on purpose",
        f"reported: {LINK}",
    ):
        assert line in failure.text
    assert f'<a href="{LINK}"' in (out / "report.html").read_text()
    again = ["replay", str((out / failure.case).parent), *ON_SIMULATOR]
    assert main([*again, "--operators", str(mine)]) == 1
    assert "the outputs are those of then, byte for byte" in capsys.readouterr().err
    assert main(asked) == 2
    assert "name is 'only the first slot': is taken" in capsys.readouterr().err


def wrongly_judged() -> Case:
    """A case of the record that is wrong on purpose."""
    case = renamed(CASE)
    inputs, outputs = dict(case.inputs), dict(case.outputs)
    inputs["grad_expanded_x"] = replace(inputs["grad_expanded_x"], dtype="float32")
    outputs["grad_x"] = replace(outputs["grad_x"], dtype="float32")
    return replace(case, dtype="float32", inputs=inputs, outputs=outputs)


class NoDevice:
    """Nothing may be called."""

    def run(self, operator: Operator, case: Case) -> Observation:
        raise AssertionError("the call was made")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"digest": "0" * 16}, f"has digest {CASE.digest}, frozen was 0000000000000000"),
        (
            {"case": replace(CASE, attributes={**CASE.attributes, "top_k": 4})},
            "grad_x.shape is (4, 10); it must be 2 rows of 10 columns",
        ),
        ({"case": replace(CASE, mode="sideways")}, "mode is sideways; it must be one of"),
    ],
)
def test_a_case_that_is_not_what_was_frozen_is_not_called(
    changed: dict[str, Any], words: str
) -> None:
    frozen = replace(frozen_now("a row too late", CASE, "regression"), **changed)
    with pytest.raises(BrokenRecord, match=f"regression a row too late.*{re.escape(words)}"):
        judge_frozen(frozen, OPERATOR, cast(Device, NoDevice()))


def test_a_bundle_of_a_frozen_case_is_judged_as_its_contract_says(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b", CASE, OPERATOR, judged_as="corpus", name="a name")
    read = read_bundle(folder)
    operator, _ = judgement(read.replay, {OPERATOR.name: OPERATOR})
    assert (operator.name, read.manifest.accepted["grad_x"].kind) == (NAME, "ranges")


def test_what_the_suite_keeps_is_accepted_of_its_own_kernels(tmp_path: Path) -> None:
    gate = ("run", *ON_SIMULATOR, "--profile", "gate", "--out", str(tmp_path / "out"), "-n", "0")
    ended = conformance(*gate, "--", "-k", "corpus or regressions", folder=tmp_path)
    assert ended.status == 0, ended.err
    lines = [line for line in read_lines(tmp_path / "out") if isinstance(line, VerdictLine)]
    assert {line.judged_as for line in lines} == {"corpus", "regression"}
    assert len({line.operator for line in lines}) == len(suite.operators())
