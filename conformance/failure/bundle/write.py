"""Writing a bundle: everything that a refused call needs to be made again, anywhere."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from conformance.call.attribute import Stored, stored
from conformance.call.case import Case
from conformance.call.observation import Observation
from conformance.call.surroundings import POISONED
from conformance.catalogue import bundle as say
from conformance.devices.device import DeviceProfile
from conformance.errors import text_of
from conformance.evidence.summary import now
from conformance.failure.bundle import manifest as told
from conformance.failure.bundle.accepted import accepted_of, estimated_bytes
from conformance.failure.bundle.arguments import NAME, UNDEFINED, arguments_of
from conformance.failure.bundle.arrays import encoded_bytes, storable
from conformance.failure.bundle.before import before_of, machine_of
from conformance.failure.bundle.manifest import AcceptedEntry, Manifest, ObservedEntry, Seen
from conformance.failure.bundle.program import cpp_program, python_device, python_program
from conformance.failure.bundle.stored import Arrays
from conformance.failure.replay import Replay, encoded
from conformance.judge.agreement import ReferenceDisagreement
from conformance.judge.sequences import rejection_of
from conformance.numerics.arithmetic import Arithmetic
from conformance.printable import printable
from conformance.record.operator import Example, Operator
from conformance.suite.on_route import two_phase


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a refused call comes from: the item of a run, its device, and what was said of it."""

    item: str
    profile: str
    seed: int
    time_limit: float
    headline: str
    text: str
    provenance: Mapping[str, Any] = field(default_factory=dict)
    device: DeviceProfile | None = None
    arithmetic: Arithmetic = field(default_factory=Arithmetic)


def write_bundle(
    folder: Path,
    replay: Replay,
    operator: Operator | None,
    seen: Observation,
    origin: Origin,
    others: Mapping[str, Operator] | None = None,
) -> None:
    """Put the bundle of a refused call in place as a whole; an earlier one of the name goes.

    ``others`` are records by name, of the calls before it. Raises `OSError`.
    """
    fresh = folder.with_name(f".{folder.name}.{os.getpid()}")
    files = bundle_files(replay, operator, seen, origin, others or {})
    try:
        for path, content in files.items():
            (fresh / path).parent.mkdir(parents=True, exist_ok=True)
            (fresh / path).write_bytes(content)
        _put_in_place(fresh, folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _put_in_place(fresh: Path, folder: Path) -> None:
    """Rename a folder to one that may be there, and that another process may just put there."""
    for last in (False, False, True):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            os.rename(fresh, folder)
        except OSError as error:
            if last or error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        else:
            return


def bundle_files(
    replay: Replay,
    operator: Operator | None,
    seen: Observation,
    origin: Origin,
    others: Mapping[str, Operator],
) -> dict[str, bytes]:
    """The content of every file of a bundle, by its path there."""
    case, arrays = replay.case, Arrays()
    arguments, why_not = arguments_of(case, operator, replay.route, arrays)
    before, why_none = before_of(case, replay.route, others, arrays)
    why_not = why_not or why_none
    accepted, status = _accepted(arrays, replay, operator, origin.arithmetic)
    observed = _observed(arrays, seen)
    lost = [one for one in arrays.left_out if not one.path.startswith(("accepted/", "observed/"))]
    if replay.judged_as == "relation":
        why_not = say.OF_A_RELATION()
    elif lost and not why_not:
        why_not = say.NOT_STORED_HERE(path=lost[0].path, reason=lost[0].reason)
    files = {
        told.CASE: encoded(replay),
        told.VERDICT: f"{printable(origin.text)}\n".encode(),
        **arrays.files,
    }
    if not why_not:
        files[told.PYTHON_PROGRAM] = python_program()
        files[told.PYTHON_DEVICE] = python_device()
    made = Manifest(
        operator=case.operator,
        mode=case.mode,
        dtype=case.dtype,
        route=replay.route,
        judged_as=replay.judged_as,
        name=replay.name,
        item=origin.item,
        digest=case.digest,
        headline=origin.headline,
        made=now(),
        seeds=told.Seeds(
            run=origin.seed,
            fills={name: int(one.fill.seed) for name, one in case.inputs.items() if one.fill},
        ),
        profile=origin.profile,
        time_limit=origin.time_limit,
        attributes={name: _plain(value) for name, value in case.attributes.items()},
        machine=machine_of(case),
        device=None if origin.device is None else msgspec.to_builtins(origin.device, enc_hook=str),
        device_words="" if origin.device is None else origin.device.describe(),
        implementation="" if replay.implementation is None else replay.implementation.words,
        arithmetic=_words(origin.arithmetic),
        provenance=dict(origin.provenance),
        symbol="" if why_not or operator is None else operator.symbol(two_phase(replay.route)),
        status=status,
        arguments=arguments,
        accepted=accepted,
        observed=observed,
        no_programs=why_not,
        no_cpp="" if why_not else _why_no_cpp(case),
        memory=case.setting.memory,
        before=before,
        left_out=tuple(arrays.left_out),
        files=tuple(arrays.entry(path, content) for path, content in files.items()),
    )
    if not why_not and not made.no_cpp:
        files[told.CPP_PROGRAM] = cpp_program(made)
        program = told.entry(told.CPP_PROGRAM, files[told.CPP_PROGRAM])
        made.files = (*made.files, program)
    written = told.encode(made)
    return {**files, told.MANIFEST: written, told.SUMS: told.sums(written, made.files)}


def _accepted(
    arrays: Arrays, replay: Replay, operator: Operator | None, arithmetic: Arithmetic
) -> tuple[dict[str, AcceptedEntry], int]:
    """What is accepted of each output, and the status that phase 1 must answer."""
    case = replay.case
    found: dict[str, AcceptedEntry] = {}
    if operator is None or replay.judged_as == "relation":
        return found, 0
    untouched = AcceptedEntry(kind="not stored", reason=say.OF_A_REFUSAL())
    silent = dict.fromkeys(case.outputs, untouched)
    if replay.judged_as == "rejection":
        status = [one.status for one in operator.rejections if one.name == replay.name]
        return silent, status[0] if status else 0
    if replay.judged_as == "sequence" and (rejection := rejection_of(operator, case)):
        return silent, rejection.status
    named = [one for one in operator.examples if one.name == replay.name]
    example = named[0] if named and replay.judged_as == "example" else None
    for name in case.outputs:
        found[name] = _of_output(arrays, operator, case, name, arithmetic, example)
    return found, 0


def _of_output(
    arrays: Arrays,
    operator: Operator,
    case: Case,
    name: str,
    arithmetic: Arithmetic,
    example: Example | None,
) -> AcceptedEntry:
    place = f"accepted/{name}"
    try:
        if not NAME.fullmatch(name):
            raise ValueError(say.NO_FILE_NAME())
        if not arrays.fits(place, estimated_bytes(operator, case, name)):
            return AcceptedEntry(kind="not stored", reason=arrays.left_out[-1].reason)
        accepted = accepted_of(operator, case, name, arithmetic, example)
    except (*UNDEFINED, ReferenceDisagreement) as error:
        return AcceptedEntry(kind="not stored", reason=say.NOT_SAID(error=text_of(error)))
    files = {part: f"{place}.{part}.npy" for part in accepted.arrays}
    count = sum(encoded_bytes(one.dtype, one.shape) for one in accepted.arrays.values())
    if not arrays.fits(place, count):
        return AcceptedEntry(kind="not stored", reason=arrays.left_out[-1].reason)
    for part, path in files.items():
        arrays.add(path, accepted.arrays[part])
    return AcceptedEntry(
        kind=accepted.kind,
        files=files,
        storage_bits=accepted.storage_bits,
        infinity_bits=accepted.infinity_bits,
    )


def _observed(arrays: Arrays, seen: Observation) -> Seen:
    """How the call ended; the outputs that came back, where they have names and room."""
    outputs: dict[str, ObservedEntry] = {}
    for name, array in seen.outputs.items():
        if NAME.fullmatch(name):
            path = f"observed/{name}.npy"
            plain = storable(array)
            digest = hashlib.sha256(plain.tobytes()).hexdigest()
            outputs[name] = ObservedEntry(
                sha256=digest, file=path if arrays.add(path, plain) else ""
            )
    return Seen(
        outcome=seen.outcome.value,
        status=int(seen.status),
        phase=seen.phase,
        message=seen.message,
        outputs=outputs,
    )


def _why_no_cpp(case: Case) -> str:
    """What the program in C++ does not do, which poisons memory and makes one call."""
    if case.before:
        return say.CALLS_BEFORE()
    if case.setting.memory != POISONED:
        return say.OTHER_MEMORY(memory=case.setting.memory)
    return ""


def _words(arithmetic: Arithmetic) -> dict[str, tuple[str, ...]]:
    """What a device may do, as the manifest tells it."""
    return {
        "casts": tuple(sorted(arithmetic.casts)),
        "overflows": tuple(sorted(arithmetic.overflows)),
        "flushes": tuple("yes" if one else "no" for one in sorted(arithmetic.flushes)),
    }


def _plain(value: Any) -> Stored:
    """An attribute as Python's own numbers; strategies draw numpy's too."""
    if value is None or isinstance(value, float):
        found: Stored = stored(value)
        return found
    return tuple(map(int, value)) if isinstance(value, tuple | list | np.ndarray) else int(value)
