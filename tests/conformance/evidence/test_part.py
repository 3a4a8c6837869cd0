"""The parts of an item are its draws, each in one of them."""

from __future__ import annotations

import pytest

from conformance.evidence.part import WHOLE_ITEM, Part, all_parts, lacking_parts

ITEM = "cases/test_values.py::test_values[op-mode-float16]"


@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("draws", [0, 1, 7, 24])
def test_each_draw_is_in_one_part_and_parts_are_equally_long(draws: int, count: int) -> None:
    parts = [Part(index, count).of(range(draws)) for index in range(1, count + 1)]
    assert sorted(one for part in parts for one in part) == [*range(draws)]
    lengths = [len(part) for part in parts]
    assert max(lengths) - min(lengths) <= 1


def test_an_items_name_tells_its_part() -> None:
    name = Part(2, 4).named(ITEM)
    assert name == "cases/test_values.py::test_values[op-mode-float16#2of4]"
    assert Part.of_item(name) == Part.of_item(f"{name[:-1]}#seed7]") == Part(2, 4)
    assert Part.of_item(ITEM) == Part.of_item(f"{ITEM[:-1]}#seed7]") == WHOLE_ITEM
    assert WHOLE_ITEM.named(ITEM) == ITEM


def test_an_item_is_whole_if_all_of_its_parts_are_there() -> None:
    parts = [Part(index, 3).named(ITEM) for index in (1, 2, 3)]
    assert all_parts(parts)
    assert all_parts([ITEM])
    assert not all_parts(parts[1:])
    assert not all_parts([*parts, Part(1, 2).named("cases/test_more.py::test_more[op]")])


def test_cells_of_which_a_part_is_missing_are_told_by_what_their_items_have_in_brackets() -> None:
    other = ITEM.replace("float16", "int8")
    split = [Part(index, 2).named(other) for index in (1, 2)]
    assert lacking_parts([ITEM, *split]) == set()
    assert lacking_parts([ITEM, split[1]]) == {"op-mode-int8"}
