"""MoeInitRoutingV3: rows for the slots of some experts, copied or quantised, and counts of slots.

Source: document aclnnMoeInitRoutingV3 (function: table of counts, equations 1 to 6; parameters;
constraints). With A slots whose expert lies in [expertStart, expertEnd), it gives

    sortedExpertIdx, sortedRowIdx = keyValueSort(expertIdx, rowIdx)
    expandedRowIdxOut[i] = sortedRowIdx[i]                   rowIdxType 1 (scatter)
    expandedRowIdxOut[sortedRowIdx[i]] = i                   rowIdxType 0 (gather)
    expertTokensCountOrCumsumOut[i] = Histogram(sortedExpertIdx)
    expandedXOut[i] = x[sortedRowIdx[i] // K], or of its quantised rows

Where it is silent or contradicts itself, this reading was taken:

* keyValueSort is stable and ascending over all NUM_ROWS * K slots, row by row of expertIdx. Slots
  of experts outside of the range come last: the first A elements and rows are called valid.
* By the table, -1 fills the indices behind the first A with rowIdxType 0. These indices lie slot by
  slot, so the -1 is that of each slot outside of the range. Ranks beyond activeNum stay.
* Rows behind the first A, and indices there with rowIdxType 1, are open: +0 here, 0 there.
* No range is all experts, and activeNum -1, the definition's default, is 0: all rows. An id below 0
  is outside of each smaller range; with all experts the document forbids it.
* Counts are those of the range, before any slot is dropped. For expertTokensNumType 2 the rows of
  [expertNum, 2] are expert and count of those that have slots, in order, then rows of zeros.
* Drop/Pad has words and no equation, as in MoeInitRoutingV2: places of experts, -1 for a dropped
  slot, +0 in rows without one. Of a quantised call these rows are 0 and their scales +0.
* The scale of dynamic quantisation is a row for each expert of the range, by the newer document of
  one product also one row for all. What is quantised with it: see reference/quantisation.py.
* Without quantisation expandedScaleOut is scaleOptional moved as the rows are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.init_routing import DYNAMIC, STATIC, Rows, check_scale, quantised, rows_kept
from reference.permutation import check_routed, histogram, places, ranks
from reference.rules import reject

_DOCUMENT = "aclnnMoeInitRoutingV3"
_PARAMETERS = f"{_DOCUMENT}, parameters: "
CUMSUM, COUNT, KEY_VALUE = 0, 1, 2
"""Values of expert_tokens_num_type."""

GATHER, SCATTER = 0, 1
"""Values of row_idx_type."""

NONE = -1
"""The quant_mode of rows that are moved."""

MOST_EXPERTS, MOST_PAIRS = 10240, 5120
"""The most experts, and the most with counts as pairs."""

Range = Sequence[int]


def range_of(active_expert_range: Range | None, expert_num: int) -> tuple[int, int]:
    """The first expert of the range and the first behind it; [0, expert_num) if none is given."""
    start, end = active_expert_range or (0, expert_num)
    return start, end


@dataclass(frozen=True)
class Routing(Rows):
    """The rows of the slots of a range; its first expert is 0 in `expert`.

    `rank` is that of each slot among all, int32 [slots]; the first `active` are in the range.
    """

    rank: NDArray[np.int32]
    active: int


def routing(
    expert_idx: NDArray[Any],
    *,
    active_num: int,
    expert_capacity: int,
    expert_num: int,
    drop_pad_mode: int,
    active_expert_range: Range | None,
) -> Routing:
    """The rows of the slots of `expert_idx`, with the parameters of `formula`."""
    start, end = range_of(active_expert_range, expert_num)
    expert = expert_idx.reshape(-1).astype(np.int64)
    if (start, end) == (0, expert_num) and expert.min(initial=0) < 0:
        rule = "must be at least 0 with all experts in the range"
        reject("expert_idx", int(expert.min()), rule, _PARAMETERS + "expertIdx")
    inside = (expert >= start) & (expert < end)
    rank, active = ranks(np.where(inside, expert, expert_num)), int(inside.sum())
    place = np.where(inside, rank, -1).astype(np.int32)
    shape: tuple[int, ...] = (rows_kept(rank.size, active_num),)
    if drop_pad_mode:
        counts = histogram(expert, expert_num, _PARAMETERS + "expertIdx")
        place, shape = places(rank, expert, counts, expert_capacity), (expert_num, expert_capacity)
    return Routing(place, expert - start, shape, rank, active)


def _check_quantised(
    x: NDArray[Any], scale: Any, offset: Any, quant_mode: int, experts: int
) -> None:
    """Check the scale and the offset; `experts` is how many the range has."""
    if quant_mode != NONE:
        if x.dtype.kind in "iu":
            raise TypeError(f"x: dtype {x.dtype} must be a float [{_PARAMETERS}expandedXOut]")
        check_scale(scale, offset, quant_mode, x.shape[1], experts, _PARAMETERS)
    elif scale is not None and scale.shape != (len(x),):
        reject("scale.shape", scale.shape, f"must be ({len(x)},)", f"{_PARAMETERS}scale")


def _check_choices(**values: int) -> None:
    allowed = {
        "drop_pad_mode": (0, 1),
        "expert_tokens_num_type": (CUMSUM, COUNT, KEY_VALUE),
        "quant_mode": (NONE, STATIC, DYNAMIC),
        "row_idx_type": (GATHER, SCATTER),
    }
    for name, value in values.items():
        if value not in allowed[name]:
            reject(name, value, f"must be one of {allowed[name]}", _PARAMETERS + name)


def _check_range(start: int, end: int, expert_num: int, of_pairs: bool) -> None:
    most = MOST_PAIRS if of_pairs else MOST_EXPERTS
    source = _PARAMETERS + "activeExpertRangeOptional"
    if not 0 <= start < end <= expert_num:
        rule = f"must rise, and lie in [0, {expert_num}]"
        reject("active_expert_range", (start, end), rule, source)
    if end > most:
        reject("active_expert_range", (start, end), f"must end at {most} at most", source)


def _check_drop_pad(tokens: int, capacity: int, whole: bool, type_: int, flag: bool) -> None:
    """Check what holds with drop_pad_mode=1; `whole`: row indices of gather, and all experts."""
    if not 0 < capacity < tokens:
        rule = f"must be above 0 and below the {tokens} rows of x with drop_pad_mode=1"
        reject("expert_capacity", capacity, rule, _PARAMETERS + "expertCapacity")
    if not whole:
        rule = "must be 1, with row_idx_type=0 and all experts in the range"
        reject("drop_pad_mode", 1, rule, _PARAMETERS + "activeExpertRangeOptional")
    if flag and type_ != COUNT:
        rule = "must be 1 with drop_pad_mode=1 and counts"
        reject("expert_tokens_num_type", type_, rule, f"{_DOCUMENT}, function: table")


def pairs_of(counts: NDArray[np.int64], start: int, expert_num: int) -> NDArray[np.int64]:
    """The experts from `start` on that have slots, each beside its count; zeros up to
    [expert_num, 2]."""
    busy = np.flatnonzero(counts)
    pairs = np.zeros((expert_num, 2), np.int64)
    pairs[: busy.size, 0], pairs[: busy.size, 1] = start + busy, counts[busy]
    return pairs


def formula(
    x: NDArray[Any],
    expert_idx: NDArray[Any],
    scale: NDArray[Any] | None = None,
    offset: NDArray[Any] | None = None,
    *,
    active_num: int = -1,
    expert_capacity: int = -1,
    expert_num: int = -1,
    drop_pad_mode: int = 0,
    expert_tokens_num_type: int = CUMSUM,
    expert_tokens_num_flag: bool = False,
    quant_mode: int = NONE,
    active_expert_range: Range | None = None,
    row_idx_type: int = GATHER,
) -> dict[str, NDArray[Any]]:
    """The document's equations; without quantisation values are moved, in whatever dtype they come.

    * `x`: float16, bfloat16 or float32, without quantisation int8 or any real dtype, too;
      [NUM_ROWS, H].
    * `expert_idx`: int32 [NUM_ROWS, K]: the expert of each slot.
    * `scale`: float32 [NUM_ROWS] without quantisation, [1] if static, [E, H] or [1, H] if dynamic,
      with E experts in the range; None but if static. `offset`: float32 [1] if static.
    * `active_num`, unit: rows; 0 or -1, or the most rows of expanded_x; no effect in Drop/Pad mode.
    * `expert_capacity`, unit: rows of an expert in Drop/Pad mode.
    * `active_expert_range`: the first expert, and the first behind the last; None: all.

    Returns expanded_x [rows, H], or [expert_num, expert_capacity, H] in Drop/Pad mode, in the dtype
    of `x`, or int8 if quantised; expanded_row_idx int32 [NUM_ROWS * K]; with the flag
    expert_tokens_count_or_cumsum int64 [E] or [expert_num, 2]; with a scale or dynamic
    quantisation, but not static, expanded_scale of as many elements as expanded_x has rows. Raises
    TypeError for a dtype, ValueError for any other argument outside the rules.
    """
    check_routed(x, expert_idx, _DOCUMENT)
    _check_choices(
        drop_pad_mode=drop_pad_mode,
        expert_tokens_num_type=expert_tokens_num_type,
        quant_mode=quant_mode,
        row_idx_type=row_idx_type,
    )
    if active_num < -1:
        reject("active_num", active_num, "must be at least -1", _PARAMETERS + "activeNum")
    start, end = range_of(active_expert_range, expert_num)
    pairs = expert_tokens_num_type == KEY_VALUE
    _check_range(start, end, expert_num, pairs)
    if drop_pad_mode:
        _check_drop_pad(
            len(x),
            expert_capacity,
            (start, end) == (0, expert_num) and row_idx_type == GATHER,
            expert_tokens_num_type,
            expert_tokens_num_flag,
        )
    _check_quantised(x, scale, offset, quant_mode, end - start)

    routed = routing(
        expert_idx,
        active_num=active_num,
        expert_capacity=expert_capacity,
        expert_num=expert_num,
        drop_pad_mode=drop_pad_mode,
        active_expert_range=active_expert_range,
    )
    outputs = _rows(x, scale, offset, quant_mode, routed)
    outputs["expanded_row_idx"] = routed.place
    if row_idx_type == SCATTER:
        order = np.argsort(routed.rank, kind="stable").astype(np.int32)
        order[routed.active :] = 0
        outputs["expanded_row_idx"] = order
    if expert_tokens_num_flag:
        counts = np.bincount(routed.expert[routed.rank < routed.active], minlength=end - start)
        found = {CUMSUM: np.cumsum(counts), COUNT: counts}.get(expert_tokens_num_type)
        found = pairs_of(counts, start, expert_num) if found is None else found
        outputs["expert_tokens_count_or_cumsum"] = found.astype(np.int64)
    return outputs


def _rows(
    x: NDArray[Any], scale: Any, offset: Any, quant_mode: int, routed: Routing
) -> dict[str, NDArray[Any]]:
    """expanded_x and, if there is one, expanded_scale."""
    outputs: dict[str, NDArray[Any]] = {}
    if quant_mode == NONE and scale is not None:
        outputs["expanded_scale"] = routed.rows_of(scale)
    if quant_mode == NONE:
        rows = routed.rows_of(x)
    else:
        rows, scales = quantised(x, scale, offset, quant_mode, routed)
        outputs |= {} if scales is None else {"expanded_scale": scales}
    outputs["expanded_x"] = rows.reshape(*routed.shape, x.shape[1])
    return outputs
