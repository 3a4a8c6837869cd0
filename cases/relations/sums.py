"""Relations of operators that add rows which indices name."""

from __future__ import annotations

from collections.abc import Callable

from conformance.call.case import Case
from conformance.record.relation import Relation
from conformance.relations.axes import Axes
from conformance.relations.symmetries import any_order_of_terms, negation, symmetry

Prepared = Callable[[Case], Case | None]


def of_sums(
    axes: Axes,
    sums: tuple[str, ...],
    negated: tuple[str, ...],
    modes: tuple[str, ...] = (),
    added: str = "slot",
) -> tuple[Relation, ...]:
    """Another order of columns, tokens, rows and of a token's slots; ``negated`` inputs.

    ``axes`` call these axes hidden, token, row and slot; an operator without one has no relation
    of it. ``sums`` are the outputs that are linear in the negated inputs, ``added`` is the axis
    whose terms they add.
    """
    named = {part for one in axes.tensors.values() for axis in one for part in axis.split(".")}
    found = [
        any_order_of_terms(axes, axis, sums=sums, modes=modes)
        if axis == added
        else symmetry(
            axes, axis, sums=sums, modes=modes, prepared=_ranked(axes) if axis == "row" else None
        )
        for axis in ("hidden", "token", "row", "expert", "place", "bias", "slot")
        if axis in named
    ]
    return (*found, negation(negated, sums, modes=modes))


def _ranked(axes: Axes) -> Prepared:
    """Cases in which every row has a number that the rank of some slot may have."""

    def prepared(case: Case) -> Case | None:
        sizes = axes.sizes(case)
        return case if sizes["row"] <= sizes["token"] * sizes.get("slot", 1) else None

    return prepared
