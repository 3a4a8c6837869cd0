"""An item that goes up a ladder (conformance/record/size_ladders.py), and down from the first
refused size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis.strategies import SearchStrategy

from conformance.call.case import PROGRAM, Case, Machine, Tensor, numpy_dtype
from conformance.catalogue import failure as say
from conformance.draw.machines import scheduled
from conformance.record.size_ladders import SLOW, Ladder
from conformance.session.drawing import Drawing
from conformance.session.endings import Refused
from conformance.session.trial import Trial
from conformance.values.fill import ADDRESS, BITS


def cases_of(
    ladder: Ladder, mode: str, dtype: str, size: int, machine: Machine
) -> SearchStrategy[Case]:
    """The calls of a size on a machine."""
    return ladder.cases(mode, dtype, size, machine).map(_without_codes)


def climbing(
    ladder: Ladder,
    mode: str,
    dtype: str,
    sizes: Sequence[int],
    drawing: Drawing,
    turn: int,
    trial: Trial,
    *,
    quick: bool = False,
) -> Callable[..., None]:
    """A test that judges one case of each of the sizes, up to the first that is refused; if it is
    to be ``quick``, large ones in the order of the program.

    Then it looks for the smallest refused size on the same machine, and tells the trial of it and
    of the accepted one below, unless the case may stand as it was drawn.
    """
    step = ladder.step
    in_order = replace(drawing, prepared=lambda case: scheduled(drawing.prepared(case), PROGRAM))

    def judged(size: int, arguments: dict[str, object], machine: Machine | None = None) -> None:
        __tracebackhide__ = True
        cases = cases_of(ladder, mode, dtype, size, machine or ladder.machine(size, turn))
        # In another order they take two to three times as long; what is late shows in smaller ones.
        draws = in_order if quick and size > SLOW else drawing
        draws(cases, 1, f"size {size}", shrinks=False)(**arguments)

    def is_refused(size: int, arguments: dict[str, object], machine: Machine) -> bool:
        try:
            judged(size, arguments, machine)
        except Refused:
            return True
        return False

    def run(**arguments: object) -> None:
        __tracebackhide__ = True
        below = 0
        for size in sizes:
            try:
                judged(size, arguments)
            except Refused:
                if not trial.diagnoses.as_drawn:
                    follow_down(below, size, arguments)
                raise
            below = size

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
    other = BITS if numpy_dtype(tensor.dtype).kind in "iu" else "gaussian"
    return replace(tensor, fill=replace(fill, stripes=others or (other,)))
