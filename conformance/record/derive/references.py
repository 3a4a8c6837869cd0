"""The functions of a reference, called by the names of a record's tensors and attributes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from conformance.record.contract import Arrays
from reference.terms import Terms

Attributes = Mapping[str, int]


def formula_of(
    function: Callable[..., Any], *outputs: str, ignored: tuple[str, ...] = ()
) -> Callable[[Arrays, Attributes], Arrays]:
    """The formula of a record from that of its reference, which returns the outputs by name, or
    the one output that is named here. It is given what of a call it has parameters for: that of a
    tensor which a call may leave out needs a default. It is not given attributes that are
    ``ignored``: they change nothing, whatever the reference makes of them.
    """

    names = _names(function, ignored)

    def formula(inputs: Arrays, attributes: Attributes) -> Arrays:
        found = function(**_known(names, {**inputs, **attributes}))
        return dict.fromkeys(outputs, found) if outputs else found

    return formula


def terms_of(
    function: Callable[..., Terms], rows: str, ignored: tuple[str, ...] = ()
) -> Callable[[Arrays, Attributes], Terms]:
    """The terms of a record from those of its reference: rows of the tensor ``rows``, all of its
    axes but the last flattened. ``ignored`` as for `formula_of`.
    """

    names = _names(function, ignored)

    def terms(inputs: Arrays, attributes: Attributes) -> Terms:
        count = math.prod(inputs[rows].shape[:-1])
        given = {**inputs, **attributes, "source_rows": count}
        return function(**_known(names, given))

    return terms


def _names(function: Callable[..., Any], ignored: tuple[str, ...]) -> set[str]:
    """The parameters of a function that are not ignored; looked up once, as it is called often."""
    return inspect.signature(function).parameters.keys() - set(ignored)


def _known(names: set[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Of what is given, that for which there is a parameter."""
    return {name: value for name, value in given.items() if name in names}
