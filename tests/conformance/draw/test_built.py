"""What a function makes of several draws, drawn as `st.builds` draws it."""

from hypothesis import find
from hypothesis import strategies as st

from conformance.draw.built import built


def test_the_draws_come_in_the_order_of_the_parts_and_shrink() -> None:
    parts = st.integers(0, 9), st.sampled_from("abc"), st.integers(5, 9)
    assert find(built(lambda *drawn: drawn, *parts), lambda _: True) == (0, "a", 5)
    assert find(built(lambda *drawn: drawn, *parts), lambda drawn: drawn[1] == "c") == (0, "c", 5)


def test_what_it_makes_is_what_builds_makes() -> None:
    parts = st.integers(0, 3), st.integers(0, 3)
    asked = {(first, second) for first in range(4) for second in range(4)}
    for made in (built(complex, *parts), st.builds(complex, *parts)):
        assert {
            (n.real, n.imag)
            for pair in asked
            for n in [find(made, lambda n, pair=pair: (n.real, n.imag) == pair)]
        } == asked
