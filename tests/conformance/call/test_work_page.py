"""The page on work lists the counts that there are, in their order."""

from __future__ import annotations

import re
from pathlib import Path

from conformance.call.work import COUNTS, work_of
from conformance.gate.work import WORDS

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "work.md"


def test_the_page_lists_every_count_in_the_order_in_which_the_device_tells_them() -> None:
    table = PAGE.read_text().partition("| count |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.M)) == COUNTS


def test_every_count_but_that_of_blocks_is_compared() -> None:
    assert {*WORDS} == {*COUNTS} - {"blocks"}


def test_a_call_has_what_its_launches_add_to_the_counts() -> None:
    before = tuple(range(len(COUNTS)))
    after = tuple(7 + 2 * count for count in before)
    work = work_of(before, after)
    assert work is not None
    assert (work["blocks"], work["scalar_bytes"], work["chain_bytes"]) == (7, 8, 24)


def test_a_call_without_a_launch_has_no_work() -> None:
    assert work_of((5,) * len(COUNTS), (5,) * len(COUNTS)) is None


def test_a_runtime_that_does_not_count_tells_no_work() -> None:
    assert work_of((), ()) is None
