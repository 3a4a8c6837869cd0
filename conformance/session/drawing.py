"""How an item draws: plainly while cases are accepted, by Hypothesis where one is to be smaller.

Each stream of draws has a seed of its own, and each block of a long stream, so that a part of an
item need not draw what others judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    InMemoryExampleDatabase,
    choices_to_bytes,
)
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.draw.machines import in_any_order
from conformance.draw.plain import Choices, TooFiltered, plainly, simplest
from conformance.draw.seeded import of_seed_alone, stream_seed
from conformance.evidence.part import WHOLE_ITEM, Part
from conformance.session.ahead import AT_ONCE, made_ahead
from conformance.session.template import DRAWN, Body

Draw = Callable[..., None]
"""A test; it takes what pytest provides and raises `Refused`."""

Stream = tuple[SearchStrategy[Case], str]
"""What cases are drawn from, and the name of their stream."""

TOLERATED = (HealthCheck.too_slow, HealthCheck.data_too_large)
FILTERED = (HealthCheck.filter_too_much,)
"""What Hypothesis must not complain of: big cases; and that a relation speaks of few of them."""


@dataclass(frozen=True)
class Drawing:
    """Makes the tests of an item.

    ``attempt`` is the template's body under a trial, ``prepared`` what is done with a drawn case
    first. ``database`` is the folder of what was refused in earlier runs, if it is kept. Cases that
    are ``often_filtered`` may be few. ``computes``: of an operator that computes functions, so that
    their implementation is drawn. ``block`` is how many draws of a stream have one seed. A device
    may make the calls of so many cases ``at_once``.
    """

    attempt: Body
    prepared: Callable[[Case], Case]
    key: str
    seed: int
    database: str | None = None
    often_filtered: bool = False
    computes: bool = False
    block: int = 250
    at_once: int = AT_ONCE

    def __call__(
        self,
        cases: SearchStrategy[Case],
        examples: int,
        stream: str,
        *,
        shrinks: bool,
        kept: bool = False,
        part: Part = WHOLE_ITEM,
    ) -> Draw:
        """A test of so many cases from a stream of their own, up to the first that is refused.

        That one ``shrinks``; in the database it is ``kept``. A ``part`` judges its share of them.
        """
        drawn, name = self._drawn(cases), self._name(stream)
        blocks = [*self._blocks(name, examples)]
        # Not of every stream the first part has the block that is left over.
        first = (part.index - 1 - stream_seed("", name)) % part.count

        def run(**arguments: Any) -> None:
            __tracebackhide__ = True
            if len(blocks) >= part.count:
                for of_block, wanted in blocks[first :: part.count]:
                    block(of_block, wanted, slice(None), arguments)
                return
            # Too few blocks: every part draws all, and judges draws by turns.
            before = first
            for of_block, wanted in blocks:
                block(of_block, wanted, slice(before % part.count, None, part.count), arguments)
                before -= wanted

        def block(of_block: str, wanted: int, turn: slice, arguments: dict[str, Any]) -> None:
            __tracebackhide__ = True
            made = self._plainly(drawn, of_block, wanted)
            mine = islice(made, turn.start, turn.stop, turn.step)
            try:
                refused = self._first_refused(mine, arguments)
            except TooFiltered:
                if not turn.start:
                    self._test(drawn, of_block, Phase.generate, wanted, None)(**arguments)
                return
            if refused is not None:
                if shrinks:
                    # Shrinking may end far from the simplest case of all.
                    refused = self._first_refused(simplest(drawn), arguments) or refused
                    # Of too many choices Hypothesis draws no case.
                    with suppress(Unsatisfiable):
                        self._smaller(drawn, name, refused[1], kept)(**arguments)
                raise refused[0]

        return run

    def each(
        self, streams: Iterable[Stream], arguments: dict[str, Any]
    ) -> Iterator[Exception | None]:
        """Why the first case of each stream was refused, None: it was not. None is made smaller."""
        __tracebackhide__ = True
        for case, (drawn, name) in made_ahead(self._firsts(streams), arguments, self.at_once):
            try:
                if case is None:  # Hypothesis says which of its errors it is
                    self._test(drawn, name, Phase.generate, 1, None)(**arguments)
                else:
                    self.attempt(**arguments, **{DRAWN: case})
            except Exception as why:
                yield why
            else:
                yield None

    def _firsts(self, streams: Iterable[Stream]) -> Iterator[tuple[Case | None, Stream]]:
        """The first case of each stream, None: it is filtered away; and what it is drawn from."""
        for cases, stream in streams:
            drawn, name = self._drawn(cases), self._name(stream)
            try:
                first: Case | None = next(self._plainly(drawn, name, 1))[0]
            except TooFiltered:
                first = None
            yield first, (drawn, name)

    def _plainly(
        self, drawn: SearchStrategy[Case], of_block: str, wanted: int
    ) -> Iterator[tuple[Case, Choices]]:
        number = stream_seed(self.seed, of_block)
        return plainly(drawn, wanted, number, often_filtered=self.often_filtered)

    def _blocks(self, name: str, examples: int) -> Iterator[tuple[str, int]]:
        """The blocks of a stream: what their seeds are made of, and how many draws each has."""
        for number, first in enumerate(range(0, examples, self.block)):
            of_block = f"{name} block {number}" if number else name
            yield of_block, min(self.block, examples - first)

    def again(self, cases: SearchStrategy[Case], examples: int, stream: str) -> Draw:
        """A test of what the database kept of a stream; it shrinks."""
        folder = None if self.database is None else DirectoryBasedExampleDatabase(self.database)
        return self._test(self._drawn(cases), self._name(stream), Phase.reuse, examples, folder)

    def _first_refused(
        self, made: Iterable[tuple[Case, Choices]], arguments: dict[str, Any]
    ) -> tuple[Exception, Choices] | None:
        __tracebackhide__ = True
        for case, choices in made_ahead(made, arguments, self.at_once):
            try:
                self.attempt(**arguments, **{DRAWN: case})
            except Exception as why:
                return why, choices
        return None

    def _smaller(
        self, drawn: SearchStrategy[Case], name: str, choices: Choices, kept: bool
    ) -> Draw:
        """A test that begins with these choices, and shrinks."""
        folder = self.database if kept else None
        database = DirectoryBasedExampleDatabase(folder) if folder else InMemoryExampleDatabase()
        # What Hypothesis finds as it was kept is small to it: one choice more, and it shrinks.
        database.save(name.encode(), choices_to_bytes((*choices, 0)))
        return self._test(drawn, name, Phase.reuse, 1, database)

    def _drawn(self, cases: SearchStrategy[Case]) -> SearchStrategy[Case]:
        return in_any_order(cases, self.computes).map(self.prepared)

    def _name(self, stream: str) -> str:
        return f"{self.key} {stream}".rstrip()

    def _test(
        self,
        drawn: SearchStrategy[Case],
        name: str,
        begins: Phase,
        examples: int,
        database: ExampleDatabase | None,
    ) -> Draw:
        how = settings(
            max_examples=examples,
            phases=(begins, Phase.shrink),
            database=database,
            deadline=None,
            report_multiple_bugs=False,
            print_blob=False,
            verbosity=Verbosity.quiet,
            suppress_health_check=TOLERATED + (FILTERED if self.often_filtered else ()),
        )
        test: Any = seed(stream_seed(self.seed, name))(how(given(case=drawn)(self.attempt)))
        # A seed takes the database away. What one stream kept means nothing to another.
        test._hypothesis_internal_use_settings = how
        test._hypothesis_internal_database_key = name.encode()

        def run(**arguments: Any) -> None:
            __tracebackhide__ = True
            with of_seed_alone():
                test(**arguments)

        return run
