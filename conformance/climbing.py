"""An item that goes up a ladder (conformance/ladders.py), and down from the first refused size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis.strategies import SearchStrategy

from conformance.case import Case, Tensor
from conformance.covered import Drawing, not_simplest
from conformance.endings import Refused
from conformance.fill import ADDRESS
from conformance.ladders import Ladder
from conformance.trial import Trial

SMALLEST = "up the ladder of {}: {:,} is accepted, {:,} is refused"
FIRST = "up the ladder of {}: {:,}, the first, is refused"


def cases_of(
    ladder: Ladder, mode: str, dtype: str, size: int, place: int, turn: int
) -> SearchStrategy[Case]:
    """The calls of a size, on the machine of a place: none is the simplest of all."""
    cases = ladder.cases(mode, dtype, size, ladder.machine(place, turn))
    return not_simplest(cases.map(_without_codes))


def climbing(
    ladder: Ladder, mode: str, dtype: str, drawing: Drawing, turn: int, trial: Trial
) -> Callable[..., None]:
    """A test that judges one case of every size, up to the first that is refused.

    Then it looks for the smallest refused size above the last accepted one, and tells the trial of
    both, unless the case may stand as it was drawn.
    """
    sizes, step = ladder.sizes, ladder.step

    def judged(size: int, place: int, arguments: dict[str, object]) -> None:
        __tracebackhide__ = True
        cases = cases_of(ladder, mode, dtype, size, place, turn)
        drawing([cases], 1, f"size {size}", shrinks=False)(**arguments)

    def run(**arguments: object) -> None:
        __tracebackhide__ = True
        for place, size in enumerate(sizes):
            try:
                judged(size, place, arguments)
            except Refused:
                if not trial.as_drawn:
                    follow_down(place, arguments)
                raise

    def follow_down(place: int, arguments: dict[str, object]) -> None:
        """Halve the way from the last accepted size to the refused one, on the machine of that."""
        low, high = (sizes[place - 1] if place else 0) // step, sizes[place] // step
        while place and high - low > 1:
            middle = (low + high) // 2
            try:
                judged(middle * step, place, arguments)
            except Refused:
                high = middle
            else:
                low = middle
        if not trial.stopped:  # else some sizes count as accepted without being judged
            told = SMALLEST if place else FIRST
            trial.noted = told.format(ladder.name, *(low * step, high * step)[not place :])

    return run


def _without_codes(case: Case) -> Case:
    """The case without address codes: they are the same in rows, or columns, 2^16 apart, so that
    an offset in 16 bits does not show.
    """
    return replace(case, inputs={name: _plain(tensor) for name, tensor in case.inputs.items()})


def _plain(tensor: Tensor) -> Tensor:
    fill = tensor.fill
    if fill is None or ADDRESS not in fill.stripes:
        return tensor
    others = tuple(family for family in fill.stripes if family != ADDRESS)
    return replace(tensor, fill=replace(fill, stripes=others or ("gaussian",)))
