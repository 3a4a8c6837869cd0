"""An item that goes up a ladder (conformance/ladders.py), and down from the first refused size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformance.covered import Drawing
from conformance.endings import Refused
from conformance.ladders import Ladder, machine_at


def climbing(
    ladder: Ladder,
    mode: str,
    dtype: str,
    drawing: Drawing,
    turn: int,
    *,
    as_drawn: Callable[[], bool] = lambda: False,
) -> Callable[..., None]:
    """A test that judges one case of every size, up to the first that is refused.

    Then it looks for the smallest refused size above the last accepted one, unless the case may
    stand ``as_drawn``.
    """
    sizes = ladder.sizes

    def judged(size: int, place: int, arguments: dict[str, object]) -> None:
        __tracebackhide__ = True
        cases = ladder.cases(mode, dtype, size, machine_at(size, place, turn))
        drawing([cases], 1, f"size {size}", shrinks=False)(**arguments)

    def run(**arguments: object) -> None:
        __tracebackhide__ = True
        for place, size in enumerate(sizes):
            try:
                judged(size, place, arguments)
            except Refused:
                if not as_drawn():
                    _follow_down(sizes, place, ladder.step, judged, arguments)
                raise

    return run


def _follow_down(
    sizes: Sequence[int],
    place: int,
    step: int,
    judged: Callable[[int, int, dict[str, object]], None],
    arguments: dict[str, object],
) -> None:
    """Halve the way from the last accepted size to the refused one, on the machine of that."""
    low, high = (sizes[place - 1] if place else 0) // step, sizes[place] // step
    while high - low > 1:
        middle = (low + high) // 2
        try:
            judged(middle * step, place, arguments)
        except Refused:
            high = middle
        else:
            low = middle
