"""What a diagnosis is given: a summed output with wrong elements, and all that the judge knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.address import AddressCode
from conformance.numerics.addends import Rule, delivered
from conformance.numerics.gather import gather_elements
from conformance.numerics.order import Merges
from conformance.numerics.rounding import IEEE_BEHAVIOUR
from reference.floats import Format, widen
from reference.terms import Terms

LOOKED_AT = 512
"""Wrong elements, and right ones, that guesses are compared with."""

READERS = 16
"""Source rows, and segments, of the first wrong row whose readers are compared with the pattern."""


@dataclass(frozen=True)
class Subject:
    """A summed output, seen as [output_rows, hidden].

    ``wrong`` marks the elements that the contract refuses, ``bits`` are the observed patterns.
    ``source`` [source_rows, hidden] is what ``terms`` index; every ``segment`` of its rows belongs
    together (an expert's, where the tensor has experts on its first axis; 0: there are no
    segments). ``rule`` says how the contract adds, ``merges`` is the declared order, if any.
    ``cores`` is the simulated machine's count, 0 if unknown; ``unwritten`` how many elements the
    device found untouched. ``code`` is that of the ``coded`` columns of an address-coded source.
    ``held`` lists the rows of a row-sparse source that exist, None: all do.
    """

    name: str
    wrong: NDArray[np.bool_]
    bits: NDArray[Any]
    terms: Terms
    source: NDArray[Any]
    rule: Rule
    merges: Merges | None = None
    segment: int = 0
    cores: int = 0
    unwritten: int = 0
    code: AddressCode | None = None
    coded: NDArray[np.bool_] | None = None
    held: tuple[int, ...] | None = None

    @property
    def source_rows(self) -> NDArray[np.int64]:
        """The rows of the source that exist."""
        return np.arange(len(self.source)) if self.held is None else np.array(self.held, np.int64)

    @property
    def storage(self) -> Format:
        """The output's format."""
        return self.rule.storage

    @property
    def accumulate(self) -> Format:
        """The format that every addition rounds to."""
        return self.rule.accumulate

    def weights(self, rows: NDArray[np.int64], slots: int) -> NDArray[np.float64] | None:
        """Coefficients of output ``rows``, float64 [slots, elements]; None: all are 1.

        A slot beyond the last has the coefficient of the next row's first slot, as it lies in
        memory.
        """
        if self.terms.coefficients is None:
            return None
        wide = widen(self.terms.coefficients, np.float64)
        own = wide.shape[1]
        beyond = np.append(wide.reshape(-1)[own::own], 0.0)[: len(wide)]
        return np.asarray(np.concatenate([wide, beyond[:, None]], axis=1)[:, :slots][rows].T)

    def readers(self) -> dict[str, NDArray[np.int64]]:
        """Sets of output rows that add from one source row or segment of the first wrong row."""
        first = int(np.flatnonzero(self.wrong.any(axis=1))[0])
        found: dict[str, NDArray[np.int64]] = {}
        for words, groups in self._groups():
            own = groups[first]
            for group in np.unique(own[own >= 0])[:READERS].tolist():
                members = np.flatnonzero((groups == group).any(axis=1))
                found[words.format(source=self.terms.source, group=group)] = members
        return found

    def _groups(self) -> Iterator[tuple[str, NDArray[Any]]]:
        rows = self.terms.rows
        if self.segment > 0:
            segments = np.where(rows >= 0, rows // self.segment, -1)
            yield "all rows that add from {source}[{group}] and no other", segments
        yield "all rows that add row {group} of {source} and no other", rows


@dataclass(frozen=True)
class Sample:
    """The elements that guesses are compared with: the first wrong ones, and right ones.

    ``rows`` and ``columns`` [elements] are their places, ``observed`` their patterns, ``values``
    float64 [slots, elements] what is added, products rounded and casts applied, ``wrong`` whether
    the contract refuses them.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    observed: NDArray[Any]
    values: NDArray[np.float64]
    wrong: NDArray[np.bool_]


def sample_of(subject: Subject) -> Sample:
    """Draw the sample: of the right elements those in the wrong rows first, then the others."""
    wrong = np.flatnonzero(subject.wrong)[:LOOKED_AT]
    with_wrong = subject.wrong.any(axis=1, keepdims=True)
    beside = np.flatnonzero(~subject.wrong & with_wrong)
    others = np.flatnonzero(~subject.wrong & ~with_wrong)
    right = np.concatenate([_spread(beside), _spread(others)])
    places = np.concatenate([wrong, right])
    rows, columns = np.divmod(places, subject.wrong.shape[1])
    values = gather_elements(subject.source, subject.terms, rows, columns).astype(np.float64)
    weights = subject.weights(rows, len(values))
    if weights is not None:
        weights = np.where(subject.terms.rows[rows].T >= 0, weights, 0.0)
    return Sample(
        rows=rows,
        columns=columns,
        observed=subject.bits[rows, columns],
        values=delivered(values, weights, subject.rule, IEEE_BEHAVIOUR, bare=False),
        wrong=np.arange(places.size) < wrong.size,
    )


def _spread(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """At most half of the elements looked at, evenly spread."""
    some = np.linspace(0, places.size - 1, min(places.size, LOOKED_AT // 2))
    return places[some.astype(np.int64)]
