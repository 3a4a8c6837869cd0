"""The table of a run with every mode and data type, for ``--verbose``, and the lines beside it.

`conformance.text.one_screen` tells the run in few lines, some of them from here.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.styled import Styled
from rich.table import Table

from conformance.catalogue import run_lines as say
from conformance.catalogue import table as words
from conformance.catalogue.marks import OR, SEMICOLON
from conformance.catalogue.message import row
from conformance.devices.traits import loosened_lines
from conformance.evidence.coverage import Further
from conformance.evidence.lines import DeviceLine
from conformance.evidence.summary import REJECTIONS, RELATIONS, SEQUENCES, Cell, Evidence
from conformance.names import cell_id
from conformance.record.torch_binding import PYTHON
from conformance.text.device_profile import functions_in, functions_line, functions_lines
from conformance.text.language import Speaking

WIDTH = 120
NONE = "-"
ACCEPTED = words.ACCEPTED()
SHOWN_MISSING = 5
TIME_WIDTH = len("10000.0 s")
"""Of the column of times: the table is as wide on a busy machine as on a quiet one."""


def table(evidence: Evidence) -> Table:
    """One row per operator, mode and dtype: how much was judged, and how it came out."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading in (words.OPERATOR(), words.MODE(), words.DTYPE()):
        made.add_column(heading, no_wrap=True)
    made.add_column(words.CASES(), justify="right")
    made.add_column(words.VERDICT(), no_wrap=True)
    selects = any(cell.rows for cell in evidence.cells)
    of_rows = (words.CERTAIN_ROWS(),) if selects else ()
    for heading in (words.BIT_EXACT(), *of_rows, words.WORST_HEADROOM()):
        made.add_column(heading, justify="right", no_wrap=True)
    made.add_column(words.TIME(), justify="right", no_wrap=True, min_width=TIME_WIDTH)
    for cell in evidence.cells:
        if cell.cases or cell_id(cell.operator, cell.mode, cell.dtype) in evidence.unjudged:
            made.add_row(*_row(cell, selects=selects))
    return made


def whole(made: Table) -> int:
    """The width at which no cell of a table is cut: of a count its first digit would be left."""
    return Speaking(width=10**4).measure(made).maximum


def standards_table(evidence: Evidence) -> Table:
    """One row per published standard: what it said of the run's cases, and where it differs."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    made.add_column(words.STANDARD(), no_wrap=True)
    said = (words.ACCEPTS(), words.REJECTS(), words.INVESTIGATE(), words.SAYS_NOTHING())
    for heading in (*said, words.TOO_LENIENT(), words.TOO_HARSH()):
        made.add_column(heading, justify="right", no_wrap=True)
    for one in evidence.standards:
        figures = (one.accepts, one.rejects, one.investigate, one.silent, one.lenient, one.harsh)
        made.add_row(one.name, *(f"{figure:,}" if figure else NONE for figure in figures))
    return made


def impossible_lines(evidence: Evidence, *, verbose: bool = True) -> Iterator[str]:
    """The calls that were not made, for want of device memory or because the route cannot express
    them: a line for each cell, or unless ``verbose`` for each operator."""
    counts: Counter[str] = Counter()
    for cell in evidence.cells:
        name = cell_id(cell.operator, cell.mode, cell.dtype) if verbose else cell.operator
        counts[name] += cell.impossible
    for name, count in counts.items():
        if count:
            yield say.NOT_POSSIBLE_CALLS(cell=name, count=count)


def observed_lines(evidence: Evidence) -> Iterator[str]:
    """What became of each call in quarantine."""
    yield from (say.IN_QUARANTINE(line=line) for line in evidence.observed)


def withheld_lines(evidence: Evidence) -> Iterator[str]:
    """The modes that are not called on the device, with the reason."""
    yield from (say.NOT_POSSIBLE(line=line) for line in evidence.withheld)


def called_lines(evidence: Evidence) -> Iterator[str]:
    """What the devices really called."""
    yield from (say.CALLED(implementation=one) for one in implementations(evidence))
    yield from loosened_lines(one.profile.get("loosened") for one in evidence.devices)
    yield from functions_told(evidence)


def functions_told(evidence: Evidence) -> Iterator[str]:
    """What is known of the devices' functions, and why no more is."""
    told = (_functions_of(one, evidence.route) for one in evidence.devices)
    yield from dict.fromkeys(line for lines in told for line in lines)


def _functions_of(line: DeviceLine, route: str) -> Iterator[str]:
    """What is known of the functions of a Python implementation, and what was probed of those of
    another device, or why not; nothing if its line tells nothing that is sound."""
    told = functions_in(line.profile)
    if told is None:
        return
    lines = functions_lines(told) if route != PYTHON else (functions_line(told),)
    yield from filter(None, lines)


def implementations(evidence: Evidence) -> list[str]:
    """What the devices say that they call, each once; that of a plugin may not say it."""
    if evidence.cases and not evidence.devices:
        return [say.UNNAMED()]
    named = (one.implementation for one in evidence.devices if one.implementation)
    return list(dict.fromkeys(named))


def lost_lines(evidence: Evidence) -> Iterator[str]:
    """The cards and workers that were lost while the run went on with others."""
    yield from (say.GAVE_WAY(line=line) for line in evidence.lost_cards)
    yield from (say.LOST_WORKER(line=line) for line in evidence.lost_workers)


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
    counts = {"judged": found.judged, "tuples": found.tuples, "kind": found.kind}
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
    if fewest is None:
        yield say.DISCRETE_CELLS(**counts)
    else:
        yield say.DISCRETE_CELLS_AND_FEWEST(**counts, fewest=fewest[0], where=fewest[1])
    if found.edges:
        yield say.EDGES(judged=found.edges_judged, edges=found.edges)
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
    missing = [(one, what) for one in declared for what in one.missing]
    missing += [(one, edge) for one in declared for edge in one.unmet]
    for one, gap in missing[:SHOWN_MISSING]:
        yield say.GAP(cell=f"{one.mode} {one.dtype}", gap=gap)
    if len(missing) > SHOWN_MISSING:
        yield say.MORE_GAPS(count=len(missing) - SHOWN_MISSING)


def further_lines(evidence: Evidence) -> Iterator[str]:
    """What larger profiles judge of the same operators besides, if they do."""
    if evidence.further:
        yield say.LARGER_PROFILES(profiles=row(map(_further, evidence.further), SEMICOLON))


def _combinations(strength: int) -> str:
    """So many levels that are judged together, in words."""
    known = {1: say.LEVELS, 2: say.PAIRS, 3: say.TRIPLES}
    return known.get(strength, say.COMBINATIONS)()


def _further(one: Further) -> str:
    """What a larger profile judges besides."""
    kind = _combinations(one.strength)
    if not one.tuples:
        return say.MORE_EDGES(profile=one.profile, edges=one.edges)
    if not one.edges:
        return say.MORE_TUPLES(profile=one.profile, tuples=one.tuples, kind=kind)
    return say.MORE_EDGES_AND_TUPLES(
        profile=one.profile, edges=one.edges, tuples=one.tuples, kind=kind
    )


def torch_function_lines(evidence: Evidence) -> Iterator[str]:
    """Which two-phase function each function of torch_npu called, those first of which the record
    declares another.
    """
    for one in sorted(evidence.torch_functions, key=lambda one: not one.undeclared):
        named = {"function": one.function, "declared": row(one.declared, OR)}
        if one.undeclared:
            yield say.TORCH_UNDECLARED(called=tuple(one.called), operator=one.operator, **named)
        elif one.called:
            yield say.TORCH_CALLED(function=one.function, called=tuple(one.called))
        else:
            yield say.TORCH_DECLARED(**named)


def tiling_key_lines(evidence: Evidence) -> Iterator[str]:
    """How many cases reached each branch of a kernel, and which branches none did."""
    for one in evidence.tiling_keys:
        counts = [f"{key}: {count:,}" for key, count in one.cases.items()]
        yield say.TILING_KEYS(operator=one.operator, counts=counts)
        if one.asked:
            reached = {"reached": len(one.asked) - len(one.unreached), "all": len(one.asked)}
            if one.unreached:
                yield say.KEYS_MISSED(**reached, missing=one.unreached)
            else:
                yield say.KEYS_REACHED(**reached)
        if one.unknown:
            yield say.KEYS_UNKNOWN(keys=one.unknown)


def kernel_lines(evidence: Evidence) -> Iterator[str]:
    """What of the operators' C++ was run, a line for each file, and what was not."""
    for one in evidence.kernel_coverage:
        yield say.KERNEL_COVERAGE(
            file=one.file,
            lines_run=_share(one.lines_run, one.lines),
            lines=one.lines,
            branches_run=_share(one.branches_run, one.branches),
            branches=one.branches,
        )
        if one.missed_lines:
            yield say.LINES_NOT_RUN(numbers=one.missed_lines)
        if one.missed_branches:
            yield say.BRANCHES_NOT_TAKEN(numbers=one.missed_branches)


def _share(part: int, whole: int) -> str:
    return percent(part / whole if whole else 1.0)


def as_text(made: Table) -> str:
    """A table as plain lines, each with its newline."""
    console = Speaking(file=io.StringIO(), width=whole(made), color_system=None)
    console.print(made)
    file = console.file
    assert isinstance(file, io.StringIO)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _row(cell: Cell, *, selects: bool) -> tuple[str | Styled, ...]:
    exact = NONE if cell.share_exact is None or cell.failed else percent(cell.share_exact)
    room = NONE if cell.headroom is None else percent(cell.headroom)
    certain = percent(cell.certain_rows / cell.rows) if cell.rows else NONE
    beside = {
        REJECTIONS: words.MUST_BE_REFUSED(),
        RELATIONS: words.OF_RELATIONS(),
        SEQUENCES: words.OF_SEQUENCES(),
    }
    return (
        cell.operator,
        beside.get(cell.mode, cell.mode),
        cell.dtype,
        f"{cell.cases:,}",
        colored(verdict([cell])),
        exact,
        *((certain,) if selects else ()),
        room,
        words.SECONDS(seconds=cell.seconds),
    )


def verdict(cells: Sequence[Cell]) -> str:
    """How cells came out together, in words."""
    if any(cell.failed for cell in cells):
        return words.FAILED()
    if not all(cell.cases for cell in cells):
        return words.NOT_JUDGED()
    return ACCEPTED if all(cell.complete for cell in cells) else words.INCOMPLETE()


def colored(word: str) -> Styled:
    """A verdict in its colour."""
    return Styled(word, style="green" if word == ACCEPTED else "bold red")


def percent(share: float) -> str:
    """A share in percent, never rounded up: 100% means all."""
    return f"{math.floor(share * 1000) / 10:g}%"
