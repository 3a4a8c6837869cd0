"""Extremes of every record: what gate is sure to judge; planted values are in every slot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cases.operators._extremes import FEW_SLOTS
from conformance.call.case import Case
from conformance.devices.call import call_of
from conformance.draw.profiles import PROFILES
from conformance.judge.legality import check_call
from conformance.record.contract import Sum
from conformance.record.edges import Edge, Edges
from conformance.record.operator import Operator
from conformance.suite import records as suite
from conformance.values.special_rows import KINDS
from tests.cases.drawing import drawn_once, one_of_each
from tests.cases.extremes_audit import audit
from tests.conformance.values.test_special_rows import kinds_of
from tests.kernels.mutants import Mutant, apply
from tests.kernels.mutants_extremes import MUTANTS
from tests.kernels.mutation_run import KERNELS

RANKS = "ranks name rows: no expert is in the call"
NEVER = "every row of the gradient is named, so all of it would have to exist"
ADDED = "every slot adds a row: as many additions as the offset has elements"
EVERY = "every slot has a row, so all of them would have to exist"
OUTPUT = "an output is as large as the input, and outputs are never row-sparse"
SCORED = "every score is read, so all of them would have to exist"
COUNTED = "ids and rows are numbers of what exists, and 2^24 of it would have to"
EMPTY = "the host tiling takes no size of 0, and is not asked without a result: in quarantine"
WHOLE = "at most 2048 experts: a row is in the buffer whole"
UNSORTED = "nothing is sorted by a number of keys that its sources bound there"
ENTERED = "entries are read as they lie, each an expert's number: fewer than 2^24 int32 of 2048"
QUANTISED = "no document says what infinities and NaN become as integers: in quarantine"
SLOTLESS = "rows are counted by rank and expert, and a token has no slots"

ABSENT = {
    **{
        (f"moe_{name}", "as many slots as experts"): RANKS
        for name in (
            *("finalize_routing_v2", "finalize_routing_v2_grad", "init_routing_v2_grad"),
            *("finalize_routing", "finalize_routing_v3", "finalize_routing_v4"),
            *("token_permute_grad", "token_permute_with_ep_grad", "token_unpermute"),
            *("token_unpermute_grad", "token_unpermute_with_ep", "token_unpermute_with_ep_grad"),
        )
    },
    **{
        (f"moe_gating_top_k{version}", extreme): reason
        for version in ("", "_softmax", "_softmax_v2", "_v2", "_backward")
        for extreme, reason in {"a size of zero": EMPTY, "16,777,214 keys": UNSORTED}.items()
    },
    **{
        (f"moe_gating_top_k{version}", extreme): reason
        for version in ("", "_softmax", "_softmax_v2", "_backward")
        for extreme, reason in {
            "offsets beyond 2^31 elements": SCORED,
            "offsets beyond 2^32 elements": SCORED,
            "indices beyond 2^24": COUNTED,
        }.items()
    },
    **{
        (f"moe_init_routing_{version}", extreme): QUANTISED
        for version in ("quant", "quant_v2")
        for extreme in (
            "NaN, infinities, -0.0, subnormal in every slot",
            "the same in every column of a row of two tiles",
        )
    },
    **{
        (f"moe_gating_top_k{version}", "the same in every column of a row of two tiles"): WHOLE
        for version in ("", "_v2", "_backward")
    },
    **{
        (f"moe_token_{name}", f"offsets beyond 2^{power} elements"): ADDED
        for power in (31, 32)
        for name in ("permute_with_routing_map_grad", "unpermute_with_routing_map")
    },
    **{
        ("moe_token_unpermute_with_routing_map_grad", extreme): reason
        for extreme, reason in {
            "offsets beyond 2^31 elements": OUTPUT,
            "offsets beyond 2^32 elements": OUTPUT,
            "indices beyond 2^24": OUTPUT,
            "a size of zero": "the host tiling takes no size of 0: it is rejected",
        }.items()
    },
    **{("moe_finalize_routing", f"offsets beyond 2^{power} elements"): EVERY for power in (31, 32)},
    ("moe_finalize_routing", "indices beyond 2^24"): EVERY,
    **{
        ("moe_compute_expert_tokens", extreme): ENTERED
        for extreme in (
            *("NaN, infinities, -0.0, subnormal in every slot", "the most slots of a token"),
            *("the same in every column of a row of two tiles", "as many slots as experts"),
            *("offsets beyond 2^31 elements", "offsets beyond 2^32 elements", "a size of zero"),
            *("indices beyond 2^24", "16,777,214 keys"),
        )
    },
    **{("moe_re_routing", f"offsets beyond 2^{power} elements"): OUTPUT for power in (31, 32)},
    **{
        ("moe_re_routing", extreme): SLOTLESS
        for extreme in ("the most slots of a token", "as many slots as experts")
    },
    **{
        (f"moe_{name}", "indices beyond 2^24"): reason
        for name, reason in {
            "finalize_routing_v2_grad": OUTPUT,
            "token_unpermute_grad": OUTPUT,
            "token_unpermute_with_ep_grad": OUTPUT,
            "re_routing": OUTPUT,
            "token_permute_with_ep_grad": NEVER,
            "token_permute_with_routing_map_grad": NEVER,
            "token_unpermute_with_routing_map": ADDED,
            "init_routing": "fp32 keys above 2^24 - 2 are undefined: quarantine",
            "init_routing_quant": "fp32 keys above 2^24 - 2 are undefined: quarantine",
            "init_routing_quant_v2": "fp32 keys above 2^24 - 2 are undefined: quarantine",
            "init_routing_v2": "fp32 keys above 2^24 - 2 are undefined: quarantine",
            "token_permute": "fp32 keys above 2^24 - 2 are undefined: quarantine",
            "token_permute_with_routing_map": "a map of 2^24 tokens is no sparse tensor",
        }.items()
    },
    **{
        (f"moe_{name}", "16,777,214 keys"): UNSORTED
        for name in (
            *("finalize_routing_v2", "finalize_routing_v2_grad", "init_routing_v2_grad"),
            *("finalize_routing", "finalize_routing_v3", "finalize_routing_v4"),
            *("token_permute_grad", "token_permute_with_ep_grad", "token_unpermute"),
            *("token_unpermute_grad", "token_permute_with_routing_map"),
            *("token_permute_with_routing_map_grad", "token_unpermute_with_routing_map"),
            *("token_unpermute_with_routing_map_grad", "re_routing", "token_unpermute_with_ep"),
            "token_unpermute_with_ep_grad",
        )
    },
    ("moe_token_unpermute_with_ep", "a size of zero"): "by the document none: in quarantine",
}
"""Extremes that an operator has not, with the reason."""

AUDIT = list(audit())


@pytest.mark.parametrize(("operator", "extreme", "sure"), AUDIT)
def test_a_run_is_sure_to_judge_every_extreme_that_an_operator_has(
    operator: str, extreme: str, sure: str
) -> None:
    assert bool(sure) != ((operator, extreme) in ABSENT)
    assert sure != "nightly" or extreme == "16,777,214 keys"


def extremes_of(operator: Operator, mode: str, dtype: str) -> tuple[Edges, list[Edge]]:
    """The edges of a cell, and those that gate judges for its extremes."""
    assert operator.cells is not None
    near = operator.cells(mode, dtype).edges
    if near is None:
        return Edges((), lambda _: {}, lambda _: None), []  # type: ignore[arg-type,return-value]
    words = ("special values", "the fewest", "a prime")
    return near, [edge for edge in near.declared if edge.limit.startswith(words)]


CELLS = [(one, mode.name) for one in suite.operators([]) for mode in one.modes]
IDS = [f"{mode} of {operator.name}" for operator, mode in CELLS]


@pytest.mark.parametrize(("operator", "mode"), CELLS, ids=IDS)
def test_a_case_of_an_extreme_is_legal_lies_on_it_and_is_cheap_enough_for_gate(
    operator: Operator, mode: str
) -> None:
    near, declared = extremes_of(operator, mode, "float16")
    for edge, case in zip(declared, one_of_each([*map(near.cases, declared)]), strict=True):
        assert edge.cost <= PROFILES["gate"].edge_cost
        check_call(case, operator)
        call_of(operator, case)
        assert edge.name in near.of(case)


def summed(operator: Operator, case: Case) -> Sum | None:
    """The contract of an output whose rows each add one row for every slot of a token."""
    found = [operator.contract(name, case) for name in case.outputs if name in operator.contracts]
    return next((one for one in found if isinstance(one, Sum)), None)


@pytest.mark.parametrize(
    ("name", "mode", "tensor"),
    [
        ("moe_token_permute_grad", "whole", "permuted_output_grad"),
        ("moe_token_permute_grad", "uneven", "permuted_output_grad"),
        ("moe_token_unpermute", "whole", "permuted_tokens"),
        ("moe_token_permute_with_ep_grad", "full", "permuted_tokens_output_grad"),
        ("moe_token_permute_with_routing_map_grad", "dropless", "permuted_token_output_grad"),
        ("moe_token_unpermute_with_routing_map", "dropless", "permuted_tokens"),
        ("moe_init_routing_v2_grad", "dropless", "grad_expanded_x"),
        ("moe_init_routing_v2_grad", "drop_pad", "grad_expanded_x"),
        ("moe_finalize_routing_v2", "dropless_rows", "expanded_x"),
        ("moe_finalize_routing_v2", "drop_pad_columns", "expanded_x"),
    ],
)
def test_the_row_of_every_slot_that_adds_one_has_every_kind_of_special_value(
    name: str, mode: str, tensor: str
) -> None:
    (operator,) = suite.chosen(suite.records([]), [name])
    near, declared = extremes_of(operator, mode, "float16")
    words = f"special values in every slot of {tensor}"
    mine = [one for one in declared if one.limit.startswith(words)]
    assert len(mine) == 2
    for edge in mine:
        case = drawn_once(near.cases(edge), 1)
        contract = summed(operator, case)
        assert contract is not None
        rows = np.asarray(contract.terms(case.arrays, case.attributes).rows)
        held = case.arrays[tensor].reshape(-1, case.arrays[tensor].shape[-1])
        kinds = kinds_of(held)
        named = rows[(rows >= 0) & (rows < len(held))]
        assert named.size >= edge.sizes["top_k"] - 1
        assert edge.sizes["top_k"] >= FEW_SLOTS
        for row in np.unique(named):
            assert set(range(len(KINDS))) <= set(kinds[row].tolist())


@pytest.mark.parametrize(
    ("operator", "mutant"),
    [(operator, one) for operator, some in MUTANTS.items() for one in some],
    ids=lambda one: one.name if isinstance(one, Mutant) else one,
)
def test_a_mistake_that_an_extreme_alone_shows_has_its_one_place(
    operator: str, mutant: Mutant, tmp_path: Path
) -> None:
    apply(mutant, operator, KERNELS, tmp_path / "kernels")
