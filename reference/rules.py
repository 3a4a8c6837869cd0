"""How an argument that a document rules out is refused: parameter, value, rule and source."""

from __future__ import annotations

from typing import Any, NoReturn

import ml_dtypes
from numpy.typing import NDArray


def reject(parameter: str, value: object, rule: str, source: str) -> NoReturn:
    """Raise ValueError: `parameter` is `value`, which a rule of `source` excludes."""
    raise ValueError(f"{parameter}={value}: {rule} [{source}]")


def require_real(name: str, array: NDArray[Any], source: str) -> None:
    """Raise TypeError unless `array` holds integers or floating-point numbers, bfloat16 included.

    The documents list three floating dtypes; a reference also takes those in which it is exact.
    """
    if array.dtype.kind not in "iuf" and array.dtype != ml_dtypes.bfloat16:
        raise TypeError(f"{name}: dtype {array.dtype} must be a real number type [{source}]")


def require_dtype(name: str, array: NDArray[Any], source: str, *dtypes: str) -> None:
    """Raise TypeError unless the dtype of `array` is one of those named."""
    if array.dtype.name not in dtypes:
        listed = " or ".join(dtypes)
        raise TypeError(f"{name}: dtype {array.dtype} must be {listed} [{source}]")
