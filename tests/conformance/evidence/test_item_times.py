"""Items are shared out by the seconds that they took in an earlier run."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.errors import UsageError
from conformance.evidence.item_times import digest, expected, item_times, means
from conformance.evidence.shard import Shard

CASE = '<testcase classname="cases.test_values" name="test_values[{}]" time="{}"></testcase>'
TIMES = {f"test_values[{name}]": float(name) for name in range(1, 9)}


def junit(*cases: str) -> str:
    return f'<testsuites><testsuite name="pytest">{"".join(cases)}</testsuite></testsuites>'


def parts(count: int, items: list[str], times: dict[str, float]) -> list[list[str]]:
    def seconds(item: str) -> float:
        return expected(item, times, means(times))

    return [
        Shard(place, count).part(items, lambda item: False, None, seconds)
        for place in range(1, count + 1)
    ]


def test_the_times_are_those_of_a_run_or_of_its_junit_file(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(junit(*(CASE.format(name, name) for name in range(1, 9))))
    assert item_times(tmp_path) == item_times(file) == TIMES


def test_shards_by_time_are_the_whole_and_near_to_equally_long() -> None:
    shards = parts(3, list(TIMES), TIMES)
    assert sorted(item for shard in shards for item in shard) == sorted(TIMES)
    loads = [sum(TIMES[item] for item in shard) for shard in shards]
    assert max(loads) <= 1.15 * sum(loads) / len(loads)


def test_items_stay_in_their_order() -> None:
    assert all(
        shard == [one for one in TIMES if one in shard] for shard in parts(3, [*TIMES], TIMES)
    )


def test_an_item_that_was_not_there_counts_as_its_template_does_in_the_mean() -> None:
    known = {"test_values[a]": 4.0, "test_values[b]": 2.0, "test_ladders[a]": 9.0}
    assert expected("test_values[new]", known, means(known)) == 3.0
    assert expected("test_relations[new]", known, means(known)) == 5.0


def test_other_times_have_another_digest_so_that_their_shards_are_not_of_one_run() -> None:
    assert digest(TIMES) != digest({**TIMES, "test_values[1]": 1.5}) != digest({})


ENTITIES = '<!DOCTYPE x [<!ENTITY a "1">]>' + junit(CASE.format("a", "1"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no xml",
        junit(),
        junit(CASE.format("a", "")),
        junit(CASE.format("a", "nan")),
        junit(CASE.format("a", "-1")),
        ENTITIES,
    ],
)
def test_a_file_without_times_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "junit.xml").write_text(text)
    with pytest.raises(UsageError, match="has no times of items; allowed: the folder"):
        item_times(tmp_path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"times is .*cannot be read: No such file"):
        item_times(tmp_path)


def test_a_split_item_took_what_its_parts_took_and_of_seeds_it_is_the_mean(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    parts_of = {"1of2": 3, "2of2": 5, "1of2#seed7": 2, "2of2#seed7": 4}
    some = [CASE.format(f"a#{mark}", seconds) for mark, seconds in parts_of.items()]
    file.write_text(junit(*some, CASE.format("b#2of4", 2)))
    assert item_times(file) == {"test_values[a]": 7.0, "test_values[b]": 8.0}


def test_a_part_takes_its_share_of_the_item() -> None:
    assert expected("test_values[8#2of4]", TIMES, means(TIMES)) == 2.0
    assert expected("test_values[new#1of9]", TIMES, means(TIMES)) == 0.5
