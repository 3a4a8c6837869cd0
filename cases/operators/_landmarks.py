"""What lies where in the outputs of operators that sort slots, copy rows, or sum rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cases.operators._slot_sum_limits import tile_columns
from cases.operators._token_permute_limits import CopyUb
from conformance.call.case import Case, numpy_dtype
from conformance.record.picture import Landmarks


def of_sorted_rows(case: Case, output: str, keys: str, tokens: str, first: int = 0) -> Landmarks:
    """Rows of ``output`` lie by the rising keys of the input ``keys``, from rank ``first`` on."""
    given = case.arrays[keys].reshape(-1)
    rows = np.searchsorted(np.sort(given), np.unique(given)) - first
    top_k = given.size // max(1, case.inputs[tokens].shape[0])
    return Landmarks({output: tuple(rows.tolist())}, copied_columns(case, top_k))


def of_counted_rows(case: Case, output: str, counts: NDArray[np.int64]) -> Landmarks:
    """Rows of ``output`` lie expert by expert, so many of each."""
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return Landmarks({output: tuple(starts.tolist())}, copied_columns(case, 1))


def of_summed_rows(
    case: Case, top_k: int, columns: Callable[[int, int, int], int] = tile_columns
) -> Landmarks:
    """Each row is a token's; a tile has as many ``columns`` as the kernel takes for a top_k, bytes
    of an element and bytes of UB.
    """
    if case.machine is None or top_k < 1:
        return Landmarks()
    size = numpy_dtype(case.dtype).itemsize
    return Landmarks(tile_columns=columns(top_k, size, case.machine.ub_bytes))


def copied_columns(case: Case, top_k: int) -> int:
    """The columns that the copying kernel takes in one tile, 0 where the machine is unknown."""
    if case.machine is None or top_k < 1:
        return 0
    size = numpy_dtype(case.dtype).itemsize
    return CopyUb(case.machine.ub_bytes, top_k, size, "probs" in case.inputs).columns
