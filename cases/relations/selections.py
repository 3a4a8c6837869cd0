"""Relations of operators that select the k largest of each row: by position, by value, by row.

No reference says what is selected. What other positions, other rows, or a constant that all of a
row have more must not change is asked of a second call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.relations.rows import further_rows
from cases.relations.slot_sums import title_of
from conformance.call.case import Attribute, Case
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import shuffled, with_arrays

STEP, SHIFT = 2.0**-4, 8.0
"""Between two scores of which no device may confuse the exponentials, and what such scores may have
more: exactly, in each data type."""

MOST_DIFFERENT = 256
"""Positions of a row whose scores can be so far apart, from -8 to 8."""

MOST_IN_HALF = 96
"""Of these, the most of which all softmax scores are normal numbers of half precision, too: no two
of them become equal there."""

LEAST_NORMAL_HALF, LEAST_NORMAL = 2.0**-14, 2.0**-126
"""The smallest normal number of float16, and of float32 and bfloat16."""


@dataclass(frozen=True)
class Selection:
    """The names of what an operator selects from and what it writes.

    ``scores`` is the input [..., positions], ``values`` and ``ids`` the outputs [..., k], in
    descending order. ``of_rows`` are the outputs whose rows depend on the same row of the inputs
    alone; those of ``shared`` inputs are the same for all. Keys may be ``rounded`` to the data type
    of the scores before the selection. ``plain(case)`` is the call in which nothing but the scores
    decides, and the largest have the largest values.
    """

    scores: str
    values: str
    ids: str
    of_rows: tuple[str, ...]
    rounded: bool = False
    shared: tuple[str, ...] = ()
    plain: Callable[[Case], Case] = lambda case: case

    def separated(self, case: Case) -> Case | None:
        """The plain call with scores far from each other, in the order of those that it has; None
        if they are too many."""
        case = self.plain(case)
        scores = case.arrays[self.scores]
        in_half = self.rounded and scores.dtype == np.float16
        if scores.shape[-1] > (MOST_IN_HALF if in_half else MOST_DIFFERENT):
            return None
        ranks = scores.astype(np.float32).argsort(axis=-1, kind="stable").argsort(axis=-1)
        return with_arrays(case, {self.scores: (STEP * ranks - SHIFT).astype(scores.dtype)})


def of_selections(given: Selection, modes: tuple[str, ...] = ()) -> tuple[Relation, ...]:
    """Values descend; positions in another order, further rows and a constant change no id."""
    return (
        descending(given, modes),
        order_of_positions(given, modes),
        constant_more(given, modes),
        further_rows(given.scores, given.of_rows, given.shared, modes),
    )


def descending(given: Selection, modes: tuple[str, ...] = ()) -> Relation:
    """The values of a row descend, without any tolerance, but in rows with NaN."""

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        array = np.asarray(outputs[given.values])
        values = array.reshape(-1, array.shape[-1]).astype(np.float64)
        rising = (values[:, 1:] > values[:, :-1]) & ~np.isnan(values).any(axis=1, keepdims=True)
        for row, slot in np.argwhere(rising)[:1].tolist():
            one, next_one = values[row, slot : slot + 2].tolist()
            yield f"{given.values} of row {row} rises from {one!r} to {next_one!r} at slot {slot}"

    clause = inferred("values of a row descend", "the largest is selected first")
    return Relation("descending values", clause, broken, given.plain, modes)


def order_of_positions(given: Selection, modes: tuple[str, ...] = ()) -> Relation:
    """Scores in another order are selected all the same, each at its new position."""

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        scores = case.arrays[given.scores]
        count = scores.shape[-1]
        order = shuffled(count)
        ids: NDArray[Any] = np.asarray(outputs[given.ids])
        inside = (ids >= 0) & (ids < count)
        due = np.where(inside, np.argsort(order)[np.where(inside, ids, 0)], ids).astype(ids.dtype)
        seen = run(with_arrays(case, {given.scores: np.take(scores, order, axis=-1)}))
        meaning = "by the call with positions in their order"
        yield from difference(given.ids, seen[given.ids], due, meaning)

    def prepared(drawn: Case) -> Case | None:
        return given.separated(drawn) if drawn.inputs[given.scores].shape[-1] > 1 else None

    text = "scores that are different are selected wherever they stand"
    clause = inferred(text, "no equation names a position, but for equal scores")
    return Relation("order of positions", clause, broken, prepared, modes)


def constant_more(given: Selection, modes: tuple[str, ...] = ()) -> Relation:
    """A constant that all scores have more, exactly, selects the same."""

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        scores = case.arrays[given.scores]
        more = (scores.astype(np.float64) + SHIFT).astype(scores.dtype)
        seen = run(with_arrays(case, {given.scores: more}))
        meaning = f"by the call without {SHIFT} more"
        yield from difference(given.ids, seen[given.ids], outputs[given.ids], meaning)

    clause = inferred(
        f"ids are the same if all scores are {SHIFT} more", "a softmax is one of differences"
    )
    return Relation("a constant more", clause, broken, given.separated, modes)


def twice_the_factor(given: Selection, factor: str) -> Relation:
    """With a factor twice as large, values are twice as large, exactly: normal numbers alone."""

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        before: NDArray[Any] = np.asarray(outputs[given.values])
        least = LEAST_NORMAL_HALF if before.dtype == np.float16 else LEAST_NORMAL
        larger = {**case.attributes, factor: 2 * case.attributes[factor]}
        seen = run(replace(case, attributes=larger))
        after = np.asarray(seen[given.values])
        with np.errstate(over="ignore", invalid="ignore"):
            doubled = (2 * before.astype(np.float64)).astype(before.dtype)
            size = np.abs(before.astype(np.float64))
            exact = (size >= least) & np.isfinite(doubled.astype(np.float64))
        due = np.where(exact, doubled, after).astype(before.dtype)
        yield from difference(given.values, after, due, "twice those of half the factor")
        yield from difference(given.ids, seen[given.ids], outputs[given.ids], "of half the factor")

    clause = inferred("values grow with the factor", "they are multiplied by it at last")
    return Relation("twice the factor", clause, broken)


def same_bits(
    given: Selection,
    other: str,
    mode: str,
    attributes: Mapping[str, Attribute],
    *,
    most: int,
    modes: tuple[str, ...] = (),
) -> Relation:
    """Another operator, in that mode and with these attributes beside those of the call, has the
    same values and ids, in each bit: of rows of at most so many positions, which no kernel takes in
    parts."""
    title = title_of(other)

    def asked(case: Case) -> Case:
        outputs = {name: case.outputs[name] for name in given.of_rows}
        values = {**case.attributes, **attributes}
        return replace(case, operator=other, mode=mode, attributes=values, outputs=outputs)

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        due = run(asked(case))
        for name in given.of_rows:
            yield from difference(name, outputs[name], due[name], f"by {title}", sums=True)

    def prepared(drawn: Case) -> Case | None:
        if drawn.inputs[given.scores].shape[-1] > most:
            return None
        return given.separated(drawn) if given.rounded and drawn.dtype == "float16" else drawn

    clause = inferred(
        f"{title} selects the same, and has the same values", "the equations of both documents"
    )
    return Relation(f"values of {title}", clause, broken, prepared, modes, beside=(other,))
