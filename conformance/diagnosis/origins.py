"""From wrong elements to memory that nobody wrote: a kernel that reads it hands its pattern on.

A pattern comes out as it lies there, at an odd address with its bytes exchanged, as the half of an
integer, widened to another format, or as a small multiple of an index, and a place beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance import poison
from conformance.catalogue import guess
from conformance.catalogue import memory as say
from conformance.diagnosis.guess import Guess
from conformance.diagnosis.mistake import UNINITIALISED

Mask = NDArray[np.bool_]
Bits = NDArray[Any]

LOOKED_AT = 512
"""Wrong elements that are looked at."""

LEAST_SHARE = 0.75
"""A pattern must explain this share of them."""

LEAST_BYTES = 2
"""Elements of one byte that are evidence of a pattern: one alone is a value like any other."""

MULTIPLES = (*range(2, 65), *(1 << power for power in range(7, 15)))
"""Of an index: each by a row of so many, and a place in the row."""

MOST_BESIDE = 1 << 10
"""By how much an integer may lie beside a pattern that something small was added to."""


@dataclass(frozen=True)
class Trace:
    """Elements that come from a pattern: ``words`` say what they hold."""

    explained: Mask
    words: str
    where: str


def origins(observed: Bits, wrong: Mask, unwritten: Mask | None = None) -> Iterator[Guess]:
    """Where the wrong elements of an output were read, if it is memory that nobody wrote.

    All have as many elements. Those that the call left ``unwritten`` hold what they held before it,
    and are evidence of nothing else.
    """
    chosen = wrong.reshape(-1) if unwritten is None else wrong.reshape(-1) & ~unwritten.reshape(-1)
    seen = np.ascontiguousarray(observed).reshape(-1)[chosen][:LOOKED_AT]
    if not seen.size:
        return
    best = max(_traces(seen), key=lambda trace: int(trace.explained.sum()), default=None)
    if best is None:
        return
    count = int(best.explained.sum())
    if count >= max(1, LEAST_SHARE * seen.size):
        words = say.READ_FROM(where=best.where, count=count, size=seen.size, held=best.words)
        yield Guess(guess.GUESS(words=words), UNINITIALISED, best.where, rank=-1)


def _traces(seen: Bits) -> Iterator[Trace]:
    """What each pattern explains; those that explain more in a simpler way come first."""
    bits = seen.view(f"u{seen.itemsize}")
    if seen.itemsize == 1:
        yield from _of_bytes(bits)
        return
    for word, where in poison.WHERE.items():
        for value, words in _forms(word, seen.itemsize).items():
            yield Trace(bits == np.uint64(value).astype(bits.dtype), words, where)
    words = say.ODD_WORDS(least=poison.LEAST_GUARD, most=poison.MOST_GUARD)
    yield Trace(_of_guards(bits), words, poison.IN_A_GUARD)
    if seen.dtype.kind in "iu" and seen.itemsize > 2:
        for times in (1, *MULTIPLES):
            for word, where in poison.WHERE.items():
                yield _multiple(seen, times, word, where)


def _of_bytes(bits: Bits) -> Iterator[Trace]:
    for word, where in poison.WHERE.items():
        low, high = poison.pattern(word)
        explained = (bits == low) | (bits == high)
        if (bits == low).any() and bits.size >= LEAST_BYTES:
            yield Trace(explained, say.BYTES(low=low, high=high), where)


def _forms(word: int, size: int) -> dict[int, str]:
    """What an element of so many bytes may hold of a pattern, with words for it."""
    whole = int.from_bytes(poison.pattern(word) * (size // 2), "little")
    exchanged = int.from_bytes(poison.pattern(word)[::-1] * (size // 2), "little")
    found: dict[int, str] = {
        whole: say.PATTERN(value=whole),
        exchanged: say.EXCHANGED(value=exchanged),
    }
    if size == 2:
        return found
    signed = word | (-1 << 16 if word >> 15 else 0)
    found[word] = found[signed % (1 << 8 * size)] = say.PART(value=word)
    if size == 4:
        found[word << 16] = say.WIDENED(value=word << 16, format="bfloat16")
        half = (word & 0x8000) << 16 | 0x7F800000 | (word & 0x3FF) << 13
        found[half] = say.WIDENED(value=half, format="float16")
    if size == 8:
        index = word << 16 | word
        signed = index | (-1 << 32 if word >> 15 else 0)
        found[index] = found[signed % (1 << 64)] = say.PART(value=index)
    return found


def _of_guards(bits: Bits) -> Mask:
    words = bits.view("<u2").reshape(bits.size, -1) & 0x7FFF
    inside = (words >= poison.LEAST_GUARD) & (words <= poison.MOST_GUARD) & (words % 2 == 1)
    found: Mask = inside.all(axis=1)
    return found


def _multiple(seen: Bits, times: int, word: int, where: str) -> Trace:
    """Integers made of an index of 32 bits, in arithmetic of 32 or 64."""
    index = word << 16 | word
    signed = index - (1 << 32 if word >> 15 else 0)
    away = seen.astype(np.int64) - np.int64(times * signed)
    if seen.itemsize == 4:
        away = away.astype(np.uint32).astype(np.int32).astype(np.int64)
    if times == 1:
        words = say.BESIDE(room=MOST_BESIDE, index=index)
        return Trace(np.abs(away) < MOST_BESIDE, words, where)
    words = say.MULTIPLE(times=times, index=index)
    return Trace((away >= 0) & (away < times), words, where)
