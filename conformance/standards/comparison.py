"""An output, its golden and its benchmark side by side, and the figures that standards share.

All arithmetic is float64 unless a standard is defined by the arithmetic of a library.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.catalogue import standards as say
from reference.floats import format_of, to_bits

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

HALVES = frozenset({"float16", "bfloat16"})
KERNEL_FLOATS = HALVES | {"float32"}
ALL_FLOATS = KERNEL_FLOATS | {"hifloat32", "float8_e4m3fn", "float8_e5m2"}
INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"})


class Kind(Enum):
    """What an output is; standards are written for one or the other."""

    COMPUTED = "computed"
    MOVED = "moved"
    INTEGER = "integer"
    QUANTISED = "quantised"

    @property
    def words(self) -> str:
        """The kind as a person reads it."""
        return KINDS[self]()


KINDS = {
    Kind.COMPUTED: say.COMPUTED,
    Kind.MOVED: say.MOVED,
    Kind.INTEGER: say.INTEGER,
    Kind.QUANTISED: say.QUANTISED,
}

COMPUTED = frozenset({Kind.COMPUTED})


RELATIVE_FLOOR = 1e-7
"""Added to the golden's magnitude in relative errors (numerics S.1, S.3)."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Flattened arrays: ``device`` and ``benchmark`` in the output's dtype, ``golden`` float64 or
    integers, or of the output's dtype where it is moved. ``dtype`` names the format that
    thresholds are looked up by.
    """

    device: NDArray[Any]
    golden: NDArray[Any]
    benchmark: NDArray[Any] | None
    dtype: str
    kind: Kind

    @cached_property
    def a(self) -> Floats:
        """The device's output."""
        return _float64(self.device)

    @cached_property
    def g(self) -> Floats:
        """The golden."""
        return _float64(self.golden)

    @cached_property
    def b(self) -> Floats:
        """The benchmark; ValueError where there is none."""
        if self.benchmark is None:
            raise ValueError("benchmark=None: must be given to a standard that compares with it")
        return _float64(self.benchmark)

    @cached_property
    def finite(self) -> Mask:
        """Where both output and golden are finite."""
        return np.isfinite(self.a) & np.isfinite(self.g)

    @cached_property
    def same_special(self) -> Mask:
        """Where output and golden are both NaN, or the same infinity."""
        return same_special(self.a, self.g)

    @cached_property
    def mismatched_special(self) -> Mask:
        """Where output or golden is not finite, and they are not the same."""
        return ~self.finite & ~self.same_special

    @cached_property
    def error(self) -> Floats:
        """|a - g|; NaN where that has no value."""
        return distance(self.a, self.g)

    @cached_property
    def benchmark_error(self) -> Floats:
        """|b - g|."""
        return distance(self.b, self.g)

    @cached_property
    def relative(self) -> Floats:
        """|a - g| / (|g| + 1e-7)."""
        return self.relative_to(RELATIVE_FLOOR)

    def relative_to(self, floor: float) -> Floats:
        """|a - g| / (|g| + floor)."""
        return ratio(self.error, np.abs(self.g) + floor)

    @cached_property
    def rounded(self) -> NDArray[Any]:
        """The golden in the output's own dtype: floats rounded once, integers as they are."""
        if self.golden.dtype == self.device.dtype or self.device.dtype.kind in "iub":
            return self.golden.astype(self.device.dtype, copy=False)
        if self.device.dtype.name not in KERNEL_FLOATS:
            with np.errstate(all="ignore"):
                return self.g.astype(self.device.dtype)
        fmt = format_of(self.device.dtype)
        return to_bits(self.g, fmt).view(self.device.dtype)

    @cached_property
    def against_rounded(self) -> Comparison:
        """The same comparison with the rounded golden."""
        return Comparison(
            self.device, _float64(self.rounded), self.benchmark, self.dtype, self.kind
        )


def compare(
    device: NDArray[Any],
    golden: NDArray[Any],
    benchmark: NDArray[Any] | None = None,
    dtype: str | None = None,
    kind: Kind | None = None,
) -> Comparison:
    """Put arrays of one shape side by side. Without a ``kind`` the output was computed.

    Raises ValueError where shapes differ, where the golden of a floating output is not float64 or
    that of an integer output no integer, and where the benchmark has another dtype.
    """
    for name, other in (("golden", golden), ("benchmark", benchmark)):
        if other is not None and other.shape != device.shape:
            raise ValueError(f"{name}: shape {other.shape} must be the output's, {device.shape}")
    integral = device.dtype.kind in "iub"
    kind = kind or (Kind.INTEGER if integral else Kind.COMPUTED)
    fits = golden.dtype.kind in "iub" if integral else golden.dtype == np.float64
    if not fits and not (kind is Kind.MOVED and golden.dtype == device.dtype):
        raise ValueError(
            f"golden: dtype {golden.dtype} must be"
            f" {'an integer dtype' if integral else 'float64, the exact value'}"
        )
    if benchmark is not None and benchmark.dtype != device.dtype:
        raise ValueError(f"benchmark: dtype {benchmark.dtype} must be the output's, {device.dtype}")
    return Comparison(
        device=np.ascontiguousarray(device).reshape(-1),
        golden=np.ascontiguousarray(golden).reshape(-1),
        benchmark=None if benchmark is None else np.ascontiguousarray(benchmark).reshape(-1),
        dtype=dtype or device.dtype.name,
        kind=kind,
    )


def distance(one: Floats, other: Floats) -> Floats:
    """|one - other|, without a word about infinities."""
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(one - other))


def ratio(above: Floats, below: Floats) -> Floats:
    """above / below, without a word about zeros and infinities."""
    with np.errstate(all="ignore"):
        return np.asarray(above / below)


def same_special(one: Floats, other: Floats) -> Mask:
    """Where both are NaN, or the same infinity."""
    return np.asarray((np.isnan(one) & np.isnan(other)) | (np.isinf(one) & (one == other)))


def mean(values: Floats) -> float:
    """The mean; 0 of nothing."""
    return float(values.mean()) if values.size else 0.0


def largest(values: Floats) -> float:
    """The maximum; 0 of nothing, NaN if there is one."""
    return float(values.max()) if values.size else 0.0


def root_mean_square(values: Floats) -> float:
    """The root of the mean of squares; 0 of nothing."""
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.mean(np.square(values)))) if values.size else 0.0


def count(mask: Mask) -> int:
    """How many elements a mask marks."""
    return int(np.count_nonzero(mask))


def share(mask: Mask) -> float:
    """The share of elements that a mask marks; 0 of nothing."""
    return count(mask) / mask.size if mask.size else 0.0


def exponent(values: Floats, least: int) -> NDArray[np.int64]:
    """floor(log2 |values|), at least ``least``; zeros give ``least``."""
    with np.errstate(invalid="ignore"):
        found = np.frexp(values)[1].astype(np.int64) - 1
    return np.where(values == 0.0, least, np.maximum(found, least))


def _float64(values: NDArray[Any]) -> Floats:
    """As float64, exactly for every floating dtype; a signalling NaN may turn quiet."""
    with np.errstate(invalid="ignore"):
        return values.astype(np.float64, copy=False)
