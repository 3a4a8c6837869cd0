"""Which row and columns were read in place of the right ones, decoded from address-coded data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import guess as say
from conformance.diagnosis.subject import Subject
from conformance.numerics.gather import gather_elements
from conformance.values.address_code import AddressCode
from reference.floats import ordered, round_fp32_to_bits

DECODED_ROWS = 8
DECODED_COLUMNS = 48
SHOWN = 3
SLOTS = 16


@dataclass(frozen=True)
class Read:
    """In one output row a slot read ``row`` and columns moved by ``offset``, not row ``right``."""

    output_row: int
    slot: int
    right: int
    row: int
    offset: int
    elements: int

    def words(self, output: str, source: str) -> str:
        """The finding as a phrase."""
        beside = say.COLUMNS_AFTER if self.offset > 0 else say.COLUMNS_BEFORE
        place = {
            "output": output,
            "row": self.output_row,
            "slot": self.slot,
            "source": source,
            "right": self.right,
            "moved": beside(count=abs(self.offset)) if self.offset else "",
            "count": self.elements,
        }
        if self.row == self.right:
            return say.READS_ITS_ROW(**place)
        return say.READS_ANOTHER_ROW(seen=self.row, **place)


def decoded(subject: Subject) -> Iterator[str]:
    """The sources of the first wrong rows, where one slot alone explains a row."""
    weighted = subject.terms.coefficients is not None or subject.terms.cast is not None
    if subject.code is None or subject.coded is None or weighted:
        return
    coded = subject.wrong & subject.coded
    rows = np.flatnonzero(coded.any(axis=1))[:DECODED_ROWS]
    found = [read for row in rows.tolist() if (read := _read(subject, subject.code, row, coded))]
    for read in found[:SHOWN]:
        yield say.DECODED(words=read.words(subject.name, subject.terms.source))
    if len(found) > 2:
        (moved, offset), count = Counter((r.row - r.right, r.offset) for r in found).most_common(1)[
            0
        ]
        if count == len(found):
            away = say.ALL_ROWS_AWAY(count=count, rows=moved, columns=offset)
            yield say.DECODED(words=away)


def _read(subject: Subject, code: AddressCode, row: int, coded: NDArray[np.bool_]) -> Read | None:
    """The one slot and code that give all wrong coded elements of an output row; None if not one.

    Of several that do, the one that is a whole row of the source. With 16 bits at most every code
    is tried: rounding to storage may hide the low bits of one element, not the same ones of many.
    """
    columns = np.flatnonzero(coded[row])[:DECODED_COLUMNS]
    at = np.full(columns.shape, row)
    values = gather_elements(subject.source, subject.terms, at, columns).astype(np.float64)
    observed = ordered(subject.bits[row, columns], subject.storage)
    total = values.sum(axis=0)
    own = subject.terms.rows[row]
    hits: list[tuple[int, int]] = []
    for slot in np.flatnonzero(own >= 0)[:SLOTS].tolist():
        starts = np.arange(1 << code.bits)
        for column, rest, seen in zip(columns, total - values[slot], observed, strict=True):
            sums = (rest + code.shifted(starts, column)).astype(np.float32)
            places = ordered(round_fp32_to_bits(sums, subject.storage), subject.storage)
            starts = starts[places == seen]
            if not starts.size:
                break
        hits += [(slot, int(start)) for start in starts]
    rows, hidden = subject.source_rows, subject.source.shape[1]
    found: list[Read] = []
    for slot, start in hits:
        right = int(own[slot])
        place = next(code.places(start, rows, hidden, right), None)
        if place:
            found.append(Read(row, slot, right, *place, columns.size))
    whole = [read for read in found if not read.offset] or found
    return whole[0] if len(whole) == 1 else None
