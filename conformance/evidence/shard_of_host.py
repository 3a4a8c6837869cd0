"""Which shard a machine of a CI system or cluster judges: what that system's variables say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.catalogue import sharding as say
from conformance.errors import UsageError
from conformance.evidence.shard import MOST_SHARDS, Shard

AUTO = re.compile(r"auto(?:/(\d{1,4}))?", re.ASCII)


@dataclass(frozen=True)
class System:
    """The variables of a system: the place of one of its parallel jobs, the first one's place, and
    how many there are ("" or a variable that is not set: it does not say)."""

    place: str
    count: str = ""
    first: int | str = 0
    step: str = ""


SYSTEMS = (
    System("BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT"),
    System("CI_NODE_INDEX", "CI_NODE_TOTAL", first=1),
    System("CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL"),
    System("JOB_COMPLETION_INDEX"),
    System(
        "SLURM_ARRAY_TASK_ID",
        "SLURM_ARRAY_TASK_COUNT",
        first="SLURM_ARRAY_TASK_MIN",
        step="SLURM_ARRAY_TASK_STEP",
    ),
)
"""Buildkite, GitLab, CircleCI, Kubernetes' indexed Jobs, arrays of Slurm; as their pages say.

GitHub sets no variable: a workflow writes ``strategy.job-index`` into one of these, or into I/N.
"""


def shard_of(text: str | None, environment: Mapping[str, str]) -> Shard:
    """The shard that ``--shard`` asks for: I/N, or that of this machine for auto and auto/N.

    Raises `UsageError`.
    """
    asked = None if text is None else AUTO.fullmatch(text)
    if asked is None:
        return Shard.of(text)
    for system in SYSTEMS:
        if environment.get(system.place):
            return _of(system, environment, int(asked[1] or 0))
    names = ", ".join(system.place for system in SYSTEMS)
    raise UsageError("shard", text, say.NO_SYSTEM(names=names))


def _of(system: System, environment: Mapping[str, str], asked: int) -> Shard:
    count = asked
    if environment.get(system.count):
        count = _number(environment, system.count, say.COUNT())
        if asked and asked != count:
            told = say.OTHER_COUNT(name=system.count, told=count, count=asked)
            raise UsageError("shard", f"auto/{asked}", told)
    if not count:
        raise UsageError("shard", "auto", say.NO_COUNT(name=system.place))
    what = say.PLACE(count=count)
    first = system.first
    if isinstance(first, str):
        first = _number(environment, first, what) if environment.get(first) else 0
    step = _number(environment, system.step, what) if environment.get(system.step) else 1
    place, rest = divmod(_number(environment, system.place, what) - first, max(1, step))
    if rest or not 0 <= place < count <= MOST_SHARDS:
        value = environment[system.place]
        raise UsageError("shard", "auto", say.NO_NUMBER(name=system.place, value=value, what=what))
    return Shard(place + 1, count)


def _number(environment: Mapping[str, str], name: str, what: str) -> int:
    value = environment[name]
    if not re.fullmatch(r"\d{1,9}", value, re.ASCII):
        raise UsageError("shard", "auto", say.NO_NUMBER(name=name, value=value, what=what))
    return int(value)
