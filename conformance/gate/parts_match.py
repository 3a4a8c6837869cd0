"""Whether runs are shards of one run, or of runs of several seeds that are otherwise the same: what
must be the same, and that no shard of a seed is there twice."""

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

OF_A_SEED = frozenset({"seed", "times"})
"""What of a request may differ between seeds: each is shared out by itself."""
OF_THE_HOST = frozenset({"shard", "items", "device", "operators", "libraries", "package"})
"""What of a request may differ between hosts: the shard and its items; paths, whose content the
hashes of sources and libraries tell; and the number of an NPU, whose profile is compared."""
OF_THE_DEVICE = ("kind", "soc", "cann")
KERNELS = "libopapi.so"
PACKAGE = "package"
SHOWN = 3


def check_belong(runs: Sequence[Run]) -> None:
    """Raise `UsageError` that names the run that does not belong and what differs, or all shards
    that are missing."""
    first = runs[0]
    for other in runs[1:]:
        differs = _difference(first, other)
        if differs:
            rule = say.NOT_OF(first=first.folder, what=differs)
            raise UsageError("run", other.folder, rule)
    seeds = by_seed(runs)
    told = [line for some in seeds.values() for line in _missing(some, len(seeds) > 1)]
    if told:
        raise UsageError("runs", _names(runs), row(told, "\n"))
    for some in seeds.values():
        _check_items(some)


def by_seed(runs: Sequence[Run]) -> dict[int, list[Run]]:
    """The runs of each seed."""
    found: dict[int, list[Run]] = {}
    for run in runs:
        found.setdefault(run.evidence.seed, []).append(run)
    return found


def _difference(first: Run, other: Run) -> str:
    """What differs between two runs that must be the same, in words; empty where nothing does."""
    mine, its = first.evidence, other.evidence
    free = OF_THE_HOST if mine.seed == its.seed else OF_THE_HOST | OF_A_SEED
    for name in {**mine.request, **its.request}:
        if name in free:
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


def _missing(runs: Sequence[Run], several: bool) -> list[str]:
    """The shards of a seed that are missing, in lines; ``several``: it is one of several seeds.
    Raises `UsageError` for a shard that is there twice or of another run."""
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
    if not missing:
        return []
    shards = [Shard(index, whole.count) for index in missing]
    names = [*map(str, shards)]
    seed = runs[0].evidence.seed
    told: list[str] = [say.MISSING(shards=names)]
    if several:
        told = [say.MISSING_OF_SEED(shards=names, seed=seed)]
    return told + [say.TO_JUDGE_IT(command=one) for one in map(_command(runs[0]), shards) if one]


def going_on(run: Run) -> list[str]:
    """What goes on with a run that did not end, as its command says; nothing if that is unknown."""
    words = shlex.split(str(run.evidence.provenance.get("command", "")))
    if "--out" in words[:-1]:
        words[words.index("--out") + 1] = str(run.folder)
    if not words:
        return []
    more = [] if "--resume" in words else ["--resume"]
    return [say.TO_GO_ON(command=shlex.join([*words, *more]))]


def _check_items(runs: Sequence[Run]) -> None:
    """Raise `UsageError` for an item that draws in two shards of a seed."""
    owners: dict[str, Run] = {}
    for run in runs:
        for item in _drawing(run):
            owner = owners.setdefault(item, run)
            if owner is not run:
                rule = say.JUDGED_TWICE(item=item.rpartition("::")[2], folder=owner.folder)
                raise UsageError("run", run.folder, rule)


def _command(run: Run) -> Callable[[Shard], str]:
    """What judges another shard, as the command of a run says; "" if that names no shard."""
    words = shlex.split(str(run.evidence.provenance.get("command", "")))

    def of(shard: Shard) -> str:
        given = {"--shard": str(shard), "--out": f"shard{shard.index}"}
        if "--shard" not in words:
            return ""
        if run.evidence.seed:
            given["--seed"] = str(run.evidence.seed)
        left = [*words]
        for option, value in given.items():
            if option not in left:
                left += [option, ""]
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
