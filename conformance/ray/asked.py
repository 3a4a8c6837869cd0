"""``--ray``: whether a cluster is there, and what of it a run uses."""

from __future__ import annotations

import importlib.util
import re
import socket
import subprocess
import sys

import msgspec

from conformance import places
from conformance.catalogue import on_ray as say
from conformance.errors import EnvironmentFailure, UsageError
from conformance.session.command import environment_of_suite

ANSWER_SECONDS = 10
AUTO = "auto"
HERE = ""
"""What ``--ray`` is without an address."""


class Farmed(msgspec.Struct, kw_only=True):
    """Where a run's workers judge: Ray's ``address``, None on this host alone.

    ``device`` is what they open, ``npus`` whether each claims a card. ``most`` of them judge at
    once, 0: as many as there is room. ``cards`` are those of this host.
    """

    address: str | None
    device: str
    npus: bool
    most: int = 0
    cards: int = 0


def farmed(text: str) -> Farmed:
    """What the front door says to the session that it starts."""
    return msgspec.json.decode(text, type=Farmed)


class Seen(msgspec.Struct, kw_only=True):
    """What a cluster has, or why there is none to join."""

    nodes: int = 0
    cpus: int = 0
    npus: int = 0
    error: str = ""


def check_installed() -> None:
    """Raise `EnvironmentFailure` where Ray is not installed."""
    if importlib.util.find_spec("ray") is None:
        raise EnvironmentFailure(say.NOT_INSTALLED())


def check_address(text: str) -> None:
    """Raise `UsageError` for what is no address of a cluster."""
    if not re.fullmatch(r"|auto|[\w.-]+:\d{1,5}|\[[\da-fA-F:]+\]:\d{1,5}", text, re.ASCII):
        raise UsageError("ray", text, say.ADDRESSES())


def look(address: str) -> Seen:
    """What the cluster has at an address. Raises `EnvironmentFailure` where there is none.

    A process of its own looks: Ray leaves threads behind, and this one is forked. It asks for
    minutes where nobody answers, so somebody must.
    """
    if address != AUTO:
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
        except (OSError, OverflowError) as error:
            told = say.NO_CLUSTER(address=address, error=str(error))
            raise EnvironmentFailure(told) from error
    command = [sys.executable, "-m", "conformance.ray.look", address]
    environment = environment_of_suite(places.root())
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    try:
        seen = msgspec.json.decode(done.stdout, type=Seen)
    except msgspec.MsgspecError:
        seen = Seen(error=(done.stderr.strip().splitlines() or [str(done.returncode)])[-1])
    if seen.error:
        raise EnvironmentFailure(say.NO_CLUSTER(address=address, error=seen.error))
    return seen


def check_card(asked: str, *, functions: bool) -> None:
    """Raise `UsageError` for a card by number: Ray gives each worker one, which is its number 0.

    A device of Python ``functions`` has a number always.
    """
    if asked.startswith("npu:") and not (functions and asked == "npu:0"):
        raise UsageError("device", asked, say.ONE_CARD_EACH())


def device_there(asked: str, npus: int, *, functions: bool) -> str:
    """What workers open of a device that is asked for, on a cluster of so many NPUs.

    Raises `UsageError` for a card by number, and for an NPU where no node has one.
    """
    check_card(asked, functions=functions)
    if asked.startswith("npu") and not npus:
        raise UsageError("device", asked, say.NO_NPU())
    if asked == "auto" and not functions:
        return "npu" if npus else "sim"
    return asked
