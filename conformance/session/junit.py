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


def called(parameters: Mapping[str, object]) -> dict[str, str]:
    """Operator, mode and data type of what a template's item calls; "" if it has none alone."""
    operator = parameters["operator"]
    assert isinstance(operator, Operator)
    mode, dtype = parameters.get("mode", ""), parameters.get("dtype", "")
    for value in parameters.values():
        case = getattr(value, "case", None)
        mode, dtype = getattr(case, "mode", mode), getattr(case, "dtype", dtype)
    return {"operator": operator.name, "mode": str(mode), "dtype": str(dtype)}


def _told(parameters: Mapping[str, object], device: str, route: str) -> Iterator[tuple[str, str]]:
    of_call = called(parameters)
    yield "operator", of_call.pop("operator")
    for name, value in parameters.items():
        if name != "operator" and hasattr(value, "name"):
            yield name, str(value.name)
    yield from ((kind, name) for kind, name in of_call.items() if name)
    yield "route", route
    yield "device", device
