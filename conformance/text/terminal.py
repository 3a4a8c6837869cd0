"""The table of a run with every mode and data type, for ``--verbose``, and the lines beside it.

`conformance.text.one_screen` tells the run in few lines, some of them from here.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

from conformance.devices.traits import loosened_lines
from conformance.evidence.coverage import Further
from conformance.evidence.summary import REJECTIONS, RELATIONS, SEQUENCES, Cell, Evidence
from conformance.names import cell_id
from conformance.text.language import Speaking

WIDTH = 120
NONE = "-"
ACCEPTED = "accepted"
SHOWN_MISSING = 5
TIME_WIDTH = len("10000.0 s")
"""Of the column of times: the table is as wide on a busy machine as on a quiet one."""


def table(evidence: Evidence) -> Table:
    """One row per operator, mode and dtype: how much was judged, and how it came out."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("operator", "mode", "dtype"):
        made.add_column(heading, no_wrap=True)
    made.add_column("cases", justify="right")
    made.add_column("verdict", no_wrap=True)
    for heading in ("bit-exact", "worst headroom"):
        made.add_column(heading, justify="right", no_wrap=True)
    made.add_column("time", justify="right", no_wrap=True, min_width=TIME_WIDTH)
    for cell in evidence.cells:
        if cell.cases or cell_id(cell.operator, cell.mode, cell.dtype) in evidence.unjudged:
            made.add_row(*_row(cell))
    return made


def whole(made: Table) -> int:
    """The width at which no cell of a table is cut: of a count its first digit would be left."""
    return Speaking(width=10**4).measure(made).maximum


def standards_table(evidence: Evidence) -> Table:
    """One row per published standard: what it said of the run's cases, and where it differs."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    made.add_column("standard", no_wrap=True)
    counts = ("accepts", "rejects", "investigate", "says nothing", "too lenient", "too harsh")
    for heading in counts:
        made.add_column(heading, justify="right", no_wrap=True)
    for row in evidence.standards:
        figures = (row.accepts, row.rejects, row.investigate, row.silent, row.lenient, row.harsh)
        made.add_row(row.name, *(f"{figure:,}" if figure else NONE for figure in figures))
    return made


def impossible_lines(evidence: Evidence) -> Iterator[str]:
    """A line for each cell with calls that were not made: for want of device memory, or because the
    route cannot express them."""
    for cell in evidence.cells:
        if cell.impossible:
            name = cell_id(cell.operator, cell.mode, cell.dtype)
            calls = f"{cell.impossible} calls need more device memory, or another route"
            yield f"not possible here, not judged: {name}: {calls}"


def observed_lines(evidence: Evidence) -> Iterator[str]:
    """What became of each call in quarantine."""
    yield from ("in quarantine, not judged: " + line for line in evidence.observed)


def withheld_lines(evidence: Evidence) -> Iterator[str]:
    """The modes that are not called on the device, with the reason."""
    yield from (f"not possible here, not judged: {line}" for line in evidence.withheld)


def called_lines(evidence: Evidence) -> Iterator[str]:
    """What the devices really called; a device of a plugin may not say what it is."""
    if evidence.cases and not evidence.devices:
        yield "called: a device that names neither itself nor its libraries"
    told = dict.fromkeys(one.implementation for one in evidence.devices if one.implementation)
    yield from (f"called: {implementation}" for implementation in told)
    yield from loosened_lines(one.profile.get("loosened") for one in evidence.devices)


def lost_lines(evidence: Evidence) -> Iterator[str]:
    """The cards that were lost while the run went on with others."""
    yield from (f"gave way to another card: {line}" for line in evidence.lost_cards)


class Totals(NamedTuple):
    """What a run's cases show of all its declared cells together."""

    judged: int
    tuples: int
    kind: str
    edges_judged: int
    edges: int


def totals(evidence: Evidence) -> Totals | None:
    """The sums over the declared cells; None if there are none."""
    declared = [one for one in evidence.coverage if one.tuples]
    if not declared:
        return None
    return Totals(
        sum(one.judged for one in declared),
        sum(one.tuples for one in declared),
        _combinations(declared[0].strength),
        sum(one.edges_judged for one in declared),
        sum(one.edges_declared for one in declared),
    )


def coverage_lines(evidence: Evidence) -> Iterator[str]:
    """What the run's cases show of the discrete cells and their edges: all in a line each, and
    what is missing.
    """
    declared = [one for one in evidence.coverage if one.tuples]
    found = totals(evidence)
    if found is None:
        return
    told = f"{found.judged:,} of {found.tuples:,} {found.kind} judged"
    fewest = min(
        (
            (count, f"{axis} {level}, {one.mode} {one.dtype}")
            for one in declared
            if not (one.open or one.open_edges)
            for axis, counts in one.levels.items()
            for level, count in counts.items()
        ),
        default=None,
    )
    told += f"; fewest cases: {fewest[0]} ({fewest[1]})" if fewest is not None else ""
    yield f"discrete cells: {told}"
    if found.edges:
        yield f"edges of tilings on chips: {found.edges_judged:,} of {found.edges:,} judged"
    yield from further_lines(evidence)
    yield from missing_lines(evidence)


def missing_lines(evidence: Evidence) -> Iterator[str]:
    """What no case shows of the discrete cells and their edges.

    Only the first few are told; ``evidence.json`` has them all. A run with failures ended items
    before their last rows: what is missing then says nothing.
    """
    declared = [one for one in evidence.coverage if one.tuples]
    if evidence.failures:
        return
    missing = [f"{one.mode} {one.dtype}: {what}" for one in declared for what in one.missing]
    missing += [f"{one.mode} {one.dtype}: {edge}" for one in declared for edge in one.unmet]
    yield from (f"not judged: {one}" for one in missing[:SHOWN_MISSING])
    if len(missing) > SHOWN_MISSING:
        yield f"not judged: {len(missing) - SHOWN_MISSING:,} more, see coverage in evidence.json"


def further_lines(evidence: Evidence) -> Iterator[str]:
    """What larger profiles judge of the same operators besides, if they do."""
    if evidence.further:
        yield f"larger profiles: {'; '.join(map(_further, evidence.further))}"


def _combinations(strength: int) -> str:
    """So many levels that are judged together, in words."""
    words = {1: "levels", 2: "pairs of levels", 3: "triples of levels"}
    return words.get(strength, "combinations of levels")


def _further(one: Further) -> str:
    """What a larger profile judges besides."""
    parts = [f"{one.edges:,} more edge{'s' if one.edges > 1 else ''}"] if one.edges else []
    parts += [f"{one.tuples:,} {_combinations(one.strength)}"] if one.tuples else []
    return f"{one.profile} judges {' and '.join(parts)}"


def tiling_key_lines(evidence: Evidence) -> Iterator[str]:
    """How many cases reached each branch of a kernel, and which branches none did."""
    for one in evidence.tiling_keys:
        counts = ", ".join(f"{key}: {count:,}" for key, count in one.cases.items())
        yield f"cases by tiling key: {one.operator}: {counts}"
        if one.asked:
            reached = f"{len(one.asked) - len(one.unreached)} of {len(one.asked)}"
            missing = ", ".join(map(str, one.unreached))
            yield f"  {reached} keys of the kernel" + (f"; no case: {missing}" if missing else "")
        if one.unknown:
            yield f"  keys that the kernel does not ask for: {', '.join(map(str, one.unknown))}"


def kernel_lines(evidence: Evidence) -> Iterator[str]:
    """What of the operators' C++ was run, a line for each file, and what was not."""
    for one in evidence.kernel_coverage:
        lines, branches = (
            f"{percent(run / count if count else 1.0)} of {count} {what}"
            for run, count, what in (
                (one.lines_run, one.lines, "lines"),
                (one.branches_run, one.branches, "branches"),
            )
        )
        yield f"kernel coverage: {one.file}: {lines}, {branches}"
        if one.missed_lines:
            yield f"  lines not run: {', '.join(map(str, one.missed_lines))}"
        if one.missed_branches:
            numbers = ", ".join(map(str, one.missed_branches))
            yield f"  lines with a branch not taken: {numbers}"


def as_text(made: Table) -> str:
    """A table as plain lines, each with its newline."""
    console = Speaking(file=io.StringIO(), width=whole(made), color_system=None)
    console.print(made)
    file = console.file
    assert isinstance(file, io.StringIO)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _row(cell: Cell) -> tuple[str | Text, ...]:
    exact = NONE if cell.share_exact is None or cell.failed else percent(cell.share_exact)
    room = NONE if cell.headroom is None else percent(cell.headroom)
    told = {REJECTIONS: "(must be refused)", RELATIONS: "(relations)", SEQUENCES: "(sequences)"}
    mode = told.get(cell.mode, cell.mode)
    time = f"{cell.seconds:.1f} s"
    return (
        cell.operator,
        mode,
        cell.dtype,
        f"{cell.cases:,}",
        colored(verdict([cell])),
        exact,
        room,
        time,
    )


def verdict(cells: Sequence[Cell]) -> str:
    """How cells came out together, in words."""
    if any(cell.failed for cell in cells):
        return "failed"
    if not all(cell.cases for cell in cells):
        return "not judged"
    return ACCEPTED if all(cell.complete for cell in cells) else "incomplete"


def colored(word: str) -> Text:
    """A verdict in its colour."""
    return Text(word, style="green" if word == ACCEPTED else "bold red")


def percent(share: float) -> str:
    """A share in percent, never rounded up: 100% means all."""
    return f"{math.floor(share * 1000) / 10:g}%"
