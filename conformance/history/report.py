"""The history told to people: a table of trends, and the changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.table import Table

from conformance.catalogue import history as say
from conformance.catalogue import table as words
from conformance.history import schema
from conformance.history.trends import Change, Point
from conformance.text.terminal import NONE, percent

FACTS = {
    schema.VERDICT: say.OF_VERDICT,
    schema.NAMED_CALL: say.OF_NAMED_CALL,
    schema.INPUTS: say.OF_INPUTS,
    schema.BIT_EXACT: say.OF_BIT_EXACT,
    schema.TILING_KEY: say.OF_TILING_KEY,
    schema.WORKSPACE: say.OF_WORKSPACE,
    schema.ORDER: say.OF_ORDER,
    schema.LIBRARY: say.OF_LIBRARY,
}
"""Words for what changed."""

VALUES = {schema.ACCEPTED: words.ACCEPTED, schema.FAILED: words.FAILED}

BLOCKS = "▁▂▃▄▅▆▇█"
SHOWN = 20


def trend_tables(points: Sequence[Point]) -> Iterator[Table]:
    """A table for each operator and series: a row for each run, oldest first."""
    for (operator, series), group in groupby(points, lambda one: (one.operator, one.series)):
        rows = list(group)
        times = sparkline([one.seconds for one in rows])
        title = words.TREND(operator=operator, series=series, times=times)
        table = Table(box=None, pad_edge=False, header_style="bold", title=title)
        table.title_justify = "left"
        for heading in (words.STARTED(), words.COMMIT(), words.VERDICT()):
            table.add_column(heading, no_wrap=True)
        measured = (words.BIT_EXACT(), words.WORST_HEADROOM(), words.TIME())
        for heading in (words.CASES(), words.FAILED(), *measured):
            table.add_column(heading, justify="right", no_wrap=True)
        for one in rows:
            whole = words.ACCEPTED if one.whole else words.INCOMPLETE
            verdict = words.FAILED() if one.failed else whole()
            share = NONE if one.share is None else percent(one.share)
            room = NONE if one.headroom is None else percent(one.headroom)
            failed = f"{one.failed:,}" if one.failed else NONE
            time = words.SECONDS(seconds=one.seconds)
            run = (one.started[:19], one.commit[:12] or NONE, verdict)
            table.add_row(*run, f"{one.cases:,}", failed, share, room, time)
        yield table


def change_lines(changes: Sequence[Change]) -> Iterator[str]:
    """The changes by run, latest first: what, before, after, and the first run that has it."""
    shown = changes[:SHOWN]
    for (started, commit, folder), group in groupby(
        shown, lambda one: (one.started, one.commit, one.folder)
    ):
        yield say.FIRST_IN(started=started[:19], commit=commit[:12] or NONE, folder=folder)
        for one in group:
            what = FACTS[one.what]() if one.what in FACTS else one.what
            before, after = _value(one.what, one.before), _value(one.what, one.after)
            yield say.CHANGE(
                operator=one.operator, what=what, name=one.name, before=before, after=after
            )
    if len(changes) > SHOWN:
        yield say.EARLIER_CHANGES(count=len(changes) - SHOWN)
    if not changes:
        yield say.NO_CHANGE()


def _value(what: str, value: str) -> str:
    """A value in words, where it is a verdict or a share of elements."""
    exact, of, elements = value.partition(" of ")
    if what == schema.BIT_EXACT and of:
        return say.BIT_EXACT(exact=exact, elements=elements)
    return VALUES[value]() if value in VALUES else value


def sparkline(values: Sequence[float]) -> str:
    """Values as a line of blocks, the largest as the full one."""
    top = max(values, default=0.0) or 1.0
    return "".join(BLOCKS[min(7, int(8 * value / top))] for value in values)
