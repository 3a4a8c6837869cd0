"""MoeInitRoutingV2: tokens copied to the experts that they chose, expert by expert.

Sources: document MoeInitRoutingV2 (function: five equations; parameters; constraints), and
aclnnMoeInitRoutingV2 of ops-transformer (parameters). The first gives

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
  and the counts for flag 2: the table. The parameters of aclnnMoeInitRoutingV2 have it as an output
  of calls without Drop/Pad alone, and expertTokensBeforeCapacityOut as one of Drop/Pad alone. Both
  flags may have any value in any mode: that of the other mode's output has no effect.
* The constraint on dimensions has lost a word; it is of both x and expertIdx. numRows greater than
  expertCapacity is required in Drop/Pad mode: elsewhere there is no capacity.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from reference.init_routing import Source, check_flag, check_numbers, routed
from reference.permutation import check_routed

_SOURCE = Source("MoeInitRoutingV2, parameters: ", "MoeInitRoutingV2, constraints")


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
    * `expert_tokens_count_or_cumsum_flag`: 0, CUMSUM, COUNT; no effect in Drop/Pad mode.
      `expert_tokens_before_capacity_flag`: no effect but in Drop/Pad mode.

    Returns expanded_x in the dtype of `x`, [numRows * K, H], of which Active mode leaves the first
    active_num rows, or [expert_num, expert_capacity, H] in Drop/Pad mode; expanded_row_idx int32
    [numRows * K]; as the flags ask, expert_tokens_count_or_cumsum, or in Drop/Pad mode
    expert_tokens_before_capacity, int32 [expert_num]. Raises TypeError for a dtype, ValueError for
    any other argument outside the rules.
    """
    check_routed(x, expert_idx, "MoeInitRoutingV2", "constraints")
    numbers = {
        "active_num": active_num,
        "expert_capacity": expert_capacity,
        "expert_num": expert_num,
        "drop_pad_mode": drop_pad_mode,
    }
    flags = expert_tokens_count_or_cumsum_flag, expert_tokens_before_capacity_flag
    check_numbers(_SOURCE, len(x), **numbers)
    check_flag(_SOURCE, flags[0])
    found, counts = routed(
        expert_idx, _SOURCE, **numbers, count_flag=flags[0], before_flag=flags[1]
    )
    rows = found.rows_of(x).reshape(*found.shape, x.shape[1])
    return {"expanded_x": rows, "expanded_row_idx": found.place, **counts}
