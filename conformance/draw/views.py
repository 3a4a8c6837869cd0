"""The same tensors elsewhere in memory: a call whose tensors are views into larger storages.

What a view leaves of its storage is somebody else's (`conformance.call.case.Tensor`), and the
values stay what they are, so a right kernel makes the same of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.call.case import Case, Tensor, integer_view, numpy_dtype
from conformance.draw.built import built

MOST_AROUND = 17
"""Elements before the first one and behind the last: a block of 32 bytes of every data type, and
one more, so that addresses are multiples of an element alone."""

MOST_GAP = 3
BROADCAST_OF = 4
"""Of so many inputs that may have strides and whose values allow it, all but one are broadcast:
a run of few draws meets each of them."""

MOST_RUNS = 1_024
"""Runs of elements side by side in a view with gaps: a device may copy each by itself."""


def views(case: Case, strided: Collection[str]) -> SearchStrategy[Case]:
    """The case with its tensors as views; those in ``strided`` also with gaps along any axis, and
    their axes in any order. Shrinks to the contiguous tensors that are all of their storage.

    Inputs among these may be broadcast along axes. Where values are a recipe, those at the first
    position of such an axis are taken for all; listed ones must be equal along it.

    Row-sparse tensors stay as they are.
    """
    return built(
        lambda inputs, outputs: replace(case, inputs=inputs, outputs=outputs),
        _views(case.inputs, strided, may_be_broadcast=True),
        _views(case.outputs, strided, may_be_broadcast=False),
    )


def contiguous(case: Case) -> Case:
    """The case with contiguous tensors that are all of their storage, and the same values."""

    def plain(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {
            name: replace(_listed(tensor), strides=None, start=0, spare=0)
            for name, tensor in tensors.items()
        }

    return replace(case, inputs=plain(case.inputs), outputs=plain(case.outputs))


def dense_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of C order without gaps."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _listed(tensor: Tensor) -> Tensor:
    """A broadcast tensor with its values listed: what its recipe says of the others is not so."""
    if not tensor.broadcast:
        return tensor
    stored = tensor.materialize().view(integer_view(numpy_dtype(tensor.dtype)))
    return replace(tensor, values=tuple(stored.reshape(-1).tolist()), fill=None)


def _views(
    tensors: Mapping[str, Tensor], strided: Collection[str], *, may_be_broadcast: bool
) -> SearchStrategy[dict[str, Tensor]]:
    drawn = [name for name, tensor in tensors.items() if tensor.rows is None]
    each = (
        _view(tensors[name], name in strided, may_be_broadcast and name in strided)
        for name in drawn
    )
    return built(lambda *views: {**tensors, **dict(zip(drawn, views, strict=True))}, *each)


def shareable(tensor: Tensor) -> tuple[int, ...]:
    """The axes along which a tensor may be broadcast and still hold values of its kind; of a large
    one not those that would leave too many runs."""
    if 0 in tensor.shape:
        return ()
    few = [math.prod(tensor.shape[: axis + 1]) <= MOST_RUNS for axis in range(len(tensor.shape))]
    axes = (axis for axis, size in enumerate(tensor.shape) if size > 1 and few[axis])
    if tensor.values is None:
        return tuple(axes)
    values = tensor.materialize()
    return tuple(axis for axis in axes if (values == values.take([0], axis)).all())


@st.composite
def _view(draw: DrawFn, tensor: Tensor, may_be_strided: bool, may_be_broadcast: bool) -> Tensor:
    around = st.integers(0, MOST_AROUND)
    start, spare = draw(around), draw(around)
    strides = draw(_strides(tensor.shape)) if may_be_strided else dense_strides(tensor.shape)
    # Of an axis of size 1 no step is ever taken: such a view is contiguous, whatever its stride.
    strides = tuple(
        draw(st.sampled_from((stride, 1, 0, stride + 1))) if size == 1 else stride
        for size, stride in zip(tensor.shape, strides, strict=True)
    )
    axes = shareable(tensor) if may_be_broadcast else ()
    if axes and draw(st.integers(0, BROADCAST_OF - 1)) > 0:
        shared = draw(st.sets(st.sampled_from(axes), min_size=1))
        strides = tuple(0 if n in shared else stride for n, stride in enumerate(strides))
        tensor = replace(tensor, unread=())  # rows that share a place are read
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
