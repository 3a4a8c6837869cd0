"""What JUnit XML says of an item besides its name and time: properties that CI servers show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.printable import printable
from conformance.record.operator import Operator


def properties(
    parameters: Mapping[str, object], device: str, route: str
) -> Iterator[tuple[str, str]]:
    """The properties of a template's item: operator, mode and dtype of what it calls, the call's
    name where it has one, and on what it is called.
    """
    told = _told(parameters, device, route)
    yield from ((printable(name), printable(value)) for name, value in told)


def _told(parameters: Mapping[str, object], device: str, route: str) -> Iterator[tuple[str, str]]:
    operator = parameters["operator"]
    assert isinstance(operator, Operator)
    yield "operator", operator.name
    mode, dtype = parameters.get("mode"), parameters.get("dtype")
    for name, value in parameters.items():
        if value is not operator and hasattr(value, "name"):
            yield name, str(value.name)
            case = getattr(value, "case", None)
            mode, dtype = getattr(case, "mode", mode), getattr(case, "dtype", dtype)
    yield "mode", str(mode)
    yield "dtype", str(dtype)
    yield "route", route
    yield "device", device
