"""What the documents of MoeFinalizeRoutingV2 and of its gradient say in the same words.

An expanded row is the output of an expert for one slot. Where the two differ, in the order of the
slots, their modules say so. A document is told apart in messages by its name, `document`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.rules import reject, require_dtype, require_real


def check_matrix(
    name: str, array: NDArray[Any], shape: tuple[int | str, ...], document: str, parameter: str
) -> None:
    """Check a tensor of numbers; a size that is named and not a number may be any.

    Raises TypeError for a dtype that is no number, ValueError for another shape.
    """
    source = f"{document}, parameters: {parameter}"
    require_real(name, array, source)
    sizes = zip(array.shape, shape, strict=False)
    fits = all(isinstance(wanted, str) or size == wanted for size, wanted in sizes)
    if array.ndim != len(shape) or not fits:
        listed = ", ".join(str(size) for size in shape)
        reject(f"{name}.shape", array.shape, f"must be [{listed}]", source)


def rows_of_expanded(
    expanded_row_idx: NDArray[Any], source_rows: int, drop_pad: bool, document: str
) -> NDArray[np.int32]:
    """`expanded_row_idx` with -1 for each that names no row of `source_rows`.

    With `drop_pad` that is -1 already; without, ranks of slots that are not below source_rows.
    Raises TypeError for a dtype other than int32, ValueError unless it is 1-D and lies in
    [-1, source_rows) or, without `drop_pad`, in [0, slots).
    """
    source = f"{document}, parameters: expandedRowIdx"
    require_dtype("expanded_row_idx", expanded_row_idx, source, "int32")
    if expanded_row_idx.ndim != 1:
        reject("expanded_row_idx.shape", expanded_row_idx.shape, "must be 1-D", source)
    lowest, end = (-1, source_rows) if drop_pad else (0, expanded_row_idx.size)
    outside = np.flatnonzero((expanded_row_idx < lowest) | (expanded_row_idx >= end))
    if outside.size:
        at = int(outside[0])
        rule = f"must lie in [{lowest}, {end}) {'with' if drop_pad else 'without'} Drop/Pad"
        reject(f"expanded_row_idx[{at}]", expanded_row_idx[at], rule, source)
    return np.where(expanded_row_idx < source_rows, expanded_row_idx, -1).astype(np.int32)


def check_experts(
    expert_idx: NDArray[Any] | None, experts: int, shape: tuple[int, int], document: str
) -> NDArray[np.int32]:
    """`expert_idx`, checked: the row of the bias for each slot.

    Raises TypeError for a dtype other than int32, ValueError where there is none, for another shape
    than `shape`, [tokens, K], and for an expert that is none of `experts`.
    """
    source = f"{document}, parameters: expertIdxOptional"
    if expert_idx is None:
        reject("expert_idx", None, "must be there: bias has one row for each expert", source)
    require_dtype("expert_idx", expert_idx, source, "int32")
    if expert_idx.shape != shape:
        reject("expert_idx.shape", expert_idx.shape, f"must be {shape}", source)
    outside = np.argwhere((expert_idx < 0) | (expert_idx >= experts))
    if outside.size:
        at = tuple(outside[0].tolist())
        rule = f"must lie in [0, {experts}), the rows of bias"
        reject(f"expert_idx{list(at)}", expert_idx[at], rule, source)
    return expert_idx


Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class WithoutRows:
    """The slots of experts that have no row of expanded_x, by their kind, bool [tokens, K].

    A slot of `zero` adds nothing, nor a bias; one of `copy` has its token's row of `x` [tokens, H],
    one of `constant` alpha1 * x + alpha2 * v. `numbers`, int64 [tokens, K], has the row of alpha1,
    alpha2 and v, each [experts, H], of a constant slot; `tensors` has those four that are needed.
    """

    zero: Mask
    copy: Mask
    constant: Mask
    numbers: NDArray[np.int64]
    tensors: Mapping[str, NDArray[Any]]

    def of_slot(self, k: int, values: NDArray[Any], live: Mask) -> Mask:
        """Put what slots k have in place of rows into `values` [tokens, H]: each product and the
        sum in their dtype. Returns which slots have something."""
        copy, constant = self.copy[:, k], self.constant[:, k]
        wide = {name: one.astype(values.dtype) for name, one in self.tensors.items()}
        if copy.any():
            values[copy] = wide["x"][copy]
        if constant.any():
            found = self.numbers[constant, k]
            alpha1, alpha2, v = (wide[name][found] for name in ("alpha1", "alpha2", "v"))
            values[constant] = alpha1 * wide["x"][constant] + alpha2 * v
        return live | copy | constant
