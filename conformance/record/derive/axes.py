"""Axes of cells that any case shows by itself: values of a tensor, its data type, the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.call.case import Case, Machine, Tensor
from conformance.record.cells import Axis
from conformance.values.fill import families_of

CORES: Mapping[str, tuple[int, ...]] = {"one": (1,), "few": (2, 3), "many": (40, 48)}
"""Numbers of cores by class; a case is of the last class whose first number it has."""

SMALL_UB = 16384
"""The most bytes of a small buffer."""

BUFFERS = ("small", "large")


def of_values(
    name: str, levels: tuple[str, ...], tensor: str | Callable[[Case], Tensor], absent: str = ""
) -> Axis:
    """The families of values that an input holds, which is named or found in a case; ``absent`` is
    the level of a case without it.
    """

    def shown(case: Case) -> tuple[str, ...]:
        held = case.inputs.get(tensor) if isinstance(tensor, str) else tensor(case)
        if held is None:
            return (absent,) if absent else ()
        return families_of(held.fill, held.shape[-1]) if held.fill else ()

    return Axis(name, levels, shown)


def of_dtypes(name: str, levels: tuple[str, ...], tensor: str) -> Axis:
    """The data types of a tensor that a case always has."""
    return Axis(name, levels, lambda case: [{**case.inputs, **case.outputs}[tensor].dtype])


def of_sizes(
    name: str,
    spans: Mapping[str, tuple[int, int]],
    sizes_of: Callable[[Case], Mapping[str, int]],
) -> Axis:
    """The size of that name, by levels with the least and the most that each takes."""

    def shown(case: Case) -> list[str]:
        size = sizes_of(case)[name]
        return [level for level, (least, most) in spans.items() if least <= size <= most]

    return Axis(name, tuple(spans), shown)


def of_machines() -> tuple[Axis, Axis]:
    """How many cores a machine has ("one", "few": 2 or 3, "many": 40 or 48), and whether its buffer
    is "small", up to 16 KiB, or "large".
    """
    buffers = {"small": 0, "large": SMALL_UB + 1}

    def cores(machine: Machine) -> list[str]:
        return class_of(machine.cores, {name: some[0] for name, some in CORES.items()})

    return (
        Axis("cores", tuple(CORES), lambda case: cores(case.machine) if case.machine else []),
        Axis(
            "UB",
            BUFFERS,
            lambda case: class_of(case.machine.ub_bytes, buffers) if case.machine else [],
        ),
    )


def class_of(size: int, least: Mapping[str, int]) -> list[str]:
    """The last of the classes whose least size it has, as levels that a case shows."""
    return [name for name, first in least.items() if size >= first][-1:]
