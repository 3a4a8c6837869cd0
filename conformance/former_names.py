"""Names of modules before they had rooms, for records of other repositories; until version 0.3."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

HERE = "conformance."
MODULES = {
    "call_rules": "record.call_rules",
    "case": "call.case",
    "cells": "record.cells",
    "clause": "record.clause",
    "edges": "record.edges",
    "fill": "values.fill",
    "frozen.case": "record.frozen",
    "frozen.judge": "session.judge_frozen",
    "ladders": "record.size_ladders draw.ladder_cells record.chips",
    "legality": "judge.legality",
    "observation": "call.observation",
    "operator": "record.operator record.contract record.clause record.call_rules",
    "picture": "record.picture",
    "planted": "values.special_rows",
    "relations.relation": "record.relation",
    "sequences": "judge",
    "sequences.judge": "session.judge_sequences",
    "setting": "call.surroundings",
    "strategies": "draw",
    **{
        f"strategies.{name}": f"draw.{name}"
        for name in (
            *("built", "far", "keys", "layouts", "machines", "patterns", "routings"),
            *("sequences", "sizes", "views", "wide_keys"),
        )
    },
    "strategies.covering": "record.covering",
    "strategies.fills": "draw.values",
    "template": "session.template",
    "torch_call": "record.torch_binding",
    "variations": "record.variations",
    "verdict": "judge.verdict",
    "workload": "record.workload",
}
"""By the former name, in which modules its names stand today."""

NAMES = {
    "devices.device": {
        "EnvironmentFailure": "errors",
        "OperatorUnavailable": "errors",
        "LimitsCrash": "errors",
        "USABLE_UB_BYTES": "record.chips",
    },
    "record.operator": dict.fromkeys(
        ("Copy", "Index", "Merges", "Specified", "Sum", "Unspecified"), "record.contract"
    ),
}
"""Of modules that stay, the names that stand elsewhere."""


class _Former(MetaPathFinder, Loader):
    """Makes a module of a former name: it has what the modules of today have."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name = fullname.removeprefix(HERE)
        if name == fullname or name not in MODULES:
            return None
        return ModuleSpec(
            fullname, self, is_package=any(one.startswith(f"{name}.") for one in MODULES)
        )

    def exec_module(self, module: ModuleType) -> None:
        today = [HERE + name for name in MODULES[module.__name__.removeprefix(HERE)].split()]
        _warn(module.__name__, today[0])
        for name in reversed(today):
            found = vars(importlib.import_module(name))
            vars(module).update({k: v for k, v in found.items() if not k.startswith("__")})


def former(module: str) -> Callable[[str], object]:
    """The ``__getattr__`` of a module that stays, for names that stand elsewhere today."""

    def get(name: str) -> object:
        where = NAMES[module.removeprefix(HERE)].get(name)
        if where is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        _warn(f"{module}.{name}", f"{HERE}{where}.{name}")
        found: object = getattr(importlib.import_module(HERE + where), name)
        return found

    return get


def install() -> None:
    """Let former names be imported."""
    if not any(isinstance(one, _Former) for one in sys.meta_path):
        sys.meta_path.append(_Former())


def _warn(before: str, today: str) -> None:
    told = f"{before} is {today} today; the former name goes with version 0.3"
    warnings.warn(told, DeprecationWarning, stacklevel=3)
