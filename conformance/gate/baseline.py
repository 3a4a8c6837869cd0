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
    parts = [key.soc if facts.kind == "npu" else f"sim-{key.soc}", f"cann{key.cann}", key.route]
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
            raise UsageError(parameter, text, "must say it: a baseline is somebody's decision")
    path = _path(folder, name)
    earlier = read(path) if os.path.lexists(path) else None
    if earlier is not None and earlier.facts.key != facts.key:
        rule = (
            f"is the baseline of {earlier.facts.key}, and this run is of another key"
            f" ({facts.key.differences(earlier.facts.key)}): give it another --name"
        )
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
        rule = f"cannot be written: {error.strerror}"
        raise UsageError("baselines", folder, rule) from error
    return path


def read(path: Path) -> Baseline:
    """Read a baseline. Raises `CannotJudge` for a file that is none, or of another schema."""
    try:
        raw = read_plain(path, MOST_BYTES)
        schema = msgspec.json.decode(raw, type=_Head).schema
        if schema != SCHEMA:
            rule = f"has schema {schema}; this version reads {SCHEMA}: accept a run anew"
            raise CannotJudge(f"the baseline {path} {rule}")
        return msgspec.json.decode(raw, type=Baseline)
    except OSError as error:
        raise CannotJudge(f"the baseline {path} cannot be read: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CannotJudge(f"the baseline {path} is corrupted: {error}") from error


def every(folder: Path) -> list[Baseline]:
    """The baselines in a folder, by name; none where there is no folder."""
    return [read(path) for path in sorted(folder.glob("*.json"))]


def named(folder: Path, name: str) -> Baseline:
    """The baseline of that name; raises `UsageError` where there is none."""
    path = _path(folder, name)
    if not os.path.lexists(path):
        known = ", ".join(sorted(one.stem for one in folder.glob("*.json"))) or "none"
        raise UsageError("baseline", name, f"is not in {folder}; there are: {known}")
    return read(path)


def fitting(folder: Path, facts: Facts) -> Baseline:
    """The baseline of a run's key and profile. Raises `CannotJudge` where nobody accepted one."""
    known = every(folder)
    for one in known:
        if one.facts.key == facts.key and one.facts.profile == facts.profile:
            return one
    how = 'accept one (baseline accept RUN --who NAME --why "..."), or ask for --no-baseline'
    if not known:
        raise CannotJudge(f"no baseline in {folder}: {how}")
    nearest = min(known, key=lambda one: _distance(facts, one.facts))
    raise CannotJudge(f"no baseline for {facts.key}: {_apart(facts, nearest)}; {how}")


def check_fits(baseline: Baseline, facts: Facts) -> None:
    """Raise `CannotJudge` where a run is not of the baseline's key, or of another profile."""
    if baseline.facts.key != facts.key or baseline.facts.profile != facts.profile:
        raise CannotJudge(f"another profile: {_apart(facts, baseline)}; accept one of its own")


def _apart(facts: Facts, other: Baseline) -> str:
    differs = facts.key.differences(other.facts.key)
    if facts.profile != other.facts.profile:
        differs += ", " if differs else ""
        differs += f"profile {other.facts.profile} -> {facts.profile}"
    return f"beside the baseline {other.name} it differs in {differs}"


def _distance(facts: Facts, other: Facts) -> int:
    return len(facts.key.differences(other.key).split(", ")) + (facts.profile != other.profile)


def _path(folder: Path, name: str) -> Path:
    if not NAME.fullmatch(name):
        rule = "allowed: up to 100 letters, digits and . _ + -, a letter or digit first"
        raise UsageError("baseline", name, rule)
    return folder / f"{name}.json"


class _Head(msgspec.Struct):
    schema: int
