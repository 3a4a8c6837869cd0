"""Where the suite lives, and which operator records it holds."""

from __future__ import annotations

import importlib.util
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from conformance.operator import Operator

PACKAGE = Path(__file__).resolve().parent
ATTRIBUTE = "OPERATOR"


class UsageError(Exception):
    """A request that the suite cannot honour: names parameter, value and what is allowed."""

    def __init__(self, parameter: str, value: object, rule: str) -> None:
        super().__init__(f"{parameter} is {str(value)!r}: {rule}")


def root() -> Path:
    """The folder that holds ``cases``: the checkout, or the wheel's own copy of the suite."""
    checkout = PACKAGE.parent
    return checkout if (checkout / "cases").is_dir() else PACKAGE / "_suite"


def records() -> Path:
    """The suite's own folder of operator records."""
    return root() / "cases" / "operators"


def operators(directories: Iterable[Path] = ()) -> tuple[Operator, ...]:
    """The operator records of the suite and then of ``directories``, each folder in name order.

    A record is a module whose ``OPERATOR`` is an `Operator`; names that start with ``_`` are
    helpers. Raises `UsageError` for a folder without records, a module without a record, a record
    that cannot be imported, and an operator that is recorded twice.
    """
    found: dict[str, tuple[Operator, Path]] = {}
    for directory in (records(), *directories):
        files = sorted(p for p in directory.glob("*.py") if not p.name.startswith("_"))
        if not files:
            raise UsageError("operators directory", directory, "holds no record (a .py file)")
        for path in files:
            operator = _record(path)
            known = found.setdefault(operator.name, (operator, path))
            if known[1].resolve() != path.resolve():
                rule = f"an operator has one record, but {known[1]} holds it too"
                raise UsageError(f"operator in {path}", operator.name, rule)
    return tuple(operator for operator, _ in found.values())


def chosen(all_operators: tuple[Operator, ...], names: Iterable[str]) -> tuple[Operator, ...]:
    """The operators called ``names``, in the order of the records; all of them if there is no name.

    Raises `UsageError` for a name without a record.
    """
    wanted = list(names)
    known = [operator.name for operator in all_operators]
    for name in wanted:
        if name not in known:
            raise UsageError("operator", name, f"no such record; allowed: {', '.join(known)}")
    return tuple(o for o in all_operators if o.name in wanted or not wanted)


def _record(path: Path) -> Operator:
    operator = getattr(_module(path), ATTRIBUTE, None)
    if not isinstance(operator, Operator):
        rule = f"its attribute {ATTRIBUTE} must be a conformance.operator.Operator"
        raise UsageError("record", path, rule)
    return operator


def _module(path: Path) -> ModuleType:
    """The module in ``path``, imported once for each file under a name of its own."""
    name = f"conformance_record_{path.stem}_{zlib.crc32(str(path.resolve()).encode()):08x}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError("record", path, "cannot be imported as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise UsageError("record", path, f"fails to import: {error!r}") from error
    return module
