"""The one place where a file of somebody else's is opened: plain files alone, and none too large.

A folder, a pipe, a device or a socket in the place of a file would end in a traceback, hang, or
never end; so it is told apart before it is opened, and once more when it is open.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from conformance.catalogue import files as say
from conformance.errors import EnvironmentFailure, UsageError

KINDS = {
    stat.S_IFDIR: say.FOLDER,
    stat.S_IFIFO: say.PIPE,
    stat.S_IFCHR: say.DEVICE,
    stat.S_IFBLK: say.DEVICE,
    stat.S_IFSOCK: say.SOCKET,
    stat.S_IFLNK: say.LINK,
}
FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class NotPlain(OSError):  # noqa: N818 - what a path is
    """A path that leads to something else than a plain file, or to one that is too large.

    ``strerror`` says it, as an operating system would say why a file cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str], why: str) -> None:
        super().__init__(errno.EINVAL, why, os.fspath(path))


def read_plain(path: Path, most_bytes: int, *, follow: bool = False) -> bytes:
    """The bytes of a plain file of up to ``most_bytes``.

    A link is followed only if ``follow``: where a person names the file, not where a folder of
    somebody else's has it. Raises `OSError`, of which `FileNotFoundError` says that nothing is
    there and `NotPlain` what is there instead; its ``strerror`` is a reason to tell.
    """
    check_plain(path, os.stat(path) if follow else os.lstat(path), most_bytes)
    # Another one may have put something else there by now.
    descriptor = os.open(path, FLAGS if follow else FLAGS | os.O_NOFOLLOW)
    return read_open(path, descriptor, most_bytes)


def read_open(path: str | os.PathLike[str], descriptor: int, most_bytes: int) -> bytes:
    """As `read_plain`, of what a descriptor has open, which is closed."""
    with os.fdopen(descriptor, "rb") as file:
        check_plain(path, os.fstat(descriptor), most_bytes)
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:  # it grew
        raise NotPlain(path, say.GREW(most=most_bytes))
    return content


def read_given(parameter: str, path: Path, most_bytes: int) -> bytes:
    """The bytes of a file that a person names as ``parameter``.

    Raises `UsageError` where there is none, `EnvironmentFailure` where it cannot be read.
    """
    try:
        return read_plain(path, most_bytes, follow=True)
    except FileNotFoundError as error:
        raise UsageError(parameter, path, say.UNREADABLE(why=error.strerror)) from error
    except OSError as error:
        told = say.UNREADABLE_FILE(what=parameter, path=path, why=error.strerror)
        raise EnvironmentFailure(told) from error


def check_plain(path: str | os.PathLike[str], known: os.stat_result, most_bytes: int) -> None:
    """Raise `NotPlain` for what is no plain file of up to ``most_bytes``."""
    if not stat.S_ISREG(known.st_mode):
        kind = KINDS.get(stat.S_IFMT(known.st_mode), say.SOMETHING_ELSE)
        raise NotPlain(path, say.NOT_PLAIN(kind=kind()))
    if known.st_size > most_bytes:
        raise NotPlain(path, say.TOO_LARGE(size=known.st_size, most=most_bytes))
