"""``--implementation``: Python functions in the place of kernels, for ``run`` and ``replay``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from conformance.catalogue import help_run as helps
from conformance.catalogue import options
from conformance.devices.messages import Functions
from conformance.errors import UsageError
from conformance.failure import replay
from conformance.record.operator import Operator
from conformance.record.torch_binding import PYTHON
from conformance.session.context import DEFAULTS, functions_of

INSTEAD = ("libraries", "package", "kernels", "own_kernels", "kernel_coverage")
"""Options that name something else to judge, or look into it."""


def add_device(group: Any) -> None:
    """The options that say on what something is called, and which functions are called there."""
    add = group.add_argument
    add("--device", default=DEFAULTS["device"], metavar="SPEC", help=helps.DEVICES())
    add("--implementation", action="append", default=[], metavar="FN", help=helps.IMPLEMENTATION())
    add("--tensors", metavar="NAME", help=helps.TENSORS())


def functions_asked(
    parsed: argparse.Namespace, records: Mapping[str, Operator]
) -> Functions | None:
    """The Python functions that a run judges; its operators and its route follow from them.

    Raises `UsageError` for what does not go together with them.
    """
    given = (parsed.implementation, parsed.tensors, parsed.device, parsed.route)
    names = parsed.operator
    if parsed.implementation and parsed.case is not None:
        names = [replay.load(parsed.case).case.operator]
    functions = functions_of(*given, records, names)
    if functions is None:
        return None
    for option in INSTEAD:
        if value := getattr(parsed, option):
            rule = options.NOT_WITH(option="--implementation")
            raise UsageError(option.replace("_", "-"), value, rule)
    if parsed.route not in (None, PYTHON):
        raise UsageError("route", parsed.route, options.NOT_WITH(option="--implementation"))
    parsed.route, parsed.operator = PYTHON, list(functions.by_operator)
    return functions
