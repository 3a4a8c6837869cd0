"""A strategy without its simplest example, for tests that draw one case."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case

NOT_ZERO = st.integers(0, 2**31 - 1).filter(bool)
"""What no simplest example has. Kept, as to make and validate one takes longer than to draw."""


def not_simplest(cases: SearchStrategy[Case]) -> SearchStrategy[Case]:
    """The same cases, but a test of one example does not draw the simplest of them.

    Hypothesis begins with the simplest example of all, which here is rejected: a row would else
    always be judged at one token of one column.
    """
    return NOT_ZERO.flatmap(lambda _: cases)
