"""The storage bits of numbers, as tensors of a case list their values."""

from __future__ import annotations

import numpy as np

from conformance.call.case import numpy_dtype


def bits(dtype: str, *numbers: float) -> tuple[int, ...]:
    """Numbers rounded to a floating dtype, as unsigned integers of its size."""
    stored = np.array(numbers).astype(numpy_dtype(dtype))
    return tuple(stored.view(f"u{stored.dtype.itemsize}").tolist())
