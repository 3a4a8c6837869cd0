"""Checks and how they are told."""

import numpy as np
import pytest

from conformance.standards.standard import Check, Ruling, all_of, any_of


@pytest.mark.parametrize(
    ("relation", "holds_at", "fails_at"),
    [("<", 0.5, 1.0), ("<=", 1.0, 1.5), (">", 1.5, 1.0), (">=", 1.0, 0.5)],
)
def test_a_check_holds_by_its_relation(relation, holds_at, fails_at):
    assert Check("x", holds_at, relation, 1.0).ok
    assert not Check("x", fails_at, relation, 1.0).ok
    assert not Check("x", np.nan, relation, 1.0).ok


def test_a_check_tells_whether_it_holds():
    assert str(Check("MERE", 0.25, "<", 0.5)) == "MERE 0.25 < 0.5"
    assert str(Check("MERE", 0.75, "<", 0.5)) == "MERE 0.75 not < 0.5"


def test_all_checks_must_hold_and_the_broken_ones_are_told():
    good, bad = Check("a", 1.0, "<", 2.0), Check("b", 3.0, "<", 2.0)
    assert all_of(good, good).ruling is Ruling.ACCEPTS
    found = all_of(good, bad)
    assert found.ruling is Ruling.REJECTS
    assert found.sentence == "b 3 not < 2"
    assert found.figures == {"a": 1.0, "b": 3.0}


def test_one_check_is_enough_where_any_will_do():
    good, bad = Check("a", 1.0, "<", 2.0), Check("b", 3.0, "<", 2.0)
    assert any_of(bad, good).sentence == "a 1 < 2"
    assert any_of(bad, bad).sentence == "b 3 not < 2, b 3 not < 2"
    assert not any_of(bad).ok
