"""The arithmetic of weighted sums whose rows and weights may differ in dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.floats import format_of, round_once


def common_dtype(*arrays: NDArray[Any] | None) -> np.dtype[Any]:
    """The dtype of all `arrays` that are there, or float64 where they have several.

    float64 contains the three dtypes of the documents, and the product of two of their numbers is
    exact there (but for underflow of float32 ones); no document says which dtype wins.
    """
    dtypes = {array.dtype for array in arrays if array is not None}
    return dtypes.pop() if len(dtypes) == 1 else np.dtype(np.float64)


def stored(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """`values`, of `dtype` or float64, in `dtype`: rounded once, to nearest, ties to even.

    Integers take the whole part.
    """
    if values.dtype == dtype or dtype.kind in "iu":
        return values.astype(dtype, copy=False)
    return round_once(values, format_of(dtype)).astype(dtype)
