"""Draws of a strategy as Hypothesis makes them, without what only shrinking needs.

Most cases are accepted, and nothing is made smaller then. Hypothesis keeps a tree of all draws, of
every case its spans, and how to print each object: half of the time that a small case is drawn in.
Here only the choices are kept. Given these, Hypothesis draws the same case, and can shrink it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any, NoReturn, TypeVar

from hypothesis.control import BuildContext
from hypothesis.errors import StopTest, UnsatisfiedAssumption
from hypothesis.internal.conjecture.choice import ChoiceTemplate
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.conjecture.providers import GLOBAL_CONSTANTS, HypothesisProvider
from hypothesis.strategies import SearchStrategy
from hypothesis.strategies._internal.collections import TupleStrategy
from hypothesis.strategies._internal.core import BuildsStrategy
from hypothesis.strategies._internal.flatmapped import FlatMapStrategy
from hypothesis.strategies._internal.lazy import LazyStrategy, unwrap_strategies
from hypothesis.strategies._internal.misc import Nothing
from hypothesis.strategies._internal.numbers import IntegersStrategy
from hypothesis.strategies._internal.strategies import MappedStrategy, SampledFromStrategy

from conformance.draw.seeded import of_seed_alone

Value = TypeVar("Value")
Choices = tuple[Any, ...]

FEW_VALID, MANY_INVALID = 10, 50
"""Hypothesis refuses a strategy that is filtered so often before it has given so many cases."""

TRIES = 10
"""Draws for each case that is wanted; Hypothesis gives up after as many."""

LEAST_TRIES = 1000


NARROW = 256
"""Of integers nearer to 0 than this, Hypothesis draws each as often as any other."""

CONSTANTS = 0.05
"""The share of its draws that are one of its constants, if one is permitted."""


class TooFiltered(Exception):  # noqa: N818 - what a strategy is
    """The strategy's filters leave few cases or none; Hypothesis says which of its errors it is."""


def plainly(
    strategy: SearchStrategy[Value], wanted: int, seed: int, *, often_filtered: bool = False
) -> Iterator[tuple[Value, Choices]]:
    """Values of a strategy, each with the choices that give it, and no choices twice.

    There are ``wanted`` of them, or fewer if the strategy has no more. Raises `TooFiltered`, but
    for a strategy that is ``often_filtered`` only if it gives none.
    """
    if not wanted:
        return
    random, seen, invalid = Random(seed), set[Choices](), 0
    for _ in range(max(TRIES * wanted, LEAST_TRIES)):
        data = _Plain(random)
        try:
            with of_seed_alone(), _Unprinted(data, wrapped_test=plainly):
                value = data.draw(strategy)
        except (StopTest, UnsatisfiedAssumption):
            invalid += 1
            if len(seen) < FEW_VALID and invalid >= MANY_INVALID and not often_filtered:
                raise TooFiltered from None
            continue
        if (choices := data.choices) not in seen:
            seen.add(choices)
            yield value, choices
            if len(seen) == wanted:
                return
    if not seen:
        raise TooFiltered


def simplest(strategy: SearchStrategy[Value]) -> list[tuple[Value, Choices]]:
    """The simplest value of a strategy, with its choices; none where that one is filtered away."""
    data = ConjectureData.for_choices((ChoiceTemplate("simplest", count=None),))
    try:
        with BuildContext(data, wrapped_test=simplest):
            return [(data.draw(strategy), data.choices)]
    except (StopTest, UnsatisfiedAssumption):
        return []


class _Numbers(HypothesisProvider):
    """Draws numbers as Hypothesis does, small integers in a fifth of the time."""

    def draw_integer(
        self, min_value: int | None = None, max_value: int | None = None, **how: Any
    ) -> int:
        if (
            min_value is None
            or max_value is None
            or not -NARROW < min_value <= max_value < NARROW
            or how.get("weights")
        ):
            return super().draw_integer(min_value, max_value, **how)
        random = self._random
        assert random is not None
        if random.random() <= CONSTANTS and (known := _constants(min_value, max_value)):
            return random.choice(random.choice((known,)))  # first the list, as Hypothesis does
        return min_value + int(random.random() * (max_value - min_value + 1))


@cache
def _constants(least: int, most: int) -> tuple[int, ...]:
    """Hypothesis' constants in a range."""
    every: Any = GLOBAL_CONSTANTS.set_for_type("integer")
    return tuple(one for one in every if least <= one <= most)


class _Plain(ConjectureData):
    """The source of one case's choices."""

    def __init__(self, random: Random) -> None:
        self._chosen: list[Any] = []
        super().__init__(random=random, provider=_Numbers)

    @property
    def choices(self) -> Choices:
        return tuple(self._chosen)

    def draw(self, strategy: Any, label: int | None = None, observe_as: str | None = None) -> Any:
        if type(strategy) is LazyStrategy:
            strategy = unwrap_strategies(strategy)  # type: ignore[no-untyped-call]
        short = _SHORT.get(type(strategy))
        if short is not None:
            return short(self, strategy)
        strategy.validate()
        return strategy.do_draw(self)

    def _draw(
        self, choice_type: str, constraints: Any, *, observe: bool, forced: Any | None
    ) -> Any:
        if forced is None:
            forced = getattr(self.provider, f"draw_{choice_type}")(**constraints)
        if observe:
            self._chosen.append(forced)
        return forced

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        forced: int | None = None,
        observe: bool = True,
        **how: Any,
    ) -> int:
        value = forced
        if value is None:
            value = self.provider.draw_integer(min_value, max_value, **how)
        if observe:
            self._chosen.append(value)
        return value

    def draw_boolean(
        self, p: float = 0.5, *, forced: bool | None = None, observe: bool = True
    ) -> bool:
        value: bool = self._draw("boolean", {"p": p}, observe=observe, forced=forced)
        return value

    def start_span(self, label: int) -> None:
        """Which choices belong together nobody asks here, but how deep it is."""
        self.depth += 1

    def stop_span(self, *, discard: bool = False) -> None:
        """As `start_span`."""
        self.depth -= 1


class _Unprinted(BuildContext):
    """What strategies build in, without a note of how each object is printed."""

    def record_call(self, *_: Any, **__: Any) -> None:
        """Nobody prints what is drawn here."""


def _mapped(data: _Plain, strategy: Any) -> Any:
    for _ in range(2):
        try:
            return strategy.pack(data.draw(strategy.mapped_strategy))
        except UnsatisfiedAssumption:
            continue
    return strategy.pack(data.draw(strategy.mapped_strategy))


def _flat_mapped(data: _Plain, strategy: Any) -> Any:
    return data.draw(strategy.expand(data.draw(strategy.base)))


def _built(data: _Plain, strategy: Any) -> Any:
    arguments = [data.draw(one) for one in strategy.args]
    return strategy.target(
        *arguments, **{name: data.draw(one) for name, one in strategy.kwargs.items()}
    )


def _tuple(data: _Plain, strategy: Any) -> tuple[Any, ...]:
    return tuple([data.draw(one) for one in strategy.element_strategies])


def _integer(data: _Plain, strategy: Any) -> Any:
    """Its ends were checked when it was made."""
    return strategy.do_draw(data)


def _sampled(data: _Plain, strategy: Any) -> Any:
    if strategy._transformations:
        return strategy.do_draw(data)
    return strategy.elements[data.draw_integer(0, len(strategy.elements) - 1)]


def _nothing(data: _Plain, strategy: Any) -> NoReturn:
    data.mark_invalid(f"{strategy!r} is empty")


_SHORT: dict[type, Callable[[_Plain, Any], Any]] = {
    MappedStrategy: _mapped,
    FlatMapStrategy: _flat_mapped,
    BuildsStrategy: _built,
    TupleStrategy: _tuple,
    IntegersStrategy: _integer,
    SampledFromStrategy: _sampled,
    Nothing: _nothing,
}
"""The strategies that do much for printing and shrinking, drawn without it in the same order."""
