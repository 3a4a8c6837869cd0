"""Clauses without a document: unconfirmed where contradicted, measured once accepted."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np
import pytest

from conformance.call.case import Case, Tensor
from conformance.call.observation import Diagnostic, GuardDamage, Observation, Outcome
from conformance.evidence.lines import LONGEST_ATTRIBUTE, Place, VerdictLine, verdict_line
from conformance.evidence.reading import read_run
from conformance.gate.measured import measured
from conformance.gate.waivers import names_in
from conformance.judge.judged import Judged
from conformance.judge.verdict import OutputVerdict, Verdict
from conformance.record.clause import Clause, SourceClass
from conformance.record.contract import Copy, Varying
from conformance.record.operator import Operator
from tests.conformance.gate.runs import OPERATOR, every_cell, refused, run, verdict

DOCUMENTED = Clause("rows are moved", "a document", SourceClass.DOCUMENT)
READ = Clause("ties keep order", "a source", SourceClass.SOURCE_READ)
GUESSED = Clause("tails are zero", "nothing", SourceClass.INFERRED)
REFUSED = Clause("E = 0 is refused", "a source", SourceClass.SOURCE_READ)
CASE = Case(
    operator="copying",
    mode="plain",
    dtype="float32",
    attributes={
        "times": np.int64(2),
        "none": None,
        "range": (np.int64(1), 2),
        "long": (1,) * 99,
        "eps": 1e-6,
        "scale": math.inf,
        "no": np.float64(math.nan),
    },
    inputs={"x": Tensor((2, 3), "float32", (0,) * 6)},
    outputs={"y": Tensor((), "float32")},
)


def line(*clauses: Clause, observation: Observation | None = None, **changed: Any) -> VerdictLine:
    """The line of a verdict whose outputs break these clauses."""
    outputs = {
        f"y{at}": OutputVerdict(f"y{at}", False, clause, "interval", 1, 0, 1)
        for at, clause in enumerate(clauses)
    }
    seen = Observation(Outcome.COMPLETED) if observation is None else observation
    verdict = Verdict(False, "wrong", outputs, **changed)
    judged = Judged(CASE, seen, verdict, "example", "a name")
    return verdict_line(judged, Place("main", "t::t[x]", "t"), phase="generate", seconds=0.1)


def test_a_line_has_what_a_predicate_asks_for() -> None:
    made = line()
    assert made.attributes == {
        "times": 2,
        "none": None,
        "range": (1, 2),
        "eps": 1e-6,
        "scale": "inf",
        "no": "nan",
    }
    again = msgspec.json.decode(msgspec.json.encode(made), type=VerdictLine)
    assert again.attributes == made.attributes
    names = names_in(again)
    assert (names["times"], names["eps"], names["scale"]) == (2, 1e-6, math.inf)
    assert math.isnan(names["no"])
    assert len(CASE.attributes["long"]) > LONGEST_ATTRIBUTE
    assert made.shapes == {"x": (2, 3), "y": ()}
    assert made.name == "a name"


def test_a_line_has_what_the_call_took() -> None:
    seen = Observation(Outcome.COMPLETED, workspace_bytes=64, seconds=0.5, tiling_key=7)
    made = line(observation=seen)
    assert (made.workspace_bytes, made.call_seconds, made.tiling_key) == (64, 0.5, 7)


def test_a_verdict_that_contradicts_no_document_is_unconfirmed() -> None:
    assert line(READ, GUESSED).unconfirmed == ("ties keep order", "tails are zero")
    assert line(clause=REFUSED).unconfirmed == ("E = 0 is refused",)


@pytest.mark.parametrize(
    "made",
    [
        line(),
        line(DOCUMENTED),
        line(READ, DOCUMENTED),
        line(READ, observation=Observation(Outcome.COMPLETED, inputs_changed=("x",))),
        line(READ, observation=Observation(Outcome.COMPLETED, unwritten={"y": 1})),
        line(
            READ,
            observation=Observation(Outcome.COMPLETED, guard_damage=(GuardDamage("y", 0, 1),)),
        ),
        line(
            READ,
            observation=Observation(
                Outcome.COMPLETED, diagnostics=(Diagnostic("race", "error", "two at once"),)
            ),
        ),
    ],
)
def test_a_verdict_with_anything_else_wrong_is_no_doubt(made: VerdictLine) -> None:
    assert made.unconfirmed == ()


def record(**changed: Any) -> Operator:
    """What of a record has clauses."""
    told = {
        "name": OPERATOR,
        "contracts": {
            "y": Copy(DOCUMENTED),
            "z": Varying(lambda case: "one", {"one": Copy(READ), "two": Copy(GUESSED)}),
        },
        "rejections": (SimpleNamespace(name="no experts", clause=REFUSED),),
        **changed,
    }
    return cast("Operator", SimpleNamespace(**told))


def found(place: Path, *more: VerdictLine) -> list[str]:
    return measured(read_run(run(place, every_cell(*more))), [record()])


def test_what_was_judged_and_not_contradicted_is_measured(tmp_path: Path) -> None:
    assert found(tmp_path / "run") == ["permute: tails are zero", "permute: ties keep order"]


def test_a_contradicted_clause_is_not_measured(tmp_path: Path) -> None:
    doubted = refused(unconfirmed=("ties keep order",))
    assert found(tmp_path / "run", doubted) == ["permute: tails are zero"]


def test_a_rejection_is_measured_where_its_call_was_made(tmp_path: Path) -> None:
    made = verdict("r", judged_as="rejection", name="no experts", item="t::t[r]")
    assert "permute: E = 0 is refused" in found(tmp_path / "run", made)
    away = replace_outcome(made)
    assert "permute: E = 0 is refused" not in found(tmp_path / "other", away)


def test_an_operator_that_fails_for_another_reason_measures_nothing_of_its_outputs(
    tmp_path: Path,
) -> None:
    assert found(tmp_path / "run", refused()) == []


def test_another_operators_clauses_are_not_measured(tmp_path: Path) -> None:
    lines = every_cell()
    assert measured(read_run(run(tmp_path / "run", lines)), [record(name="other")]) == []


def replace_outcome(line: VerdictLine) -> VerdictLine:
    """The same call, which the device could not make."""
    return msgspec.structs.replace(line, outcome=Outcome.NOT_POSSIBLE.value)
