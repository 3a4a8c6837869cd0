"""What of the operators is not called on the route of a run, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.record.operator import ROUTES, Operator
from conformance.suite.on_route import why_not


def modes_elsewhere(operators: Iterable[Operator], route: str) -> Iterator[str]:
    """The modes that the run leaves out, as they are called on other routes only."""
    for operator in operators:
        away = [mode for mode in operator.modes if route not in (mode.routes or ROUTES)]
        if away:
            routes = ", ".join(dict.fromkeys(other for mode in away for other in mode.routes))
            names = ", ".join(mode.name for mode in away)
            yield f"not on route {route}: {operator.name} {names} (on route {routes})"


def operators_elsewhere(operators: Iterable[Operator], route: str) -> Iterator[str]:
    """The operators of which nothing is called on a route, each with the reason."""
    for operator in operators:
        if reason := why_not(operator, route):
            yield f"not reachable on route {route}: {operator.name} ({reason})"
