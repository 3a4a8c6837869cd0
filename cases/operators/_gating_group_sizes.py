"""Calls of operators that select of groups: sizes that grow alone, are extreme, or a model's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._extremes import MACHINE, Extreme
from cases.operators._extremes import PRIME_COLUMNS as PRIME
from cases.operators._gating_group_limits import MOST_EXPERTS, MOST_GROUPS, least_ub
from cases.operators._gating_ladders import apart, scores_of
from cases.operators._sized_calls import with_room
from cases.operators._values import bits
from cases.operators._workloads import CHIP
from conformance.call.case import Case, Machine
from conformance.record.edges import Edges, Sizes
from conformance.record.size_ladders import Ladder
from conformance.record.variations import with_attributes
from conformance.record.workload import Batch
from conformance.values.special_rows import KINDS

Sized = Callable[[str, str, Sizes, Machine], SearchStrategy[Case]]
GROUPS_OF_A_MODEL = 8
"""Of DeepSeek-V3, which scores a group by its two best experts."""

FACTOR = 2.5
"""Of DeepSeek-V3, too."""

SHIFT = 0.25
"""The bias of every expert: it moves no key before another."""


def ladders(sized: Sized) -> tuple[Ladder, ...]:
    """Rows, experts, how many are selected, groups, and those that are kept, each grown alone.

    All scores are written: an offset into them goes wrong as one into x does.
    """

    def along(**changed: Callable[[int], int]) -> Callable[..., SearchStrategy[Case]]:
        def cases(mode: str, dtype: str, size: int, machine: Machine) -> SearchStrategy[Case]:
            sizes = {"row": 2, "group": 1, "member": 1, "kept": 1, "slot": 1}
            sizes |= {name: of(size) for name, of in changed.items()}
            return sized(mode, dtype, sizes, with_room(machine, least_ub(sizes))).map(shown)

        return cases

    def shown(case: Case) -> Case:
        return with_attributes(apart(case), out_flag=1)

    def same(size: int) -> int:
        return size

    def most_groups(size: int) -> int:
        return MOST_GROUPS

    def two(size: int) -> int:
        return 2

    return (
        Ladder("rows", along(row=same, member=two)),
        Ladder("experts", along(member=same), most=MOST_EXPERTS),
        Ladder("k", along(member=same, slot=same), most=MOST_EXPERTS),
        Ladder("groups", along(group=same, member=two), most=MOST_GROUPS),
        Ladder("kept groups", along(group=most_groups, member=two, kept=same), most=MOST_GROUPS),
    )


def by_scores(make: Callable[..., Case], mode: str) -> Callable[[str, Batch], SearchStrategy[Case]]:
    """Calls of a mode in which each token selects the experts that its batch has, in their order.

    They have the tokens, experts and k of the model. If its experts fall into 8 groups, as few of
    these are kept as one token's experts need.
    """

    def cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
        experts, k = batch.workload.experts, batch.workload.top_k
        count = GROUPS_OF_A_MODEL if experts % GROUPS_OF_A_MODEL == 0 else 1
        member = experts // count
        count, member = (count, member) if member > 1 else (1, experts)
        kept = max(len(set(row)) for row in (batch.experts // member).tolist())
        sizes = {"row": batch.tokens, "group": count, "member": member, "kept": kept, "slot": k}
        given: dict[str, Any] = {
            "x": {"values": bits(dtype, *scores_of(batch).ravel())},
            "bias": {"values": bits(dtype, *np.full(experts, SHIFT))},
        }
        case = make(
            mode,
            dtype,
            sizes,
            given,
            machine=CHIP,
            group_select_mode=int(count > 1),
            routed_scaling_factor=FACTOR,
            eps=1e-20,
        )
        return st.just(case)

    return cases


class Planted:
    """What is extreme in these calls: x is one row of one expert, every expert of the most is
    selected, special values are in every place of x."""

    def declared(self, near: Edges) -> Iterator[Extreme]:
        """The extremes of sizes, then those of values: of rows whose experts are all selected, and
        of groups. There are so many rows that each column has each special value."""
        yield _extreme("the fewest rows of one column", 1, 1, 1, 1, 1)
        yield _extreme("a prime number of columns", 3, 1, PRIME, 1, 5)
        yield _extreme("the fewest rows of the most slots", 1, 1, MOST_EXPERTS, 1, MOST_EXPERTS)
        for groups, member, kept in ((1, 4, 1), (1, 9, 1), (4, 3, 2)):
            experts = groups * member
            told = f"special values in every slot of x, {experts} experts"
            yield _extreme(told, len(KINDS) * experts, groups, member, kept, kept * member, "x")


def _extreme(
    limit: str, rows: int, groups: int, member: int, kept: int, k: int, planted: str = ""
) -> Extreme:
    sizes = {"row": rows, "group": groups, "member": member, "kept": kept, "slot": k}
    return Extreme(limit, sizes, planted, MACHINE, rows * groups * member)
