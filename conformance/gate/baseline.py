"""Baselines: what a person accepted of a device, with who and why, one file for each key.

A file is committed beside the sources: what is accepted changes by review. Accepting again keeps
who accepted before. A key that nobody has accepted (a new CANN) has no baseline: the gate then says
so, and never compares across.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from conformance.catalogue import baselines as say
from conformance.catalogue import files, marks
from conformance.errors import UsageError
from conformance.evidence.reading import CannotJudge
from conformance.evidence.summary import now
from conformance.gate.facts import Facts
from conformance.plain_file import read_plain

SCHEMA = 1
FOLDER = Path("baselines")
NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,99}", re.ASCII)
MOST_BYTES = 2**28


class Acceptance(msgspec.Struct, kw_only=True):
    """Who accepted a run as the baseline, why, when (UTC), and from which commit it came."""

    who: str
    why: str
    when: str
    commit: str = ""


class Baseline(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A baseline: the facts of an accepted run, its acceptances (the last one holds), and the
    clauses that a measurement on this device confirmed, as ``OP: TEXT``."""

    schema: int = SCHEMA
    name: str
    accepted: list[Acceptance]
    facts: Facts
    measured: list[str] = []


def default_name(facts: Facts) -> str:
    """The name of a baseline that is given none: of its key."""
    key = facts.key
    parts = [f"sim-{key.soc}" if facts.kind == "sim" else key.soc, f"cann{key.cann}", key.route]
    for what, value in (("driver", key.driver), ("torch", key.torch_npu), ("corpus", key.corpus)):
        parts += [f"{what}{value}"] if value != "none" else []
    parts += [facts.profile]
    return re.sub(r"[^\w.+-]+", "_", "-".join(parts), flags=re.ASCII)[:100]


def accept(folder: Path, name: str, facts: Facts, who: str, why: str, measured: list[str]) -> Path:
    """Write the facts of a run as the baseline ``name``; returns its file.

    Clauses that were measured before stay so: what was confirmed once does not become doubtful
    again. Raises `UsageError` for a name, a who or a why that says nothing, and where the name
    belongs to a baseline of another key.
    """
    for parameter, text in (("who", who), ("why", why)):
        if not text.strip():
            raise UsageError(parameter, text, say.MUST_SAY_IT())
    path = _path(folder, name)
    earlier = read(path) if os.path.lexists(path) else None
    if earlier is not None and earlier.facts.key != facts.key:
        differences = facts.key.differences(earlier.facts.key)
        rule = say.OF_ANOTHER_KEY(key=earlier.facts.key.words, differences=differences)
        raise UsageError("baseline", name, rule)
    told = Acceptance(who=who.strip(), why=why.strip(), when=now(), commit=facts.commit)
    made = Baseline(
        name=name,
        accepted=[*(earlier.accepted if earlier else ()), told],
        facts=facts,
        measured=sorted({*(earlier.measured if earlier else ()), *measured}),
    )
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=1) + b"\n")
        os.replace(partial, path)
    except OSError as error:
        raise UsageError("baselines", folder, files.UNWRITABLE(why=error.strerror)) from error
    return path


def read(path: Path) -> Baseline:
    """Read a baseline. Raises `CannotJudge` for a file that is none, or of another schema."""
    try:
        raw = read_plain(path, MOST_BYTES)
        schema = msgspec.json.decode(raw, type=_Head).schema
        if schema != SCHEMA:
            raise CannotJudge(say.OF_SCHEMA(path=path, schema=schema, known=SCHEMA))
        return msgspec.json.decode(raw, type=Baseline)
    except OSError as error:
        raise CannotJudge(say.UNREADABLE(path=path, why=error.strerror)) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CannotJudge(say.CORRUPTED(path=path, error=str(error))) from error


def every(folder: Path) -> list[Baseline]:
    """The baselines in a folder, by name; none where there is no folder."""
    return [read(path) for path in sorted(folder.glob("*.json"))]


def named(folder: Path, name: str) -> Baseline:
    """The baseline of that name; raises `UsageError` where there is none."""
    path = _path(folder, name)
    if not os.path.lexists(path):
        known = sorted(one.stem for one in folder.glob("*.json")) or marks.NONE()
        raise UsageError("baseline", name, say.NOT_THERE(folder=folder, names=known))
    return read(path)


def fitting(folder: Path, facts: Facts) -> Baseline:
    """The baseline of a run's key and profile. Raises `CannotJudge` where nobody accepted one."""
    known = every(folder)
    for one in known:
        if one.facts.key == facts.key and one.facts.profile == facts.profile:
            return one
    if not known:
        raise CannotJudge(say.NO_BASELINE(folder=folder))
    nearest = min(known, key=lambda one: _distance(facts, one.facts))
    apart = _apart(facts, nearest)
    raise CannotJudge(say.NO_BASELINE_OF_KEY(key=facts.key.words, apart=apart))


def check_fits(baseline: Baseline, facts: Facts) -> None:
    """Raise `CannotJudge` where a run is not of the baseline's key, or of another profile."""
    if baseline.facts.key != facts.key or baseline.facts.profile != facts.profile:
        raise CannotJudge(say.OTHER_PROFILE(apart=_apart(facts, baseline)))


def _apart(facts: Facts, other: Baseline) -> str:
    differs = facts.key.differences(other.facts.key)
    before, now = other.facts.profile, facts.profile
    if now != before:
        differs += (say.DIFFERENCE(name=say.PROFILE(), before=before, now=now),)
    return say.APART(name=other.name, differences=differs)


def _distance(facts: Facts, other: Facts) -> int:
    return len(facts.key.differences(other.key)) + (facts.profile != other.profile)


def _path(folder: Path, name: str) -> Path:
    if not NAME.fullmatch(name):
        raise UsageError("baseline", name, say.ALLOWED_NAMES())
    return folder / f"{name}.json"


class _Head(msgspec.Struct):
    schema: int
