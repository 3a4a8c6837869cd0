from __future__ import annotations

import pytest

from tests.slow import OF_EACH_KIND, slow_but


def test_all_but_the_quick_values_are_slow() -> None:
    quick, one, pair = slow_but(["quick"], ["quick", "one", ("two", 2)])
    assert quick == "quick"
    assert (one.values, pair.values) == (("one",), ("two", 2))
    assert {mark.name for mark in (*one.marks, *pair.marks)} == {"slow"}


def test_a_quick_value_that_is_none_of_the_parameters_is_refused() -> None:
    with pytest.raises(ValueError, match=r"quick: \['three'\] must be values"):
        slow_but([*OF_EACH_KIND, "three"], OF_EACH_KIND)
