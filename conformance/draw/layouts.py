"""How a tensor of two axes lies in device memory, by name: strides made and recognised."""

from __future__ import annotations

from conformance.call.case import Tensor

LAYOUTS = ("contiguous", "spaced rows", "spaced elements", "columns first")
ROW_GAP = 5
"""Elements between two rows: no multiple of 32 bytes, so that few rows are aligned."""


def strides_of(layout: str, shape: tuple[int, int]) -> tuple[int, int] | None:
    """The strides of [rows, columns] in a layout; None: contiguous."""
    rows, columns = shape
    return {
        "contiguous": None,
        "spaced rows": (columns + ROW_GAP, 1),
        "spaced elements": (2 * columns, 2),
        "columns first": (1, rows + 1),
    }[layout]


def layout_of(tensor: Tensor) -> str:
    """The layout that the strides of a tensor of two axes tell."""
    if tensor.strides is None:
        return "contiguous"
    row, column = tensor.strides
    if row < column:
        return "columns first"
    return "spaced rows" if column == 1 else "spaced elements"
