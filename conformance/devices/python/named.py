"""Which Python functions are judged: what ``--implementation`` names, checked and made absolute."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from conformance.catalogue import python_route as say
from conformance.devices.messages import Functions
from conformance.errors import UsageError, choice
from conformance.record.operator import Operator
from conformance.record.torch_binding import Binding
from conformance.record.versions import VERSION

TENSORS = ("torch", "numpy")
"""What a function is given and answers with; numpy's bfloat16 is that of ml_dtypes."""

PLACES = re.compile(rf"cpu|cuda:\d+|npu:\d+|sim(:[\w.-]+)?(@{VERSION})?", re.ASCII)
"""Where the tensors of torch live; sim[:SOC][@CANN] is the simulated NPU of torch_npu."""

DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def functions_named(
    texts: Sequence[str],
    tensors: str,
    device: str,
    operators: Sequence[str],
    libraries: Path | None = None,
) -> Functions:
    """What ``--implementation`` names: ``OPERATOR=WHERE``, or ``WHERE`` alone for one operator.

    ``operators`` are those that the run is asked for by name; ``device`` is the text of
    ``--device``, ``libraries`` the folder of ``--libraries``. Raises `UsageError`.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, where = text.partition("=")
        if not equals:
            if len(operators) != 1:
                raise UsageError("implementation", text, say.OF_WHICH_OPERATOR())
            name, where = operators[0], text
        if name in found:
            raise UsageError("implementation", text, say.NAMED_TWICE(operator=name))
        found[name] = _absolute(where)
    for name in operators:
        if name not in found:
            rule = say.NOT_NAMED(operator=name, named=tuple(found))
            raise UsageError("operator", name, rule)
    if tensors not in TENSORS:
        raise UsageError("tensors", tensors, choice(tensors, TENSORS))
    return placed(Functions(found, tensors=tensors), device, libraries)


def placed(functions: Functions, device: str, libraries: Path | None = None) -> Functions:
    """The functions with tensors where ``--device`` and ``--libraries`` say, or as they are.

    Raises `UsageError`.
    """
    place = functions.place if device == "auto" else _place(device, functions.tensors)
    moved = structs.replace(functions, place=place)
    if not moved.simulated and libraries is not None:
        raise UsageError("libraries", libraries, say.LIBRARIES())
    kept = functions.libraries if moved.simulated else None
    return structs.replace(moved, libraries=kept if libraries is None else str(libraries))


def with_keywords(functions: Functions, records: Mapping[str, Operator]) -> Functions:
    """The functions with the names of their arguments, where a record tells them, and those of
    them that compute."""
    found = {}
    for name in functions.by_operator:
        operator = records[name]
        if (case := next((one.case for one in operator.examples), None)) is not None:
            found[name] = tuple(keyword for keyword, _ in operator.python_call(case).arguments)
        elif not isinstance(operator.torch_npu, Binding):
            known: Iterable[str] = (
                one.name for one in operator.parameters if getattr(one, "role", "") != "output"
            )
            found[name] = tuple(known)
    computing = tuple(name for name in functions.by_operator if records[name].computes)
    return structs.replace(functions, keywords=found, computing=computing)


def written(functions: Functions) -> tuple[str, ...]:
    """The functions as ``--implementation`` names them, and what they are given."""
    each = (f"{name}={where}" for name, where in functions.by_operator.items())
    return (*each, functions.tensors)


def file_of(where: str) -> Path | None:
    """The file that a function is named in; None if a module is named."""
    module = where.rpartition(":")[0]
    return Path(module) if module.endswith(".py") else None


def folder_of_function(where: str) -> Path:
    """The folder of the file, or of the module without importing it, in which a function is."""
    if (path := file_of(where)) is not None:
        return path.parent
    found = importlib.util.find_spec(where.partition(":")[0].partition(".")[0])
    if found is None:
        return Path()
    folders = [*(found.submodule_search_locations or ()), *([found.origin] if found.origin else [])]
    return Path(folders[0]).parent if folders else Path()


def _absolute(where: str) -> str:
    """The text with the path of its file absolute. Raises `UsageError`."""
    module, colon, name = where.rpartition(":")
    if not colon or not module or not DOTTED.fullmatch(name):
        raise UsageError("implementation", where, say.HOW_WRITTEN())
    if module.endswith(".py"):
        if not Path(module).is_file():
            raise UsageError("implementation", where, say.NO_FILE(file=module))
        return f"{Path(module).resolve()}:{name}"
    if not DOTTED.fullmatch(module):
        raise UsageError("implementation", where, say.HOW_WRITTEN())
    return where


def _place(device: str, tensors: str) -> str:
    """Where tensors live. Raises `UsageError`."""
    place = f"{device}:0" if device in ("cuda", "npu") else device
    if not PLACES.fullmatch(place) or (tensors == "numpy" and place != "cpu"):
        raise UsageError("device", device, say.NUMPY_PLACE() if tensors == "numpy" else say.PLACE())
    return place
