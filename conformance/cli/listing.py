"""``operators`` and ``devices``: what is judged, and what it can be judged on here."""

from __future__ import annotations

import argparse
import os
from typing import Any

from rich.console import Console

from conformance import places
from conformance.catalogue import commands as say
from conformance.catalogue import help as helps
from conformance.cli.common import add_operators
from conformance.devices.open import Kernels, open_device
from conformance.devices.packages.lookup import candidates, order_of_lookup
from conformance.errors import ACCEPTED, ENVIRONMENT, EnvironmentFailure, text_of
from conformance.session.boundaries import limit_lines, limits_told
from conformance.session.function_probe import shown_functions
from conformance.session.probe import summation_orders
from conformance.suite import records as suite
from conformance.text.device_profile import function_lines, profile_lines
from conformance.text.language import put
from conformance.text.orders import order_lines
from conformance.text.records import operator_lines


def add_operators_command(commands: Any) -> None:
    """The grammar of ``operators``."""
    listed = commands.add_parser("operators", help=helps.OPERATORS(), allow_abbrev=False)
    listed.set_defaults(command=operators_command)
    add_operators(listed)


def add_devices(commands: Any) -> None:
    """The grammar of ``devices``."""
    devices = commands.add_parser("devices", help=helps.DEVICES(), allow_abbrev=False)
    devices.set_defaults(command=devices_command)
    devices.add_argument("--probe", action="store_true", help=helps.PROBE())
    add_operators(devices)


def operators_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Print what is recorded of every operator."""
    for operator in suite.operators([directory.absolute() for directory in parsed.operators]):
        for line in operator_lines(operator):
            put(line, console)
    return ACCEPTED


def devices_command(parsed: argparse.Namespace, console: Console, extra: list[str]) -> int:
    """Print which devices open here, and why the others do not."""
    opened = 0
    language = getattr(console, "language", "en")
    operators = suite.operators([directory.absolute() for directory in parsed.operators])
    kernels = suite.kernel_folders(operators, parsed.operators)
    if parsed.probe:
        kernels = (*(kernels or (places.own_kernels(),)), places.probe_kernels())
    for spec in ("npu", "sim"):
        try:
            device = open_device(spec, kernels=Kernels(kernels))
        except (EnvironmentFailure, ValueError) as error:
            put(say.NOT_HERE(device=spec, error=text_of(error)), console)
        else:
            put(say.HERE(device=spec, words=device.profile.describe()), console)
            if spec == "npu":
                for line in order_of_lookup(candidates(os.environ, os.getuid())):
                    put("  " + line, console)
            try:
                if parsed.probe:
                    for line in profile_lines(device.profile, language):
                        put("  " + line, console)
                    for line in function_lines(shown_functions(device)):
                        put("  " + line, console)
                    found = order_lines(summation_orders(device, operators))
                    for line in (*found, *limits_told(limit_lines(device, operators))):
                        put("  " + line, console)
            finally:
                device.close()
            opened += 1
    return ACCEPTED if opened else ENVIRONMENT
