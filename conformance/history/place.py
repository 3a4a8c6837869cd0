"""Where a database may lie: on a file system of this host, never on one that hosts share.

Locks of network file systems are not dependable, and SQLite says that a database there may be
corrupted (https://www.sqlite.org/faq.html#q5); its write-ahead log needs memory that all writers
share (https://www.sqlite.org/wal.html).
"""

from __future__ import annotations

import re
from pathlib import Path

from conformance.catalogue import history as say
from conformance.errors import UsageError

MOUNTS = Path("/proc/self/mountinfo")
SHARED = re.compile(
    r"nfs\d?|cifs|smb\w*|ncpfs|afs|coda|9p|virtiofs|ceph|glusterfs|lustre|gpfs|beegfs\w*|orangefs|"
    r"pvfs2|ocfs2|gfs2|dfs|fuse\.(sshfs|ceph\S*|gluster\S*|s3fs|rclone|juicefs|cvmfs|\S*nfs\S*)"
)
"""Types of file systems, as Linux names them, that several hosts write."""


def check_local(path: Path, mounts: str | None = None) -> None:
    """Refuse a path on a network file system; ``mounts`` is the text of mountinfo, if not this
    host's. Raises `UsageError` that says what to do."""
    kind = filesystem(path, mounts)
    if SHARED.fullmatch(kind):
        raise UsageError("db", path, say.ON_A_NETWORK(kind=kind))


def filesystem(path: Path, mounts: str | None = None) -> str:
    """The type of the file system that a path is on; empty where Linux does not say."""
    text = mounts
    if text is None:
        try:
            text = MOUNTS.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
    there = path.resolve()
    best: tuple[int, str] = (-1, "")
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()[:1]
        if len(fields) < 5 or not kind:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        # Of two mounts on one point the later one is seen.
        if (there == point or point in there.parents) and len(point.parts) >= best[0]:
            best = len(point.parts), kind[0]
    return best[1]
