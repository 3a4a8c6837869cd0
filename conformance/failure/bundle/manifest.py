"""The manifest of a bundle: what was called, on what, what came of it, and every file's hash.

``SHA256SUMS`` has the manifest's own hash and repeats the others, so that ``sha256sum -c`` checks a
bundle on any host.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from conformance.call.attribute import Stored

KIND = "conformance bundle"
SCHEMA = 1
MANIFEST, SUMS, CASE, VERDICT = "manifest.json", "SHA256SUMS", "case.json", "verdict.txt"
PYTHON_PROGRAM, PYTHON_DEVICE, CPP_PROGRAM = "replay.py", "replay_device.py", "replay.cpp"
GUARDS = "guards.npy"

MOST_ARRAY_BYTES = 32 << 20
"""Bytes of all arrays of a bundle together. What does not fit is left out: inputs are then made
anew from the seeds in ``case.json``, and there is no program that does without this project."""


class Strict(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A part of the manifest: fields that nobody knows are refused."""


class FileEntry(Strict, kw_only=True):
    """A file of the bundle: its path there, its size and its hash; of an array, what it holds."""

    path: str
    bytes: int
    sha256: str
    dtype: str = ""
    shape: tuple[int, ...] | None = None


class LeftOut(Strict, kw_only=True):
    """An array that is not stored: where it would be, its size, and why."""

    path: str
    bytes: int
    reason: str


class Argument(Strict, kw_only=True):
    """An argument of the call, in the order of the signature."""

    name: str
    acl_name: str
    kind: Literal["tensor", "null", "int64", "bool", "double", "int array", "numbers"]
    value: Stored = None
    role: Literal["input", "output", ""] = ""
    dtype: str = ""
    data_type: int = 0
    itemsize: int = 0
    shape: tuple[int, ...] = ()
    strides: tuple[int, ...] | None = None
    start: int = 0
    spare: int = 0
    format: int = 2
    file: str = ""
    rows_file: str = ""


class BeforeEntry(Strict, kw_only=True):
    """A call that is made before the bundle's, on the same device; fields as in `Manifest`.

    ``guards`` is the file of its guard zones.
    """

    operator: str
    digest: str
    symbol: str
    status: int
    machine: dict[str, int | str] | None
    memory: str
    arguments: tuple[Argument, ...]
    guards: str


class AcceptedEntry(Strict, kw_only=True):
    """What is accepted of an output, and the arrays that say so."""

    kind: Literal["ranges", "exact", "anything", "not stored"]
    files: dict[str, str] = {}
    storage_bits: int = 0
    infinity_bits: int = 0
    reason: str = ""


class ObservedEntry(Strict, kw_only=True):
    """An output as it was observed: the hash of its elements' bytes in C order, and its file."""

    sha256: str
    file: str = ""


class Seen(Strict, kw_only=True):
    """How the call ended; fields as in `conformance.call.observation.Observation`."""

    outcome: str
    status: int
    phase: str
    message: str
    outputs: dict[str, ObservedEntry] = {}


class Seeds(Strict, kw_only=True):
    """From which seeds the case came: of the run, and of the recipes by tensor."""

    run: int
    fills: dict[str, int] = {}


class Manifest(Strict, kw_only=True):
    """``manifest.json``; docs/reference/evidence.md has the fields of it and of its parts."""

    kind: str = KIND
    schema: int = SCHEMA
    operator: str
    mode: str
    dtype: str
    route: str
    judged_as: str
    name: str
    item: str
    digest: str
    headline: str
    made: str
    seeds: Seeds
    profile: str
    time_limit: float
    attributes: dict[str, Stored]
    machine: dict[str, int | str] | None
    device: dict[str, Any] | None
    device_words: str
    implementation: str = ""
    arithmetic: dict[str, tuple[str, ...]]
    provenance: dict[str, Any]
    symbol: str
    status: int
    arguments: tuple[Argument, ...]
    accepted: dict[str, AcceptedEntry]
    observed: Seen
    no_programs: str
    no_cpp: str = ""
    memory: str = "poisoned"
    before: tuple[BeforeEntry, ...] = ()
    most_array_bytes: int = MOST_ARRAY_BYTES
    left_out: tuple[LeftOut, ...] = ()
    files: tuple[FileEntry, ...]


def entry(path: str, content: bytes) -> FileEntry:
    """The entry of a file with that content."""
    return FileEntry(path=path, bytes=len(content), sha256=hashlib.sha256(content).hexdigest())


def sums(manifest: bytes, files: Iterable[FileEntry]) -> bytes:
    """The content of ``SHA256SUMS``."""
    lines = [f"{one.sha256}  {one.path}\n" for one in (entry(MANIFEST, manifest), *files)]
    return "".join(lines).encode()


def encode(manifest: Manifest) -> bytes:
    """The content of ``manifest.json``."""
    return msgspec.json.format(msgspec.json.encode(manifest, enc_hook=str), indent=1) + b"\n"
