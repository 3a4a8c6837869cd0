"""The toy corpus: what the judge answers to a fixed set of calls, as digests part by part.

Every part is a generator of answers: verdicts with all their words, accepted sets, figures, trees,
errors. Toy formats are judged at every pattern; the real ones on hard data, right and wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.proofs.mutation import (
    corpus_calls,
    corpus_compiled,
    corpus_orders,
    corpus_outputs,
    corpus_sets,
)
from tests.proofs.mutation.digest import digest

PARTS: tuple[Callable[[], Iterable[Any]], ...] = (
    *corpus_sets.PARTS,
    *corpus_outputs.PARTS,
    *corpus_compiled.PARTS,
    *corpus_orders.PARTS,
    *corpus_calls.PARTS,
)


def digests() -> Iterator[tuple[str, str]]:
    """The name and the digest of every part, the cheap ones first."""
    for part in PARTS:
        yield part.__name__, digest(_all(part))


def _all(part: Callable[[], Iterable[Any]]) -> list[Any]:
    """The answers of a part up to its end, or to an error that it does not expect."""
    found = []
    try:
        for answer in part():
            found.append(answer)
    except Exception as error:
        found.append(error)
    return found
