"""What a run is asked for by name and cannot judge on its route, each with the reason.

A run that leaves out what it was asked for ends with status 1, whatever it accepted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from conformance.catalogue import left_out as say
from conformance.catalogue.errors import WORDS
from conformance.catalogue.message import row, unpacked
from conformance.errors import UsageError
from conformance.record.operator import ROUTES, Mode, Operator
from conformance.suite.on_route import why_not

if TYPE_CHECKING:  # a run without -k has no need of pytest before its own process starts
    from _pytest.mark.expression import Expression


def not_on_route(
    operators: Sequence[Operator], route: str, named: Sequence[str], pytest_arguments: Sequence[str]
) -> dict[str, str]:
    """Of the operators that are ``named`` those that the route cannot call, with the reason.

    So are of a named operator the modes that pytest's ``-k`` names; it may name operators, too.
    """
    found: dict[str, str] = {}
    expression = _expression(pytest_arguments)
    for operator in operators:
        reason = why_not(operator, route)
        if reason and operator.name in named:
            found[operator.name] = say.NOT_REACHABLE(route=route, reason=reason)
        elif not reason and (operator.name in named or operator.name in expression):
            for mode in _away(operator, route, expression):
                routes = row(mode.routes, say.AND)
                found[f"{operator.name} {mode.name}"] = say.OTHER_ROUTE(routes=routes)
    return found


def reason_of(option: str) -> str:
    """The reason of an option, as the front door packs it or as a person writes it."""
    try:
        return unpacked(json.loads(option))
    except (ValueError, LookupError, TypeError, AttributeError):
        return option


def check_words(pytest_arguments: Sequence[str]) -> None:
    """Raise `UsageError` if pytest's ``-k`` is no expression: a worker would end at it."""
    expression = _expression(pytest_arguments)
    if not expression:
        return
    try:
        _compiled(expression)
    except Exception as wrong:  # of another class in each version of pytest
        raise UsageError("k", expression, WORDS()) from wrong


def told(left_out: Mapping[str, str]) -> Iterator[str]:
    """A line for each thing that is left out."""
    yield from (say.LEFT_OUT(name=name, reason=reason) for name, reason in left_out.items())


def _expression(pytest_arguments: Sequence[str]) -> str:
    """The expression by which the arguments of pytest select items, "" without one."""
    words = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    words.add_argument("-k", dest="expression", default="")
    expression: str = words.parse_known_args(pytest_arguments)[0].expression
    return expression


def _compiled(expression: str) -> Expression:
    """An expression as pytest reads it. Raises what pytest raises."""
    from _pytest.mark.expression import Expression

    return Expression.compile(expression)


def _away(operator: Operator, route: str, expression: str) -> Iterator[Mode]:
    """The modes of other routes that an expression asks for by their names."""
    for mode in operator.modes:
        elsewhere = route not in (mode.routes or ROUTES)
        dtypes = operator.dtypes_in(mode.name)
        if elsewhere and any(_names(expression, operator, mode, one) for one in dtypes):
            yield mode


def _names(expression: str, operator: Operator, mode: Mode, dtype: str) -> bool:
    """Whether an expression selects an item because of the item's mode.

    It does if it selects the item, and would not if the mode had another name. Which template the
    item has is not asked: a word that may be of a template's name counts either way.
    """
    if not expression:
        return False
    try:
        compiled = _compiled(expression)
    except Exception:  # of another class in each version of pytest, which says what is wrong
        return False
    item = f"{operator.name}-{mode.name}-{dtype}".lower()

    def selects(template: bool, by_mode: bool) -> bool:
        def matches(word: str, /, **_: object) -> bool:
            word = word.lower()
            if mode.name.lower() in word.split("-"):
                return by_mode and word in item
            return template if word.startswith("test") else word in item

        return bool(compiled.evaluate(matches))

    return any(selects(one, True) and not selects(one, False) for one in (True, False))
