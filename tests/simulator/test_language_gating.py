"""Functions on rows: Sigmoid, SoftMax, SoftmaxFlashV2, TopK, Broadcast, and sums along an axis,
against numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.simulator.correctly_rounded import exp
from tests.simulator.lanes import run_staged
from tests.simulator.simulated_machine import SimulatedMachine
from tests.simulator.test_language import POISON, same_bits
from tests.simulator.test_language_reductions import tree

DTYPES = {"half": np.dtype(np.float16), "float": np.dtype(np.float32)}
BLOCK = 32
ONE = np.float32(1)


def drawn_rows(kind: np.dtype[Any], rows: int, columns: int, seed: int = 0) -> NDArray[Any]:
    return (np.random.default_rng(seed).standard_normal((rows, columns)) * 3).astype(kind)


def row_sum(values: NDArray[np.float32]) -> np.float32:
    """Trees of 64, added one after the other: the order of ReduceSum."""
    padded = np.concatenate([values, np.zeros(-len(values) % 64, np.float32)])
    total = tree(padded[:64])
    for start in range(64, len(padded), 64):
        total = total + tree(padded[start : start + 64])
    return np.float32(total)


def spread(values: NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """Each row's value in all elements of a block."""
    return np.repeat(values.astype(kind)[:, None], BLOCK // kind.itemsize, axis=1)


def poison(shape: tuple[int, ...], kind: np.dtype[Any]) -> NDArray[Any]:
    size = int(np.prod(shape)) * kind.itemsize
    return np.resize(POISON, size).view(kind).reshape(shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("variant", ["", "_of_all", "_of_all_in_space"])
def test_sigmoid_rounds_after_each_step(
    machine: SimulatedMachine, dtype: str, variant: str
) -> None:
    kind = DTYPES[dtype]
    values = np.linspace(-20, 20, 96).astype(kind)
    count = 96 if variant else 91
    result = run_staged(
        machine, f"Sigmoid_{dtype}{variant}", values, np.zeros_like(values), [count]
    )
    expected = kind.type(1) / (kind.type(1) + exp(-values))
    assert same_bits(result[:count], expected[:count])
    assert not result[count:].any()


@pytest.mark.parametrize("shape", [(1, 1), (1, 8), (3, 9), (2, 64), (5, 131)])
@pytest.mark.parametrize("variant", ["", "_reusing"])
def test_a_sum_along_an_axis_takes_no_padding(
    machine: SimulatedMachine, shape: tuple[int, int], variant: str
) -> None:
    rows, columns = shape
    values = np.full((rows, -(-columns // 8) * 8), np.nan, np.float32)
    values[:, :columns] = drawn_rows(DTYPES["float"], rows, columns)
    along = run_staged(machine, f"ReduceSum_AR{variant}", values, np.zeros(rows, np.float32), shape)
    assert same_bits(along, np.array([row_sum(row[:columns]) for row in values]))
    across = run_staged(
        machine, f"ReduceSum_RA{variant}", values, np.zeros(columns, np.float32), shape
    )
    total = values[0]
    for row in values[1:]:
        total = total + row
    assert same_bits(across, total[:columns])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 16), (5, 48), (7, 16)])
def test_a_broadcast_repeats_a_row_or_a_column(
    machine: SimulatedMachine, dtype: str, shape: tuple[int, int]
) -> None:
    kind = DTYPES[dtype]
    result = np.zeros(shape, kind)
    row, column = drawn_rows(kind, 1, shape[1]), drawn_rows(kind, shape[0], 1)
    got = run_staged(machine, f"Broadcast_{dtype}_row", row, result.copy(), shape)
    assert same_bits(got, np.broadcast_to(row, shape))
    got = run_staged(machine, f"Broadcast_{dtype}_column", column, result.copy(), shape)
    assert same_bits(got, np.broadcast_to(column, shape))
    got = run_staged(machine, f"Broadcast_{dtype}_one", column, result[0], shape)
    assert same_bits(got, np.full(shape[1], column[0, 0]))


def softmax(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Quotients, sums and largest elements in float."""
    wide = rows.astype(np.float32)
    largest = wide.max(axis=1)
    grown = exp(wide - largest[:, None])
    sums = np.array([row_sum(row) for row in grown])
    return grown / sums[:, None], sums, largest


@pytest.mark.parametrize(
    ("name", "element", "value"),
    [("half", "half", "half"), ("float", "float", "float"), ("mixed", "half", "float")],
)
@pytest.mark.parametrize("space", ["", "_without_space"])
@pytest.mark.parametrize("shape", [(1, 16, 1, 16), (3, 64, 3, 50), (4, 160, 2, 131)])
def test_softmax_gives_quotients_sums_and_maxima(
    machine: SimulatedMachine,
    name: str,
    element: str,
    value: str,
    space: str,
    shape: tuple[int, int, int, int],
) -> None:
    """What lies in the padding takes no part, and nothing useful is left there."""
    kind, other = DTYPES[element], DTYPES[value]
    rows, columns, used_rows, used = shape
    source = drawn_rows(kind, rows, columns)
    source[:, used:] = 1000
    source[used_rows:] = 1000
    out = np.zeros(source.nbytes + 2 * used_rows * BLOCK, np.uint8)
    result = run_staged(machine, f"SoftMax_{name}{space}", source, out, list(shape))
    quotients, sums, largest = softmax(source[:used_rows, :used])
    expected = poison(source.shape, kind).copy()
    expected[:used_rows, :used] = quotients.astype(kind)
    blocks = np.concatenate([spread(sums, other), spread(largest, other)])
    assert same_bits(result[: source.nbytes].view(kind), expected.ravel())
    assert same_bits(result[source.nbytes :].view(other), blocks.ravel())


@pytest.mark.parametrize("kernel", ["SoftMax_in_place", "SoftMax_in_place_in_space"])
def test_softmax_may_replace_its_operand(machine: SimulatedMachine, kernel: str) -> None:
    source = drawn_rows(DTYPES["float"], 5, 40)
    quotients, _, _ = softmax(source)
    result = run_staged(machine, kernel, source, source.copy(), [5, 40, 5, 40])
    assert same_bits(result.ravel(), quotients.ravel())


@pytest.mark.parametrize(
    ("name", "element", "value"),
    [("half", "half", "half"), ("float", "float", "float"), ("mixed", "half", "float")],
)
def test_flash_softmax_carries_sums_and_maxima_on(
    machine: SimulatedMachine, name: str, element: str, value: str
) -> None:
    kind, other = DTYPES[element], DTYPES[value]
    rows, columns = 3, 80
    parts = [drawn_rows(kind, rows, columns, seed) for seed in (1, 2)]
    parts[1][0] = 9  # the largest element of this row is in its second part, of others in the first
    parts[0][1] = 9
    source = np.concatenate(parts)
    out = np.zeros(source.nbytes + 3 * rows * BLOCK, np.uint8)
    result = run_staged(
        machine, f"SoftmaxFlashV2_{name}", source, out, [rows, columns, rows, columns]
    )
    wide = [part.astype(np.float32) for part in parts]
    before = wide[0].max(axis=1)
    after = np.maximum(before, wide[1].max(axis=1))
    first, second = exp(wide[0] - before[:, None]), exp(wide[1] - after[:, None])
    # What is kept between the calls has the dtype of the sums.
    kept = np.array([row_sum(row) for row in first]).astype(other).astype(np.float32)
    factor = exp(before - after)
    sums = factor * kept + np.array([row_sum(row) for row in second])
    grown = np.concatenate([first, second]).astype(kind)
    assert same_bits(result[: source.nbytes].view(kind), grown.ravel())
    blocks = [spread(sums, other), spread(after, other), spread(factor, kind)]
    assert result[source.nbytes :].tobytes() == b"".join(block.tobytes() for block in blocks)


def in_order(row: NDArray[Any], largest: bool) -> NDArray[np.int64]:
    """The places of a row's elements: NaN first, equal elements as they are."""
    wide = row.astype(np.float64)
    key = np.where(np.isnan(wide), -np.inf, -wide if largest else wide)
    return np.lexsort((np.arange(len(row)), key, ~np.isnan(wide)))


def ranked_rows(kind: np.dtype[Any], rows: int, columns: int, seed: int) -> NDArray[Any]:
    """Few different values, with NaN of both signs, infinities and zeros of both signs."""
    values = np.array([-np.inf, -4, -0.5, -0.0, 0.0, 2, np.inf, np.nan, -np.nan], kind)
    return np.random.default_rng(seed).choice(values, (rows, columns))


def run_top_k(
    machine: SimulatedMachine,
    kernel: str,
    rows: NDArray[Any],
    indices: NDArray[np.int32],
    k: int,
    *,
    n: int,
    largest: bool = True,
    small: bool = False,
    finished: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Values and indices, as far as a row of the result goes."""
    kind = rows.dtype
    outter, inner = rows.shape
    pitches = [k if small else -(-k * size // BLOCK) * BLOCK // size for size in (kind.itemsize, 4)]
    values_bytes = -(-outter * pitches[0] * kind.itemsize // BLOCK) * BLOCK
    out = np.zeros(values_bytes + outter * pitches[1] * 4, np.uint8)
    ends = np.zeros(outter, bool) if finished is None else finished
    second = np.concatenate([indices.ravel().view(np.uint8), ends.view(np.uint8)])
    params = [outter, inner, n, k, int(largest), values_bytes, indices.nbytes]
    result = run_staged(machine, kernel, rows, out, params, second=second)
    values = result[: outter * pitches[0] * kind.itemsize].view(kind).reshape(outter, -1)
    found = result[values_bytes:].view(np.int32).reshape(outter, -1)
    # What is left between the rows of a result nobody may use.
    for part in (values[:, k:], found[:, k:]):
        assert part.tobytes() == poison(part.shape, part.dtype).tobytes()
    return values[:, :k], found[:, :k]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("indexed", ["by_place", "by_index"])
@pytest.mark.parametrize(("columns", "k"), [(32, 1), (64, 37), (96, 96)])
def test_top_k_is_in_order_and_stable(
    machine: SimulatedMachine, dtype: str, largest: bool, indexed: str, columns: int, k: int
) -> None:
    rows = ranked_rows(DTYPES[dtype], 3, columns, seed=columns)
    given = np.arange(columns, dtype=np.int32)[::-1].copy() * 7
    values, found = run_top_k(
        machine, f"TopK_{dtype}_{indexed}", rows, given, k, n=columns, largest=largest
    )
    for row, value, number in zip(rows, values, found, strict=True):
        order = in_order(row, largest)[:k]
        assert value.tobytes() == row[order].tobytes()
        assert number.tolist() == (given[order] if indexed == "by_index" else order).tolist()


def test_top_k_of_finished_rows_has_the_index_behind_the_last(machine: SimulatedMachine) -> None:
    rows = ranked_rows(DTYPES["float"], 4, 64, seed=3)
    given = np.arange(64, dtype=np.int32)
    finished = np.array([True, False, True, False])
    _, found = run_top_k(machine, "TopK_float_finished", rows, given, 5, n=60, finished=finished)
    orders = [in_order(row, largest=True)[:5].tolist() for row in rows]
    assert found.tolist() == [[60] * 5, orders[1], [60] * 5, orders[3]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_small_top_k_has_an_index_for_each_element_and_no_gaps(
    machine: SimulatedMachine, dtype: str
) -> None:
    rows = ranked_rows(DTYPES[dtype], 5, 32, seed=8)
    given = np.random.default_rng(8).integers(0, 1000, (5, 32)).astype(np.int32)
    values, found = run_top_k(machine, f"TopK_{dtype}_small", rows, given, 3, n=32, small=True)
    for row, numbers, value, number in zip(rows, given, values, found, strict=True):
        order = in_order(row, largest=True)[:3]
        assert value.tobytes() == row[order].tobytes()
        assert number.tolist() == numbers[order].tolist()


def test_top_k_may_replace_its_operands(machine: SimulatedMachine) -> None:
    row = ranked_rows(DTYPES["float"], 1, 32, seed=5)[0]
    given = np.arange(100, 132, dtype=np.int32)
    both = np.concatenate([row.view(np.uint8), given.view(np.uint8)])
    result = run_staged(machine, "TopK_in_place", row, both, [32])
    order = in_order(row, largest=True)
    assert result[:128].tobytes() == row[order].tobytes()
    assert result[128:].view(np.int32).tolist() == given[order].tolist()
