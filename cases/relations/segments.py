"""Relations of an operator that lays segments of rows by expert that came by rank.

Each is a law of the counts and of where rows lie; none says what an offset is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import held

SOURCE = "segments of rows, by rank and expert"
IDX = "permute_token_idx"
MOST_BYTES = 16384
"""Of a row that is viewed as int8."""


def of_segments(counts: str, sums: str, moved: tuple[str, ...]) -> tuple[Relation, ...]:
    """``counts`` [ranks, experts] and ``sums`` [experts] by name, and the inputs that are
    ``moved``, whose outputs begin with "permute_"; the first one is the tokens."""

    def counted(case: Case, array: NDArray[Any]) -> Case:
        """The call with other counts of the same rows."""
        total = Tensor(array.shape[1:], array.dtype.name)
        given = {**case.inputs, counts: held(Tensor((), array.dtype.name), array)}
        return replace(case, inputs=given, outputs={**case.outputs, sums: total})

    def here(case: Case) -> tuple[str, ...]:
        return tuple(name for name in moved if name in case.inputs)

    def by_number(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        idx = outputs[IDX]
        if not np.array_equal(np.sort(idx), np.arange(idx.size)):
            yield f"{IDX} is not the numbers of the rows, each once"
            return
        for name in here(case):
            due = case.arrays[name][idx]
            yield from difference(f"permute_{name}", outputs[f"permute_{name}"], due, f"by {IDX}")

    def back(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        again = counted(case, case.arrays[counts].T)
        given = {name: held(case.inputs[name], outputs[f"permute_{name}"]) for name in here(case)}
        seen = run(replace(again, inputs={**again.inputs, **given}))
        for name in here(case):
            meaning = "before both calls"
            yield from difference(
                f"permute_{name}", seen[f"permute_{name}"], case.arrays[name], meaning
            )

    def in_line(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        array = case.arrays[counts]
        for shape in ((1, array.size), (array.size, 1)):
            line = array.reshape(shape)
            seen, meaning = run(counted(case, line)), f"of {shape[0]} ranks of {shape[1]} experts"
            order = np.arange(outputs[IDX].size, dtype=np.int32)
            yield from difference(IDX, seen[IDX], order, meaning)
            yield from difference(sums, seen[sums], line.sum(0, dtype=array.dtype), meaning)

    def otherwise(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        array = case.arrays[counts]
        other = array.astype({"int32": np.int64, "int64": np.int32}[array.dtype.name])
        seen = run(counted(case, other))
        for name, due in outputs.items():
            if name.removeprefix("permute_") in (*here(case), "token_idx", sums):
                wanted = due.astype(other.dtype) if name == sums else due
                yield from difference(name, seen[name], wanted, f"by counts of {array.dtype}")

    def bytewise(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        name = moved[0]
        rows, columns = case.arrays[name].shape
        size = case.arrays[name].dtype.itemsize
        if size == 1 or columns * size > MOST_BYTES:
            return
        tensor = held(Tensor((), "int8"), case.arrays[name].view(np.int8))
        given = {**case.inputs, name: tensor}
        room = {**case.outputs, f"permute_{name}": Tensor((rows, columns * size), "int8")}
        seen = run(replace(case, dtype="int8", inputs=given, outputs=room))[f"permute_{name}"]
        due = outputs[f"permute_{name}"].view(np.int8)
        yield from difference(f"permute_{name}", seen, due, f"by rows of {case.dtype}")

    laws = {
        "rows by their numbers": ("each row is the one that its number names", by_number),
        "there and back": ("with the ranks as experts, rows lie as before", back),
        "one rank, or one expert": ("rows of one rank, or of one expert, stay", in_line),
        "counts of another data type": ("int32 and int64 counts say the same", otherwise),
        "rows as bytes": ("rows move as their bytes do", bytewise),
    }
    return tuple(
        Relation(name, inferred(text, SOURCE), broken) for name, (text, broken) in laws.items()
    )
