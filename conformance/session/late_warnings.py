"""The end of a pytest session that judges: what others warn of there is told, and decides nothing.

A configuration such as this suite's own makes errors of warnings. At the end of a session one would
end pytest before its reports are written, though every verdict is on record by then: pytest's own
cache warns where it cannot be written.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator

import pytest

from conformance.session.context import Context


class Ending:
    """Hooks around what other plugins do at the end, inside of pytest's own filters of warnings."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """Let what plugins warn of after the last item be told."""
        return (yield from self._only_told())

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_terminal_summary(self) -> Generator[None, object, object]:
        """Let what plugins warn of while they sum up be told."""
        return (yield from self._only_told())

    def _only_told(self) -> Generator[None, object, object]:
        with warnings.catch_warnings():
            if self.context.judges:
                warnings.simplefilter("default")
            return (yield)
