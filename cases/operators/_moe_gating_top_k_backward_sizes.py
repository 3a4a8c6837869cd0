"""Calls of MoeGatingTopKBackward whose sizes grow alone, are extreme, or a model's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from cases.operators._extremes import PRIME_COLUMNS as PRIME
from cases.operators._extremes import Extreme
from cases.operators._gating_group_sizes import FACTOR, Sized
from cases.operators._gating_ladders import along
from cases.operators._gating_softmax import extreme
from cases.operators._moe_gating_top_k_backward_limits import FEWEST_EXPERTS, MOST_EXPERTS, least_ub
from cases.operators._workloads import CHIP
from conformance.call.case import Case
from conformance.record.edges import Edges
from conformance.record.size_ladders import Ladder
from conformance.record.workload import Batch
from conformance.values.fill import Fill
from conformance.values.special_rows import KINDS


def ladders(sized: Sized) -> tuple[Ladder, ...]:
    """Rows, experts, and how many have a weight, each grown alone."""

    grown = partial(along, sized, lambda expert, slot: least_ub({"expert": expert, "slot": slot}))
    few = FEWEST_EXPERTS
    return (
        Ladder("rows", grown("row", expert=5, slot=2)),
        Ladder("experts", grown("expert", row=2, slot=1), most=MOST_EXPERTS, least=few),
        Ladder("k", grown("slot", row=2, expert=few), most=MOST_EXPERTS),
    )


def by_experts(
    make: Callable[..., Case], mode: str
) -> Callable[[str, Batch], SearchStrategy[Case]]:
    """Calls of a mode in which each token has the experts that its batch has."""

    def cases(dtype: str, batch: Batch) -> SearchStrategy[Case]:
        one = batch.workload
        sizes = {"row": batch.tokens, "expert": one.experts, "slot": one.top_k}
        given: dict[str, Any] = {
            "x_norm": {"fill": Fill(("sigmoids",), batch.seed)},
            "grad_y": {"fill": Fill(("gaussian",), batch.seed)},
            "expert_idx": {"values": tuple(batch.experts.ravel().tolist())},
        }
        how = {"routed_scaling_factor": FACTOR, "eps": 1e-20}
        return st.just(make(mode, dtype, sizes, given, machine=CHIP, **how))

    return cases


@dataclass(frozen=True)
class Planted:
    """What is extreme in these calls: one row of two experts, every expert of the most, special
    values in every place of scores and gradients."""

    def declared(self, near: Edges) -> Iterator[Extreme]:
        """The extremes of sizes, then those of values: of rows that choose every expert. There are
        so many rows that each column has each special value."""
        yield extreme("the fewest rows of one column", 1, FEWEST_EXPERTS, 1)
        yield extreme("a prime number of columns", 3, PRIME, 5)
        yield extreme("the fewest rows of the most slots", 1, MOST_EXPERTS, MOST_EXPERTS)
        for name in ("x_norm", "grad_y"):
            for experts in (2, 9):
                told = f"special values in every slot of {name}, {experts} experts"
                yield extreme(told, len(KINDS) * experts, experts, experts, name)
