"""A large output is judged some rows at a time: arrays that fit into a cache are fast.

A contract that names its tensors `by_row` allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import wraps

import numpy as np

from conformance.catalogue import verdict as steps
from conformance.judge.question import Question
from conformance.judge.verdict import OutputVerdict

AT_ONCE = 1 << 17
"""Elements of the largest tensor that a part has."""

Judge = Callable[[Question], OutputVerdict]


def in_parts(judge: Judge) -> Judge:
    """Judge part by part. An output of which a part is refused is judged anew as a whole, since
    what is wrong of it is told as a whole. Raises ValueError if a tensor has other rows."""

    @wraps(judge)
    def judged(asked: Question) -> OutputVerdict:
        found: list[OutputVerdict] = []
        for part in parts(asked):
            found.append(judge(part))
            if not found[-1].ok:
                return found[-1] if part is asked else judge(asked)
        return together(found)

    return judged


def parts(asked: Question) -> Iterator[Question]:
    """The question itself, or of a large output those of its parts, in order."""
    arrays = [{**asked.arrays, **asked.outputs}.get(name) for name in asked.by_row]
    rows = len(asked.observed) if arrays else 0
    sizes = [array.size for array in arrays if array is not None]
    if any(array is not None and len(array) != rows for array in arrays):
        raise ValueError(f"by_row: {asked.by_row} must have {rows} rows, as {asked.name} has")
    step = max(1, rows * AT_ONCE // max([asked.observed.size, *sizes, 1]))
    if rows <= step:
        yield asked
        return
    for start in range(0, rows, step):
        yield asked.part(slice(start, start + step))


def together(found: Sequence[OutputVerdict]) -> OutputVerdict:
    """The verdict of a whole whose parts are right."""
    if len(found) == 1:
        return found[0]
    elements = sum(one.elements for one in found)
    unbounded = sum(one.unbounded for one in found)
    decided = [one.step for one in found if one.step != steps.NOT_BOUNDED()]
    rooms = [one.headroom for one in found if one.headroom is not None]
    masks = [one.wrong for one in found if one.wrong is not None]
    return replace(
        found[0],
        step=steps.NOT_BOUNDED() if unbounded and not elements else [*decided, found[0].step][0],
        elements=elements,
        exact=sum(one.exact for one in found),
        headroom=min(rooms, default=None),
        rows=sum(one.rows for one in found),
        certain_rows=sum(one.certain_rows for one in found),
        unbounded=unbounded,
        wrong=np.concatenate(masks),
    )
