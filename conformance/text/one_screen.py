"""A run in as few lines as tell it: a row for each operator, a line for each thing beside them.

`conformance.text.terminal` has the same whole, for ``--verbose``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.styled import Styled
from rich.table import Table

from conformance.catalogue import against, python_route
from conformance.catalogue import run_lines as say
from conformance.catalogue import table as words
from conformance.catalogue.marks import SEMICOLON
from conformance.catalogue.message import row
from conformance.evidence.summary import REJECTIONS, RELATIONS, SEQUENCES, Cell, Evidence
from conformance.judge.beside import BOTH, FIRST, OTHER_BITS, SAME, SECOND
from conformance.judge.headline import parted
from conformance.names import cell_id
from conformance.record.torch_binding import PYTHON
from conformance.text.device_profile import functions_in
from conformance.text.orders import order_lines
from conformance.text.terminal import (
    ACCEPTED,
    NONE,
    TIME_WIDTH,
    colored,
    coverage_lines,
    impossible_lines,
    kernel_lines,
    lost_lines,
    missing_lines,
    observed_lines,
    percent,
    tiling_key_lines,
    torch_function_lines,
    totals,
    verdict,
    withheld_lines,
)


def operator_table(evidence: Evidence) -> Table:
    """A row for each operator, and below it one for each of its cells that is not accepted.

    ``cases`` are distinct ones, those of relations and sequences among them; ``rejections`` must
    be refused.
    """
    made = Table(box=None, pad_edge=False, header_style="bold")
    made.add_column(words.OPERATOR(), no_wrap=True)
    counts = (words.MODES(), words.DTYPES(), words.CASES(), words.WRONG_CALLS())
    for heading in (*counts, words.BIT_EXACT()):
        made.add_column(heading, justify="right", no_wrap=True)
    made.add_column(words.TIME(), justify="right", no_wrap=True, min_width=TIME_WIDTH)
    made.add_column(words.VERDICT(), no_wrap=True)
    of_operator: dict[str, list[Cell]] = {}
    for cell in evidence.cells:
        if cell.cases or _is_missing(cell, evidence):
            of_operator.setdefault(cell.operator, []).append(cell)
    for operator, cells in of_operator.items():
        made.add_row(*_row(operator, cells))
        for cell in cells:
            word = verdict([cell])
            if word != ACCEPTED:
                mode = BESIDE.get(cell.mode, f"{cell.mode}, {cell.dtype}")
                time = words.SECONDS(seconds=cell.seconds)
                figures = ("", "", f"{cell.cases:,}", "", "", time)
                made.add_row("  " + mode, *figures, colored(word))
    return made


def beside(evidence: Evidence, *, verbose: bool, earlier: Evidence | None = None) -> Iterator[str]:
    """What stands beside the table: counted, or if ``verbose`` listed."""
    yield from lost_lines(evidence)
    yield from impossible_lines(evidence, verbose=verbose)
    yield from withheld_lines(evidence)
    yield from against_lines(evidence)
    yield from carried_out_lines(evidence, verbose=verbose)
    yield from selection_lines(evidence)
    if evidence.selected:
        yield from coverage_lines(evidence) if verbose else coverage_line(evidence)
    yield from kernel_lines(evidence)
    yield from tiling_key_lines(evidence)
    yield from torch_lines(evidence, verbose=verbose)
    if verbose:
        yield from headroom_line(evidence)
        yield from (say.ORDER(line=line) for line in order_lines(evidence.orders))
        yield from observed_lines(evidence)
    else:
        yield from order_line(evidence)
        yield from quarantine_line(evidence, earlier)


def against_lines(evidence: Evidence) -> Iterator[str]:
    """What came of a second implementation beside the first."""
    found = evidence.against
    if not found:
        return
    request = evidence.request
    named = (request.get("against", ""), request.get("against-python", ""))
    second = " in ".join(filter(None, named))
    same, other = found.get(SAME, 0), found.get(OTHER_BITS, 0)
    counts = {"same": same, "other": other, "cases": sum(found.values())}
    yield against.TOLD(second=second, **counts)
    wrong = {"one": found.get(FIRST, 0), "two": found.get(SECOND, 0), "both": found.get(BOTH, 0)}
    if any(wrong.values()):
        yield against.WRONG(second=second, **wrong)


def carried_out_lines(evidence: Evidence, *, verbose: bool) -> Iterator[str]:
    """How many calls that must raise an exception a function carries out, the first by name."""
    refused = {cell.operator: cell.cases for cell in evidence.cells if cell.mode == REJECTIONS}
    for operator, names in evidence.carried_out.items():
        shown = names if verbose else names[:SHOWN_NAMES]
        left = len(names) - len(shown)
        yield python_route.CARRIED_OUT(
            operator=operator,
            count=len(names),
            calls=refused.get(operator, len(names)),
            names=row(shown, SEMICOLON),
            more=python_route.AND_MORE(count=left) if left else "",
        )


def torch_lines(evidence: Evidence, *, verbose: bool) -> Iterator[str]:
    """What the functions of torch_npu called: a line for each that called what its record does not
    declare, and one for the first of the others; if ``verbose`` a line for each.
    """
    lines = list(dict.fromkeys(torch_function_lines(evidence)))
    others = sum(bool(one.undeclared) for one in evidence.torch_functions)
    yield from (say.CALLED(implementation=line) for line in (lines if verbose else lines[:others]))
    if not verbose and (rest := lines[others:]):
        shown = rest[:SHOWN_NAMES]
        if left := len(rest) - len(shown):
            shown.append(say.TORCH_MORE(count=left))
        yield say.CALLED(implementation=row(shown, SEMICOLON))


def selection_lines(evidence: Evidence) -> Iterator[str]:
    """How many rows of each operator's selections have one legal answer, and what has no bound."""
    rows: Counter[str] = Counter()
    certain: Counter[str] = Counter()
    for cell in evidence.cells:
        rows[cell.operator] += cell.rows
        certain[cell.operator] += cell.certain_rows
    for operator, count in rows.items():
        if count:
            yield say.SELECTIONS(operator=operator, certain=certain[operator], count=count)
    yield from unbounded_lines(evidence)


def unbounded_lines(evidence: Evidence) -> Iterator[str]:
    """How many values of each operator nothing bounds."""
    unbounded: Counter[str] = Counter()
    for cell in evidence.cells:
        unbounded[cell.operator] += cell.unbounded
    functions = [functions_in(one.profile) for one in evidence.devices]
    known = all(one is not None and one.known for one in functions)
    for operator, count in unbounded.items():
        if count:
            yield unbounded_line(operator, count, evidence.route, known=known)


def unbounded_line(operator: str, count: int, route: str, *, known: bool) -> str:
    """How many values of an operator nothing bounds, and how to have them bounded; of a device of
    ``known`` functions nothing is left to be known."""
    of_device = say.UNBOUNDED_ANYWAY if known else say.UNBOUNDED
    told = say.UNBOUNDED_IN_PYTHON if route == PYTHON else of_device
    return told(operator=operator, count=count)


def headroom_line(evidence: Evidence) -> Iterator[str]:
    """What the column of the whole table means, and that none is no alarm."""
    if any(cell.headroom is not None for cell in evidence.cells):
        yield say.HEADROOM()


def coverage_line(evidence: Evidence) -> Iterator[str]:
    """What is judged of the discrete cells and edges of the profile, in a line; then what is
    missing.
    """
    if (found := totals(evidence)) is not None:
        counts = {"judged": found.judged, "tuples": found.tuples, "kind": found.kind}
        if found.edges:
            edges = {"edges_judged": found.edges_judged, "edges": found.edges}
            yield say.COVERAGE_AND_EDGES(**counts, **edges)
        else:
            yield say.COVERAGE(**counts)
        yield from missing_lines(evidence)


def order_line(evidence: Evidence) -> Iterator[str]:
    """Whether each device adds in the order that its record declares; whole if one does not."""
    others = [one for one in evidence.orders if one.as_declared is False or one.reason]
    wrong = {one.operator for one in others if one.as_declared is False}
    whole = [one for one in others if one.operator in wrong]
    yield from (say.ORDER(line=line) for line in order_lines(whole))
    if unknown := list(dict.fromkeys(o.operator for o in others if o.operator not in wrong)):
        yield say.ORDERS_UNKNOWN(operators=unknown)
    rest = [one for one in evidence.orders if one.operator not in {o.operator for o in others}]
    free = {one.operator for one in rest if one.as_declared is None}
    declared = {one.operator for one in rest} - free
    if declared and free:
        yield say.ORDERS_DECLARED_AND_FOUND(declared=len(declared), free=len(free))
    elif declared:
        yield say.ORDERS_DECLARED(declared=len(declared))
    elif free:
        yield say.ORDERS_FOUND(free=len(free))


def quarantine_line(evidence: Evidence, earlier: Evidence | None) -> Iterator[str]:
    """How many calls in quarantine were observed, and whether they answered as before."""
    count = len(evidence.observed)
    if not count:
        return
    if earlier is None:
        yield say.QUARANTINE(count=count)
    elif others := len([*_answers(earlier, evidence)]):
        yield say.QUARANTINE_OTHERWISE(count=count, others=others)
    else:
        yield say.QUARANTINE_AS_BEFORE(count=count)


def changes(earlier: Evidence | None, now: Evidence) -> Iterator[str]:
    """What is otherwise than in an earlier run of the same request: answers of calls in quarantine,
    and cells with fewer cases.
    """
    if earlier is None:
        return
    for name, before, answer in _answers(earlier, now):
        yield say.ANSWERS_OTHERWISE(name=name, answer=answer)
        yield say.ANSWERED(answer=before)
    known = {(one.operator, one.mode, one.dtype): one.cases for one in now.cells}
    for cell in earlier.cells:
        found = known.get((cell.operator, cell.mode, cell.dtype), 0)
        if found < cell.cases * FEWER and cell.operator in now.operators:
            name = cell_id(cell.operator, cell.mode, cell.dtype)
            yield say.FEWER_CASES(cell=name, now=found, before=cell.cases)


def comparable(earlier: Evidence | None, now: Evidence) -> Evidence | None:
    """The earlier run, if it was asked for the same and ended."""
    if earlier is None or earlier.status != "finished" or earlier.selected != now.selected:
        return None
    same = ("profile", "route", "device", "operators", "declared")
    alike = all(getattr(earlier, one) == getattr(now, one) for one in same)
    functions = [one.request.get("implementation", "") for one in (earlier, now)]
    return earlier if alike and functions[0] == functions[1] else None


BESIDE = {
    REJECTIONS: words.OF_WRONG_CALLS(),
    RELATIONS: words.OF_RELATIONS(),
    SEQUENCES: words.OF_SEQUENCES(),
}
"""What the summary has beside the cells of modes and data types, in words."""

SHOWN_NAMES = 3
"""Of calls that a function carries out and must refuse."""

FEWER = 0.9
"""Of an earlier run's cases: other seeds draw a few more or less."""


def _answers(earlier: Evidence, now: Evidence) -> Iterator[tuple[str, str, str]]:
    """Each call in quarantine that answers otherwise: its name, the answers before and now."""
    known = dict(map(parted, earlier.observed))
    for name, answer in map(parted, now.observed):
        if known.get(name, answer) != answer:
            yield name, known[name], answer


def _row(operator: str, cells: Sequence[Cell]) -> tuple[str | Styled, ...]:
    own = [one for one in cells if one.mode not in BESIDE]
    wrong = sum(one.cases for one in cells if one.mode == REJECTIONS)
    elements, exact = sum(one.elements for one in own), sum(one.exact for one in own)
    return (
        operator,
        str(len({one.mode for one in own})) if own else NONE,
        str(len({one.dtype for one in own})) if own else NONE,
        f"{sum(one.cases for one in cells) - wrong:,}",
        f"{wrong:,}" if wrong else NONE,
        percent(exact / elements) if elements and not any(one.failed for one in own) else NONE,
        words.SECONDS(seconds=sum(one.seconds for one in cells)),
        colored(verdict(cells)),
    )


def _is_missing(cell: Cell, evidence: Evidence) -> bool:
    return cell_id(cell.operator, cell.mode, cell.dtype) in evidence.unjudged
