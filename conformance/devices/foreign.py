"""A checkout of operators that are not the suite's, as libraries that a device can load."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.devices.device import EnvironmentFailure
from conformance.devices.traits import FILE, LibraryTraits
from conformance.operator import Operator, TensorParameter

USABLE_UB_BYTES = 196352
"""Of one Ascend910B core, as its tilings are told (operators.md 1.2): theirs expect no less."""

SYNC_LEVEL = "none"
"""What the compiler leaves to sources that are compiled with --cce-auto-sync=on, as the public
operators are: it orders the units of a core by itself, and their sources rely on it.
"""

TOLERATED = (
    "argument-range",
    "flag-set-twice",
    "gm-out-of-bounds",
    "queue-state",
    "uninitialised-read",
    "uninitialised-store",
)
"""What public kernels do and hardware lets pass; told as warnings (docs/foreign_kernels.md)."""


@dataclass(frozen=True)
class Checkout:
    """The libraries of a checkout's operators, and what became of all that it was asked for.

    ``folders`` are the sources of the operators in ``libraries``, by name. ``unbuilt`` has a reason
    for each that a record exists for and that cannot be judged, ``unknown`` are the operators of
    the checkout without a record, ``absent`` those with one that the checkout lacks.
    """

    libraries: Path
    folders: dict[str, Path]
    unbuilt: dict[str, str]
    unknown: tuple[str, ...]
    absent: tuple[str, ...]

    @property
    def sources(self) -> tuple[Path, ...]:
        """The folders whose coverage is counted."""
        return tuple(
            folder / part for folder in self.folders.values() for part in ("op_host", "op_kernel")
        )

    def lines(self) -> Iterable[str]:
        """What is not judged, and why, a line for each reason."""
        for name, reason in self.unbuilt.items():
            yield f"not judged: {name} does not build: {reason}"
        if self.unknown:
            yield f"no record, not judged: {', '.join(self.unknown)}"
        if self.absent:
            yield f"not in the checkout: {', '.join(self.absent)}"


def checkout_libraries(
    checkout: Path,
    operators: Iterable[Operator],
    known: Iterable[str],
    *,
    coverage: bool = False,
) -> Checkout:
    """Build those of ``operators`` that are in a checkout; ``known`` are all that have a record.

    Raises EnvironmentFailure.
    """
    from device_kernels.foreign.entries import Parameter, Signature
    from device_kernels.foreign.library import build_foreign, folders
    from device_kernels.foreign.tiling_keys import tiling_keys

    asked = {operator.name: operator for operator in operators}
    there = folders(checkout)
    signatures = [
        Signature(
            one.name,
            one.aclnn,
            tuple(
                Parameter(each.acl_name, each.role, each.optional)
                if isinstance(each, TensorParameter)
                else Parameter(each.acl_name, each.ctype)
                for each in one.parameters
            ),
        )
        for one in asked.values()
    ]
    try:
        built = build_foreign(checkout, signatures, coverage=coverage)
    except (RuntimeError, OSError) as error:
        raise EnvironmentFailure(f"the checkout cannot be judged: {error}") from error
    traits = LibraryTraits(
        least_ub_bytes=USABLE_UB_BYTES,
        sync_level=SYNC_LEVEL,
        tolerated=TOLERATED,
        checks_calls=False,
        checkout=str(checkout),
        operators=built.built,
        tiling_keys={name: keys for name in built.built if (keys := tiling_keys(there[name]))},
    )
    (built.lib / FILE).write_bytes(msgspec.json.encode(traits))
    return Checkout(
        libraries=built.lib,
        folders={name: there[name] for name in built.built},
        unbuilt={one.operator: one.reason for one in built.unbuilt},
        unknown=tuple(sorted(there.keys() - set(known))),
        absent=tuple(sorted(asked.keys() - there.keys())),
    )
