"""The same tensors elsewhere in memory: a call whose tensors are views into larger storages.

What a view leaves of its storage is somebody else's (`conformance.case.Tensor`), and the values
stay what they are, so a right kernel makes the same of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.case import Case, Tensor

MOST_AROUND = 17
"""Elements before the first one and behind the last: a block of 32 bytes of every data type, and
one more, so that addresses are multiples of an element alone."""

MOST_GAP = 3
MOST_RUNS = 1_024
"""Runs of elements side by side in a view with gaps: a device may copy each by itself."""


def views(case: Case, strided: Collection[str]) -> SearchStrategy[Case]:
    """The case with its tensors as views; those in ``strided`` also with gaps along any axis, and
    their axes in any order. Shrinks to the contiguous tensors that are all of their storage.

    Row-sparse tensors stay as they are.
    """
    return st.builds(
        lambda inputs, outputs: replace(case, inputs=inputs, outputs=outputs),
        _views(case.inputs, strided),
        _views(case.outputs, strided),
    )


def contiguous(case: Case) -> Case:
    """The case with contiguous tensors that are all of their storage."""

    def plain(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {
            name: replace(tensor, strides=None, start=0, spare=0)
            for name, tensor in tensors.items()
        }

    return replace(case, inputs=plain(case.inputs), outputs=plain(case.outputs))


def dense_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of C order without gaps."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _views(
    tensors: Mapping[str, Tensor], strided: Collection[str]
) -> SearchStrategy[dict[str, Tensor]]:
    return st.fixed_dictionaries(
        {
            name: st.just(tensor) if tensor.rows is not None else _view(tensor, name in strided)
            for name, tensor in tensors.items()
        }
    )


@st.composite
def _view(draw: DrawFn, tensor: Tensor, may_be_strided: bool) -> Tensor:
    around = st.integers(0, MOST_AROUND)
    start, spare = draw(around), draw(around)
    strides = draw(_strides(tensor.shape)) if may_be_strided else dense_strides(tensor.shape)
    # Of an axis of size 1 no step is ever taken: such a view is contiguous, whatever its stride.
    strides = tuple(
        draw(st.sampled_from((stride, 1, 0, stride + 1))) if size == 1 else stride
        for size, stride in zip(tensor.shape, strides, strict=True)
    )
    told = None if strides == dense_strides(tensor.shape) else strides
    return replace(tensor, strides=told, start=start, spare=spare)


@st.composite
def _strides(draw: DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides that lay every element apart, in not too many runs."""
    order = list(range(len(shape)))
    if math.prod(shape) <= MOST_RUNS:
        order = draw(st.permutations(order))
    strides = list(dense_strides(shape))
    reach = 1
    for axis in reversed(order):
        runs = math.prod(shape[: axis + 1])
        gap = draw(st.integers(0, MOST_GAP)) if runs <= MOST_RUNS else 0
        strides[axis] = reach + gap
        reach += max(shape[axis] - 1, 0) * strides[axis]
    return tuple(strides)
