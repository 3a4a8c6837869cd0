"""MoeInitRoutingV2: tokens copied to the experts that they chose, expert by expert.

Source: document MoeInitRoutingV2 (function: five equations; parameters; constraints). It gives

    sortedExpertIdx, sortedRowIdx = keyValueSort(expertIdx)
    expandedRowIdxOut[sortedRowIdx[i]] = i
    expandedXOut[i] = x[sortedRowIdx[i] % numRows]
    expertTokensCountOrCumsumOut[i] = Cumsum(Histogram(sortedExpertIdx))
    expertTokensBeforeCapacityOut[i] = Histogram(sortedExpertIdx)

Where it is silent or contradicts itself, this reading was taken:

* keyValueSort sorts all numRows * K elements, row by row of expertIdx, and is stable.
* The third equation must divide: the element at slot s is of token s // K. s % numRows belongs to
  elements counted column by column, which the input rowIdx of the first version could say and this
  version has dropped. The document of the gradient agrees: it adds expandedRowIdx[i * K + t] to
  token i. The words before the equation, of the first numRows elements, contradict every mode.
* Active mode (dropPadMode 0, activeNum above 0): the document calls activeNum a flag. That of the
  gradient has it as the size of axis 0 of expandedX: the first activeNum rows. expandedRowIdxOut
  keeps the ranks of all slots. With more than numRows * K there are no more rows than slots.
* Drop/Pad mode (dropPadMode 1) is in the words alone, and no equation holds there. expandedXOut is
  [expertNum, expertCapacity, H]; an expert keeps its first slots in their order, the rest of its
  rows is +0. expandedRowIdxOut names rows of [expertNum * expertCapacity, H], and is -1 for a slot
  that is dropped; both as the gradient's document has it. activeNum has no effect.
* expertTokensCountOrCumsumOut has the Cumsum in its equation and, in the table, Cumsum for flag 1
  and the counts for flag 2: the table. It is new "in Dropless mode", expertTokensBeforeCapacityOut
  "in Drop mode", and of neither is said what it holds in the other mode: a flag is refused there.
* The constraint on dimensions has lost a word; it is of both x and expertIdx. numRows greater than
  expertCapacity is required in Drop/Pad mode: elsewhere there is no capacity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.permutation import check_routed, histogram, moved, places, ranks
from reference.rules import reject

_FUNCTION = "MoeInitRoutingV2, function"
_PARAMETERS = "MoeInitRoutingV2, parameters: "
_CONSTRAINTS = "MoeInitRoutingV2, constraints"
CUMSUM, COUNT = 1, 2
"""Values of expert_tokens_count_or_cumsum_flag; 0 stands for no output."""


def _check_attributes(rows: int, attributes: dict[str, int], drop_pad_mode: int) -> None:
    """Check what the table and the constraints say of numbers; `rows` is numRows."""
    for name, value in attributes.items():
        if value < 0:
            reject(name, value, "must be at least 0", _PARAMETERS + name)
    if drop_pad_mode not in (0, 1):
        reject("drop_pad_mode", drop_pad_mode, "must be 0 or 1", _PARAMETERS + "dropPadMode")
    if drop_pad_mode == 0:
        return
    for name in ("expert_num", "expert_capacity"):
        if attributes[name] == 0:
            reject(name, 0, "must be greater than 0 with drop_pad_mode=1", _CONSTRAINTS)
    capacity = attributes["expert_capacity"]
    if rows <= capacity:
        rule = f"must be less than the {rows} rows of x with drop_pad_mode=1"
        reject("expert_capacity", capacity, rule, _CONSTRAINTS)


def _check_flags(count_flag: int, before_flag: bool, drop_pad_mode: int) -> None:
    name = "expert_tokens_count_or_cumsum_flag"
    source = _PARAMETERS + "expertTokensCountOrCumsumFlag"
    if count_flag not in (0, CUMSUM, COUNT):
        reject(name, count_flag, "must be 0, 1 or 2", source)
    if count_flag and drop_pad_mode == 1:
        reject(name, count_flag, "must be 0 with drop_pad_mode=1", _FUNCTION)
    if before_flag and drop_pad_mode == 0:
        rule = "must be False with drop_pad_mode=0"
        reject("expert_tokens_before_capacity_flag", before_flag, rule, _FUNCTION)


def formula(
    x: NDArray[Any],
    expert_idx: NDArray[Any],
    *,
    active_num: int = 0,
    expert_capacity: int = 0,
    expert_num: int = 0,
    drop_pad_mode: int = 0,
    expert_tokens_count_or_cumsum_flag: int = 0,
    expert_tokens_before_capacity_flag: bool = False,
) -> dict[str, NDArray[Any]]:
    """The document's equations; values are moved, in whatever dtype they come.

    * `x`: float16, bfloat16, float32 per the document, and any real dtype here; [numRows, H].
    * `expert_idx`: int32 [numRows, K]: the expert of each slot; in [0, expert_num) where experts
      are counted, that is in Drop/Pad mode and with a count or cumsum flag, else any.
    * `active_num`, unit: rows. 0, or the most rows of expanded_x; no effect in Drop/Pad mode.
    * `expert_capacity`, `expert_num`: rows of an expert and their number, both above 0 in Drop/Pad
      mode and the capacity below numRows; the capacity has no effect elsewhere.
    * `drop_pad_mode`: 0, or 1 for Drop/Pad mode.
    * `expert_tokens_count_or_cumsum_flag`: 0, CUMSUM, COUNT; 0 in Drop/Pad mode.
      `expert_tokens_before_capacity_flag`: True in Drop/Pad mode alone.

    Returns expanded_x in the dtype of `x`, [numRows * K, H], of which Active mode leaves the first
    active_num rows, or [expert_num, expert_capacity, H] in Drop/Pad mode; expanded_row_idx int32
    [numRows * K]; as the flags ask, expert_tokens_count_or_cumsum and
    expert_tokens_before_capacity, int32 [expert_num]. Raises TypeError for a dtype, ValueError for
    any other argument outside the rules.
    """
    check_routed(x, expert_idx, "MoeInitRoutingV2", "constraints")
    attributes = {
        "active_num": active_num,
        "expert_capacity": expert_capacity,
        "expert_num": expert_num,
    }
    _check_attributes(len(x), attributes, drop_pad_mode)
    count_flag = expert_tokens_count_or_cumsum_flag
    _check_flags(count_flag, expert_tokens_before_capacity_flag, drop_pad_mode)

    expert, top_k = expert_idx.reshape(-1), expert_idx.shape[1]
    row = ranks(expert_idx)
    if drop_pad_mode == 0:
        rows = min(active_num, row.size) if active_num > 0 else row.size
        outputs = {"expanded_x": moved(x, row, top_k, 0, rows), "expanded_row_idx": row}
        if count_flag:
            counts = histogram(expert, expert_num, _PARAMETERS + "expertNum")
            counts = np.cumsum(counts) if count_flag == CUMSUM else counts
            outputs["expert_tokens_count_or_cumsum"] = counts.astype(np.int32)
        return outputs

    counts = histogram(expert, expert_num, _PARAMETERS + "expertNum")
    row = places(row, expert, counts, expert_capacity)
    expanded_x = moved(x, row, top_k, 0, expert_num * expert_capacity)
    outputs = {
        "expanded_x": expanded_x.reshape(expert_num, expert_capacity, x.shape[1]),
        "expanded_row_idx": row,
    }
    if expert_tokens_before_capacity_flag:
        outputs["expert_tokens_before_capacity"] = counts.astype(np.int32)
    return outputs
