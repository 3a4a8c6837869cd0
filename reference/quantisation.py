"""Quantisation of rows to int8, as documents of the routing operators have it, in float32.

Source: document aclnnMoeInitRoutingV3 (function, equation 4; parameters scaleOptional and
offsetOptional). With a scale, the document's dynamic equation takes the maximum of x * scale and
then divides x alone. That quotient is not bounded by 127, so the product is divided here, too.
Rounding is to nearest, ties to even, and every value beyond int8 becomes its nearest end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = 127
"""The divisor of dynamic scales: the largest int8."""

Floats = NDArray[np.float32]


def _rounded(values: Floats) -> NDArray[np.int8]:
    """Nearest integers of int8, ties to even; 0 for NaN, of which the document says nothing."""
    ends = np.iinfo(np.int8)
    clipped = np.clip(np.rint(values), ends.min, ends.max)
    return np.asarray(np.nan_to_num(clipped), np.int8)


def static(rows: NDArray[Any], scale: Floats, offset: Floats) -> NDArray[np.int8]:
    """RN(RN(row * scale) + offset), rounded to int8.

    `rows` is float16, bfloat16 or float32 [..., columns], `scale` and `offset` float32 [1].
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _rounded(rows.astype(np.float32) * scale + offset)


def dynamic(rows: NDArray[Any], factors: Floats | None = None) -> tuple[NDArray[np.int8], Floats]:
    """Each row divided by a scale of its own, and these scales.

    `rows` is float16, bfloat16 or float32 [rows, columns]; `factors`, float32 that broadcasts to
    it, is multiplied first. The scale of a row is its largest magnitude / 127; that of a row of
    zeros is +0, and so are its values. Returns int8 [rows, columns] and float32 [rows].
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        y = rows.astype(np.float32)
        y = y if factors is None else y * factors
        scales = np.abs(y).max(axis=1, initial=0).astype(np.float32) / np.float32(MOST)
        zeros = scales[:, np.newaxis] == 0
        return _rounded(np.where(zeros, np.float32(0), y / scales[:, np.newaxis])), scales
