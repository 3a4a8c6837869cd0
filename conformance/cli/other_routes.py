"""What of the operators is not called on the route of a run, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.catalogue import left_out as say
from conformance.record.operator import ROUTES, Operator
from conformance.suite.on_route import why_not


def modes_elsewhere(operators: Iterable[Operator], route: str) -> Iterator[str]:
    """The modes that the run leaves out, as they are called on other routes only."""
    for operator in operators:
        away = [mode for mode in operator.modes if route not in (mode.routes or ROUTES)]
        if away:
            others = dict.fromkeys(other for mode in away for other in mode.routes)
            yield say.MODES_ELSEWHERE(
                route=route,
                operator=operator.name,
                modes=[mode.name for mode in away],
                others=list(others),
            )


def operators_elsewhere(operators: Iterable[Operator], route: str) -> Iterator[str]:
    """The operators of which nothing is called on a route, each with the reason."""
    for operator in operators:
        if reason := why_not(operator, route):
            yield say.OPERATOR_ELSEWHERE(route=route, operator=operator.name, reason=reason)
