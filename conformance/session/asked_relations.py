"""Which of a record's cases a relation is asked of."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.record.relation import Relation

Draw = Callable[[str, str], SearchStrategy[Case]]


def asked_of(draw: Draw | None, relation: Relation) -> Draw | None:
    """The cases of which a relation says something; None where none are drawn."""
    if draw is None:
        return None

    def asked(mode: str, dtype: str) -> SearchStrategy[Case]:
        cases = draw(mode, dtype).filter(lambda case: relation.case(case) is not None)
        return cases if relation.varied is None else cases.flatmap(relation.varied)

    return asked
