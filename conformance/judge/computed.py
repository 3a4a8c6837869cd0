"""Judging values that are computed through functions of the device, by the box of each element."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case
from conformance.catalogue import verdict as steps
from conformance.catalogue import worst_element as say
from conformance.diagnosis.guess import Guesses
from conformance.diagnosis.origins import origins
from conformance.diagnosis.pattern import pattern
from conformance.judge.question import Question
from conformance.judge.verdict import OutputVerdict, WorstElement
from conformance.judge.worst import show
from conformance.numerics.arithmetic import Arithmetic
from conformance.numerics.boxes import cast_ends
from conformance.numerics.patterns import as_one_nan
from conformance.record.computed import Box, Computed
from conformance.record.contract import Bounded, Selected, Unspecified
from conformance.record.operator import Operator
from reference.floats import Format, bits_of, format_of, from_ordered, ordered, to_bits

BOUNDS, NOT_BOUNDED = steps.BOUNDS(), steps.NOT_BOUNDED()
Mask = NDArray[np.bool_]


def computed_of(
    contract: Bounded | Selected,
    case: Case,
    outputs: Mapping[str, NDArray[Any]],
    arithmetic: Arithmetic,
) -> Computed:
    """A call as the contract sees it: of the outputs it is shown those that it is given."""
    given = {name: outputs[name] for name in contract.given if name in outputs}
    return Computed(case.arrays, case.attributes, arithmetic.functions, given)


def judge_bounded(asked: Question) -> OutputVerdict:
    """Judge an output whose contract is `Bounded`.

    An element that nothing bounds is counted apart. So are those that depend on what is wrong of
    an output that the contract is given.
    """
    contract = asked.contract
    assert isinstance(contract, Bounded)
    ends = ends_of(contract, asked.case, asked.observed, asked.outputs, asked.arithmetic)
    judged = np.ones(asked.observed.shape, np.bool_) if asked.specified is None else asked.specified
    judged = judged & told_of(asked)
    elements = int(np.count_nonzero(judged))
    open_ = judged & ends.unbounded
    judged = judged & ~ends.unbounded
    seen = ends.places(asked.observed)
    wrong = judged & ~((ends.low <= seen) & (seen <= ends.high))
    single = judged & (ends.low == ends.high)
    mismatches, unbounded = int(np.count_nonzero(wrong)), int(np.count_nonzero(open_))
    worst = _worst(asked, ends, wrong, seen) if mismatches else None
    read = partial(origins, asked.observed, wrong, asked.unwritten_at)
    columns = asked.observed.shape[-1] if asked.observed.ndim else 1
    rows = wrong.reshape(-1, columns) if columns else wrong.reshape(0, 1)
    return OutputVerdict(
        output=asked.name,
        ok=not mismatches,
        clause=contract.clause,
        step=NOT_BOUNDED if elements and unbounded == elements else BOUNDS,
        elements=elements - unbounded,
        exact=int(np.count_nonzero(single & ~wrong)),
        mismatches=mismatches,
        headroom=_headroom(ends, seen, judged & ~wrong & ~single),
        worst=worst,
        pattern=pattern(rows, asked.observed.dtype.itemsize) if mismatches else "",
        guesses=Guesses(lambda: tuple(read())) if mismatches else (),
        unbounded=unbounded,
        wrong=wrong,
    )


def in_order(operator: Operator, case: Case) -> list[str]:
    """The outputs of a call, those behind which the contract is given. Raises ValueError for a
    circle of them."""
    waiting, done = list(case.outputs), []
    while waiting:
        contracts = ((name, operator.contract(name, case)) for name in waiting)
        ready = [
            name
            for name, contract in contracts
            if not set(getattr(contract, "given", ())) & set(waiting)
        ]
        if not ready:
            raise ValueError(f"contracts of {operator.name}: {', '.join(waiting)} are in a circle")
        done.append(ready[0])
        waiting.remove(ready[0])
    return done


def promised_outputs(
    operator: Operator, case: Case, outputs: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """Those of the outputs of which something is promised: the others may hold anything."""
    return {
        name: array
        for name, array in outputs.items()
        if name in case.outputs and not isinstance(operator.contract(name, case), Unspecified)
    }


class Ends:
    """The least and the greatest accepted pattern of each element, as ordered integers; every NaN
    is the one behind +infinity. ``unbounded``: which elements nothing bounds."""

    def __init__(self, box: Box, storage: Format, arithmetic: Arithmetic, ties_away: bool) -> None:
        self.storage = storage
        self.unbounded = box.unbounded
        ends = cast_ends(box, storage, arithmetic, ties_away)
        self.low, self.high = (self._places(to_bits(end, storage)) for end in ends)

    def _places(self, bits: NDArray[Any]) -> NDArray[np.int64]:
        return as_one_nan(ordered(bits, self.storage), self.storage)

    def places(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """Values of the storage dtype as such integers."""
        return self._places(bits_of(values))


def ends_of(
    contract: Bounded,
    case: Case,
    like: NDArray[Any],
    outputs: Mapping[str, NDArray[Any]],
    arithmetic: Arithmetic,
) -> Ends:
    """What is accepted of each element of an output of the shape and dtype of ``like``.

    Raises ValueError if the contract's box has another shape.
    """
    with np.errstate(all="ignore"):
        box = contract.box(computed_of(contract, case, outputs, arithmetic))
        if box.low.shape != like.shape or box.high.shape != like.shape:
            raise ValueError(f"box: its shape {box.low.shape} must be {like.shape}, the output's")
        return Ends(box, format_of(like.dtype), arithmetic, contract.ties_away)


def told_of(asked: Question) -> Mask:
    """Which elements can be judged: those of rows of which every given output is right."""
    right = np.ones(asked.observed.shape, np.bool_)
    for name in getattr(asked.contract, "given", ()):
        if name in asked.wrong:
            rows = asked.wrong[name].any(axis=-1, keepdims=True)
            right = right & ~rows
    return right


def _headroom(ends: Ends, seen: NDArray[np.int64], legal: Mask) -> float | None:
    """The smallest share of the half width that a legal element left unused."""
    if not legal.any():
        return None
    low, high, at = (part[legal].astype(np.float64) for part in (ends.low, ends.high, seen))
    return float((np.minimum(at - low, high - at) / ((high - low) / 2)).min())


def _worst(asked: Question, ends: Ends, wrong: Mask, seen: NDArray[np.int64]) -> WorstElement:
    """The element that is furthest from what is accepted."""
    beyond = np.maximum(ends.low - seen, seen - ends.high)
    place = int(np.where(wrong, beyond, -1).reshape(-1).argmax())
    position = tuple(int(one) for one in np.unravel_index(place, asked.observed.shape))
    storage = ends.storage
    low, high = (int(end.reshape(-1)[place]) for end in (ends.low, ends.high))
    patterns = (_pattern(low, storage), _pattern(high, storage))
    shown = [say.ANY_NAN() if low > storage.infinity_bits else show(patterns[0], storage)]
    shown.append(show(patterns[1], storage))
    accepted = (
        say.ALONE(values=shown[0])
        if low == high
        else say.BETWEEN(low=shown[0], high=shown[1], count=high - low + 1)
    )
    observed = int(bits_of(asked.observed).reshape(-1)[place])
    where = f"{asked.name}[{', '.join(map(str, position))}]"
    text = say.WORST(place=where, seen=show(observed, storage), accepted=accepted, order="")
    return WorstElement(position, observed, (patterns,), text)


def _pattern(place: int, storage: Format) -> int:
    """The storage pattern of an ordered integer; that behind +infinity is NaN."""
    if place > storage.infinity_bits:
        return storage.nan_bits
    return int(from_ordered([place], storage)[0])
