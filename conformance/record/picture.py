"""What a person looks at of a failure rather than read: pictures of outputs, lines of kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec


@dataclass(frozen=True)
class Landmarks:
    """What a record knows of the places in a call's outputs.

    ``experts`` has the first row of every expert, for outputs whose rows lie expert by expert;
    ``tile_columns`` how many columns the kernel takes in one tile, where that is known.
    """

    experts: Mapping[str, Sequence[int]] = field(default_factory=dict)
    tile_columns: int = 0


class Picture(msgspec.Struct, kw_only=True):
    """The wrong elements of an output, seen as [rows, columns].

    ``grid`` counts them in blocks of ``row_step`` rows and ``column_step`` columns. ``histogram``
    has the number of elements for every class: of accepted ones, of those never written, of those
    that miss what is accepted by 1, 2, up to 4, 8... places of the storage grid (``unit`` "ulp"; of
    integers, by so much), of NaNs. ``words`` say where the wrong ones lie, and what that behaves
    like. ``experts`` and ``cores`` are first rows, those of cores if rows are shared in order;
    ``tiles`` first columns.
    """

    output: str
    rows: int
    columns: int
    wrong: int
    row_step: int
    column_step: int
    grid: list[list[int]]
    unit: str
    histogram: dict[str, int]
    words: list[str] = []
    experts: list[int] = []
    cores: list[int] = []
    tiles: list[int] = []


class Excerpt(msgspec.Struct, kw_only=True):
    """A line of a kernel that a diagnostic names, with a few beside it: ``lines`` begin at
    ``first``. ``code`` and ``message`` are the diagnostic's. ``path`` is where the file lies, from
    the working directory if it lies below that.
    """

    code: str
    message: str
    file: str
    line: int
    first: int
    lines: list[str]
    path: str = ""
