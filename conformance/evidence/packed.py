"""The lines of one process on disk: the latest plain, those before them packed.

``evidence.WORKER.jsonl`` has the latest lines. When they take `PACK_BYTES`, they go as one gzip
member to the end of ``evidence.WORKER.jsonl.gz``, and the plain file is emptied. If a process is
killed between the two, lines lie in both files: a reader takes them once. If it is killed while it
packs, the last member is cut: its lines are still in the plain file.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

from conformance.catalogue import corrupted as say
from conformance.evidence.chain import Link
from conformance.plain_file import NotPlain, read_plain

PATTERN = "evidence.*.jsonl"
"""The plain files; the name of one is the name of the chain of its lines, packed or not."""
ENDING = ".gz"
PACK_BYTES = 2**18
"""The window of gzip has 2^15: larger members are hardly smaller."""
MOST_BYTES = 2**31
"""Of one file of evidence; packed, ten million verdicts take less."""
MOST_MEMBER_BYTES = 2**27
"""Of the lines of a member: `PACK_BYTES` and one line more, which may hold pictures."""
CHUNK = 2**16


def packed_of(path: Path) -> Path:
    """The packed file beside a plain one."""
    return path.with_name(path.name + ENDING)


def files_of_lines(out: Path) -> list[Path]:
    """The plain file of every process of a run, also if all of its lines are packed."""
    found = {*out.glob(PATTERN)}
    found |= {path.with_name(path.name[: -len(ENDING)]) for path in out.glob(PATTERN + ENDING)}
    return sorted(found)


def raw_lines(path: Path) -> Iterator[bytes]:
    """The lines of a process, each once, in their order; only the last may lack its newline.

    Raises `OSError`, also for what is not packed as `pack` does it.
    """
    # Plain first: what is packed meanwhile stands in both, and not in none.
    plain, packed = _content(path), _content(packed_of(path))
    if plain is None and packed is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    last: list[bytes] = []
    for _, text in members(packed or b"", packed_of(path)):
        last = text.splitlines(keepends=True)
        yield from last
    latest = (plain or b"").splitlines(keepends=True)
    yield from latest[_repeated(last, latest) :]


def members(raw: bytes, path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of each whole member, and where the member ends; ``path`` is told in an error.

    A last member that is cut is none. Raises `OSError`.
    """
    at = 0
    while at < len(raw):
        unpacker, text = zlib.decompressobj(wbits=31), b""
        while not unpacker.eof:
            if at == len(raw):
                return
            chunk = raw[at : at + CHUNK]
            try:
                text += unpacker.decompress(chunk, MOST_MEMBER_BYTES - len(text) + 1)
            except zlib.error as error:
                raise NotPlain(path, say.NOT_PACKED(error=str(error))) from error
            if len(text) > MOST_MEMBER_BYTES:
                raise NotPlain(path, say.LONG_MEMBER(most=MOST_MEMBER_BYTES))
            at += len(chunk)
        at -= len(unpacker.unused_data)
        yield at, text


def pack(path: Path) -> None:
    """Move the lines of a plain file to the end of the packed one. Raises `OSError`: then they stay
    where they are.
    """
    member = gzip.compress(read_plain(path, MOST_BYTES), mtime=0)
    with packed_of(path).open("ab", buffering=0) as file:
        before = file.seek(0, os.SEEK_END)
        try:
            if file.write(member) != len(member):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            # The lines were on disk: they must be there again before they go.
            os.fsync(file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                file.truncate(before)
            raise
    os.truncate(path, 0)


def mend(path: Path) -> None:
    """Take away what the end of a process has left half done: a cut line, a cut member, and lines
    that lie in both files. Nobody may write there. Raises `OSError`.
    """
    plain, packed = _content(path), _content(packed_of(path))
    end, last = 0, b""
    if packed is not None:
        for one in members(packed, packed_of(path)):
            end, last = one
        os.truncate(packed_of(path), end)
    if plain is not None:
        whole = plain[: plain.rfind(b"\n") + 1]
        lines = whole.splitlines(keepends=True)
        both = _repeated(last.splitlines(keepends=True), lines) == len(lines)
        os.truncate(path, 0 if both else len(whole))


def last_link(path: Path) -> Link:
    """The link of the last finished line of a process. Raises `OSError`, also if it has none."""
    last = b""
    with contextlib.suppress(FileNotFoundError):
        for raw in raw_lines(path):
            last = raw if raw.endswith(b"\n") else last
    if not last:
        return Link.first(path.name)
    found = Link.of_line(last)
    if found is None:
        raise OSError(errno.EINVAL, say.NO_LINK_AT_END(), os.fspath(path))
    return found[1]


def _content(path: Path) -> bytes | None:
    """The bytes of a file; None if there is none."""
    try:
        return read_plain(path, MOST_BYTES)
    except FileNotFoundError:
        return None


def _repeated(packed: list[bytes], plain: list[bytes]) -> int:
    """How many lines at the beginning of the plain file end the packed one, too."""
    if not plain or plain[0] not in packed:
        return 0
    count = len(packed) - packed.index(plain[0])
    return count if packed[-count:] == plain[:count] else 0
