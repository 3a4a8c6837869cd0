"""Which tests wait for ``make test-slow``: those with the mark ``slow``.

``make test`` judges each change and ends within minutes. What takes long and has a quicker sibling
that a mistake fails, too, is slow: the same test with other parameters, or a test of its parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

OF_EACH_KIND = ("moe_init_routing_v2_grad", "moe_token_unpermute")
"""Operators between which the kernels move rows by their slots, multiply and add: quick ones."""


def slow_but(quick: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """The values of a parameter; tests of all but the quick ones are slow.

    Raises ValueError if a quick one is no value.
    """
    kept, among = list(quick), list(values)
    if missing := [one for one in kept if one not in among]:
        raise ValueError(f"quick: {missing} must be values of the parameter")
    return [one if one in kept else _slow(one) for one in among]


def _slow(value: Any) -> Any:
    several = value if isinstance(value, tuple) else (value,)
    return pytest.param(*several, marks=pytest.mark.slow)
