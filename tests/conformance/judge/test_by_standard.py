"""Summed outputs judged by published standards: the gate, the rulings, the prescribed data."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.call.observation import Outcome
from conformance.errors import UsageError
from conformance.evidence.lines import VerdictLine
from conformance.evidence.summary import standard_rows
from conformance.judge.by_standard import OURS, ByStandard, by_standard, rulings
from conformance.judge.calls import judge
from conformance.record.contract import Copy
from conformance.standards import STANDARDS, Kind, Ruling, StandardVerdict
from conformance.values.fill import Fill
from conformance.values.prescribed import PRESCRIBED
from tests.conformance.front_door import ONE_OPERATOR
from tests.conformance.segment_sum import SUM, case, observe, operator
from tests.waiting import HANGS

ROOT = Path(__file__).resolve().parents[3]
ALL = tuple(STANDARDS)
CASE = case([[1.0], [2.0**-11], [2.0**-11]], [[0, 1, 2]])
RIGHT, WRONG = [[1.0 + 2.0**-10]], [[1.0 + 2.0**-8]]


def observation(made, y):
    """A completed call that answered the numbers `y`."""
    return observe(np.array(y, np.float32).astype(made.dtype))


def reconsidered(y, *, names=("ecosystem-v2",), gate="ecosystem-v2", **fields):
    seen = replace(observation(CASE, y), **fields)
    verdict = judge(operator(), CASE, seen)
    return verdict, ByStandard(names, gate).reconsider(operator(), CASE, seen, verdict)


def test_golden_and_benchmark_are_the_formula_in_float64_and_float32():
    seen = []
    spy = replace(STANDARDS["ecosystem-v1"], name="spy", rule=lambda c: seen.append(c) or told())

    def told():
        return StandardVerdict(Ruling.ACCEPTS, {}, "seen")

    small = case([[1.0], [2.0**-30], [-1.0]], [[0, 1, 2]], "float32")
    found = rulings([spy], operator(), small, observation(small, [[0.0]]))
    assert found["y"]["spy"].ok
    assert seen[0].golden.tolist() == [2.0**-30]
    assert seen[0].b.tolist() == [0.0]


def test_a_gate_that_accepts_leaves_the_verdict_alone():
    before, after = reconsidered(RIGHT)
    assert after.ok
    assert after.headline == before.headline
    assert after.standards == {OURS: "accepts", "ecosystem-v2": "accepts"}


def test_a_gate_that_rejects_refuses_a_case_that_the_suite_accepts():
    """What is left of 1 + 2^-30 - 1 depends on the order; numpy's defaults allow one value."""
    cancelling = case([[1.0], [2.0**-30], [-1.0]], [[0, 1, 2]], "float32")
    seen = observation(cancelling, [[0.0]])
    verdict = judge(operator(), cancelling, seen)
    after = ByStandard(("numpy-testing",), "numpy-testing").reconsider(
        operator(), cancelling, seen, verdict
    )
    assert verdict.ok
    assert not after.ok
    assert after.headline.endswith("; numpy-testing rejects for y: mismatched elements 1 not <= 0.")
    assert after.standards == {OURS: "accepts", "numpy-testing": "rejects"}


def test_a_gate_that_accepts_makes_nothing_right():
    before, after = reconsidered(WRONG, names=("ttk-cosine",), gate="ttk-cosine")
    assert not before.ok
    assert not after.ok
    assert after.headline == before.headline
    assert after.standards == {OURS: "rejects", "ttk-cosine": "accepts"}


def test_without_a_gate_standards_only_tell():
    before, after = reconsidered(WRONG, names=ALL, gate=None)
    assert replace(after, standards={}) == before
    assert set(after.standards) == {OURS, *ALL}


def test_a_call_that_did_not_complete_is_shown_to_no_standard():
    before, after = reconsidered(RIGHT, outcome=Outcome.CRASHED)
    assert after == before


def test_an_output_of_another_shape_is_shown_to_no_standard():
    seen = observation(CASE, RIGHT)
    misfit = replace(seen, outputs={"y": seen.outputs["y"].reshape(1)})
    assert rulings(STANDARDS.values(), operator(), CASE, misfit) == {}


def test_a_gate_must_be_a_standard_that_speaks_of_the_operators_sums():
    assert by_standard("commercial-l1", False, [operator()]).names == ("commercial-l1",)
    assert by_standard(None, True, [operator()]).names == ALL
    assert by_standard("commercial-l1", True, [operator()]).gate == "commercial-l1"
    assert not by_standard(None, False, [operator()]).names
    with pytest.raises(UsageError, match="ecosystem-v2"):
        by_standard("ecosystem", False, [operator()])
    with pytest.raises(UsageError, match="says nothing of computed floats"):
        by_standard("commercial-move", False, [operator()])
    moved = replace(operator(), contracts={"y": Copy(SUM)})
    with pytest.raises(UsageError, match=f"and no output of {moved.name} is one"):
        by_standard("commercial-l1", False, [moved])
    assert by_standard("commercial-l1", False, [moved, operator()]).gate == "commercial-l1"
    with pytest.raises(UsageError, match="of float64"):
        by_standard("ecosystem-v2", False, [replace(operator(), dtypes=("float64",))])


def test_a_gate_tells_how_its_data_is_drawn():
    assert "data: half the cases" in by_standard("ecosystem-v2", False, [operator()]).words
    assert "formula only" in by_standard("torch-testing", False, [operator()]).words
    assert by_standard(None, True, [operator()]).words == ""


def test_a_gate_that_prescribes_data_draws_every_filled_input():
    filled = replace(CASE.inputs["x"], values=None, fill=Fill(("lattice", "special"), 7, 3))
    drawn = replace(CASE, inputs={**CASE.inputs, "x": filled})
    judges = by_standard("ecosystem-v2", False, [operator()])
    assert judges.prescribes
    prescribed = judges.prescribe(drawn)
    assert prescribed.inputs["x"].fill == Fill(("ecosystem-v2",), 7, 3)
    assert prescribed.inputs["rows"] == CASE.inputs["rows"]
    assert np.isfinite(prescribed.arrays["x"].astype(float)).all()
    assert not by_standard("torch-testing", False, [operator()]).prescribes


def prescribed(name, seed):
    """The values that a gate draws for a recipe of that seed, and the family."""
    filled = replace(CASE.inputs["x"], values=None, fill=Fill(("lattice",), seed, 3))
    drawn = by_standard(name, False, [operator()]).prescribe(
        replace(CASE, inputs={**CASE.inputs, "x": filled})
    )
    return drawn.arrays["x"].astype(float), drawn.inputs["x"].fill.stripes


def test_special_inputs_that_a_standard_lists_are_drawn_for_one_seed_in_sixteen_in_turn():
    drawn = [prescribed("ecosystem-v2", seed) for seed in (15, 31, 47, 63, 79)]
    assert np.isnan(drawn[0][0]).all()
    assert (drawn[1][0] == np.inf).all()
    assert (drawn[2][0] == -np.inf).all()
    assert set(drawn[3][0].ravel().tolist()) == {-np.inf, np.inf}
    assert np.isnan(drawn[4][0]).all()
    names = [family for _, (family,) in drawn]
    assert names[0] == names[4] == "ecosystem-v2 all nan"
    assert names[3] == "ecosystem-v2 all -inf/inf"
    assert np.isfinite(prescribed("ecosystem-v2", 14)[0]).all()


def test_a_standard_that_lists_no_special_inputs_draws_none_and_says_so():
    for seed in range(64):
        values, stripes = prescribed("commercial-l1", seed)
        assert not np.isnan(values).any()  # an outlier in float16 may be infinite
        assert stripes == ("commercial-l1",)
    words = by_standard("commercial-l1", False, [operator()]).words
    assert words.endswith("; no special values are listed")
    words = by_standard("ecosystem-v2", False, [operator()]).words
    assert words.endswith("; one input in 16 is all nan, inf, -inf, -inf/inf")


@pytest.mark.parametrize("seed", [15, 31, 47, 63])
def test_right_sums_of_special_inputs_are_accepted_and_a_finite_one_is_not(seed):
    """One term, so that the sum is the value itself."""
    values, _ = prescribed("ecosystem-v2", seed)
    made = case(values.tolist(), [[0]])
    right = observation(made, values[:1])
    assert rulings([STANDARDS["ecosystem-v2"]], operator(), made, right)["y"]["ecosystem-v2"].ok
    wrong = observation(made, np.ones_like(values[:1]))
    assert not rulings([STANDARDS["ecosystem-v2"]], operator(), made, wrong)["y"]["ecosystem-v2"].ok


def test_every_standard_with_data_is_a_family_and_so_is_each_of_its_special_cases():
    with_data = {name: one.data for name, one in STANDARDS.items() if one.data}
    assert set(with_data) <= set(PRESCRIBED)
    assert len(PRESCRIBED) == sum(1 + len(data.special) for data in with_data.values())
    assert all(Kind.COMPUTED in STANDARDS[name].kinds for name in with_data)


def line(digest, ours, theirs, phase="generate"):
    return VerdictLine(
        worker="main",
        item="x",
        template="x",
        judged_as="values",
        operator="x",
        mode="x",
        dtype="float16",
        digest=digest,
        phase=phase,
        ok=True,
        step="interval",
        elements=1,
        exact=1,
        headroom=None,
        seconds=0.0,
        headline=None,
        machine=None,
        outcome="completed",
        diagnostics=(),
        standards={OURS: ours, "other": theirs},
    )


def test_rows_count_distinct_cases_and_where_a_standard_differs_from_the_suite():
    lines = [
        line("a", "accepts", "accepts"),
        line("a", "accepts", "accepts"),
        line("b", "accepts", "rejects"),
        line("c", "rejects", "accepts"),
        line("d", "rejects", "investigate"),
        line("e", "accepts", "says nothing"),
        line("f", "rejects", "accepts", phase="shrink"),
    ]
    ours, other = standard_rows(lines)
    assert (ours.name, ours.accepts, ours.rejects, ours.lenient, ours.harsh) == (OURS, 3, 2, 0, 0)
    assert (other.accepts, other.rejects, other.investigate, other.silent) == (2, 1, 1, 1)
    assert (other.lenient, other.harsh) == (1, 1)


def run(folder, *arguments):
    command = [sys.executable, "-m", "conformance", "run", *ONE_OPERATOR, *arguments]
    return subprocess.run(
        [*command, "--", "-k", "dropless-float32"],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )


@pytest.mark.slow
def test_a_run_gates_by_a_standard_on_its_data_and_tells_what_all_say(tmp_path):
    done = run(tmp_path, "--standard", "ecosystem-v2", "--standards")
    assert done.returncode == 0, done.stderr
    assert "standard: ecosystem-v2, 2026-07-15" in done.stderr
    assert "too lenient" in done.stderr
    evidence = json.loads((tmp_path / "reports" / "latest" / "evidence.json").read_text())
    assert evidence["standard"].startswith("standard: ecosystem-v2")
    rows = {row["name"]: row for row in evidence["standards"]}
    assert set(rows) == {OURS, *ALL}
    assert rows["ecosystem-v2"]["accepts"] == rows[OURS]["accepts"] > 100


def test_a_run_that_a_standard_refuses_fails_and_its_replay_line_names_the_standard(tmp_path):
    done = run(tmp_path, "--standard", "numpy-testing")
    assert done.returncode == 1, done.stderr
    assert "numpy-testing rejects for grad_x" in done.stderr
    assert "--standard numpy-testing" in done.stderr
    case_file = next((tmp_path / "reports" / "latest" / "failures").glob("*/case.json"))
    again = run(tmp_path, "--case", str(case_file), "--standard", "numpy-testing")
    assert again.returncode == 1, again.stderr
    assert run(tmp_path, "--case", str(case_file)).returncode == 0
