"""Reading a bundle as somebody else's: every byte is checked, and nothing in it is run.

No path may leave the folder, no link is followed, no array is parsed: what an array must be is
known from the case (`arrays`), and what a case may be from the record
(`conformance.judge.legality`).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from conformance.call.case import Case, Tensor, integer_view
from conformance.catalogue import bundle as say
from conformance.errors import UsageError, text_of
from conformance.failure.bundle import manifest as told
from conformance.failure.bundle.arguments import input_file, rows_file
from conformance.failure.bundle.arrays import NotTheArray, decode, storable, stored_dtype
from conformance.failure.bundle.manifest import Manifest
from conformance.failure.bundle.stored import no_room
from conformance.failure.replay import Replay, decoded
from conformance.plain_file import NotPlain, read_open

PATH = re.compile(r"(?:[A-Za-z0-9_][\w.+-]{0,99}/)?[A-Za-z0-9_][\w.+-]{0,110}", re.ASCII)
MOST_FILES = 1000
MOST_MANIFEST_BYTES = 16 << 20
MOST_BYTES = 256 << 20
"""Of all files of a bundle; its arrays have up to `told.MOST_ARRAY_BYTES` together."""


@dataclass(frozen=True)
class Bundle:
    """A bundle whose every file is as it was written; ``files`` by their paths."""

    folder: Path
    manifest: Manifest
    replay: Replay
    files: Mapping[str, bytes]


def read_bundle(folder: Path) -> Bundle:
    """Read and check a bundle; raises `UsageError` that names the file that was changed."""
    if not folder.is_dir():
        raise UsageError("bundle", folder, say.FOLDER())
    raw = _read(folder, told.MANIFEST, MOST_MANIFEST_BYTES)
    found = _read(folder, told.SUMS, MOST_MANIFEST_BYTES)
    own = told.sums(raw, ())
    if not found.startswith(own):
        rule = say.DO_NOT_AGREE(manifest=told.MANIFEST, sums=told.SUMS)
        raise UsageError("bundle", folder, rule)
    manifest = _manifest(folder, raw)
    _check_entries(folder, manifest)
    if found != told.sums(raw, manifest.files):
        rule = say.SUMS_CHANGED(sums=told.SUMS, manifest=told.MANIFEST)
        raise UsageError("bundle", folder, rule)
    files = {}
    for one in manifest.files:
        content = _read(folder, one.path, one.bytes)
        if (len(content), hashlib.sha256(content).hexdigest()) != (one.bytes, one.sha256):
            rule = say.HASH_CHANGED(path=one.path, manifest=told.MANIFEST)
            raise UsageError("bundle", folder, rule)
        files[one.path] = content
    if told.CASE not in files:
        raise UsageError("bundle", folder, say.HAS_NO(path=told.CASE))
    return Bundle(folder, manifest, decoded(files[told.CASE], folder / told.CASE), files)


def as_stored(bundle: Bundle) -> tuple[Bundle, list[str]]:
    """The bundle with the case that its arrays tell, and what is to be said of that.

    The recipes of the case make the stored arrays; where another version of numpy makes others,
    the stored ones are the case. The case must be legal by now. Raises `UsageError` for an array
    that is not the case's and for a case of another hash than the manifest's.
    """
    notes: list[str] = []
    case = _stored(bundle, bundle.replay.case, 0, notes)
    digests = [bundle.manifest.digest, *(one.digest for one in bundle.manifest.before)]
    before = [_stored(bundle, one, number, notes) for number, one in enumerate(case.before, 1)]
    case = replace(case, before=tuple(before)) if notes else case
    for one, digest in zip((case, *before), digests, strict=False):
        if one.digest != digest:
            rule = say.OTHER_DIGEST(case=told.CASE, digest=one.digest, manifest=told.MANIFEST)
            raise UsageError("bundle", bundle.folder, rule)
    return replace(bundle, replay=replace(bundle.replay, case=case)), notes


def _stored(bundle: Bundle, case: Case, number: int, notes: list[str]) -> Case:
    """The case that the stored arrays tell; ``number`` is that of a call before the bundle's."""
    stored = dict(case.inputs)
    for name, tensor in case.inputs.items():
        path = input_file(name, number)
        if path not in bundle.files:
            continue
        _check_rows(bundle, rows_file(name, number), tensor)
        array = _array(bundle, path, tensor)
        made = storable(tensor.held(case.arrays[name]))
        if made.tobytes() != array.tobytes():
            if tensor.fill is None:
                rule = say.OTHER_VALUES(path=path, case=told.CASE, name=name)
                raise UsageError("bundle", bundle.folder, rule)
            values = array.view(integer_view(array.dtype)).reshape(-1).tolist()
            stored[name] = replace(tensor, values=tuple(values), fill=None, unread=())
            notes.append(say.OTHER_RECIPE(name=name, version=np.__version__))
    return replace(case, inputs=stored) if stored != dict(case.inputs) else case


def others(bundle: Bundle) -> Iterator[str]:
    """What the bundle does not hold, in words."""
    for one in bundle.manifest.left_out:
        known = no_room()
        reason = known if one.reason == known else one.reason
        yield say.NOT_STORED(path=one.path, count=one.bytes, reason=reason)


def _array(bundle: Bundle, path: str, tensor: Tensor) -> NDArray[Any]:
    try:
        return decode(bundle.files[path], stored_dtype(tensor.dtype), tensor.held_shape)
    except NotTheArray as error:
        rule = say.NOT_AS_THE_CASE_SAYS(path=path, case=told.CASE, error=text_of(error))
        raise UsageError("bundle", bundle.folder, rule) from None


def _check_rows(bundle: Bundle, path: str, tensor: Tensor) -> None:
    if tensor.rows is None or path not in bundle.files:
        return
    try:
        rows = decode(bundle.files[path], np.dtype(np.int64), (len(tensor.rows),))
        if tuple(rows.tolist()) != tuple(tensor.rows):
            raise NotTheArray(say.OTHER_ROWS())
    except NotTheArray as error:
        rule = say.NOT_AS_THE_CASE_SAYS(path=path, case=told.CASE, error=text_of(error))
        raise UsageError("bundle", bundle.folder, rule) from None


def _manifest(folder: Path, raw: bytes) -> Manifest:
    """The manifest, of the types that it must have."""
    try:
        head = msgspec.json.decode(raw, type=_Head)
        if head.kind != told.KIND or head.schema != told.SCHEMA:
            rule = say.OTHER_KIND(
                manifest=told.MANIFEST,
                kind=repr(head.kind[:40]),
                schema=head.schema,
                known_kind=repr(told.KIND),
                known_schema=told.SCHEMA,
            )
            raise UsageError("bundle", folder, rule)
        return msgspec.json.decode(raw, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        rule = say.NO_MANIFEST(manifest=told.MANIFEST, error=str(error))
        raise UsageError("bundle", folder, rule) from None


def _check_entries(folder: Path, manifest: Manifest) -> None:
    """Names and sizes, before a file is opened."""
    paths = [one.path for one in manifest.files]
    for path in paths:
        if not PATH.fullmatch(path):
            rule = say.NO_NAME(manifest=told.MANIFEST, path=repr(path[:200]))
            raise UsageError("bundle", folder, rule)
    if len(paths) != len(set(paths)) or len(paths) > MOST_FILES:
        rule = say.TWICE(manifest=told.MANIFEST, most=MOST_FILES)
        raise UsageError("bundle", folder, rule)
    sizes = [one.bytes for one in manifest.files]
    if min(sizes, default=0) < 0 or sum(sizes) > MOST_BYTES:
        rule = say.TOO_LARGE(manifest=told.MANIFEST, count=sum(sizes), most=MOST_BYTES)
        raise UsageError("bundle", folder, rule)


def _read(folder: Path, path: str, most: int) -> bytes:
    """The bytes of a plain file below the folder, which has no link on its way."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    opened: list[int] = []
    try:
        opened.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        *folders, name = path.split("/")
        for part in folders:
            opened.append(os.open(part, flags | os.O_DIRECTORY, dir_fd=opened[-1]))
        opened.append(os.open(name, flags | os.O_NONBLOCK, dir_fd=opened[-1]))
        return read_open(folder / path, opened.pop(), most)
    except NotPlain as error:
        rule = say.CHANGED(path=path, error=error.strerror)
        raise UsageError("bundle", folder, rule) from None
    except OSError as error:
        link = (folder / path).is_symlink() or any(p.is_symlink() for p in _between(folder, path))
        rule = say.LINK(path=path) if link else say.UNREADABLE(path=path, error=error.strerror)
        raise UsageError("bundle", folder, rule) from None
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _between(folder: Path, path: str) -> Iterator[Path]:
    parts = path.split("/")[:-1]
    yield from (folder.joinpath(*parts[: count + 1]) for count in range(len(parts)))


class _Head(msgspec.Struct):
    kind: str = ""
    schema: int = 0
