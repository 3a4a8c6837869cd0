"""In which order a run's items are judged, whatever the number of its workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.session.selection import dealt, together

ITEMS: list[Any] = ["values a", "values b", "values c", "values d", "law a", "law b", "calls"]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_worker_begins_with_values_and_ends_with_what_they_explain(workers: int) -> None:
    found = dealt(ITEMS, workers, id)
    assert sorted(found) == sorted(ITEMS)
    for left in range(workers, 0, -1):  # as xdist gives them out
        part, found = found[: len(found) // left], found[len(found) // left :]
        assert part[0] in ITEMS[:workers]
        assert part == sorted(part, key=ITEMS.index)


def test_one_worker_judges_in_order() -> None:
    assert dealt(ITEMS, 1, id) == ITEMS


def test_items_that_share_rows_go_to_one_worker() -> None:
    def kind(item: Any) -> object:
        return str(item)[:-1]

    found = dealt(ITEMS, 2, kind)
    assert found == ["law a", "law b", "calls", "values a", "values b", "values c", "values d"]


def test_ordinary_tests_of_a_module_go_to_one_worker(request: pytest.FixtureRequest) -> None:
    def tests(of: Path) -> list[pytest.Function]:
        module = pytest.Module.from_parent(request.session, path=of)
        return [pytest.Function.from_parent(module, name=name, callobj=tests) for name in "abc"]

    first, second = tests(Path(__file__)), tests(Path(__file__).with_name("test_junit.py"))
    assert dealt([*first, *second], 2, together) == [*first, *second]
