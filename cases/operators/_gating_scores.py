"""What the gating operators have alike: the softmax of a row, and keys that decide a selection."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.numerics import scores
from conformance.numerics.arithmetic import IEEE
from conformance.numerics.boxes import cast_ends, exact
from conformance.record.computed import Box, Computed, Keys
from conformance.record.contract import Arrays
from conformance.record.functions import Functions
from reference.floats import format_of, widen

Ids = NDArray[np.int64]
Floats = NDArray[Any]
Rows = NDArray[np.bool_]

MOST_IN_ONE_PIECE = 1024
"""Experts of a row that every known kernel takes in one piece. Longer rows may be cut in chunks,
whose winners are scaled anew: then equal inputs need not have equal scores."""


def rows_of(array: NDArray[Any]) -> NDArray[Any]:
    """All axes but the last as one."""
    return array.reshape(-1, array.shape[-1])


def in_float32(call: Computed, name: str = "x") -> Floats:
    """An input [rows, experts] in float32, exactly."""
    return rows_of(widen(call.inputs[name], np.float32))


def exact_keys(keys: Floats, given: Ids | None = None) -> Keys:
    """Keys [rows, experts] that are known."""
    return Keys(exact(keys), given=given)


def softmax_keys(x: Floats, functions: Functions, given: Ids | None = None) -> Keys:
    """The softmax of x [rows, experts] as keys, up to the factor that all of a row have alike."""
    box = scores.softmax_keys(x, functions)
    classes, nan = _of_one_piece(functions, x), has_no_softmax(x)
    return Keys(box, classes=classes, on_grid=False, given=given, open=nan)


def written(scores_: Floats, lost: Rows) -> Box:
    """The scores [rows, experts] that a device writes, of rows that are ``lost`` or not. A NaN in
    another row tells nothing of its key, and must not excuse the other keys."""
    return unbounded_at(np.isnan(scores_) & ~lost[:, None], exact(scores_))


def has_nan(x: Floats) -> Rows:
    """The rows of x [rows, experts] with NaN."""
    return np.asarray(np.isnan(x).any(axis=1))


def has_no_softmax(x: Floats) -> Rows:
    """The rows of x [rows, experts] whose softmax is NaN: with NaN or +inf, or of -inf alone. Where
    nothing is known of a device's functions, no box says so."""
    return np.asarray(~np.isfinite(x.max(axis=1)))


def chosen(values: Box, ids: NDArray[Any]) -> Box:
    """The boxes at the positions [rows, k] that a device selected. Nothing bounds one beyond the
    row."""
    places, outside = _in_range(ids, values.low.shape[-1])
    return unbounded_at(outside, scores.gathered(values, places))


def chosen_softmax(x: Floats, ids: NDArray[Any], functions: Functions) -> Box:
    """The same of the softmax of x [rows, experts]."""
    places, outside = _in_range(ids, x.shape[-1])
    return unbounded_at(outside, scores.softmax(x, functions, places))


def _in_range(ids: NDArray[Any], experts: int) -> tuple[Ids, NDArray[np.bool_]]:
    """Ids [rows, k], those beyond the row moved into it, and which these are."""
    wanted = rows_of(ids).astype(np.int64)
    places = np.clip(wanted, 0, experts - 1)
    return places, places != wanted


def unbounded_at(where: NDArray[np.bool_], values: Box) -> Box:
    """The boxes, of which nothing bounds those at ``where``, of a shape that spreads to theirs."""
    if not where.any():
        return values
    return Box(np.where(where, -np.inf, values.low), np.where(where, np.inf, values.high))


def equal_groups(classes: Ids, count: int) -> Ids:
    """Numbers of groups [rows, groups], equal for those whose experts have equal classes."""
    of_groups = np.sort(classes.reshape(len(classes), count, -1), axis=2)
    found = np.tile(np.arange(count), (len(classes), 1))
    for group in range(count):
        equal = (of_groups[:, group:] == of_groups[:, group, None]).all(axis=2)
        later = found[:, group:]
        np.copyto(later, found[:, group, None], where=equal & (later > found[:, group, None]))
    return found


def reshaped(values: Box, shape: tuple[int, ...]) -> Box:
    """The boxes in another shape."""
    return Box(values.low.reshape(shape), values.high.reshape(shape))


def rounded_keys(
    x: Floats, dtype: np.dtype[Any], functions: Functions, given: Ids | None = None
) -> Keys:
    """The softmax of x [rows, experts], rounded to a storage dtype, as keys."""
    ends = Box(*cast_ends(scores.softmax(x, functions), format_of(dtype), IEEE, ties_away=True))
    return Keys(ends, classes=_of_one_piece(functions, x), given=given, open=has_no_softmax(x))


def _of_one_piece(functions: Functions, x: Floats) -> Ids | None:
    return classes_of(functions, x) if x.shape[-1] <= MOST_IN_ONE_PIECE else None


def classes_of(functions: Functions, x: Floats, *more: Floats) -> Ids | None:
    """Numbers of experts [rows, experts], equal for those whose inputs have equal bits; None if
    the device may compute different scores of these."""
    if not all(one.uniform for one in functions.by_name.values()):
        return None
    classes: NDArray[Any] = x.view(np.int32)
    for one in more:
        classes = classes * np.int64(2**32) + one.view(np.int32)
    return classes


def unfinished(inputs: Arrays, attributes: Any) -> Any:
    """Which rows are not finished, [..., 1]."""
    none = np.zeros(inputs["x"].shape[:-1], np.bool_)
    return np.logical_not(inputs.get("finished", none))[..., None]


def finished_ids(call: Computed, k: int) -> Ids | None:
    """The ids [rows, k] of rows that are finished, -1 in others; None if there is no such input."""
    finished = call.inputs.get("finished")
    if finished is None:
        return None
    experts = call.inputs["x"].shape[-1]
    rows = np.where(finished.reshape(-1), experts, -1).astype(np.int64)
    return np.repeat(rows[:, None], k, axis=1)
