"""What a record promises of an output: the contracts, one for each way in which it comes about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from conformance.record.clause import Clause
from conformance.record.computed import Box, Computed, Keys
from reference.terms import Terms

if TYPE_CHECKING:
    from conformance.call.case import Case

Arrays = Mapping[str, NDArray[np.generic]]
Merges = Sequence[tuple[int, int]]
Specified = Callable[[Arrays, Mapping[str, int]], NDArray[np.bool_]]
Ties = Literal["even", "away", "either"]


@dataclass(frozen=True)
class Sum:
    """Contract of an output whose every element is a sum of source elements, rounded once.

    ``terms(inputs, attributes)`` names the source rows that each output row adds. ``merges(slots)``
    declares the summation order as a sequence of ``(into, from)`` pairs over slot numbers, each
    pair one rounded addition, the last one leaving the sum in slot 0; ``None`` allows any order.
    ``accumulate`` is the format that every addition rounds to; it belongs to the kernel, and may be
    the storage format. ``fused`` says whether products with coefficients are rounded to it before
    they are added ("never"), are added exactly ("always": a fused multiply-add), or either; with
    "sums", which excludes ``merges``, one may also multiply the sum of two terms. ``specified`` is
    that of `Copy`. ``deterministic`` is False if the same call may add in another order, as by
    atomic additions. ``wider``: additions may round to float64, too.
    """

    clause: Clause
    terms: Callable[[Arrays, Mapping[str, int]], Terms]
    accumulate: str = "float32"
    merges: Callable[[int], Merges] | None = None
    order_clause: Clause | None = None
    fused: Literal["never", "always", "either", "sums"] = "either"
    specified: Specified | None = None
    deterministic: bool = True
    wider: bool = False

    def __post_init__(self) -> None:
        if self.fused == "sums" and self.merges is not None:
            raise ValueError("merges: no order is declared where coefficients multiply sums")


@dataclass(frozen=True)
class Copy:
    """Contract of an output whose every element is moved: all bits count, also those of a NaN.

    What goes where is what the operator's formula does to the ``moved`` inputs read as unsigned
    integers of their size (None: every floating-point input), the other inputs as they are.
    ``specified(inputs, attributes)`` is a mask that broadcasts to the output's shape: elsewhere the
    output may hold anything, also what it held before (None: all of it is specified).
    """

    clause: Clause
    moved: tuple[str, ...] | None = None
    specified: Specified | None = None


@dataclass(frozen=True)
class Index:
    """Contract of an output of integers: exactly those of the operator's formula.

    ``specified`` is that of `Copy`.
    """

    clause: Clause
    specified: Specified | None = None


@dataclass(frozen=True)
class Unspecified:
    """Contract of an output of which nothing is promised: it may hold anything, written or not.

    Its guard zones must stay as they are, like those of every other output.
    """

    clause: Clause


@dataclass(frozen=True)
class Bounded:
    """Contract of an output whose elements are computed through functions such as exp or division.

    ``box(call)`` is what each element may be before it is rounded to the dtype of the output; its
    shape is that of the output. It may read the observed outputs that are ``given``. ``ties_away``:
    a value in the middle of two of that dtype may also be rounded to the one of larger magnitude.
    ``specified`` is that of `Copy`. ``by_row`` names tensors whose first axis is that of the
    output, such as tokens: of them a row of the output depends on its own row alone. A large output
    is then judged in parts. None: it never is.
    """

    clause: Clause
    box: Callable[[Computed], Box]
    given: tuple[str, ...] = ()
    ties_away: bool = False
    specified: Specified | None = None
    by_row: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quantised:
    """Contract of an output of integers to which computed values are rounded, and held to the range
    of its dtype.

    ``box(call)`` is what each element may be before that, in fp32; its shape is that of the output.
    It may read the observed outputs that are ``given``, such as the scales that values are divided
    by. It must not bound an element whose given values are of no use: others are judged by what is
    observed, right or not. An end of the box must move one way if such a value rises. ``ties``: a
    value in the middle of two integers becomes the even one, the one away from zero, or "either" of
    these. ``specified`` is that of `Copy`.
    """

    clause: Clause
    box: Callable[[Computed], Box]
    given: tuple[str, ...] = ()
    ties: Ties = "either"
    specified: Specified | None = None


@dataclass(frozen=True)
class Selected:
    """Contract of an output of positions: in each row those of the largest keys, in descending
    order.

    ``keys(call)`` are the keys; of several, one must explain a row. They may read the observed
    outputs that are ``given``. Of equal keys the one at the lower position comes first, or with
    ``ties`` "any" either. ``specified`` is that of `Copy`, ``by_row`` that of `Bounded`.
    """

    clause: Clause
    keys: Callable[[Computed], Sequence[Keys]]
    given: tuple[str, ...] = ()
    ties: Literal["lowest", "any"] = "lowest"
    specified: Specified | None = None
    by_row: tuple[str, ...] = ()


Computing = Bounded | Quantised | Selected
"""Contracts that ask what is known of the functions of a device."""

Contract = Sum | Copy | Index | Bounded | Quantised | Selected | Unspecified


@dataclass(frozen=True)
class Varying:
    """The contracts of an output of which different calls are promised different things.

    ``choose(case)`` is the name of one ``among`` them.
    """

    choose: Callable[[Case], str]
    among: Mapping[str, Contract]
