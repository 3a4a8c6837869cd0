"""The run: what is chosen, what is told, and the digest that tells two answers apart."""

import argparse
import json
from dataclasses import dataclass

import numpy as np
import pytest

from tests.proofs.mutation.digest import digest
from tests.proofs.mutation.outcome import Fate, Outcome
from tests.proofs.mutation.report import decided, line_of, summary, told, write
from tests.proofs.mutation.run import chosen, judged, judging_tests, modules, own_tests


def options(**fields):
    return argparse.Namespace(**{"module": [], "shard": "1/1", "sample": 0, "seed": 0, **fields})


def test_every_module_of_the_judge_is_mutated_and_most_have_tests_of_their_own():
    names = set(modules())
    assert {"conformance.judge.calls", "conformance.numerics.figures"} <= names
    assert not any(name.endswith("__init__") for name in names)
    assert [path.name for path in own_tests("conformance.numerics.bulk")] == ["test_bulk.py"]
    assert {path.name for path in own_tests("conformance.judge.calls")} == {
        "test_calls.py",
        "test_refusals_and_examples.py",
        "test_failure_text.py",
    }
    assert [path.name for path in own_tests("conformance.judge.sums")] == ["test_sums.py"]
    loops = own_tests("conformance.numerics.compiled_sums")
    assert [path.name for path in loops] == ["test_compiled.py"]
    assert set(own_tests("conformance.judge.calls")) <= set(judging_tests())


def test_shards_share_the_mutants_and_a_sample_is_drawn_by_its_seed():
    whole = chosen(options(module=["certificate"]))
    parts = [chosen(options(module=["certificate"], shard=f"{part}/3")) for part in (1, 2, 3)]
    assert sorted(str(mutant) for part in parts for mutant in part) == sorted(map(str, whole))
    one, same, other = (
        chosen(options(module=["figures"], sample=5, seed=seed)) for seed in (3, 3, 4)
    )
    assert len(one) == 5
    assert one == same != other


def test_what_an_earlier_run_decided_is_kept_and_its_survivors_are_judged_again(tmp_path):
    found = chosen(options(module=["certificate"], sample=4))
    fates = (Fate.SURVIVED, Fate.UNSEEN, Fate.SURVIVED, Fate.KILLED)
    earlier = [Outcome(one, fate, "sums") for one, fate in zip(found, fates, strict=True)]
    listed = tmp_path / "mutants.jsonl"
    lines = [*map(line_of, earlier), line_of(Outcome(found[0], Fate.KILLED, "", "a test"))]
    listed.write_text("\n".join(lines))
    kept = [Outcome(found[0], Fate.KILLED, "", "a test"), earlier[1], earlier[3]]
    assert decided(listed, found) == kept
    assert decided(listed, found[2:]) == [earlier[3]]


def test_an_unknown_module_is_refused_with_those_that_are_known():
    with pytest.raises(SystemExit, match="--module nothing: must be one of calls, effects"):
        chosen(options(module=["nothing"]))


def test_a_report_counts_and_lists(tmp_path):
    found = chosen(options(module=["certificate"], sample=3))
    fates = (Fate.KILLED, Fate.SURVIVED, Fate.UNSEEN)
    outcomes = [Outcome(one, fate, "sums") for one, fate in zip(found, fates, strict=True)]
    row = summary(outcomes, 1.0).splitlines()[1]
    assert row.split() == ["certificate", "3", "2", "1", "1", "1"]
    assert told(outcomes)[0].endswith("killed, differs in sums")
    write(outcomes, tmp_path)
    assert len((tmp_path / "mutants.jsonl").read_text().splitlines()) == 3
    listed = (tmp_path / "mutants.md").read_text()
    assert "## Survived: 1" in listed
    assert "## Unseen by the corpus: 1" in listed


@dataclass
class Failing:
    """A bench that fails behind its first mutant."""

    first: Outcome

    def judge(self, mutant):
        if mutant == self.first.mutant:
            return self.first
        raise RuntimeError("stopped")


def test_a_run_that_is_stopped_leaves_what_it_found(tmp_path):
    first, last = chosen(options(module=["certificate"], sample=2))
    bench = Failing(Outcome(first, Fate.KILLED, "sums", "test_x"))
    with pytest.raises(RuntimeError, match="stopped"):
        judged(bench, [first, last], 1, tmp_path / "new")
    (line,) = (tmp_path / "new" / "mutants.jsonl").read_text().splitlines()
    assert json.loads(line) == {
        "module": first.module,
        "line": first.line,
        "operator": first.operator,
        "occurrence": first.occurrence,
        "fate": "killed",
        "seen": "sums",
        "by": "test_x",
    }


def test_answers_that_differ_have_digests_that_differ():
    answers = [
        np.zeros(2),
        np.zeros((2, 1)),
        np.zeros(2, np.float32),
        np.array([0.0, -0.0]),
        [0.0, 0.0],
        [[0.0], 0.0],
        "x",
        ValueError("x"),
        TypeError("x"),
        {"x": 1},
        {"x": 2},
        {1, 2},
        None,
    ]
    assert len({digest(answer) for answer in answers}) == len(answers)
    assert digest([np.arange(3), {"a": (1, 2)}]) == digest([np.arange(3), {"a": (1, 2)}])
