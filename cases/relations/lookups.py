"""Relations of operators that look up what a row has by its id: of the table, and of what it leaves
without effect."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from conformance.call.case import Case
from conformance.record.clause import inferred
from conformance.record.relation import Outputs, Relation, Run, difference
from conformance.record.variations import without
from conformance.relations.axes import shuffled, with_arrays


def of_lookups(ids: str, table: str, idle: str) -> tuple[Relation, ...]:
    """The table's rows in another order, and no ``idle`` input, change nothing."""
    return order_of_keys(ids, table), without_effect(ids, table, idle)


def order_of_keys(ids: str, table: str) -> Relation:
    """A table [keys, ...] whose rows are in another order, with ids [rows] that follow them, gives
    the same outputs in each bit."""

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        named, rows = case.arrays[ids], case.arrays[table]
        order = shuffled(len(rows))
        places = np.argsort(order)[named].astype(named.dtype)
        seen = run(with_arrays(case, {ids: places, table: rows[order]}))
        for name, due in outputs.items():
            yield from difference(name, seen[name], due, "by the table in its order")

    def prepared(drawn: Case) -> Case | None:
        return drawn if _has(drawn, ids, table) and drawn.inputs[table].shape[0] > 1 else None

    clause = inferred("the order of a table's rows is free", "an id names a row of it")
    return Relation("order of keys", clause, broken, prepared)


def without_effect(ids: str, table: str, idle: str) -> Relation:
    """Without an input that decides nothing beside a table, outputs are the same in each bit."""

    def broken(case: Case, outputs: Outputs, run: Run) -> Iterable[str]:
        seen = run(without(case, idle))
        for name, due in outputs.items():
            yield from difference(name, seen[name], due, f"by the call with {idle}")

    def prepared(drawn: Case) -> Case | None:
        return drawn if _has(drawn, ids, table, idle) else None

    clause = inferred(f"{idle} has no effect beside a table", "no step of the hash mode has it")
    return Relation(f"{idle} without effect", clause, broken, prepared)


def _has(case: Case, *names: str) -> bool:
    return set(names) <= case.inputs.keys()
