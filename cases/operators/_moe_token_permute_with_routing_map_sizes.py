"""Sizes of MoeTokenPermuteWithRoutingMap: those of operators that sort slots and copy rows.

Without padding the slots are the ones of the map, topK of every token. With padding every expert
sorts all tokens by itself, and as many rows are copied as experts and capacity make: in the names
of boundaries, ``slots`` are the tokens that an expert sorts there, and ``tokens`` the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cases.operators import _token_permute_sizes as shared
from cases.operators._moe_token_permute_with_routing_map_maps import LEAST, counts
from cases.operators._token_permute_sizes import MOST_ELEMENTS, MOST_SLOTS, Sizes
from conformance.call.case import Machine

MOST_TOP_K = 511
"""The document's limit. CANN's tiling takes 512 too: such a call is in quarantine."""

TOP_KS = {name: top_ks for name, top_ks in shared.TOP_KS.items() if name not in ("rank 1", "512")}
EXPERTS = {"as of a token": (0, 0), "few more": (1, 5), "many more": (31, 64)}
"""Experts beyond those of one token, at least and at most."""

SEVERAL = {"one": (1, 1), "several": (2, 8)}
"""Experts of a padded call."""

NUMBERS = ("even", "with a rest")
"""Whether numOutTokens is a multiple of what shares it, tokens or experts; what is left over has no
effect."""

MOST_ENTRIES = 150_000
"""Entries of a map of one case: each is listed."""

FREE = ((1, 1, 1), (1, 1, 2), (1, 2, 3), (1, 1, 3), (1, 3, 4), (2, 1, 1), (2, 1, 3), (2, 2, 4))
"""Experts, capacity and tokens where no boundary fixes any of them."""


@dataclass(frozen=True)
class PaddedSizes:
    """A machine and the sizes of a padded call; ``hidden`` None is free."""

    machine: Machine
    experts: int
    capacity: int
    tokens: int
    hidden: int | None = None

    @property
    def rows(self) -> int:
        """Rows of all experts."""
        return self.experts * self.capacity

    def holds(self, column: str, filled: str, number: str, experts: str) -> bool:
        """Whether the levels show in these sizes, and the case is not too large."""
        low, high = SEVERAL[experts]
        fits = 1 <= self.capacity <= self.tokens <= MOST_SLOTS and low <= self.experts <= high
        fits = fits and self.rows * (self.hidden or 1) <= MOST_ELEMENTS
        rest = self.experts > 1 and self.capacity < self.tokens
        return (
            fits
            and (rest or number == NUMBERS[0])
            and bool(counts(column, filled, self.tokens, self.capacity))
        )


def holds(sizes: Sizes, pattern: str, number: str, experts: str) -> bool:
    """Whether a pattern of a map without padding shows in these sizes, for these experts."""
    fewest, (low, high) = fewest_tokens(pattern, number), EXPERTS[experts]
    return (
        sizes.holds(fewest * sizes.top_k)
        and high >= max(LEAST[pattern][1], NUMBERS.index(number))
        and (sizes.tokens or fewest) * (sizes.top_k + low) <= MOST_ENTRIES
    )


def fewest_tokens(pattern: str, number: str) -> int:
    """The fewest tokens that show a pattern, and a rest where there is one."""
    return max(LEAST[pattern][0], 1 + NUMBERS.index(number))


@cache
def padded_sizes_at(
    boundary: str, cores: str, ub: str, element_bytes: int
) -> tuple[PaddedSizes, ...]:
    """The sizes on a boundary, fewest elements first."""
    found = {
        padded
        for sizes in shared.sizes_at(boundary, "1", cores, ub, element_bytes)
        for padded in _padded(boundary, sizes)
    }
    return tuple(sorted(found, key=_simplicity))


@cache
def padded_shapes_at(
    boundary: str, cores: str, ub: str, element_bytes: int
) -> tuple[PaddedSizes, ...]:
    """Of `padded_sizes_at`, one of those that differ in the machine alone."""
    found = padded_sizes_at(boundary, cores, ub, element_bytes)
    return tuple(
        {(one.experts, one.capacity, one.tokens, one.hidden): one for one in found}.values()
    )


def _padded(boundary: str, sizes: Sizes) -> Iterator[PaddedSizes]:
    machine, fixed = sizes.machine, sizes.tokens
    if fixed is None:
        for experts, capacity, tokens in FREE:
            yield PaddedSizes(machine, experts, capacity, tokens, sizes.hidden)
    elif boundary.startswith("slots"):
        for experts in (1, 2, 3):
            for capacity in {1, 2, -(-fixed // 2), fixed - 1, fixed}:
                yield PaddedSizes(machine, experts, capacity, fixed)
    else:
        for experts in range(1, SEVERAL["several"][1] + 1):
            if fixed % experts == 0:
                for more in (0, 1, 2, 5):
                    capacity = fixed // experts
                    yield PaddedSizes(machine, experts, capacity, capacity + more)


def _simplicity(sizes: PaddedSizes) -> tuple[int, ...]:
    machine = sizes.machine
    elements = sizes.rows * (sizes.hidden or 1) + sizes.tokens * sizes.experts
    return elements, machine.cores, machine.ub_bytes, sizes.experts, sizes.capacity, sizes.tokens
