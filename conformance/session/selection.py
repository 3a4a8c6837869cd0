"""Which of the collected items a process runs: those of its shard that have not ended before."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Hashable
from functools import cache
from itertools import groupby
from typing import Any

import pytest

from conformance.evidence.budget import RELATIONS, SEQUENCES, VALUES, parts
from conformance.evidence.item_times import expected, means
from conformance.evidence.part import Part
from conformance.session.context import Context
from conformance.session.planned_cases import sequences_of_each
from conformance.session.resume import Finished
from conformance.session.splitting import MOST_PARTS, parts_by_seconds, split
from conformance.session.template import (
    DRAWN,
    GIVEN,
    LADDER,
    RELATION,
    WORKLOAD,
    Body,
    body_of,
    draws_sequences,
)

LEAST_SEQUENCES = 2
"""Of a part: with one or two, some parts would take twice as long as others."""


class Selection:
    """Hooks that leave out what another shard judges, and tell again what has been judged."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._means = means(context.item_times)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect the other shards' items, after pytest has deselected its own."""
        context = self.context
        items.sort(key=_rank)
        times = context.item_times
        items[:] = split(items, together, self._parts(items))
        kept = context.shard.part(
            items,
            _is_mandatory,
            together,
            self._seconds if times else None,
        )
        if len(kept) < len(items):
            chosen = {item.nodeid for item in kept}
            config.hook.pytest_deselected(items=[i for i in items if i.nodeid not in chosen])
            items[:] = kept
        items[:] = dealt(items, context.workers, together)
        if context.budget is not None:
            drawing = [i for i in items if draws(i) and i.nodeid not in context.finished]
            kinds = {item.nodeid: drawn_as(_parameters(item)) for item in drawing}
            weights = {item.nodeid: 1 / Part.of_item(item.name).count for item in drawing}
            context.budget.begin(parts(kinds, weights), context.workers, context.began)

    def _seconds(self, item: pytest.Item) -> float:
        """What an item takes, or a part of it, as an earlier run says."""
        times = self.context.item_times
        return expected(item.name, times, self._means)

    def _parts(self, items: list[pytest.Item]) -> Callable[[Hashable], int]:
        """Into how many parts a group of items is split: as asked, or by the earlier run's seconds;
        without these, those of nightly into one for each shard.
        """
        context = self.context
        some = [item for item in items if splits(item)]
        groups = {together(item) for item in some}
        of_sequences = max(1, sequences_of_each(context.profile, context.route) // LEAST_SEQUENCES)
        kinds = {together(item): drawn_as(_parameters(item)) for item in some}
        most = {g: of_sequences if kinds[g] == SEQUENCES else MOST_PARTS for g in groups}
        asked, shards = context.split, context.shard.count
        if asked is None and shards > 1 and context.item_times:
            seconds: defaultdict[Hashable, float] = defaultdict(float)
            for item in items:
                seconds[together(item)] += 0.0 if _is_mandatory(item) else self._seconds(item)
            counts = parts_by_seconds(seconds, shards)
            return lambda group: min(counts[group], most[group]) if group in groups else 1
        if asked is None:
            # There are so many items of relations that they need no parts.
            few = (item for item in some if drawn_as(_parameters(item)) != RELATIONS)
            groups = {together(item) for item in few}
        whole = asked or (shards if context.profile.random else 1)
        return lambda group: min(whole, most[group]) if group in groups else 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Set nothing up for an item that ended in an earlier part of the run.

        Everything else of pytest's protocol is kept: by it, what was set up for the item before is
        torn down in time for the next one.
        """
        if self._finished(item) is not None and isinstance(item, pytest.Function):
            item.fixturenames = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Judge nothing of an item that ended in an earlier part of the run."""
        return None if self._finished(pyfuncitem) is None else True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Report an item that ended in an earlier part of the run as it was reported then."""
        report = yield
        finished = self._finished(item)
        if finished is not None and finished.outcome == "refused" and call.when == "call":
            report.outcome, report.longrepr = "failed", str(finished.text)
        return report

    def _finished(self, item: pytest.Item) -> Finished | None:
        return self.context.finished.get(item.nodeid)


def dealt(
    items: list[pytest.Item], workers: int, together: Callable[[pytest.Item], object]
) -> list[pytest.Item]:
    """The items so that every worker begins with the first ones in order, and ends with the last.

    Every worker is given a part of the list, the first ones the shorter parts: without this, one
    would run sequences while another has not judged the values that tell of the same mistake. Items
    of which ``together`` says the same go to one worker: their rows are worked out once.
    """
    parts: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for _, group in groupby(items, together):
        min(parts, key=len).extend(group)
    return [item for part in sorted(parts, key=len) for item in part]


def _rank(item: pytest.Item) -> int:
    """Which items run first: regressions, then the frozen corpus, then all that is judged by the
    reference, as it was; ladders, workloads, laws and sequences last, as a plain mistake breaks
    them, too.
    """
    parameters = _parameters(item)
    if "regression" in parameters:
        return 0
    if "frozen" in parameters:
        return 1
    plain = drawn_as(parameters) == VALUES and not {LADDER, WORKLOAD} & parameters
    return 2 if plain else 3


def drawn_as(parameters: Collection[str]) -> str:
    """What the items of a template with these parameters draw, a kind of `budget.SHARES`."""
    if RELATION in parameters:
        return RELATIONS
    return SEQUENCES if draws_sequences(parameters) else VALUES


def draws(item: pytest.Item) -> bool:
    """Whether an item is a template's that draws cases."""
    return DRAWN in _parameters(item)


def splits(item: pytest.Item) -> bool:
    """Whether an item has parts: it draws cases one by one, all of them in any case."""
    return draws(item) and not {LADDER, WORKLOAD, GIVEN} & _parameters(item)


def _is_mandatory(item: pytest.Item) -> bool:
    """Whether every shard runs an item: documented examples, and what is no template's."""
    parameters = _parameters(item)
    return not parameters or "example" in parameters


def together(item: pytest.Item) -> Hashable:
    """Items that one worker runs, and of which a shard has all or none: the data types of a mode,
    if they share rows. What is no template's stays with its module, whose fixtures are set up once.
    """
    if not _parameters(item):
        return item.path
    named: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    operator = named.get("operator")
    shares = draws(item) and not {RELATION, LADDER, WORKLOAD} & named.keys()
    if not shares or getattr(operator, "cells", None) is None:
        return item.nodeid
    part = Part.of_item(item.name)
    return getattr(item, "originalname", ""), id(operator), named.get("mode"), part


def _parameters(item: pytest.Item) -> frozenset[str]:
    """The parameters of an item's template; none where it has no template."""
    body = body_of(getattr(item, "obj", None))
    return frozenset() if body is None else _parameters_of(body)


@cache
def _parameters_of(body: Body) -> frozenset[str]:
    """Kept: thousands of items have a dozen templates."""
    return frozenset(inspect.signature(body).parameters)
