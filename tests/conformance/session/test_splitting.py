"""Items are split so that shards take equally long, and parts judge what the whole judges."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conformance.evidence.lines import ItemLine, read_lines
from conformance.evidence.part import Part
from conformance.evidence.summary import Evidence
from conformance.gate.merge import merge
from conformance.names import unmarked
from conformance.session.splitting import parts_by_seconds
from tests.conformance.toy_runs import Ended, Run, toy_runs

CELLED = ("--conformance-operator=celled", "--conformance-operator=copying")
Judged = Counter[tuple[str, str, str]]


def judged(ended: Ended) -> Judged:
    """How often an item judged a case in each phase."""
    return Counter((unmarked(one.item), one.digest, one.phase) for one in ended.verdicts())


def items(ended: Ended) -> list[str]:
    return [one.item for one in read_lines(ended.out) if isinstance(one, ItemLine)]


def figures(evidence: Evidence) -> list[object]:
    told = [(c.operator, c.mode, c.dtype, c.cases, c.elements, c.complete) for c in evidence.cells]
    return [told, evidence.coverage, evidence.cases, evidence.selected, evidence.exit_status]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """A run whose items are not split."""
    return toy_runs(tmp_path_factory.mktemp("whole"))(*CELLED)


@pytest.mark.parametrize("seconds", [[10.0] * 41, [100.0, 1, 1, 1], [5.0, 0.0], [0.0, 0.0]])
def test_no_part_takes_more_than_a_fifth_of_a_shard(seconds: list[float]) -> None:
    counts = parts_by_seconds(dict(enumerate(seconds)), shards=8)
    assert set(counts) == {*range(len(seconds))}
    longest = max(spent / counts[group] for group, spent in enumerate(seconds))
    assert longest <= 0.2 * sum(seconds) / 8
    assert all(counts[group] == 1 for group, spent in enumerate(seconds) if not spent)


def test_parts_in_one_run_judge_what_the_whole_judges(whole: Ended, run: Run) -> None:
    split = run(*CELLED, "--conformance-split=3")
    assert judged(split) == judged(whole)
    assert figures(split.evidence) == figures(whole.evidence)
    parts = Counter(str(Part.of_item(name)) for name in items(split))
    assert parts == {"1of3": 5, "2of3": 5, "3of3": 5}


def test_shards_of_parts_are_the_whole_when_they_are_merged(
    whole: Ended, run: Run, tmp_path: Path
) -> None:
    shards = []
    for index in (1, 2):
        ended = run(*CELLED, "--conformance-split=3", f"--conformance-shard={index}/2")
        assert ended.status == 0, ended.output
        assert "not judged" not in ended.output
        shards.append(ended.out.rename(tmp_path / f"shard{index}"))
    merged = merge(shards, tmp_path / "out")
    assert figures(merged) == figures(whole.evidence)
    assert judged(Ended(0, "", tmp_path / "out")) == judged(whole)


def test_a_nightly_is_split_among_its_shards_and_a_whole_one_is_not(run: Run) -> None:
    nightly = ("--conformance-profile=nightly", "--collect-only")
    split = run(*nightly, "--conformance-shard=2/5").output
    assert "[copying-plain-int32#" in split
    assert "#" not in run(*nightly).output
    assert "#" not in run("--collect-only", "--conformance-shard=2/5").output


def test_items_are_split_by_the_seconds_of_an_earlier_run(run: Run, tmp_path: Path) -> None:
    case = '<testcase classname="c" name="test_copies[copying-{}-int32]" time="{}"/>'
    cases = case.format("plain", 90) + case.format("careful", 1)
    (tmp_path / "junit.xml").write_text(f"<testsuites>{cases}</testsuites>")
    told = run(
        "--collect-only", "--conformance-shard=1/2", f"--conformance-times={tmp_path}"
    ).output
    assert "#" in told


@pytest.mark.parametrize("parts", ["0", "-1", "1000", "x", "2.0"])
def test_a_wrong_number_of_parts_is_refused(run: Run, parts: str) -> None:
    ended = run(f"--conformance-split={parts}")
    assert ended.status == 4
    assert f"split is '{parts}': allowed: integers from 1 to 999" in ended.output
