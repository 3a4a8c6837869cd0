"""The table of a run's cases shows what it quotes, and makes a spreadsheet compute nothing."""

from __future__ import annotations

import pytest

from conformance.evidence.case_table import harmless


@pytest.mark.parametrize("begin", ["=", "+", "-", "@"])
def test_a_cell_that_would_be_a_formula_is_a_text(begin: str) -> None:
    assert harmless(f"{begin}cmd|' /C calc'!A0") == f"'{begin}cmd|' /C calc'!A0"


def test_a_cell_has_nothing_that_a_terminal_obeys() -> None:
    assert harmless("a\x1b[2Jb\nc") == "a?[2Jb c"
    assert harmless("\t=1+1") == " =1+1"


def test_a_number_stays_a_number() -> None:
    assert harmless("0.000123") == "0.000123"
