"""Relations of one operator with itself: what another order or sign of its data does."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from conformance.call.case import Case, numpy_dtype
from conformance.catalogue import relations as say
from conformance.catalogue.message import row
from conformance.record.clause import Clause, SourceClass
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.relations.axes import Axes, on_lattice, shuffled, with_arrays

SOURCE = say.NO_POSITIONS()


def symmetry(
    axes: Axes,
    axis: str,
    *,
    sums: tuple[str, ...] = (),
    prepared: Callable[[Case], Case | None] | None = None,
    modes: tuple[str, ...] = (),
) -> Relation:
    """Another order of an axis is the same order of the outputs' axis, and no other change.

    ``sums`` are outputs of which all zeros and all NaNs are one value each.
    """

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        size = axes.sizes(case).get(axis, 0)
        if size < 2:
            return
        order = shuffled(size)
        seen = run(axes.call(case, axis, order))
        meaning = say.BY_THE_FIRST_ORDER(axis=axis)
        for name, due in axes.answer(case, outputs, axis, order).items():
            yield from difference(name, seen[name], due, meaning, sums=name in sums)

    clause = Clause(say.REORDERED(axis=axis), SOURCE, SourceClass.INFERRED)
    return Relation(f"order along {axis}", clause, broken, prepared, modes)


def any_order_of_terms(
    axes: Axes, axis: str, *, sums: tuple[str, ...], modes: tuple[str, ...] = ()
) -> Relation:
    """On data whose sums are exact in every order, an axis that is added up may have any."""
    return symmetry(axes, axis, sums=sums, prepared=on_lattice, modes=modes)


def negation(
    inputs: tuple[str, ...], outputs_negated: tuple[str, ...], *, modes: tuple[str, ...] = ()
) -> Relation:
    """Inputs with the other sign give these outputs with the other sign, and the others again."""

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        arrays = {name: np.negative(case.arrays[name]) for name in inputs if name in case.inputs}
        seen = run(with_arrays(case, arrays))
        for name, array in outputs.items():
            due = np.negative(array) if name in outputs_negated else array
            yield from difference(name, seen[name], due, say.BY_THE_FIRST_SIGN(), sums=True)

    text = say.NEGATED(inputs=row(inputs, say.AND), outputs=row(outputs_negated, say.AND))
    clause = Clause(text, SOURCE, SourceClass.INFERRED)
    return Relation("other sign", clause, broken, on_lattice, modes)


def finite(case: Case) -> bool:
    """Whether all floating-point inputs of a case are finite."""
    return all(
        np.isfinite(array.astype(np.float64)).all()
        for name, array in case.arrays.items()
        if numpy_dtype(case.inputs[name].dtype).kind not in "iub"
    )
