"""Regressions: calls that were refused once, promoted by a person, judged first in every run.

A folder has one file for each, ``OPERATOR/NAME.json``, small enough to be read in a review.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from conformance.catalogue import files
from conformance.catalogue import frozen as say
from conformance.errors import UsageError, text_of
from conformance.failure.replay import Replay
from conformance.plain_file import read_plain
from conformance.record.frozen import (
    NAME,
    Frozen,
    NotFrozen,
    frozen_now,
    is_link,
    read,
    written,
)

MOST_BYTES = 64 << 10
"""Of one regression: it is committed, and read by people."""

JUDGED_ALREADY = ("rejection", "quarantine")
"""Calls that are on record by name, and made in every run."""


def read_regressions(folder: Path) -> Mapping[str, Sequence[Frozen]]:
    """The regressions in a folder by operator. Raises `UsageError` for a file that is none."""
    found: dict[str, list[Frozen]] = {}
    for path in sorted(folder.glob("*/*.json")):
        try:
            raw = read_plain(path, MOST_BYTES, follow=True)
            one = read(raw, "regression", path.parent.name)
            if one.name != path.stem:
                raise NotFrozen(say.ANOTHER_NAME(name=repr(one.name)))
        except OSError as error:
            raise UsageError("regression", path, files.UNREADABLE(why=error.strerror)) from error
        except NotFrozen as error:
            raise UsageError("regression", path, text_of(error)) from error
        found.setdefault(path.parent.name, []).append(one)
    return found


def digest_of(found: Mapping[str, Sequence[Frozen]]) -> str | None:
    """A text by which runs of other regressions are told apart; None where there are none."""
    told = sorted((name, one.name, one.digest) for name, some in found.items() for one in some)
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16] if told else None


def promote(folder: Path, replay: Replay, name: str, why: str, links: tuple[str, ...] = ()) -> Path:
    """Write a refused call as a regression; returns its file.

    Raises `UsageError` for a name that says nothing or is taken, a link that is none, a call that
    is made in every run already, and one that is too large to commit.
    """
    if not NAME.fullmatch(name) or name.endswith("."):
        raise UsageError("name", name, say.ALLOWED_NAMES())
    for link in links:
        if not is_link(link):
            raise UsageError("link", link, say.ALLOWED_LINKS())
    if replay.judged_as in JUDGED_ALREADY:
        rule = say.ON_RECORD(kind=replay.judged_as)
        raise UsageError("bundle", replay.name or name, rule)
    frozen = frozen_now(name, replay.case, "regression", why, links)
    text = msgspec.json.format(msgspec.json.encode(written(frozen)), indent=1) + b"\n"
    if len(text) > MOST_BYTES:
        text = msgspec.json.encode(written(frozen)) + b"\n"
    if len(text) > MOST_BYTES:
        rule = say.TOO_LARGE(size=len(text), most=MOST_BYTES)
        raise UsageError("bundle", replay.case.operator, rule)
    path = folder / replay.case.operator / f"{name}.json"
    if path.exists():
        raise UsageError("name", name, say.TAKEN(path=path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        partial.write_bytes(text)
        os.replace(partial, path)
    except OSError as error:
        raise UsageError("regression", path, files.UNWRITABLE(why=error.strerror)) from error
    return path
