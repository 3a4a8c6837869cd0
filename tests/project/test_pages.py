"""The tables of pages are those of the records."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.pages import Table, tables

WRITE = "python -m tests.project.pages writes it anew"


@pytest.mark.parametrize(
    "table", [*tables()], ids=lambda table: f"{table.page.stem} {table.heading}"
)
def test_a_table_is_that_of_the_records(table: Table) -> None:
    assert table.shown() == table.lines, WRITE


def test_a_table_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n\n| a |\n|---|\n| 1 |\n\n# Two\n\n| a |\n|---|\n| 2 |\n\nEnd\n")
    table = Table(page, "# Two", ("| a |", "|---|", "| 3 |", "| 4 |"))
    assert table.shown() == ("| a |", "|---|", "| 2 |")
    table.write()
    expected = "# One\n\n| a |\n|---|\n| 1 |\n\n# Two\n\n| a |\n|---|\n| 3 |\n| 4 |\n\nEnd\n"
    assert page.read_text() == expected


def test_a_page_without_the_table_is_told(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One\n\n## Below\n\nText\n\n# Two\n\n| a |\n|---|\n| 2 |\n")
    with pytest.raises(ValueError, match="no table"):
        Table(page, "# One", ("| a |",)).shown()
