"""``--ray``: the cluster on which a run judges, as the front door asks for it."""

from __future__ import annotations

import argparse

import msgspec
from rich.console import Console

from conformance.catalogue import on_ray as say
from conformance.catalogue import options
from conformance.devices.device import Device
from conformance.devices.npu import NpuDevice
from conformance.errors import UsageError
from conformance.ray import asked
from conformance.ray.asked import Farmed

APART = ("watch", "kernel_coverage")
"""Options that need all processes on this host."""


def farm_asked(
    parsed: argparse.Namespace, most: int | None, *, functions: bool, console: Console
) -> Farmed:
    """Where workers are to judge, after a look at the cluster; on this host the device that opens
    says more (`on_this_host`).

    ``most`` of them, None: as many as there is room. Raises `UsageError`, `EnvironmentFailure`.
    """
    asked.check_address(parsed.ray)
    for name in APART:
        if getattr(parsed, name):
            rule = options.NOT_WITH(option=f"--{name.replace('_', '-')}")
            raise UsageError("ray", parsed.ray, rule)
    if parsed.case is not None and not parsed.case.is_dir():
        raise UsageError("ray", parsed.ray, options.NOT_WITH(option="--case"))
    if most == 0:
        raise UsageError("n", most, options.FROM_ONE(option="--ray"))
    asked.check_installed()
    if parsed.ray == asked.HERE:
        asked.check_card(parsed.device, functions=functions)
        device = parsed.device
        return Farmed(address=None, device=device, npus=device.startswith("npu"), most=most or 0)
    seen = asked.look(parsed.ray)
    told = say.CLUSTER(nodes=seen.nodes, cpus=seen.cpus, npus=seen.npus)
    console.print(told, markup=False)
    device = asked.device_there(parsed.device, seen.npus, functions=functions)
    npus = device.startswith("npu")
    return Farmed(address=parsed.ray, device=device, npus=npus, most=most or 0)


def on_this_host(farm: Farmed, opened: Device, processors: int) -> Farmed:
    """The same, where Ray is started on this host for the device that has been opened here."""
    if farm.address is not None:
        return farm
    if not isinstance(opened, NpuDevice):
        device = "sim" if farm.device == "auto" else farm.device
        return Farmed(address=None, device=device, npus=False, most=farm.most or processors)
    cards = opened.free_cards
    most = min(farm.most or cards, cards)
    device = "npu" if farm.device == "auto" else farm.device
    return Farmed(address=None, device=device, npus=True, most=most, cards=cards)


def option_of(farm: Farmed) -> tuple[str, ...]:
    """The arguments by which pytest has the cluster judge."""
    told = msgspec.json.encode(farm).decode()
    return ("-p", "conformance.ray.driver", f"--conformance-ray={told}")
