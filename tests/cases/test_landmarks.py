"""Records know where the rows of an expert begin, by the reference's own result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conformance.call.case import Machine
from conformance.mutants.drawn_cases import drawn
from conformance.record.operator import Operator
from conformance.suite import records as suite
from reference.moe_token_permute_with_ep import assigned, window

SORTING = {
    "moe_token_permute": ("whole", "permute_tokens", "indices"),
    "moe_token_permute_with_ep": ("middle", "permute_tokens", "indices"),
    "moe_init_routing": ("active", "expanded_x", "expert_idx"),
    "moe_init_routing_quant": ("active", "expanded_x", "expert_idx"),
    "moe_init_routing_quant_v2": ("active_dynamic", "expanded_x", "expert_idx"),
    "moe_init_routing_v2": ("dropless", "expanded_x", "expert_idx"),
}
OPERATORS = {one.name: one for one in suite.operators([])}


def cases(operator: Operator, mode: str) -> list:
    return drawn(operator.cases(mode, "float32"), 25, 0, mode)


@pytest.mark.parametrize("name", SORTING)
def test_an_expert_s_rows_begin_where_the_key_of_the_kept_slots_changes(name: str) -> None:
    operator, (mode, output, keys) = OPERATORS[name], SORTING[name]
    assert operator.landmarks is not None
    for case in cases(operator, mode):
        given = np.sort(case.arrays[keys].reshape(-1), kind="stable")
        first = (case.attributes.get("rank_range") or (0, 0))[0]
        kept = given[first : first + case.outputs[output].shape[0]]
        changes = np.flatnonzero(np.diff(kept)) + 1
        said = operator.landmarks(case).experts[output]
        assert [start for start in said if 0 < start < kept.size] == changes.tolist()


@pytest.mark.parametrize(
    "mode", ["full", "head", "tail", "middle", "equal", "reversed", "no_range", "num_out_tokens"]
)
def test_a_range_s_experts_begin_where_the_reference_keeps_another_one(mode: str) -> None:
    """The keys of the rows are what the formula makes of keys in place of probabilities."""
    operator = OPERATORS["moe_token_permute_with_ep"]
    assert operator.landmarks is not None
    for case in cases(operator, mode):
        keys = case.arrays["indices"]
        found = operator.formula({**case.arrays, "probs": keys.astype(np.int64)}, case.attributes)
        slots, rows = keys.size, case.outputs["permute_tokens"].shape[0]
        asked = case.attributes["rank_range"], case.attributes["num_out_tokens"]
        start, _ = window(slots, *asked)
        kept = found["permute_probs"][: assigned(slots, start, rows)]
        changes = np.flatnonzero(np.diff(kept)) + 1
        said = operator.landmarks(case).experts["permute_tokens"]
        assert [at for at in said if 0 < at < kept.size] == changes.tolist()


def test_an_empty_range_keeps_every_slot_from_the_first_row_on() -> None:
    operator = OPERATORS["moe_token_permute_with_ep"]
    assert operator.landmarks is not None
    (case,) = [one.case for one in operator.examples if one.name == "empty range at the end"]
    assert case.attributes["rank_range"] == (8, 8)
    assert operator.landmarks(case).experts["permute_tokens"][0] == 0


@pytest.mark.parametrize("mode", ["dropless", "drop_pad"])
def test_a_map_s_experts_begin_behind_the_rows_of_those_before(mode: str) -> None:
    operator = OPERATORS["moe_token_permute_with_routing_map"]
    assert operator.landmarks is not None
    for case in cases(operator, mode):
        chosen = case.arrays["routing_map"].astype(bool)
        rows = case.outputs["permute_tokens"].shape[0]
        starts = operator.landmarks(case).experts["permute_tokens"]
        assert len(starts) == chosen.shape[1]
        sizes = np.diff([*starts, rows])
        if mode == "dropless":
            assert sizes.tolist() == chosen.sum(axis=0).tolist()
        else:
            assert set(sizes.tolist()) == {rows // chosen.shape[1]}


@pytest.mark.parametrize("name", ["moe_token_permute_grad", "moe_init_routing_v2_grad"])
def test_a_tile_of_summed_rows_is_what_the_tiling_exports(name: str) -> None:
    operator = OPERATORS[name]
    assert operator.landmarks is not None
    limits = [one for one in operator.limits if one.axis == "hidden"]
    compared = 0
    for case in drawn(operator.cases(operator.modes[0].name, "float16"), 100, 0, name):
        top_k = case.attributes.get("num_topk", case.attributes.get("top_k", 0))
        for one in limits:
            if (one.dtype, one.top_k) == (case.dtype, top_k):
                on = replace(case, machine=Machine(1, one.ub_bytes))
                compared += 1
                assert operator.landmarks(on).tile_columns == one.value
    assert compared > 30
