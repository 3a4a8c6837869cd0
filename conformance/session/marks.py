"""Markers of templates' items: what they call, for pytest's option ``-m``.

``pytest cases -m "operator(name='moe_token_permute') and dtype(name='bfloat16')"`` judges what has
both. pytest knows such arguments from 8.3 on.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conformance.catalogue import session as say
from conformance.session.junit import called

MARKERS = (say.MARK_OPERATOR, say.MARK_MODE, say.MARK_DTYPE)
"""As pytest lists them (`pytest --markers`)."""


def register(config: pytest.Config) -> None:
    """Make the markers known to pytest."""
    for line in MARKERS:
        config.addinivalue_line("markers", str(line()))


def mark(item: pytest.Item, parameters: Mapping[str, object]) -> None:
    """Mark an item with the operator, mode and data type of what it calls, if it has one of each.

    A sequence has neither mode nor data type.
    """
    for kind, name in called(parameters).items():
        if name:
            item.add_marker(getattr(pytest.mark, kind)(name=name))
