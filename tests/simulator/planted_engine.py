"""The built machine with one mistake in the engine's rules of order."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from device_kernels.build import build as build_operators
from tests.kept import kept
from tests.simulator.simulated_machine import (
    COMPILER,
    FLAGS,
    HOST_FLAGS,
    LANGUAGE,
    MACHINE,
    link_machine,
)

Result = TypeVar("Result")

ORDER = LANGUAGE / "engine" / "order"
UNIT = "planted.cpp"


@dataclass(frozen=True)
class Plant:
    """A text of a source of ``engine/order`` that stands there once, and what replaces it."""

    source: str
    old: str
    new: str


NOTHING = Plant("pipelines.cpp", "void Pipelines::Drop() {", "void Pipelines::Drop() {")
"""No mistake: the sources are only compiled anew."""

PASSES_OVER_FLAGS = Plant(
    "pipelines.cpp",
    "            return RunTo(queue.At(place).source, queue.At(place).number);",
    "            return;",
)
"""A pipe goes on without the flag that it waits for."""

BARRIER_ORDERS_ALL = Plant("barriers.cpp", "clocks.Barrier(pipe);", "clocks.BarrierAll();")
"""The clocks take a barrier of one pipe for one of all."""

FORGETS_FLAGS = Plant("flags.cpp", "        core.clocks.Acquire(WaiterOf(event), flag.told);\n", "")
"""The clocks learn nothing from a flag."""


def in_new_process(function: Callable[[Path], Result], library: Path) -> Result:
    """What a function makes of a planted machine, of which a process can open few."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, library).result()


def planted(machine: Path, plant: Plant) -> Path:
    """The library ``machine`` of `kept_machine` with this mistake, compiled once and kept, too."""
    told = f"{machine.parents[1].name} {plant}"
    return kept("planted", [Path(__file__)], partial(_link, machine, plant), told) / MACHINE


def _link(machine: Path, plant: Plant, folder: Path) -> None:
    """Links the test kernels beside the library ``machine`` again, in ``folder``, with the sources
    of ``engine/order`` compiled anew. These come first, so that every call reaches them.
    """
    shutil.copytree(ORDER, folder / "order")
    changed = folder / "order" / plant.source
    text = changed.read_text()
    assert text.count(plant.old) == 1, plant
    changed.write_text(text.replace(plant.old, plant.new))
    sources = sorted((folder / "order").glob("*.cpp"))
    # Beside the other folders of the engine, as "../schedule/core.h" and its like ask for.
    for other in (LANGUAGE / "engine").iterdir():
        if other.is_dir() and other.name != "order":
            (folder / other.name).symlink_to(other)
    unit, compiled = folder / UNIT, folder / "planted.o"
    unit.write_text("".join(f'#include "{source}"\n' for source in sources))
    command = [COMPILER, *FLAGS, "-O1", *HOST_FLAGS, "-DASCENDSIM_CHECKS=1", "-I", str(LANGUAGE)]
    subprocess.run([*command, "-c", str(unit), "-o", str(compiled)], check=True)
    objects = [compiled, *sorted(machine.parent.glob("*.o"))]
    runtime = build_operators(quiet=True).runtime
    link_machine(objects, runtime, folder, "-Wl,--allow-multiple-definition")
