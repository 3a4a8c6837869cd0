"""What a published precision standard is: a named rule over one output, and how it rules.

A standard sees the output of a device, the exact golden and, where it compares two implementations,
the result of a same-dtype CPU one (the benchmark). It never sees terms, orders or error bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import standards as say
from conformance.catalogue.message import row
from conformance.standards.comparison import Comparison, Kind, compare
from conformance.standards.data import DataRule


class Ruling(Enum):
    """What a standard says of one output."""

    ACCEPTS = "accepts"
    REJECTS = "rejects"
    INVESTIGATE = "investigate"
    SILENT = "says nothing"

    @property
    def words(self) -> str:
        """The ruling as a person reads it."""
        return RULINGS[self]()


RULINGS = {
    Ruling.ACCEPTS: say.ACCEPTS,
    Ruling.REJECTS: say.REJECTS,
    Ruling.INVESTIGATE: say.INVESTIGATE,
    Ruling.SILENT: say.SAYS_NOTHING,
}


@dataclass(frozen=True)
class StandardVerdict:
    """A ruling with its figures by name, and the sentence that tells it to a person.

    ``SILENT``: the dtype is out of scope, or the benchmark that the standard compares with is not
    given. ``INVESTIGATE``: the standard itself hands the case to a person.
    """

    ruling: Ruling
    figures: Mapping[str, float] = field(default_factory=dict)
    sentence: str = ""

    @property
    def ok(self) -> bool:
        """Whether the standard accepts."""
        return self.ruling is Ruling.ACCEPTS


Rule = Callable[[Comparison], StandardVerdict]


@dataclass(frozen=True)
class Standard:
    """One standard under name and version.

    ``source`` names the document or file and its state, ``section`` the section of numerics.md,
    Part 2, that restates it. ``kinds`` and ``dtypes``, by name, are its scope. ``data`` is how it
    wants inputs to be drawn; None: it prescribes none, so it is a formula only.
    """

    name: str
    version: str
    source: str
    section: str
    kinds: frozenset[Kind]
    dtypes: frozenset[str]
    rule: Rule
    needs_benchmark: bool = False
    data: DataRule | None = None

    def judge(
        self,
        device: NDArray[Any],
        golden: NDArray[Any],
        benchmark: NDArray[Any] | None = None,
        dtype: str | None = None,
        kind: Kind | None = None,
    ) -> StandardVerdict:
        """Rule on an output. All arrays have one shape; ``golden`` is float64, or integers.

        ``dtype`` is the name of the format to judge by where it is not the array's own (hifloat32
        lives in float32 arrays); without a ``kind`` the output was computed. Raises ValueError
        where shapes or dtypes do not fit together.
        """
        return self.judge_comparison(compare(device, golden, benchmark, dtype, kind))

    def judge_comparison(self, comparison: Comparison) -> StandardVerdict:
        """The same, of a comparison that several standards share."""
        if comparison.kind not in self.kinds or comparison.dtype not in self.dtypes:
            return silent(say.NOT_FOR(kind=comparison.kind.words, dtype=comparison.dtype))
        if self.needs_benchmark and comparison.benchmark is None:
            return silent(say.NO_BENCHMARK())
        if not comparison.device.size:
            return StandardVerdict(Ruling.ACCEPTS, {}, say.NO_ELEMENTS())
        with np.errstate(all="ignore"):  # infinities and NaNs are what a rule must expect
            return self.rule(comparison)

    @property
    def data_words(self) -> str:
        """How its data is drawn, in a few words."""
        return self.data.words if self.data else say.FORMULA_ONLY()


def silent(why: str) -> StandardVerdict:
    """A standard that does not speak of the output."""
    return StandardVerdict(Ruling.SILENT, {}, why)


def investigate(figures: Mapping[str, float], why: str) -> StandardVerdict:
    """A standard that asks for a person."""
    return StandardVerdict(Ruling.INVESTIGATE, figures, why)


@dataclass(frozen=True)
class Check:
    """One figure against its limit; ``relation`` is how the standard writes it."""

    figure: str
    value: float
    relation: str
    limit: float

    @property
    def ok(self) -> bool:
        """Whether it holds; a NaN never does."""
        holds = {
            "<": self.value < self.limit,
            "<=": self.value <= self.limit,
            ">": self.value > self.limit,
            ">=": self.value >= self.limit,
        }
        return bool(holds[self.relation])

    def __str__(self) -> str:
        return str(self.words)

    @property
    def words(self) -> str:
        """The check as a person reads it."""
        words = say.CHECK if self.ok else say.BROKEN_CHECK
        return words(figure=self.figure, value=self.value, relation=self.relation, limit=self.limit)


def all_of(*checks: Check) -> StandardVerdict:
    """Accepts where every check holds; tells the broken ones, or all."""
    broken = [check for check in checks if not check.ok]
    ruling = Ruling.REJECTS if broken else Ruling.ACCEPTS
    return StandardVerdict(ruling, _figures(checks), _words(broken or checks))


def any_of(*checks: Check) -> StandardVerdict:
    """Accepts where one check holds; tells the first that does, or all."""
    held = [check for check in checks if check.ok]
    ruling = Ruling.ACCEPTS if held else Ruling.REJECTS
    return StandardVerdict(ruling, _figures(checks), _words(held[:1] or checks))


def rejected(figures: Mapping[str, float], why: str) -> StandardVerdict:
    """A rejection that no single figure explains."""
    return StandardVerdict(Ruling.REJECTS, figures, why)


def _words(checks: Iterable[Check]) -> str:
    return row([check.words for check in checks], say.BETWEEN_CHECKS)


def _figures(checks: tuple[Check, ...]) -> dict[str, float]:
    return {str(check.figure): float(check.value) for check in checks}
