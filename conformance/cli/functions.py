"""``--implementation``: Python functions in the place of kernels, for ``run`` and ``replay``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from rich.console import Console

from conformance.catalogue import help_run as helps
from conformance.catalogue import options
from conformance.devices.messages import Functions
from conformance.devices.open import Kernels
from conformance.errors import UsageError, text_of
from conformance.failure import replay
from conformance.record.operator import Operator
from conformance.record.torch_binding import PYTHON
from conformance.session.against import Against, Second, told
from conformance.session.context import DEFAULTS, functions_of

INSTEAD = ("package", "kernels", "own_kernels", "kernel_coverage")
"""Options that name something else to judge, or look into it."""


def add_device(group: Any) -> None:
    """The options that say on what something is called, and which functions are called there."""
    add = group.add_argument
    add("--device", default=DEFAULTS["device"], metavar="SPEC", help=helps.DEVICES())
    add("--cann", metavar="VERSION", help=helps.CANN())
    add("--implementation", action="append", default=[], metavar="FN", help=helps.IMPLEMENTATION())
    add("--tensors", metavar="NAME", help=helps.TENSORS())
    add("--against", metavar="WHAT", help=helps.AGAINST())
    add("--against-python", metavar="PYTHON", help=helps.AGAINST_PYTHON())
    add("--same", metavar="bits", help=helps.SAME())


def functions_asked(
    parsed: argparse.Namespace, records: Mapping[str, Operator], libraries: Path | None
) -> Functions | None:
    """The Python functions that a run judges; its operators and its route follow from them.

    ``libraries`` are those of ``--libraries``. Raises `UsageError` for what does not go together
    with them.
    """
    given = (parsed.implementation, parsed.tensors, parsed.device, parsed.route)
    names = parsed.operator
    if parsed.implementation and parsed.case is not None:
        names = [replay.load(parsed.case).case.operator]
    beside = parsed.against is not None
    functions = functions_of(*given, records, names, libraries=libraries, against=beside)
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


def second_asked(parsed: argparse.Namespace) -> Second:
    """What the options say of a second implementation."""
    return Second(parsed.against, parsed.same, parsed.tensors, parsed.against_python)


def tell_second(against: Against, kernels: Kernels, limit: float, console: Console) -> None:
    """Open the second device, and say what it calls. Raises `UsageError`, EnvironmentFailure."""
    try:
        with closing(against.opened(kernels, limit)) as second:
            line = told(second, against)
    except ValueError as error:
        raise UsageError("against", against.text, text_of(error)) from error
    console.print(line, markup=False)
