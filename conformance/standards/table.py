"""All standards side by side: what each says of one output, and where they disagree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from conformance.catalogue import standards as say
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.standards.comparison import Kind, compare
from conformance.standards.standard import Ruling, Standard, StandardVerdict


@dataclass(frozen=True)
class Row:
    """One line of the table, ready to print."""

    name: str
    version: str
    section: str
    ruling: str
    sentence: str
    data: str


@dataclass(frozen=True)
class Disagreement:
    """Names of the standards that accept, reject or ask for a person, where they do not agree."""

    accept: tuple[str, ...]
    reject: tuple[str, ...]
    investigate: tuple[str, ...]

    def __bool__(self) -> bool:
        return sum(map(bool, (self.accept, self.reject, self.investigate))) > 1

    def __str__(self) -> str:
        return str(self.words)

    @property
    def words(self) -> str:
        """Who says what, as a person reads it."""
        if not self:
            return say.AGREE()
        parts = [
            words(names=names)
            for names, words in (
                (self.accept, say.ACCEPT),
                (self.reject, say.REJECT),
                (self.investigate, say.ASK_FOR_A_PERSON),
            )
            if names
        ]
        return say.DISAGREE(parts=row(parts, SEMICOLON))


def verdicts(
    standards: Mapping[str, Standard],
    device: NDArray[Any],
    golden: NDArray[Any],
    benchmark: NDArray[Any] | None = None,
    dtype: str | None = None,
    kind: Kind | None = None,
) -> dict[str, StandardVerdict]:
    """What every standard says of one output; arguments as in ``Standard.judge``."""
    comparison = compare(device, golden, benchmark, dtype, kind)
    return {name: one.judge_comparison(comparison) for name, one in standards.items()}


def disagreement(found: Mapping[str, StandardVerdict]) -> Disagreement:
    """Who accepts and who does not; standards that say nothing take no part."""

    def names(ruling: Ruling) -> tuple[str, ...]:
        return tuple(name for name, verdict in found.items() if verdict.ruling is ruling)

    return Disagreement(names(Ruling.ACCEPTS), names(Ruling.REJECTS), names(Ruling.INVESTIGATE))


def table(
    standards: Mapping[str, Standard], found: Mapping[str, StandardVerdict]
) -> tuple[Row, ...]:
    """The rows of a table, in the order of the verdicts."""
    return tuple(
        Row(
            name=name,
            version=standards[name].version,
            section=standards[name].section,
            ruling=verdict.ruling.words,
            sentence=verdict.sentence,
            data=standards[name].data_words,
        )
        for name, verdict in found.items()
    )
