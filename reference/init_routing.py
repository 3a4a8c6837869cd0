"""What the documents of the MoeInitRouting operators from the second version on say alike: where
the row of each slot lies, how many slots an expert has, and which numbers a call may have.

Sources: documents MoeInitRoutingV2, aclnnMoeInitRoutingQuantV2 and aclnnMoeInitRoutingV3. Each
document is told apart in messages by its name, or by the `Source` of its rules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.permutation import histogram, moved, places, ranks
from reference.quantisation import dynamic, static
from reference.rules import reject

CUMSUM, COUNT = 1, 2
"""Values of expert_tokens_count_or_cumsum_flag; 0 stands for no output."""

STATIC, DYNAMIC = 0, 1
"""Values of quant_mode."""


@dataclass(frozen=True)
class Rows:
    """Where each slot's row lies: `place` int32 [slots], -1 where it has none.

    * `expert`: int64 [slots], from 0 at the first expert with a row.
    * `shape`: that of expanded_x, but for its columns.
    """

    place: NDArray[np.int32]
    expert: NDArray[np.int64]
    shape: tuple[int, ...]

    @property
    def rows(self) -> int:
        """How many rows expanded_x has."""
        return math.prod(self.shape)

    def rows_of(self, source: NDArray[Any]) -> NDArray[Any]:
        """The rows [rows, ...] that slots have of `source` [tokens, ...]; +0 where none has one."""
        return moved(source, self.place, self.place.size // max(1, len(source)), 0, self.rows)

    @cached_property
    def named(self) -> NDArray[np.bool_]:
        """Whether a slot has the row, [rows]."""
        return self.rows_of(np.ones(self.place.size, np.bool_))

    def factors(self, scale: NDArray[Any] | None) -> NDArray[Any] | None:
        """What each row is multiplied with: that of its expert, or of all; None without a scale."""
        if scale is None or len(scale) == 1:
            return scale
        return np.asarray(scale[self.rows_of(self.expert)])


@dataclass(frozen=True)
class Source:
    """A document of V2's attributes: where it has its rules, and whether a capacity may be that of
    all tokens (`full`)."""

    parameters: str
    drop_pad: str
    full: bool = False


def rows_kept(slots: int, active_num: int) -> int:
    """The rows of expanded_x without Drop/Pad, of so many slots."""
    return min(active_num, slots) if active_num > 0 else slots


def check_numbers(source: Source, tokens: int, drop_pad_mode: int, **numbers: int) -> None:
    """Check active_num, expert_capacity and expert_num: ValueError for one that is refused."""
    for name, value in numbers.items():
        if value < 0:
            reject(name, value, "must be at least 0", source.parameters + name)
    if drop_pad_mode not in (0, 1):
        reject("drop_pad_mode", drop_pad_mode, "must be 0 or 1", f"{source.parameters}dropPadMode")
    if drop_pad_mode == 0:
        return
    for name in ("expert_num", "expert_capacity"):
        if numbers[name] == 0:
            reject(name, 0, "must be greater than 0 with drop_pad_mode=1", source.drop_pad)
    capacity = numbers["expert_capacity"]
    if capacity > tokens or (capacity == tokens and not source.full):
        most = "at most" if source.full else "less than"
        rule = f"must be {most} the {tokens} rows of x with drop_pad_mode=1"
        reject("expert_capacity", capacity, rule, source.drop_pad)


def check_flag(source: Source, count_flag: int) -> None:
    """Check the flag of counts, which may have any value in any mode: ValueError for another."""
    name = "expert_tokens_count_or_cumsum_flag"
    if count_flag not in (0, CUMSUM, COUNT):
        rule, told = "must be 0, 1 or 2", f"{source.parameters}expertTokensCountOrCumsumFlag"
        reject(name, count_flag, rule, told)


def routed(
    expert_idx: NDArray[Any],
    source: Source,
    *,
    active_num: int,
    expert_capacity: int,
    expert_num: int,
    drop_pad_mode: int,
    count_flag: int,
    before_flag: bool,
) -> tuple[Rows, dict[str, NDArray[Any]]]:
    """The rows of the slots of `expert_idx` [tokens, K], and the counts that the flags ask for.

    Counts are int32 [expert_num], by the names of their outputs. A mode has one of the two, and the
    flag of the other has no effect. Raises ValueError for a slot of none of the experts that are
    counted.
    """
    expert, row = expert_idx.reshape(-1).astype(np.int64), ranks(expert_idx)
    outputs: dict[str, NDArray[Any]] = {}
    if drop_pad_mode == 0:
        if count_flag:
            counts = histogram(expert, expert_num, f"{source.parameters}expertNum")
            counts = np.cumsum(counts) if count_flag == CUMSUM else counts
            outputs["expert_tokens_count_or_cumsum"] = counts.astype(np.int32)
        return Rows(row, expert, (rows_kept(row.size, active_num),)), outputs
    counts = histogram(expert, expert_num, f"{source.parameters}expertNum")
    place = places(row, expert, counts, expert_capacity)
    if before_flag:
        outputs["expert_tokens_before_capacity"] = counts.astype(np.int32)
    return Rows(place, expert, (expert_num, expert_capacity)), outputs


def check_scale(
    scale: Any, offset: Any, quant_mode: int, columns: int, experts: int, source: str
) -> None:
    """Check the scale and the offset of rows that are quantised; `experts` may have rows of it.

    `source` is the list of parameters. Raises ValueError for one that is missing or has a shape
    that the document does not have.
    """
    if quant_mode == STATIC and (scale is None or offset is None):
        reject("scale or offset", None, "must be given with quant_mode=0", f"{source}offset")
    shapes = ((1,),) if quant_mode == STATIC else ((experts, columns), (1, columns))
    if scale is not None and scale.shape not in shapes:
        reject("scale.shape", scale.shape, f"must be one of {shapes}", f"{source}scale")
    if quant_mode == STATIC and offset.shape != (1,):
        reject("offset.shape", offset.shape, "must be (1,)", f"{source}offset")


def quantised(
    x: NDArray[Any], scale: Any, offset: Any, quant_mode: int, found: Rows
) -> tuple[NDArray[np.int8], NDArray[np.float32] | None]:
    """The int8 rows [rows, columns] that slots have of `x` [tokens, columns], and their scales.

    A row without a slot is 0, its scale +0. Static quantisation has no scales of rows.
    """
    rows = found.rows_of(x)
    if quant_mode == DYNAMIC:
        return dynamic(rows, found.factors(scale))
    return static(rows, scale, offset) * found.named[:, np.newaxis], None
