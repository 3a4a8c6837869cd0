"""An item that goes up a ladder (conformance/record/size_ladders.py), and down from the first
refused size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case, Machine, Tensor
from conformance.catalogue import failure as say
from conformance.draw.not_simplest import not_simplest
from conformance.record.size_ladders import SLOW, Ladder
from conformance.session.endings import Refused
from conformance.session.rows_and_edges import AT_ONCE, Drawing
from conformance.session.trial import Trial
from conformance.values.fill import ADDRESS


def cases_of(
    ladder: Ladder, mode: str, dtype: str, size: int, machine: Machine
) -> SearchStrategy[Case]:
    """The calls of a size on a machine: none is the simplest of all."""
    cases = ladder.cases(mode, dtype, size, machine)
    return not_simplest(cases.map(_without_codes))


def climbing(
    ladder: Ladder, mode: str, dtype: str, each: str, drawing: Drawing, turn: int, trial: Trial
) -> Callable[..., None]:
    """A test that judges one case of every size that is asked, up to the first that is refused.

    Then it looks for the smallest refused size on the same machine, and tells the trial of it and
    of the accepted one below, unless the case may stand as it was drawn.
    """
    step, sizes = ladder.step, ladder.asked(each, turn)

    def judged(
        group: Sequence[int], arguments: dict[str, object], machine: Machine | None = None
    ) -> None:
        __tracebackhide__ = True
        cases = [
            cases_of(ladder, mode, dtype, size, machine or ladder.machine(size, turn))
            for size in group
        ]
        drawing(cases, 1, f"size {group[0]}", shrinks=False)(**arguments)

    def is_refused(size: int, arguments: dict[str, object], machine: Machine | None = None) -> bool:
        try:
            judged((size,), arguments, machine)
        except Refused:
            return True
        return False

    def run(**arguments: object) -> None:
        __tracebackhide__ = True
        for group in _groups(sizes):
            try:
                judged(group, arguments)
            except Refused:
                if not trial.diagnoses.as_drawn:
                    follow_down(*refused_of(group, arguments), arguments)
                raise

    def refused_of(group: Sequence[int], arguments: dict[str, object]) -> tuple[int, int]:
        """The size below the first refused one of a group, 0 for none, and that one."""
        below = [0, *sizes][sizes.index(group[0])]
        for size in group[:-1]:
            if is_refused(size, arguments):
                return below, size
            below = size
        return below, group[-1]

    def follow_down(below: int, above: int, arguments: dict[str, object]) -> None:
        """Halve the way down to an accepted size, then that from it to the refused one.

        What was accepted on the way up may be refused on the machine of the refused size.
        """
        machine = ladder.machine(above, turn)
        first, low, high = -(-ladder.least // step), below // step, above // step
        while low and is_refused(low * step, arguments, machine):
            low, high = (max(low // 2, first) if low > first else 0), low
        while low and high - low > 1:
            middle = (low + high) // 2
            if is_refused(middle * step, arguments, machine):
                high = middle
            else:
                low = middle
        if not trial.budget.stopped:  # else some sizes count as accepted without being judged
            told = {"ladder": ladder.name, "cores": machine.cores, "above": high * step}
            trial.noted = (
                say.UP_THE_LADDER(below=low * step, **told)
                if low
                else say.FIRST_OF_THE_LADDER(**told)
            )

    return run


def _groups(sizes: Sequence[int]) -> Iterator[Sequence[int]]:
    """Sizes that are drawn together; of slow ones each by itself."""
    fast = [size for size in sizes if size <= SLOW]
    yield from (fast[first : first + AT_ONCE] for first in range(0, len(fast), AT_ONCE))
    yield from ((size,) for size in sizes if size > SLOW)


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
