"""What can go wrong beside a verdict, and the statuses with which a run ends; for every room."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from conformance.catalogue import errors as say
from conformance.catalogue.message import Said
from conformance.printable import printable

ACCEPTED, REFUSED, NOTHING_TO_DO, ENVIRONMENT, INTERRUPTED, UNREAD = 0, 1, 2, 3, 130, 141
"""Exit statuses of the front door (docs/reference/command-line.md)."""


class UsageError(Exception):
    """A request that the suite cannot honour: names parameter, value and what is allowed."""

    def __init__(self, parameter: str, value: object, rule: str) -> None:
        self.rule = rule
        self.text = say.NOT_ALLOWED(parameter=parameter, value=repr(str(value)), rule=rule)
        super().__init__(printable(self.text))


def text_of(error: BaseException) -> str:
    """What an error says, in the languages of the catalogue."""
    if isinstance(error, UsageError):
        return error.text
    first = error.args[0] if len(error.args) == 1 else None
    return first if isinstance(first, Said) else str(error)


def choice(value: str, allowed: Iterable[str]) -> str:
    """The rule that a value is one of these, and which of them was meant, if one is near."""
    names = list(allowed)
    holding = [name for name in names if value and value in name]
    near = [*difflib.get_close_matches(value, names, n=1), *holding]
    if near:
        return say.ALLOWED_MEANT(names=names, near=near[0])
    return say.ALLOWED(names=names)


class EnvironmentFailure(RuntimeError):  # noqa: N818 - the word of the exit status
    """The device, its build or its environment failed: nothing was judged (exit status 3)."""


class OperatorUnavailable(RuntimeError):  # noqa: N818 - as above
    """The device's operator library does not export the operator."""


class LimitsCrash(RuntimeError):  # noqa: N818 - as above
    """The operator library's own function of limits ends the process."""
