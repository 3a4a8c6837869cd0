"""Where this project's kernel of MoeTokenPermuteWithRoutingMap changes its path.

What is said here is what its host tiling exports as its limits; a test holds both equal, and every
run asks the library.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from cases.operators._token_permute_limits import (
    GRANULE_BYTES,
    LEAST_UB_BYTES,
    TOP_KS,
    CopyUb,
    of_copies,
)
from conformance.call.case import numpy_dtype
from conformance.record.call_rules import Limit
from conformance.record.chips import USABLE_UB_BYTES

EXPERT_GRANULE = 32
COUNT_BYTES, NAME_BYTES = 12, 4
MOST_TILE_TOKENS = 4095


@dataclass(frozen=True)
class MapUb:
    """The unified buffer while the map is walked; ``prob_bytes`` 0: there are no probabilities."""

    ub_bytes: int
    top_k: int
    prob_bytes: int
    padded: bool

    @property
    def _buffers(self) -> int:
        """Those that have so much for each token, each rounded up to a granule."""
        return (1 if self.prob_bytes else 0) + (1 if self.padded else 2)

    @property
    def experts(self) -> int:
        """The most experts in one tile."""
        left = self.ub_bytes - GRANULE_BYTES * self._buffers
        of_one = 1 + self.prob_bytes + COUNT_BYTES + (0 if self.padded else NAME_BYTES)
        return left // of_one // EXPERT_GRANULE * EXPERT_GRANULE

    def tokens(self, experts: int) -> int:
        """The most tokens in one tile of so many experts; 1 where these do not fit one."""
        rounded = -(-experts // EXPERT_GRANULE) * EXPERT_GRANULE
        if experts < 1 or rounded > self.experts:
            return 1
        left = self.ub_bytes - COUNT_BYTES * rounded - (GRANULE_BYTES - 1) * self._buffers
        names = NAME_BYTES * (1 if self.padded else self.top_k)
        of_one = rounded * (1 + self.prob_bytes) + self.prob_bytes + names
        return max(1, min(left // of_one, MOST_TILE_TOKENS))


def limits(dtypes: Iterable[str]) -> Iterator[Limit]:
    """Every limit on small machines and on the chips, padded or not, with probabilities or not."""
    buffers = (LEAST_UB_BYTES, 1024, 4096, 20000, *USABLE_UB_BYTES.values())
    for dtype, ub in product(dtypes, buffers):
        yield Limit("ub-bytes", LEAST_UB_BYTES, 1, dtype, ub_bytes=ub)
        yield Limit("cores", 3, 1, dtype, 3, ub)
        element_bytes = numpy_dtype(dtype).itemsize
        for top_k in TOP_KS:
            yield from of_copies(CopyUb(ub, top_k, element_bytes, False), dtype, "")
        yield from of_copies(CopyUb(ub, 1, element_bytes, False), dtype, "-padded")
        for padded, probs in product((False, True), repeat=2):
            suffix = ("-padded" if padded else "") + ("-probs" if probs else "")
            for top_k in (1,) if padded else TOP_KS:
                walk = MapUb(ub, top_k, element_bytes * probs, padded)
                yield from _of_map(walk, dtype, suffix)


def _of_map(walk: MapUb, dtype: str, suffix: str) -> Iterator[Limit]:
    ub, top_k = walk.ub_bytes, walk.top_k
    yield Limit(f"experts{suffix}", walk.experts, top_k, dtype, ub_bytes=ub)
    for experts in sorted({1, 33, walk.experts, walk.experts + 1}):
        most = walk.tokens(experts)
        yield Limit(f"map-batch{suffix}", most, top_k, dtype, 0, ub, experts)
