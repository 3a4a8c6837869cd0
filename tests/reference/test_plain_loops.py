"""References and plain loops say the same, written apart from each other from the same documents.

Values are small integers in float64, so that every sum is exact in any order. Operators that have a
record are compared where their cases are drawn (tests/cases).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reference import (
    moe_finalize_routing_v2,
    moe_finalize_routing_v2_grad,
    moe_init_routing_v2,
    moe_token_permute_with_ep_grad,
    moe_token_permute_with_routing_map,
    moe_token_unpermute_grad,
)
from tests.definitions.moe_finalize_routing_v2 import moe_finalize_routing_v2 as finalize_loops
from tests.definitions.moe_finalize_routing_v2_grad import (
    moe_finalize_routing_v2_grad as finalize_grad_loops,
)
from tests.definitions.moe_init_routing_v2 import moe_init_routing_v2 as init_loops
from tests.definitions.moe_token_permute_with_ep_grad import (
    moe_token_permute_with_ep_grad as ep_grad_loops,
)
from tests.definitions.moe_token_permute_with_routing_map import (
    moe_token_permute_with_routing_map as map_loops,
)
from tests.definitions.moe_token_unpermute_grad import moe_token_unpermute_grad as unpermute_loops

FEW = settings(max_examples=150, database=None, derandomize=True, deadline=None)
GENERATORS = st.integers(0, 2**32 - 1).map(np.random.default_rng)
SIZES = st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 3))
"""Tokens, slots of each, columns."""

FLAGS = st.tuples(st.sampled_from([0, 1, 2]), st.booleans())
"""What is asked of counts, and whether those before the capacity are."""

Generator = np.random.Generator


def numbers(generator: Generator, *shape: int) -> NDArray[np.float64]:
    return generator.integers(-9, 10, shape).astype(np.float64)


def ranked(generator: Generator, slots: int) -> NDArray[np.int32]:
    return generator.permutation(slots).astype(np.int32)


def same(found: Any, expected: Any) -> None:
    assert np.asarray(found).tolist() == expected


@FEW
@given(GENERATORS, SIZES, st.integers(0, 25), FLAGS)
def test_init_routing_without_capacity(
    generator: Generator, sizes: tuple[int, int, int], active_num: int, flags: tuple[int, bool]
) -> None:
    tokens, top_k, hidden = sizes
    x, experts = numbers(generator, tokens, hidden), generator.integers(0, 4, (tokens, top_k))
    routed_as_by_loops(x, experts, flags, active_num=active_num, expert_num=4)


@FEW
@given(GENERATORS, SIZES, FLAGS, st.data())
def test_init_routing_with_capacity(
    generator: Generator, sizes: tuple[int, int, int], flags: tuple[int, bool], data: st.DataObject
) -> None:
    tokens, top_k, hidden = sizes[0] + 1, sizes[1], sizes[2]
    capacity = data.draw(st.integers(1, tokens - 1))
    x, experts = numbers(generator, tokens, hidden), generator.integers(0, 3, (tokens, top_k))
    how = {"expert_capacity": capacity, "expert_num": 3, "drop_pad_mode": 1}
    routed_as_by_loops(x, experts, flags, **how)


def routed_as_by_loops(x: Any, experts: Any, flags: tuple[int, bool], **how: int) -> None:
    """Both flags of counts, of which a mode heeds one, are the same to both."""
    found = moe_init_routing_v2.formula(
        x,
        experts.astype(np.int32),
        expert_tokens_count_or_cumsum_flag=flags[0],
        expert_tokens_before_capacity_flag=flags[1],
        **how,
    )
    loops = init_loops(
        x, experts, count_or_cumsum_flag=flags[0], before_capacity_flag=flags[1], **how
    )
    assert found.keys() == loops.keys()
    for name, expected in loops.items():
        same(found[name], expected)


@FEW
@given(GENERATORS, SIZES, st.booleans(), st.integers(0, 4))
def test_unpermute_grad(
    generator: Generator, sizes: tuple[int, int, int], weighted: bool, dropped: int
) -> None:
    tokens, top_k, hidden = sizes if weighted else (sizes[0], 1, sizes[2])
    slots = tokens * top_k
    rows, grad = (
        numbers(generator, max(1, slots - dropped), hidden),
        numbers(generator, tokens, hidden),
    )
    probs = numbers(generator, tokens, top_k) if weighted else None
    ranks = ranked(generator, slots)
    found = moe_token_unpermute_grad.formula(grad, ranks, rows, probs)
    rows_grad, probs_grad = unpermute_loops(rows, grad, ranks, probs)
    same(found["permuted_tokens_grad"], rows_grad)
    assert ("probs_grad" in found) == (probs_grad is not None)
    if probs_grad is not None:
        same(found["probs_grad"], probs_grad)


@FEW
@given(GENERATORS, SIZES, st.booleans(), st.booleans(), st.data())
def test_permute_with_ep_grad(
    generator: Generator,
    sizes: tuple[int, int, int],
    weighted: bool,
    ranged: bool,
    data: st.DataObject,
) -> None:
    tokens, top_k, hidden = sizes
    slots = tokens * top_k
    start = data.draw(st.integers(0, slots - 1)) if ranged else 0
    end = data.draw(st.integers(start + 1, slots)) if ranged else slots
    rank_range = (start, end) if ranged else None
    rows = numbers(generator, end - start, hidden)
    probs = numbers(generator, end - start) if weighted and ranged else None
    ranks = ranked(generator, slots)
    how = {"num_topk": top_k, "rank_range": rank_range}
    found = moe_token_permute_with_ep_grad.formula(rows, ranks, probs, **how)  # type: ignore[arg-type]
    token_grad, probs_grad = ep_grad_loops(rows, ranks, probs, **how)  # type: ignore[arg-type]
    same(found["token_grad"], token_grad)
    assert ("probs_grad" in found) == (probs_grad is not None)
    if probs_grad is not None:
        same(np.asarray(found["probs_grad"]).reshape(tokens, top_k), probs_grad)


@FEW
@given(GENERATORS, st.integers(1, 5), st.integers(1, 5), st.booleans(), st.booleans(), st.data())
def test_permute_with_routing_map(
    generator: Generator,
    tokens: int,
    experts: int,
    pads: bool,
    weighted: bool,
    data: st.DataObject,
) -> None:
    rows = numbers(generator, tokens, 2)
    probs = numbers(generator, tokens, experts) if weighted else None
    if pads:
        marks = generator.integers(0, 2, (tokens, experts))
        asked = data.draw(st.integers(0, tokens * experts))
    else:
        top_k = data.draw(st.integers(1, experts))
        marks = generator.permuted(np.arange(experts) < top_k * np.ones((tokens, 1)), axis=1)
        asked = tokens * top_k + data.draw(st.integers(0, tokens - 1))
    how = {"num_out_tokens": asked, "drop_and_pad": pads}
    found = moe_token_permute_with_routing_map.formula(rows, marks.astype(np.int8), probs, **how)  # type: ignore[arg-type]
    loops = map_loops(rows, marks.astype(int), probs, **how)  # type: ignore[arg-type]
    same(found["permute_tokens"], loops["permuted_tokens"])
    same(found["sorted_indices"], loops["sorted_indices"])
    assert ("permute_probs" in found) == weighted
    if weighted:
        same(found["permute_probs"], loops["permute_probs"])


def finalized(
    generator: Generator, sizes: tuple[int, int, int], mode: int, given_ones: set[str]
) -> tuple[NDArray[Any], NDArray[np.int32], dict[str, Any]]:
    """Rows of the experts, what names them, and the optional tensors of a call."""
    tokens, top_k, hidden = sizes
    slots = tokens * top_k
    indices = ranked(generator, slots)
    if mode in (1, 3):
        rows: NDArray[Any] = numbers(generator, 2, slots, hidden)
        indices = np.where(generator.random(slots) < 0.3, -1, indices).astype(np.int32)
    else:
        rows = numbers(generator, max(1, slots - int(generator.integers(0, 3))), hidden)
    every = {
        "x1": numbers(generator, tokens, hidden),
        "x2": numbers(generator, tokens, hidden),
        "bias": numbers(generator, 3, hidden),
        "scales": numbers(generator, tokens, top_k),
        "expert_idx": generator.integers(0, 3, (tokens, top_k)).astype(np.int32),
    }
    return rows, indices, {name: every[name] if name in given_ones else None for name in every}


OPTIONAL = st.sets(st.sampled_from(["x1", "x2", "scales"]))


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@FEW
@given(generator=GENERATORS, sizes=SIZES, present=OPTIONAL, biased=st.booleans())
def test_finalize_routing(
    mode: int, generator: Generator, sizes: tuple[int, int, int], present: set[str], biased: bool
) -> None:
    """Loops leave the bias of a dropped slot out, on which the documents are silent; the reference
    keeps it, as the vendor's kernel does: such slots are compared without a bias."""
    given_ones = {*present, "expert_idx", *(["bias"] if biased else [])}
    rows, indices, tensors = finalized(generator, sizes, mode, given_ones)
    if biased:
        rows = (
            numbers(generator, 2, indices.size, sizes[2])
            if mode in (1, 3)
            else numbers(generator, indices.size, sizes[2])
        )
        indices = ranked(generator, indices.size)
    found = moe_finalize_routing_v2.formula(
        rows, indices, **tensors, num_rows=sizes[0], drop_pad_mode=mode
    )
    same(found, finalize_loops(rows, indices, **tensors, drop_pad_mode=mode))


@pytest.mark.parametrize("mode", [0, 1])
@FEW
@given(generator=GENERATORS, sizes=SIZES, biased=st.booleans(), active_num=st.integers(0, 25))
def test_finalize_routing_grad(
    mode: int, generator: Generator, sizes: tuple[int, int, int], biased: bool, active_num: int
) -> None:
    tokens, top_k, hidden = sizes
    slots = tokens * top_k
    active_num = active_num if mode == 0 and not biased else 0
    shape = (2, slots) if mode == 1 else (min(active_num, slots) or slots,)
    indices = ranked(generator, slots)
    if mode == 1 and not biased:
        indices = np.where(generator.random(slots) < 0.3, -1, indices).astype(np.int32)
    tensors = {
        "expanded_x": numbers(generator, *shape, hidden),
        "scales": numbers(generator, tokens, top_k),
        "expert_idx": generator.integers(0, 3, (tokens, top_k)).astype(np.int32)
        if biased
        else None,
        "bias": numbers(generator, 3, hidden) if biased else None,
    }
    grad = numbers(generator, tokens, hidden)
    how = {
        "drop_pad_mode": mode,
        "active_num": active_num,
        "expert_num": 2,
        "expert_capacity": slots,
    }
    found = moe_finalize_routing_v2_grad.formula(grad, indices, **tensors, **how)
    rows_grad, scales_grad = finalize_grad_loops(grad, indices, **tensors, **how)
    same(found["grad_expanded_x"], rows_grad)
    same(found["grad_scales"], scales_grad)
