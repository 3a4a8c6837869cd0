"""Versions of CANN, and of which of them something is known to hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.catalogue import versions as say
from conformance.record.clause import Clause

if TYPE_CHECKING:
    from conformance.call.case import Case

VERSION = r"\d+\.\d+[\w.]*"
"""A version that may be asked for: two numbers, and what follows them."""

NUMBERS = re.compile(r"(\d+)\.(\d+)")


def numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version text such as 8.5.0.alpha003; () for another text."""
    found = NUMBERS.match(version)
    return tuple(map(int, found.groups())) if found else ()


@dataclass(frozen=True)
class Versions:
    """The versions of CANN of which something is known to hold, and the clause that says so.

    They are later ones than ``after``, up to ``until``, each such as 8.5; "": no such end.
    """

    clause: Clause
    after: str = ""
    until: str = ""

    def hold(self, version: str) -> bool:
        """Whether it is known of a version; nothing is of one that is not known itself."""
        found = numbers(version)
        early, late = numbers(self.after), numbers(self.until)
        return bool(found) and found > early and (not late or found <= late)

    @property
    def in_words(self) -> str:
        """Such as ``up to CANN 8.5``."""
        if not self.until:
            return say.LATER_THAN(after=self.after)
        if not self.after:
            return say.UP_TO(until=self.until)
        return say.BETWEEN(after=self.after, until=self.until)


@dataclass(frozen=True)
class Dated:
    """Documented calls that some versions of CANN alone carry out.

    ``what`` they have, and whether a case is one ``among`` them. ``dtype`` is what they have, if it
    is a data type of whole calls.
    """

    what: str
    among: Callable[[Case], bool]
    versions: Versions
    dtype: str = ""


def of_dtype(dtype: str, versions: Versions) -> Dated:
    """The documented calls of a data type."""
    return Dated(dtype, lambda case: case.dtype == dtype, versions, dtype)


def with_other_dtype(
    tensor: str, by_dtype: Mapping[str, Collection[str]], versions: Versions
) -> Dated:
    """The calls in which an input has another data type than the call, one of those listed."""

    def is_other(case: Case) -> bool:
        held = case.inputs.get(tensor)
        listed = by_dtype.get(case.dtype, ())
        return held is not None and held.dtype != case.dtype and held.dtype in listed

    return Dated(say.OTHER_DTYPE(tensor=tensor), is_other, versions)
