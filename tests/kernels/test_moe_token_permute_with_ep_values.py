"""The kernel gives what the document's formula gives, on small machines and large, bit by bit."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from device_kernels.build import build
from tests.kernels.permute_calls import (
    BF16,
    BITS,
    FP16,
    FP32,
    UNTOUCHED,
    Call,
    Permuter,
    drawn_call,
    ranks_by_definition,
)
from tests.kernels.permute_values import KINDS, SMALL_UB, Trial, difference, experts, trials
from tests.simulator.runtime.driver import Acl

UB_910B = 196352
RUN = 32
"""The keys that a core sorts at once on the smallest machine."""
ORDERS = ("forward", "reverse", *(f"shuffled:{seed}" for seed in range(6)))


@pytest.fixture(scope="module")
def permuter() -> Iterator[Permuter]:
    made = Permuter(Acl(build(quiet=True).lib))
    yield made
    made.machine()


def limit(permuter: Permuter, axis: str, top_k: int, dtype: int, ub: int, hidden: int = 0) -> int:
    function = permuter.c.MoeTokenPermuteWithEpTilingLimit
    function.restype = ctypes.c_int64
    found: int = function(
        axis.encode(),
        ctypes.c_int64(top_k),
        ctypes.c_int32(dtype),
        ctypes.c_uint32(1),
        ctypes.c_uint64(ub),
        ctypes.c_int64(hidden),
    )
    return found


def test_the_published_example_comes_out(permuter: Permuter) -> None:
    """Indices, ranks and the order of rows are those of the operator's own example."""
    call = drawn_call(np.array([[1, 2], [3, 1], [2, 3]], np.int32), 5, span=(1, 5))
    assert ranks_by_definition(call.indices) == [0, 2, 4, 1, 3, 5]
    permuter.machine()
    answer = permuter.run(call)
    assert answer.ranks.tolist() == [0, 2, 4, 1, 3, 5]
    assert answer.tokens.tolist() == call.tokens[[1, 0, 2, 1]].tolist()
    assert call.probs is not None
    assert answer.probs.tolist() == call.probs.reshape(-1)[[3, 1, 4, 2]].tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cores", [1, 2, 3, 7, 48])
def test_ranks_are_stable_at_every_boundary_of_runs_and_merges(
    permuter: Permuter, cores: int, kind: str
) -> None:
    """One run, lists of one merge, of two and of three, each at, below and above its limit."""
    for slots in (1, 2, 31, 32, 33, 63, 64, 65, 95, 97, 127, 128, 129, 160, 289, 511, 512, 513):
        call = drawn_call(experts(kind, slots), 1)
        assert difference(permuter, Trial(cores, SMALL_UB, call)) == "", slots


@pytest.mark.parametrize("cores", [1, 3])
def test_four_levels_of_merges(permuter: Permuter, cores: int) -> None:
    assert limit(permuter, "merge-2", 1, FP32, SMALL_UB) == 16 * RUN
    for kind in ("negative", "falling"):
        call = drawn_call(experts(kind, 64 * RUN + 5), 1)
        assert difference(permuter, Trial(cores, SMALL_UB, call)) == ""


@pytest.mark.parametrize("ub_bytes", [2048, 3008, 6144, 12352, 16384])
def test_lists_inside_a_run_are_merged_whatever_their_number(
    permuter: Permuter, ub_bytes: int
) -> None:
    """From one list of 32 to whole and partial groups of four on several levels."""
    most = limit(permuter, "sort", 1, FP32, ub_bytes)
    for slots in {*range(32, min(most, 700) + 40, 45), most - 1, most, most + 1, 4 * most + 1}:
        call = drawn_call(experts("negative", slots), 1)
        assert difference(permuter, Trial(2, ub_bytes, call)) == "", slots


@pytest.mark.parametrize(
    "slots", [6079, 6080, 6081, 6112, 8159, 8160, 8161, 24320, 24321, 97280, 97281]
)
def test_sizes_at_which_a_real_chip_changes_its_path(permuter: Permuter, slots: int) -> None:
    call = drawn_call(experts("permutation", slots), 1, probs=False, span=(slots - 3, slots))
    assert difference(permuter, Trial(48, UB_910B, call)) == ""
    tied = replace(call, indices=call.indices % 7)
    assert difference(permuter, Trial(40, UB_910B, tied)) == ""


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_order_is_exact_for_all_indices_of_the_documented_domain(
    permuter: Permuter, dtype: type
) -> None:
    near = np.array([16777214, 16777213, 0, -1, 16777212, -16777216, -16777215, 1], dtype)
    permuter.machine(1, SMALL_UB)
    found = permuter.run(drawn_call(near, 1)).ranks.tolist()
    assert found == np.argsort(np.argsort(near, kind="stable")).tolist()


def test_beyond_2_to_the_24_order_is_that_of_the_nearest_fp32(permuter: Permuter) -> None:
    """Neighbours that round to one number are ties, all others keep their order."""
    whole = 1 << 24
    far = np.array([whole + 1, whole, whole + 3, whole + 4, 1 << 62, -(1 << 62), 1 << 40, 5])
    call = drawn_call(far.astype(np.int64), 1)
    assert ranks_by_definition(call.indices) == [2, 3, 4, 5, 7, 0, 6, 1]
    assert difference(permuter, Trial(1, SMALL_UB, call)) == ""
    near = drawn_call(np.array([2**31 - 1, -(2**31), 2**31 - 64, 0], np.int32), 1)
    assert difference(permuter, Trial(1, SMALL_UB, near)) == ""


@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [FP32, FP16, BF16])
@pytest.mark.parametrize("probs", [False, True])
def test_every_dtype_is_copied_bit_by_bit(
    permuter: Permuter, probs: bool, dtype: int, indices: type
) -> None:
    chosen = experts("negative", 66).astype(indices).reshape(22, 3)
    call = drawn_call(chosen, 19, probs=probs, dtype=dtype, span=(7, 50))
    bits = BITS[dtype]
    call.tokens[0, :] = {FP32: 0x7FC00001, FP16: 0x7E01, BF16: 0x7FC1}[dtype]  # a quiet NaN
    call.tokens[1, :] = 1 << (8 * np.dtype(bits).itemsize - 1)  # minus zero
    assert difference(permuter, Trial(3, SMALL_UB, call)) == ""


SPANS = ((0, 24), (0, 9), (9, 24), (5, 17), (5, 6), (23, 24), (7, 7), (0, 0), (24, 24), (17, 5))


@pytest.mark.parametrize("span", [*SPANS, (24, 0)])
@pytest.mark.parametrize("probs", [False, True])
def test_a_range_slices_rows_and_never_ranks(
    permuter: Permuter, span: tuple[int, int], probs: bool
) -> None:
    """Equal ends are no slice; a range that ends before it starts leaves its last rows alone."""
    indices = experts("one missing", 24).reshape(12, 2)
    call = drawn_call(indices, 9, probs=probs, span=span, num_out_tokens=3)
    assert difference(permuter, Trial(2, SMALL_UB, call)) == ""


@pytest.mark.parametrize("count", [0, 1, 13, 24])
def test_without_a_range_the_first_rows_are_given(permuter: Permuter, count: int) -> None:
    call = drawn_call(experts("two", 24).reshape(8, 3), 9, num_out_tokens=count)
    assert difference(permuter, Trial(2, SMALL_UB, call)) == ""


@pytest.mark.parametrize("top_k", [1, 2, 3, 8, 15, 100, 511, 512])
@pytest.mark.parametrize("probs", [False, True])
@pytest.mark.parametrize("ub_bytes", [SMALL_UB, 4096, 65536])
def test_rows_of_every_width_reach_all_their_slots(
    permuter: Permuter, ub_bytes: int, probs: bool, top_k: int
) -> None:
    """Several tokens at a time, one token with all slots or a part of them, rows cut into tiles."""
    suffix = "-probs" if probs else ""
    most = limit(permuter, f"hidden{suffix}", top_k, FP16, ub_bytes)
    for hidden in {1, 15, 17, most - 1, most, most + 1, 2 * most + 3}:
        if hidden * top_k > 70_000:
            continue
        batch = limit(permuter, f"batch{suffix}", top_k, FP16, ub_bytes, hidden)
        for tokens in {1, min(batch + 1, 1 + 700 // top_k)}:
            indices = experts("blocks", tokens * top_k).reshape(tokens, top_k)
            span = (indices.size // 3, indices.size)
            call = drawn_call(indices, hidden, probs=probs, dtype=FP16, span=span)
            assert difference(permuter, Trial(1, ub_bytes, call)) == "", (hidden, tokens)


@pytest.mark.parametrize("cores", [1, 2, 3, 40, 48])
def test_tokens_are_spread_over_the_cores(permuter: Permuter, cores: int) -> None:
    for tokens in {1, 2, cores - 1, cores, cores + 1, 2 * cores + 1, 3 * cores - 1} - {0}:
        indices = experts("negative", 3 * tokens).reshape(tokens, 3)
        call = drawn_call(indices, 5, span=(tokens // 2, 2 * tokens))
        for ub_bytes in (SMALL_UB, UB_910B):
            assert difference(permuter, Trial(cores, ub_bytes, call)) == "", tokens


def test_without_probs_their_output_is_left_alone_and_may_be_missing(permuter: Permuter) -> None:
    call = drawn_call(experts("two", 8), 4, probs=False)
    permuter.machine()
    assert set(permuter.run(call).probs.tobytes()) == {UNTOUCHED}
    assert (
        difference(permuter, Trial(2, SMALL_UB, replace(call, missing=("permuteProbsOut",)))) == ""
    )


def test_rows_without_columns_still_have_ranks_and_probs(permuter: Permuter) -> None:
    call = drawn_call(experts("negative", 40).reshape(20, 2), 0, span=(3, 30))
    assert difference(permuter, Trial(2, SMALL_UB, call)) == ""


@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_no_tokens_need_no_workspace(permuter: Permuter, shape: tuple[int, ...]) -> None:
    answer = permuter.run(drawn_call(np.zeros(shape, np.int32), 4))
    assert (answer.status, answer.workspace, answer.diagnostics) == (0, 0, [])


@pytest.mark.parametrize("name", ["tokens", "indices", "probsOptional"])
@pytest.mark.parametrize("indices", [np.int32, np.int64])
def test_strided_inputs_are_read_as_their_views_say(
    permuter: Permuter, indices: type, name: str
) -> None:
    chosen = experts("negative", 44).astype(indices).reshape(22, 2)
    call = drawn_call(chosen, 5, dtype=BF16, span=(3, 40))
    assert difference(permuter, Trial(2, SMALL_UB, replace(call, strided=(name,)))) == ""


def test_every_order_of_blocks_gives_the_same_in_silence(permuter: Permuter) -> None:
    every = list(trials())
    for order in ORDERS:
        with permuter.blocks(order):
            assert [difference(permuter, trial) for trial in every] == [""] * len(every), order


def test_a_call_after_a_larger_one_sees_nothing_of_it(permuter: Permuter) -> None:
    large = drawn_call(experts("permutation", 700), 9)
    small = drawn_call(experts("all equal", 65), 3)
    for call in (large, small, large):
        assert difference(permuter, Trial(3, SMALL_UB, call)) == ""


def test_a_wrong_answer_is_told() -> None:
    """The comparison itself: another formula for the same call is a difference."""

    class Other(Permuter):
        def __init__(self, permuter: Permuter) -> None:
            self.__dict__ = permuter.__dict__

        def run(self, call: Call):  # type: ignore[no-untyped-def]
            return super().run(replace(call, indices=-call.indices))

    other = Other(Permuter(Acl(build(quiet=True).lib)))
    trial = Trial(1, SMALL_UB, drawn_call(experts("rising", 9), 3))
    assert difference(other, trial).startswith("sortedIndicesOut is [8, 7, 6")
