"""What the gate says of the work of fixed cases beside the baseline's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.catalogue.message import within
from conformance.evidence.lines import VerdictLine
from conformance.gate.judgement import Judgement
from tests.conformance.gate.asking import accepted, gate
from tests.conformance.gate.runs import every_cell, refused, run, verdict
from tests.snapshots import pinned

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
COUNTS = {"blocks": 4, "mte2_bytes": 1000, "barriers": 10, "chain": 200}


def fixed(number: int = 1, **changed: Any) -> VerdictLine:
    """An accepted case of the corpus with counts."""
    name = f"whole float16 pairs {number:02}"
    told: dict[str, Any] = {"judged_as": "corpus", "name": name, "work": COUNTS}
    return verdict(changed.pop("digest", f"c{number}"), **{**told, **changed})


def beside(
    place: Path, before: list[VerdictLine], now: list[VerdictLine], **asked: Any
) -> tuple[Judgement, str]:
    accepted(place / "b", run(place / "before", every_cell(*before)))
    return gate(run(place / "now", every_cell(*now)), baselines=place / "b", **asked)


def test_the_same_work_is_accepted_without_a_word(tmp_path: Path) -> None:
    judgement, text = beside(tmp_path, [fixed()], [fixed()])
    assert judgement.status == 0
    assert not any(words in text for words in ("more work", "less work", "counts of work"))


def test_more_bytes_are_rejected_and_told_with_the_call_before_and_after(tmp_path: Path) -> None:
    judgement, text = beside(tmp_path, [fixed()], [fixed(work={**COUNTS, "mte2_bytes": 2000})])
    assert judgement.status == 1
    assert (
        "more work  permute: bytes that MTE2 moves: 1,000 -> 2,000 (+100.0%) in"
        " permute/corpus/whole float16 pairs 01; more in 1 of 1 calls" in text
    )


@pytest.mark.parametrize(("now", "status"), [(1010, 0), (1011, 1)])
def test_a_count_may_grow_by_one_percent(tmp_path: Path, now: int, status: int) -> None:
    grown = fixed(work={**COUNTS, "mte2_bytes": now})
    assert beside(tmp_path, [fixed()], [grown])[0].status == status


def test_another_share_may_be_asked_for(tmp_path: Path) -> None:
    grown = fixed(work={**COUNTS, "chain": 230})
    assert beside(tmp_path / "a", [fixed()], [grown], more_work=0.2)[0].status == 0
    assert beside(tmp_path / "b", [fixed()], [grown], more_work=0.1)[0].status == 1


def test_what_was_nothing_and_is_something_is_more(tmp_path: Path) -> None:
    none = fixed(work={**COUNTS, "barriers": 0})
    judgement, text = beside(tmp_path, [none], [fixed()])
    assert judgement.status == 1
    assert "barriers: 0 -> 10 in permute/corpus" in text


def test_the_call_that_grew_most_stands_for_all(tmp_path: Path) -> None:
    before = [fixed(1), fixed(2), fixed(3)]
    now = [
        fixed(1, work={**COUNTS, "chain": 210}),
        fixed(2, work={**COUNTS, "chain": 300}),
        fixed(3),
    ]
    judgement, _ = beside(tmp_path, before, now)
    (finding,) = judgement.findings
    assert (finding.kind, finding.subject) == ("more work", "permute")
    assert finding.message == (
        "longest chain, in instructions: 200 -> 300 (+50.0%) in"
        " permute/corpus/whole float16 pairs 02; more in 2 of 3 calls"
    )
    assert within(finding.message, "zh").startswith("最长依赖链（指令数）：")


def test_less_work_is_noted_and_rejects_nothing(tmp_path: Path) -> None:
    judgement, text = beside(tmp_path, [fixed()], [fixed(work={**COUNTS, "chain": 100})])
    assert judgement.status == 0
    assert "note: permute does less work: longest chain, in instructions: 200 -> 100" in text


def test_fewer_blocks_alone_are_no_more_work(tmp_path: Path) -> None:
    assert beside(tmp_path, [fixed()], [fixed(work={**COUNTS, "blocks": 1})])[0].status == 0


def test_a_baseline_without_counts_is_told_and_rejects_nothing(tmp_path: Path) -> None:
    judgement, text = beside(tmp_path, [fixed(work=None)], [fixed()])
    assert judgement.status == 0
    assert "note: the baseline has no counts of work" in text


def test_a_baseline_of_an_earlier_version_is_read_as_one_without_counts(tmp_path: Path) -> None:
    name = accepted(tmp_path / "b", run(tmp_path / "before", every_cell(fixed())))
    path = tmp_path / "b" / f"{name}.json"
    told = msgspec.json.decode(path.read_bytes())
    del told["facts"]["times"]
    for one in told["facts"]["named"].values():
        del one["work"], one["machine"]
    path.write_bytes(msgspec.json.encode(told))
    more = fixed(work={**COUNTS, "chain": 900})
    judgement, text = gate(run(tmp_path / "now", every_cell(more)), baselines=tmp_path / "b")
    assert judgement.status == 0
    assert "note: the baseline has no counts of work" in text


@pytest.mark.parametrize(
    "other",
    [{"machine": {"cores": 2, "ub_bytes": 4096}}, {"functions": "hashed"}],
    ids=["cores", "functions"],
)
def test_work_on_another_machine_is_not_compared_and_told(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    more = fixed(work={**COUNTS, "chain": 900}, **other)
    judgement, text = beside(tmp_path, [fixed()], [more])
    assert judgement.status == 0
    assert "note: the work of 1 call is not compared: the simulated machine is another" in text


def test_the_order_of_blocks_and_the_schedule_are_no_other_machine(tmp_path: Path) -> None:
    more = fixed(work={**COUNTS, "chain": 900}, block_order="reverse", pipes="late")
    assert beside(tmp_path, [fixed()], [more])[0].status == 1


def test_work_of_other_inputs_or_of_a_failed_call_is_not_compared(tmp_path: Path) -> None:
    more = {**COUNTS, "chain": 900}
    other = fixed(work=more, digest="other")
    assert beside(tmp_path / "a", [fixed()], [other])[0].status == 0
    failed = refused("c1", judged_as="corpus", name="whole float16 pairs 01", work=more)
    kinds = [one.kind for one in beside(tmp_path / "b", [fixed()], [failed])[0].findings]
    assert "more work" not in kinds


def test_the_text_of_more_and_less_work(tmp_path: Path) -> None:
    before = [fixed(number) for number in range(1, 5)]
    now = [
        fixed(1, work={**COUNTS, "mte2_bytes": 2000, "chain": 260}),
        fixed(2, work={**COUNTS, "mte2_bytes": 1500, "chain": 260}),
        fixed(3, work={**COUNTS, "mte2_bytes": 900}),
        fixed(4, machine={"cores": 2, "ub_bytes": 4096}),
    ]
    _, text = beside(tmp_path, before, now)
    pinned(SNAPSHOTS / "gate_more_work.txt", text)
