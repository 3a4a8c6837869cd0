"""A checkout of operators that are not the suite's, as libraries that a device can load."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.catalogue import device as say
from conformance.devices.traits import FILE, LibraryTraits
from conformance.errors import EnvironmentFailure, text_of
from conformance.record.operator import Operator, TensorParameter

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
"""What public kernels do and hardware lets pass: warnings (docs/how-to/foreign-kernels.md)."""


@dataclass(frozen=True)
class Checkout:
    """The libraries of a checkout's operators, and what became of all that it was asked for.

    ``folders`` are the sources of the operators in ``libraries``, by name. ``unbuilt`` has a reason
    for each that a record exists for and that cannot be judged.
    """

    libraries: Path
    folders: dict[str, Path]
    unbuilt: dict[str, str]

    @property
    def sources(self) -> tuple[Path, ...]:
        """The folders whose coverage is counted."""
        return tuple(
            folder / part for folder in self.folders.values() for part in ("op_host", "op_kernel")
        )


@dataclass(frozen=True)
class Contents:
    """What a checkout has of the operators that are asked for, before anything is built.

    ``unknown`` are its operators without a record, ``absent`` those asked for that it lacks;
    ``halves`` says of those that it has in part what is missing.
    """

    unknown: tuple[str, ...]
    absent: tuple[str, ...]
    halves: dict[str, str]


def contents(checkout: Path, operators: Iterable[Operator], known: Iterable[str]) -> Contents:
    """Look at a checkout; ``known`` are all operators that have a record."""
    from device_kernels.foreign.library import folders, halves

    asked, there = {operator.name for operator in operators}, folders(checkout)
    in_part = {name: why for name, why in halves(checkout).items() if name in asked}
    return Contents(
        unknown=tuple(sorted(there.keys() - set(known))),
        absent=tuple(sorted(asked - there.keys() - in_part.keys())),
        halves=in_part,
    )


def checkout_libraries(
    checkout: Path, operators: Iterable[Operator], *, coverage: bool = False
) -> Checkout:
    """Build those of ``operators`` that are in a checkout. Raises EnvironmentFailure."""
    from device_kernels.foreign.entries import Parameter, Signature
    from device_kernels.foreign.library import build_foreign, folders
    from device_kernels.foreign.tiling_keys import tiling_keys

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
        for one in operators
    ]
    try:
        built = build_foreign(checkout, signatures, coverage=coverage)
    except (RuntimeError, OSError) as error:
        raise EnvironmentFailure(say.CHECKOUT_NOT_BUILT(error=text_of(error))) from error
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
        unbuilt={one.operator: say.NOT_BUILT(error=one.reason) for one in built.unbuilt},
    )


def parts(libraries: Path, operator: str) -> list[Path]:
    """The libraries of one operator among those that were built of a checkout."""
    of_it = re.compile(rf"lib{re.escape(operator)}_(\d+|tiling)\.so", re.ASCII)
    return [path for path in sorted(libraries.iterdir()) if of_it.fullmatch(path.name)]
