"""What can go wrong beside a verdict, and the statuses with which a run ends; for every room."""

from __future__ import annotations

from conformance.printable import printable

ACCEPTED, REFUSED, NOTHING_TO_DO, ENVIRONMENT, INTERRUPTED, UNREAD = 0, 1, 2, 3, 130, 141
"""Exit statuses of the front door (docs/running.md)."""


class UsageError(Exception):
    """A request that the suite cannot honour: names parameter, value and what is allowed."""

    def __init__(self, parameter: str, value: object, rule: str) -> None:
        super().__init__(printable(f"{parameter} is {str(value)!r}: {rule}"))


class EnvironmentFailure(RuntimeError):  # noqa: N818 - the word of the exit status
    """The device, its build or its environment failed: nothing was judged (exit status 3)."""


class OperatorUnavailable(RuntimeError):  # noqa: N818 - as above
    """The device's operator library does not export the operator."""


class LimitsCrash(RuntimeError):  # noqa: N818 - as above
    """The operator library's own function of limits ends the process."""
