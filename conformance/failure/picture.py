"""A wrong output as a picture: where its wrong elements lie, and how far off they are.

What is kept is small whatever the size of the output: counts over a grid, and a histogram.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.observation import Observation, Outcome
from conformance.failure.bundle.accepted import Accepted, accepted_of
from conformance.judge.agreement import ReferenceDisagreement
from conformance.numerics.arithmetic import Arithmetic
from conformance.numerics.patterns import as_one_nan
from conformance.record.picture import Excerpt, Landmarks, Picture
from conformance.text.command_lines import near
from reference.floats import Format, format_of, ordered

if TYPE_CHECKING:
    from conformance.call.case import Case
    from conformance.record.operator import Operator

MOST_CELLS = (48, 64)
"""Rows and columns of the grid."""

LARGEST = 1 << 22
"""Elements of an output of which a picture is made; a shrunk case has a few."""

MOST_MARKS = 20
"""Boundaries of a kind; more would hide the picture."""

KERNELS = "kernels.txt"
"""Beside the folder of libraries: the folders of the operators that they were compiled from."""

MOST_EXCERPTS, BESIDE, MOST_CHARACTERS = 6, 3, 200
"""Lines of kernels that are shown, lines above and below each, and characters of one."""

OPEN, RIGHT, UNWRITTEN, NAN = "open", "accepted", "never written", "NaN"
"""Classes of the histogram that are no distances: of these elements nothing is promised; they are
accepted; they hold what was there before the call; they are a NaN that is not accepted."""

Distances = NDArray[np.int64]
FAR = np.iinfo(np.int64).max


def pictures(
    operator: Operator,
    case: Case,
    seen: Observation,
    arithmetic: Arithmetic,
    *,
    own_kernels: bool = True,
) -> Iterator[Picture]:
    """A picture of each output that came back wrong. Of what no contract speaks there is none.

    Tiles are those of ``own_kernels``: what others take at a time, nobody knows.
    """
    if seen.outcome is not Outcome.COMPLETED:
        return
    marks = operator.landmarks(case) if operator.landmarks is not None else Landmarks()
    if not own_kernels:
        marks = replace(marks, tile_columns=0)
    for name, array in seen.outputs.items():
        if name not in case.outputs or not 0 < array.size <= LARGEST:
            continue
        try:
            accepted = accepted_of(operator, case, name, arithmetic)
            away = distances(accepted, array)
        except (ValueError, ReferenceDisagreement):
            continue  # the verdict says why
        if away is not None and (away > 0).any():
            cores = case.machine.cores if case.machine is not None else 0
            yield picture(name, array, away, marks, cores, seen.unwritten_at.get(name))


def distances(accepted: Accepted, observed: NDArray[Any]) -> Distances | None:
    """How far each element lies from what is accepted, flat; -1: nothing is promised of it.

    None where nothing is promised of the whole output. A NaN that is not accepted is `FAR`.
    """
    if accepted.kind == "anything":
        return None
    flat = np.ascontiguousarray(observed).reshape(-1)
    if accepted.kind == "ranges":
        if flat.dtype.kind in "iu":
            return _from_ranges(accepted, flat.astype(np.int64))
        fmt = format_of(flat.dtype)
        places = _places(flat, fmt)
        found = _from_ranges(accepted, places)
        found[(found > 0) & (places > fmt.infinity_bits)] = FAR
        return found
    bits = accepted.arrays["bits"].reshape(-1)
    mine = flat.view(bits.dtype)
    if flat.dtype.kind in "iu":
        away = np.abs(bits.view(flat.dtype).astype(np.float64) - flat.astype(np.float64))
        away = np.minimum(away, 2.0**62).astype(np.int64)
    elif flat.dtype.kind == "b":
        away = (bits != mine).astype(np.int64)
    else:
        fmt = format_of(flat.dtype)
        away = np.abs(_places(bits.view(flat.dtype), fmt) - _places(flat, fmt))
        away[_places(flat, fmt) > fmt.infinity_bits] = FAR
    away = np.where(bits == mine, 0, np.maximum(away, 1))
    if "specified" in accepted.arrays:
        away[accepted.arrays["specified"].reshape(-1) == 0] = -1
    return np.asarray(away, np.int64)


def excerpts(
    seen: Observation, library: Path | None = None, operator: str = ""
) -> Iterator[Excerpt]:
    """The lines of the kernel that the diagnostics name, as far as the sources that ``library``
    was compiled from lie where they lay, unchanged; of several folders with such a file, in that
    with the kernel of ``operator``.
    """
    told: set[tuple[str, str, int]] = set()
    for one in seen.diagnostics:
        places = [(one.file, one.line)]
        places += [(one.earlier.file, one.earlier.line)] if one.earlier is not None else []
        for file, line in places:
            if line < 1 or len(told) >= MOST_EXCERPTS or (one.code, file, line) in told:
                continue
            told.add((one.code, file, line))
            first = max(1, line - BESIDE)
            source = _source(file, library, operator)
            lines = _lines(source, first, line + BESIDE) if source is not None else []
            if lines and source is not None:
                yield Excerpt(
                    code=one.code,
                    message=one.message,
                    file=Path(file).name,
                    line=line,
                    first=first,
                    lines=lines,
                    path=near(source),
                )


def _source(file: str, library: Path | None, operator: str) -> Path | None:
    """The file of a diagnostic, which names it from the operators' folder on where it is known."""
    if library is None:
        return None
    below = Path(*Path(file).parts[1:])
    try:
        folders = [Path(one) for one in (library.parents[1] / KERNELS).read_text().splitlines()]
    except OSError:
        folders = []
    folders.sort(key=lambda folder: not (folder / operator).is_dir())
    for path in (Path(file), *(folder / below for folder in folders)):
        if path.is_absolute() and path.is_file():
            is_newer = path.stat().st_mtime > library.stat().st_mtime
            return None if is_newer else path
    return None


def _lines(path: Path, first: int, last: int) -> list[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return [line.rstrip("\n")[:MOST_CHARACTERS] for line in islice(file, first - 1, last)]
    except OSError:
        return []


def _places(flat: NDArray[Any], fmt: Format) -> Distances:
    return as_one_nan(ordered(flat.view(fmt.storage_dtype), fmt), fmt)


def _from_ranges(accepted: Accepted, places: Distances) -> Distances:
    starts = accepted.arrays["starts"]
    low, high = (accepted.arrays[end].astype(np.int64) for end in ("low", "high"))
    counts = np.diff(starts)
    seen = np.repeat(places, counts)
    away = np.maximum(np.maximum(low - seen, seen - high), 0)
    found = np.full(counts.size, -1, np.int64)
    some = np.flatnonzero(counts)
    found[some] = np.minimum.reduceat(away, starts[:-1][some])
    silent = np.minimum.reduceat(low, starts[:-1][some]) <= -(2**31)
    found[some[silent]] = -1
    return found


def picture(
    name: str,
    array: NDArray[Any],
    away: Distances,
    marks: Landmarks,
    cores: int,
    unwritten: NDArray[np.bool_] | None = None,
) -> Picture:
    """The picture of an output of these distances, of which these elements were never written."""
    columns = array.shape[-1] if array.ndim > 1 else array.size
    rows = array.size // columns
    wrong = (away > 0).reshape(rows, columns)
    untouched = (
        np.zeros(away.shape, np.bool_) if unwritten is None else unwritten.reshape(away.shape)
    )
    row_step, column_step = (-(-n // most) for n, most in zip(wrong.shape, MOST_CELLS, strict=True))
    by_rows = np.add.reduceat(wrong, np.arange(0, rows, row_step), axis=0, dtype=np.int64)
    grid = np.add.reduceat(by_rows, np.arange(0, columns, column_step), axis=1)
    experts = list(marks.experts.get(name, ()))
    if array.ndim == 3:
        experts = list(range(0, rows, array.shape[1]))
    tile = marks.tile_columns if array.ndim > 1 else 0
    return Picture(
        output=name,
        rows=rows,
        columns=columns,
        wrong=int(wrong.sum()),
        row_step=row_step,
        column_step=column_step,
        grid=grid.tolist(),
        unit="" if array.dtype.kind in "iub" else "ulp",
        histogram=_histogram(away, untouched & (away > 0)),
        experts=_few(experts, rows),
        cores=_few(range(0, rows, -(-rows // cores)) if 1 < cores < rows else (), rows),
        tiles=_few(range(0, columns, tile) if 0 < tile < columns else (), columns),
    )


def _few(starts: Sequence[int], size: int) -> list[int]:
    """The boundaries inside; none where there are too many to see."""
    inside = sorted({start for start in starts if 0 < start < size})
    return inside if len(inside) <= MOST_MARKS else []


def _histogram(away: Distances, untouched: NDArray[np.bool_]) -> dict[str, int]:
    found = {OPEN: int((away < 0).sum()), RIGHT: int((away == 0).sum())}
    found[UNWRITTEN] = int(untouched.sum())
    far = away[(away > 0) & (away < FAR) & ~untouched]
    power = np.ceil(np.log2(far)).astype(np.int64)
    for exponent in range(int(power.min(initial=64)), int(power.max(initial=-1)) + 1):
        found[str(2**exponent)] = int((power == exponent).sum())
    found[NAN] = int(((away == FAR) & ~untouched).sum())
    return {name: count for name, count in found.items() if count or name.isdigit()}
