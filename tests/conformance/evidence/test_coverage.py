"""Coverage: what the judged cases show of the discrete cells, and what is missing."""

from __future__ import annotations

import zlib
from base64 import b64encode
from dataclasses import replace

import msgspec
import pytest

from conformance.draw.profiles import PROFILES
from conformance.draw.shared_rows import Shared
from conformance.errors import ACCEPTED, REFUSED
from conformance.evidence import combinations
from conformance.evidence.coverage import Coverage, Key, coverage
from conformance.evidence.exit_status import exit_status
from conformance.evidence.lines import VerdictLine
from conformance.evidence.summary import COUNTED, Evidence
from conformance.gate.joined_coverage import joined
from conformance.record.tuples import feasible_tuples
from conformance.text.terminal import coverage_lines
from tests.conformance.evidence.test_summary import line
from tests.conformance.record.test_cells import CELLS

KEY = ("copying", "plain", "float32")
ROWS = CELLS.rows(2)
SMOKE = PROFILES["smoke"]


def judged(digest: str, phase: str = "generate", **levels: str) -> VerdictLine:
    shown = {name: tuple(level.split()) for name, level in levels.items()}
    return msgspec.structs.replace(line(digest, phase), levels=shown)


def lines_of(rows: list[dict[str, str]]) -> list[VerdictLine]:
    return [judged(str(number), **row) for number, row in enumerate(rows)]


def found(lines: list[VerdictLine], strength: int = 2) -> Evidence:
    return Evidence(
        cases=1,
        coverage=coverage(
            lines, {KEY: Shared({KEY[2]: CELLS})}, replace(SMOKE, strength=strength), COUNTED
        ),
    )


def test_the_rows_of_the_covering_array_leave_nothing_missing() -> None:
    evidence = found(lines_of(ROWS))
    assert evidence.coverage[0].missing == []
    assert evidence.coverage[0].tuples == 5 + 9 + 6, "but for the big plum, every pair"
    assert exit_status(evidence) == ACCEPTED
    assert next(coverage_lines(evidence)).startswith(
        "discrete cells: 20 of 20 pairs of levels judged; fewest cases: "
    )


@pytest.mark.parametrize("left_out", range(3))
def test_a_pair_that_no_case_shows_is_named_and_fails_the_run(left_out: int) -> None:
    row = ROWS[left_out]
    kept = [one for one in ROWS if (one["fruit"], one["size"]) != (row["fruit"], row["size"])]
    evidence = found(lines_of(kept))
    assert f"fruit {row['fruit']}, size {row['size']}" in evidence.coverage[0].missing
    assert exit_status(evidence) == REFUSED
    said = list(coverage_lines(evidence))
    assert f"not judged: plain float32: fruit {row['fruit']}, size {row['size']}" in said


def test_what_only_calls_show_that_were_not_possible_is_neither_judged_nor_missing() -> None:
    """Of two rows with as many pairs one is not made: its own pairs are not those of the run."""
    rows = lines_of(ROWS)
    made = found([rows[0], *rows[2:]]).coverage[0]
    away = msgspec.structs.replace(rows[1], outcome="not possible here")
    (one,) = found([rows[0], away, *rows[2:]]).coverage
    assert made.missing
    assert one.missing == []
    assert (one.tuples, one.judged) == (20 - len(made.missing), 20 - len(made.missing))
    assert one.levels == made.levels
    again = judged("again", **ROWS[1])
    assert found([*rows, away, again]).coverage[0].judged == 20


def test_a_case_covers_every_combination_of_the_levels_that_it_shows() -> None:
    one = judged("a", fruit="apple pear", size="small big", count="one")
    (covered,) = found([one]).coverage
    assert covered.tuples - len(covered.missing) == 4 + 2 + 2
    assert covered.levels["fruit"] == {"apple": 1, "pear": 1, "plum": 0}


def test_pairs_do_not_stand_for_triples() -> None:
    (covered,) = found(lines_of(ROWS), strength=3).coverage
    assert covered.tuples == CELLS.feasible.sum()
    assert covered.missing
    assert found(lines_of(CELLS.rows(3)), strength=3).coverage[0].missing == []


def test_shrinking_and_repeated_cases_do_not_count() -> None:
    row = {"fruit": "apple", "size": "big", "count": "one"}
    lines = [judged("a", **row), judged("a", **row), judged("b", "shrink", **row)]
    assert found(lines).coverage[0].levels["fruit"]["apple"] == 1


def test_the_same_inputs_on_two_machines_show_what_both_show() -> None:
    lines = [
        judged("a", fruit="apple", size="big", count="one"),
        msgspec.structs.replace(
            judged("a", fruit="apple", size="small", count="two"), machine={"cores": 2}
        ),
    ]
    assert found(lines).coverage[0].levels["size"] == {"small": 1, "big": 1}


def test_most_missing_cells_are_left_to_the_file() -> None:
    said = list(coverage_lines(found([judged("a", fruit="apple", size="big", count="one")])))
    assert said[0].startswith("discrete cells: 3 of 20 pairs of levels judged")
    assert said[-1] == "not judged: 12 more, see coverage in evidence.json"


def test_what_no_case_shows_of_a_cell_that_did_not_end_is_open_and_fails_nothing() -> None:
    declared = {KEY: Shared({KEY[2]: CELLS})}
    for kept in ([], ROWS[:3], ROWS):
        (one,) = coverage(lines_of(kept), declared, SMOKE, COUNTED, ended=[])
        (whole,) = found(lines_of(kept)).coverage
        assert (one.missing, one.open) == ([], len(whole.missing))
        assert (one.tuples, one.judged) == (20, 20 - len(whole.missing))
        assert exit_status(Evidence(cases=1, coverage=[one])) == ACCEPTED
        (said,) = coverage_lines(Evidence(cases=1, coverage=[one]))
        assert said.startswith(f"discrete cells: {one.judged} of 20 pairs of levels judged")
        assert ("fewest cases" in said) == (kept == ROWS)


def test_of_data_types_that_share_rows_only_those_that_ended_can_miss_some() -> None:
    shared = Shared({KEY[2]: CELLS, "int8": CELLS})
    (one,) = coverage(lines_of(ROWS[:-1]), {KEY: shared}, SMOKE, COUNTED, ended=[KEY])
    (all_of_it,) = coverage(lines_of(ROWS[:-1]), {KEY: shared}, SMOKE, COUNTED)
    assert one.tuples == all_of_it.tuples > 20
    assert all_of_it.open == 0
    assert one.missing == [name for name in all_of_it.missing if "dtype int8" not in name] != []
    assert one.open == len(all_of_it.missing) - len(one.missing)


def test_a_record_without_discrete_cells_has_nothing_to_tell() -> None:
    assert list(coverage_lines(Evidence(cases=1))) == []
    assert exit_status(Evidence(cases=1)) == ACCEPTED


TUPLES = feasible_tuples(CELLS.feasible, 2)
AXES = [(axis.name, axis.levels) for axis in CELLS.axes]


def test_what_goes_together_is_read_as_it_was_packed() -> None:
    text = combinations.packed(TUPLES)
    read = combinations.unpacked(text, AXES, 2)
    assert {chosen: left.tolist() for chosen, left in read.items()} == {
        chosen: left.tolist() for chosen, left in TUPLES.items()
    }
    for wrong in ("", text[:-4], "!", text + text, b64encode(zlib.compress(bytes(2**20))).decode()):
        with pytest.raises(ValueError):
            combinations.unpacked(wrong, AXES, 2)
    with pytest.raises(ValueError, match="combinations of 60 levels are not judged"):
        combinations.unpacked(text, AXES, 60)


def parts_of(rows: list[dict[str, str]], ended: list[Key]) -> tuple[list[Coverage], Coverage]:
    """The coverage of two parts, each with every other row, and that of both together."""
    told = [
        coverage(part, {KEY: Shared({KEY[2]: CELLS})}, SMOKE, COUNTED, [], [KEY])[0]
        for part in (lines_of(rows)[::2], lines_of(rows)[1::2])
    ]
    (whole,) = joined(told, lines_of(rows), ended)
    return told, whole


def test_parts_of_a_cell_show_together_what_the_whole_shows() -> None:
    told, whole = parts_of(ROWS, [KEY])
    assert [(one.missing, one.open > 0) for one in told] == [([], True)] * 2
    (alone,) = found(lines_of(ROWS)).coverage
    assert whole == alone


def test_what_no_part_shows_is_missing_if_all_ended_and_else_open() -> None:
    left = ROWS[:-1]
    (alone,) = found(lines_of(left)).coverage
    assert alone.missing
    assert parts_of(left, [KEY])[1] == alone
    early = parts_of(left, [])[1]
    assert (early.missing, early.open) == ([], len(alone.missing))
