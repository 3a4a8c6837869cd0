"""Strategies of what a function makes of several draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Made = TypeVar("Made")


def built(make: Callable[..., Made], *parts: SearchStrategy[Any]) -> SearchStrategy[Made]:
    """What ``make`` makes of a draw of each part, in their order.

    `st.builds` reads the signature of ``make`` besides, each time that such a strategy is made: for
    those that a run makes for each case, this takes longer than the draws.
    """
    return st.tuples(*parts).map(lambda drawn: make(*drawn))
