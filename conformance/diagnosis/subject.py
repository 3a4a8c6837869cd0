"""What a diagnosis is given: a summed output with wrong elements, and all that the judge knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue.message import Message
from conformance.catalogue.mistakes_of_terms import ROW_OF
from conformance.catalogue.wrong_places import READERS_OF_ROW, READERS_OF_SEGMENT
from conformance.diagnosis.mistake import UNKNOWN, Reading
from conformance.numerics.addends import Rule, delivered
from conformance.numerics.arithmetic import IEEE, Arithmetic
from conformance.numerics.gather import gather_elements
from conformance.numerics.order import Merges
from conformance.numerics.rounding import IEEE_BEHAVIOUR
from conformance.numerics.sources import Sources
from conformance.values.address_code import AddressCode
from reference.floats import Format, widen
from reference.terms import Terms

LOOKED_AT = 512
"""Wrong elements, and right ones, that guesses are compared with."""

MOST_VALUES = 1 << 20
"""Terms of a sample at most: of sums of many terms fewer elements are looked at."""

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
    ``held`` lists the rows of a row-sparse source that exist, None: all do. ``sources`` says which
    tensor each row of the source is of, None: there is one. ``arithmetic`` is the device's.
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
    sources: Sources | None = None
    arithmetic: Arithmetic = IEEE

    @property
    def slots(self) -> int:
        """How many terms an element has at most."""
        return int(self.terms.rows.shape[1])

    @property
    def tensors(self) -> tuple[str, ...]:
        """The names of the tensors that the terms are rows of."""
        return self.terms.sources if self.sources is None else self.sources.terms.sources

    @cached_property
    def wide_weights(self) -> NDArray[np.float64] | None:
        """Coefficients, float64 [output_rows, slots]; None: all are 1."""
        weights = self.terms.coefficients
        return None if weights is None else np.asarray(widen(weights, np.float64))

    def reading(self, at: NDArray[np.int64]) -> Reading:
        """What output rows ``at`` add, as they must."""
        weights = self.wide_weights
        rows = self.terms.rows[at].astype(np.int64)
        return Reading(rows, None if weights is None else weights[at])

    @cached_property
    def _tensor_of_row(self) -> NDArray[np.int64]:
        """The number of the tensor of each row of the source."""
        if self.sources is None or self.sources.used is None:
            return np.zeros(len(self.source), np.int64)
        found = np.searchsorted(self.sources.starts, self.sources.used, side="right") - 1
        return np.asarray(found, np.int64)

    def slots_by_tensor(self) -> dict[str, list[int]]:
        """The slots that add rows of each of several tensors; empty where there is one tensor."""
        found: dict[str, list[int]] = {}
        if len(self.tensors) > 1 and self.terms.rows.size:
            most = self.terms.rows.max(axis=0)
            for slot in np.flatnonzero(most >= 0).tolist():
                name = self.tensors[int(self._tensor_of_row[most[slot]])]
                found.setdefault(name, []).append(slot)
        return found if len(found) > 1 else {}

    def numbered(self, name: str, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Rows of a tensor as rows of the source; UNKNOWN those that it does not hold."""
        wanted = rows.astype(np.int64)
        if self.sources is None or self.sources.used is None:
            return np.where((wanted >= 0) & (wanted < len(self.source)), wanted, UNKNOWN)
        start = self.sources.starts[self.tensors.index(name)]
        used = self.sources.used
        place = np.searchsorted(used, wanted + start)
        there = place < used.size
        there &= used[np.minimum(place, used.size - 1)] == wanted + start
        return np.where(there & (wanted >= 0), place, UNKNOWN)

    def row_name(self, row: int) -> str:
        """A row of the source, as a person finds it."""
        if self.sources is None:
            return ROW_OF(row=row, tensor=self.terms.source)
        return self.sources.named(row)

    def named_rows(self) -> list[int]:
        """The first rows that the first wrong output row adds, and the first and last of all, if
        any row is added.
        """
        first = int(np.flatnonzero(self.wrong.any(axis=1))[0])
        own = self.terms.rows[first]
        own = own[own >= 0][:READERS].tolist() if self.slots <= READERS * 4 else []
        ends = [0, len(self.source) - 1] if len(self.source) else []
        return list(dict.fromkeys([*own, *ends]))

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
                found[words(source=self.terms.source, group=group)] = members
        return found

    def _groups(self) -> Iterator[tuple[Message, NDArray[Any]]]:
        rows = self.terms.rows
        if self.segment > 0:
            segments = np.where(rows >= 0, rows // self.segment, -1)
            yield READERS_OF_SEGMENT, segments
        yield READERS_OF_ROW, rows


@dataclass(frozen=True)
class Sample:
    """The elements that guesses are compared with: the first wrong ones, and right ones.

    ``rows`` and ``columns`` [elements] are their places, ``observed`` their patterns, ``values``
    float64 [slots, elements] what is added, products rounded and casts applied, ``sources`` and
    ``weights`` (None: all are 1) what is multiplied, ``wrong`` whether the contract refuses them.
    """

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    observed: NDArray[Any]
    values: NDArray[np.float64]
    sources: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    wrong: NDArray[np.bool_]


def sample_of(subject: Subject) -> Sample:
    """Draw the sample: of the right elements those in the wrong rows first, then the others."""
    most = max(16, min(LOOKED_AT, MOST_VALUES // max(1, 2 * subject.slots)))
    wrong = _spread(np.flatnonzero(subject.wrong), most)
    with_wrong = subject.wrong.any(axis=1, keepdims=True)
    beside = np.flatnonzero(~subject.wrong & with_wrong)
    others = np.flatnonzero(~subject.wrong & ~with_wrong)
    right = np.concatenate([_spread(beside, most // 2), _spread(others, most // 2)])
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
        sources=values,
        weights=weights,
        wrong=np.arange(places.size) < wrong.size,
    )


def _spread(places: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """So many of the elements at most: half of them the first, the others evenly spread."""
    if places.size <= most:
        return places
    first = places[: most // 2]
    rest = places[most // 2 :]
    some = np.linspace(0, rest.size - 1, most - first.size)
    return np.concatenate([first, rest[some.astype(np.int64)]])
