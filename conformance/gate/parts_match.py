"""Whether runs are shards of one run: what must be the same, and that no shard is there twice."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.catalogue import marks
from conformance.catalogue import merging as say
from conformance.catalogue.message import row
from conformance.errors import UsageError
from conformance.evidence.lines import ItemLine
from conformance.evidence.reading import CannotJudge
from conformance.evidence.run import Run
from conformance.evidence.shard import Shard
from conformance.session.resume import JUDGES

OF_THE_HOST = frozenset({"shard", "items", "device", "operators", "libraries", "package"})
"""What of a request may differ between hosts: the shard and its items; paths, whose content the
hashes of sources and libraries tell; and the number of an NPU, whose profile is compared."""
OF_THE_DEVICE = ("kind", "soc", "cann")
KERNELS = "libopapi.so"
PACKAGE = "package"
SHOWN = 3


def check_belong(runs: Sequence[Run]) -> Shard:
    """The shard of the first run. Raises `UsageError` that names the run that does not belong, and
    what differs."""
    first = runs[0]
    for other in runs[1:]:
        differs = _difference(first, other)
        if differs:
            rule = say.NOT_OF(first=first.folder, what=differs)
            raise UsageError("run", other.folder, rule)
    return _check_shards(runs)


def _difference(first: Run, other: Run) -> str:
    """What differs between two runs that must be the same, in words; empty where nothing does."""
    mine, its = first.evidence, other.evidence
    for name in {**mine.request, **its.request}:
        if name in OF_THE_HOST:
            continue
        before, now = mine.request.get(name, ""), its.request.get(name, "")
        if before != now:
            return say.ANOTHER(name=name, now=repr(now), before=repr(before))
    commits = _commit(mine.provenance), _commit(its.provenance)
    if commits[0] != commits[1]:
        return say.ANOTHER_COMMIT(now=repr(commits[1]), before=repr(commits[0]))
    for name in JUDGES:
        if mine.provenance.get(name) != its.provenance.get(name):
            return say.OTHER_JUDGES(name=name)
    for name in (*OF_THE_DEVICE, KERNELS, PACKAGE):
        values = [sorted(_of_devices(run, name)) for run in (first, other)]
        if values[0] != values[1]:
            before, now = (marks.NAMES(names=value) if value else marks.NONE() for value in values)
            return say.ANOTHER_PROFILE(name=name, now=now, before=before)
    return ""


def _check_shards(runs: Sequence[Run]) -> Shard:
    """Every shard of N once, and no item that draws in two of them."""
    found: dict[int, Run] = {}
    whole = _shard(runs[0])
    for run in runs:
        shard = _shard(run)
        if shard.count != whole.count:
            rule = say.OF_ANOTHER_RUN(shard=shard, first=runs[0].folder, whole=whole)
            raise UsageError("run", run.folder, rule)
        if shard.index in found:
            rule = say.TWICE(shard=shard, folder=found[shard.index].folder)
            raise UsageError("run", run.folder, rule)
        found[shard.index] = run
    missing = [index for index in range(1, whole.count + 1) if index not in found]
    if missing:
        shards = [Shard(index, whole.count) for index in missing]
        told = [say.MISSING(shards=[*map(str, shards)])]
        told += [say.TO_JUDGE_IT(command=one) for one in map(_command(runs[0]), shards) if one]
        raise UsageError("runs", _names(runs), row(told, "\n"))
    owners: dict[str, Run] = {}
    for run in runs:
        for item in _drawing(run):
            owner = owners.setdefault(item, run)
            if owner is not run:
                rule = say.JUDGED_TWICE(item=item.rpartition("::")[2], folder=owner.folder)
                raise UsageError("run", run.folder, rule)
    return whole


def _command(run: Run) -> Callable[[Shard], str]:
    """What judges another shard, as the command of a run says; "" if that names no shard."""
    words = shlex.split(str(run.evidence.provenance.get("command", "")))

    def of(shard: Shard) -> str:
        given = {"--shard": str(shard), "--out": f"shard{shard.index}"}
        if "--shard" not in words:
            return ""
        left = [*words] if "--out" in words else [*words, "--out", ""]
        for option, value in given.items():
            left[left.index(option) + 1] = value
        return shlex.join(left)

    return of


def _drawing(run: Run) -> set[str]:
    """The items of a run that only one shard may have: documented calls are in each."""
    documented = {line.item for line in run.verdicts if line.judged_as == "example"}
    return {line.item for line in run.lines if isinstance(line, ItemLine)} - documented


def _shard(run: Run) -> Shard:
    text = run.evidence.request.get("shard")
    if text is None:
        raise CannotJudge(say.NO_SHARD(folder=run.folder))
    return Shard.of(text)


def _of_devices(run: Run, name: str) -> set[str]:
    """What the devices of a run say of themselves; a run that lost its device says nothing."""
    values = set()
    for line in run.evidence.devices:
        if name == KERNELS:
            libraries = line.profile.get("libraries")
            library: Any = libraries.get(name) if isinstance(libraries, dict) else None
            values.add(str(library.get("sha256") if isinstance(library, dict) else None)[:16])
        elif name == PACKAGE:
            values.add(_package(line.profile))
        else:
            values.add(str(line.profile.get(name)))
    return values


def _package(profile: Mapping[str, Any]) -> str:
    """A package's libraries and kernel binaries in short: another content is another package."""
    told = profile.get("libraries")
    libraries: dict[str, Any] = told if isinstance(told, dict) else {}
    parts = sorted(
        (name, str(one.get("sha256") if isinstance(one, dict) else None))
        for name, one in libraries.items()
        if name.startswith("libcust_") or "/" in name
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16] if parts else "none"


def _commit(told: dict[str, Any]) -> str:
    git = told.get("git")
    return str(git.get("commit")) if isinstance(git, dict) else ""


def _names(runs: Sequence[Run]) -> str:
    return ", ".join(str(run.folder) for run in runs)
