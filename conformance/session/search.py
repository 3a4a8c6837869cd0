"""An item's search: its draws in order, and what is done with the first that is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from unittest import SkipTest

from conformance.call.case import Case
from conformance.call.observation import Outcome
from conformance.errors import EnvironmentFailure, OperatorUnavailable, text_of
from conformance.session.binding import Streams
from conformance.session.endings import BrokenRecord, Lost, OutOfTime, Refused, Spent
from conformance.session.smaller import narrow, shorten
from conformance.session.trial import Trial

Arguments = Mapping[str, Any]


def search(trial: Trial, streams: Streams, arguments: Arguments) -> None:
    """Draw and judge all of an item's cases, up to the first that is refused. Raises `Refused`."""
    __tracebackhide__ = True
    try:
        for draw in streams.again:
            # Hypothesis skips a test that has nothing to run.
            with suppress(SkipTest):
                draw(**arguments)
        for draw in streams.drawn:
            draw(**arguments)
    except OutOfTime:
        trial.cut = True
    except Spent:
        pass  # what stands is told below
    except Lost as lost:
        if trial.smallest is None:
            raise lost.cause from None
        trial.lost = text_of(lost)
    except BrokenRecord as broken:
        if trial.smallest is None:
            raise
        trial.budget.stopped = _first_line(broken)
    trial.settle()


def follow(
    trial: Trial, streams: Streams, arguments: Arguments, run: Callable[[Case], None] | None
) -> None:
    """Make what was refused smaller, look at larger cases beside it, and run it once more.

    ``run`` is the template on a case; None: it draws none.
    """
    __tracebackhide__ = True
    try:
        if run is not None and trial.diagnoses.as_drawn and not trial.lost:
            look(trial, streams, arguments)
            if not trial.conclude():
                with suppress(Refused):
                    search(trial, streams, arguments)
        if run is not None and not (trial.diagnoses.as_drawn or trial.lost):
            shorten(trial, run)
            narrow(trial, run)
            look(trial, streams, arguments)
            trial.conclude()
        if not trial.lost:
            renew = getattr(arguments.get("device"), "renew", None)
            if renew is not None and not trial.diagnoses.as_drawn:
                # As a person replays it: what earlier calls left in the process is gone.
                renew()
            trial.replay()
    except (EnvironmentFailure, OperatorUnavailable) as lost:
        trial.lost = text_of(lost)
    except BrokenRecord as broken:
        trial.budget.stopped = _first_line(broken)


def _first_line(error: BaseException) -> str:
    """What an error says before it tells where it was raised."""
    return next(iter(text_of(error).splitlines()), "")


def look(trial: Trial, streams: Streams, arguments: Arguments) -> None:
    """Draw larger refused cases beside the smallest: in a single element nobody sees a tile."""
    smallest = trial.smallest
    with trial.looking():
        if smallest is not None and smallest.observation.outcome is Outcome.COMPLETED:
            for draw in streams.larger:
                with suppress(Refused, Lost, BrokenRecord):
                    draw(**arguments)
