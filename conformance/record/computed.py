"""What a record says of values that a device computes through functions, and of a selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.record.functions import Functions

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Computed:
    """A call as `Bounded.box`, `Quantised.box` and `Selected.keys` see it.

    ``outputs`` are the observed ones that the contract is given, and no other. ``functions`` are
    those of the device.
    """

    inputs: Mapping[str, NDArray[Any]]
    attributes: Mapping[str, Any]
    functions: Functions
    outputs: Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Box:
    """The lowest and the highest value that each element may have: float64 arrays of one shape.

    Both NaN: the element must be NaN. From -inf to inf: nothing bounds it.
    """

    low: Floats
    high: Floats

    @property
    def unbounded(self) -> NDArray[np.bool_]:
        """Which elements nothing bounds."""
        return np.asarray(np.isneginf(self.low) & np.isposinf(self.high))


@dataclass(frozen=True)
class Groups:
    """Experts in groups of equal size, of which the best ``keep`` are kept before the selection.

    ``score`` is the box of what groups are compared by, [rows, groups]. Groups of equal ``classes``
    in a row have bit-equal scores on the device; None: nobody knows of any.
    """

    score: Box
    keep: int
    classes: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Keys:
    """What a selection is made by, row by row: the k largest keys, in descending order.

    ``box`` has the key of each expert, [rows, experts]. Experts of equal ``classes`` in a row have
    bit-equal keys on the device; None: nobody knows of any. If ``order`` is given, [rows, experts],
    a larger number has a key that is not smaller. Keys lie on the float32 grid if ``on_grid``, else
    anywhere in their boxes. ``given`` has ids that a row must hold instead, [rows, k], and -1 in
    every place of a row that is selected. Of ``open`` rows [rows] nothing is promised.
    """

    box: Box
    classes: NDArray[np.int64] | None = None
    order: Floats | None = None
    groups: Groups | None = None
    on_grid: bool = True
    given: NDArray[np.int64] | None = None
    open: NDArray[np.bool_] | None = None
