"""Going on with a run that did not end: what must be the same, and what need not be done again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from conformance.catalogue import session as say
from conformance.devices.device import DeviceProfile, built_of
from conformance.devices.messages import Functions
from conformance.devices.python.named import written
from conformance.draw.profiles import Profile
from conformance.errors import EnvironmentFailure, UsageError, text_of
from conformance.evidence.item_times import digest, item_times
from conformance.evidence.lines import DeviceLine, FailureLine, ItemLine, read_lines
from conformance.evidence.reading import CannotJudge, read_run, sound
from conformance.evidence.shard import WHOLE, Shard
from conformance.evidence.summary import Evidence, read_evidence
from conformance.record.operator import REFERENCE, Operator

JUDGES = ("python", "packages", "sources", "corpus", "regressions")
"""What of the provenance decides verdicts beside the device."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a run is asked to judge, and how: all that its verdicts follow from on one device."""

    operators: tuple[Operator, ...]
    device: str
    route: str
    profile: Profile
    seed: int
    directories: tuple[Path, ...]
    time_limit: float
    libraries: Path | None
    package: Path | None = None
    standard: str | None = None
    standards: bool = False
    oracle: str = REFERENCE
    workloads: tuple[str, ...] = ()
    cases: Path | None = None
    shard: Shard = WHOLE
    times: Path | None = None
    split: int | None = None
    functions: Functions | None = None
    lenient: bool = False
    against: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Finished:
    """How an item ended in an earlier part of the run; ``text`` is that of its failure."""

    outcome: str
    text: str = ""


def request(asked: Asked) -> dict[str, str]:
    """What was asked as text by option; budget and number of processes change no verdict, nor does
    the card of an NPU: its SoC and libraries are compared (`check_device`).
    """
    return {
        "device": re.sub(r"^npu:.*", "npu", asked.device),
        "route": asked.route,
        "profile": asked.profile.name,
        "seed": str(asked.seed),
        "shard": str(asked.shard),
        "times": "" if asked.times is None else digest(item_times(asked.times)),
        "split": str(asked.split or ""),
        "operator": ", ".join(operator.name for operator in asked.operators),
        "operators": ", ".join(map(str, asked.directories)),
        "time limit": f"{asked.time_limit:g}",
        "libraries": str(asked.libraries or ""),
        "package": str(asked.package or ""),
        "standard": asked.standard or "",
        "standards": "all" if asked.standards else "",
        "oracle": "" if asked.oracle == REFERENCE else asked.oracle,
        "workload": ", ".join(asked.workloads),
        "case": str(asked.cases or ""),
        **{"against": "", "against-python": "", "same": "", **dict(asked.against)},
        "lenient": "yes" if asked.lenient else "",
        "implementation": "" if asked.functions is None else ", ".join(written(asked.functions)),
    }


def earlier_run(out: Path) -> Evidence:
    """The evidence of the run to go on with; raises `UsageError` where there is none."""
    earlier = read_evidence(out)
    if earlier is None or not earlier.request:
        raise UsageError("resume", out, say.NO_RUN())
    return earlier


def check_sound(out: Path) -> None:
    """Refuse to go on in a folder that contradicts itself: what it says of the items that have
    ended would be believed. Raises `EnvironmentFailure`.
    """
    try:
        sound(read_run(out))
    except CannotJudge as error:
        raise EnvironmentFailure(say.ANEW(reason=text_of(error))) from error


def check_request(out: Path, earlier: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Refuse to go on with a run that was asked something else; raises `UsageError`."""
    for name, value in now.items():
        if (before := earlier.get(name, "")) != value:
            rule = say.ASKED_OTHERWISE(name=name, before=repr(before), now=repr(value))
            raise UsageError("resume", out, rule)


def check_judges(out: Path, earlier: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to add verdicts of another judge: other sources, packages or Python.

    Raises `UsageError`.
    """
    for name in JUDGES:
        if earlier.get(name) != now.get(name):
            raise UsageError("resume", out, say.ANEW(reason=say.OTHER_JUDGE(name=name)))


def check_device(out: Path, profile: DeviceProfile) -> None:
    """Refuse to add verdicts on another SoC or on libraries of another content.

    Raises `UsageError`.
    """
    now = msgspec.to_builtins(profile, enc_hook=str)
    for line in read_lines(out):
        if isinstance(line, DeviceLine) and (names := changed(line.profile, now)):
            raise UsageError("resume", out, say.ANEW(reason=say.OTHER_DEVICE(names=names)))


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The SoC, what is known of functions, and the libraries in which two profiles of devices
    differ, by name.

    Libraries that two hosts have built of the same are the same, though their bytes may differ.
    """
    first, second = _judged_on(before), _judged_on(now)
    differ = [name for name in {**first, **second} if first.get(name) != second.get(name)]
    alike = [
        one for one in differ if _build(before, one) and _build(before, one) == _build(now, one)
    ]
    knew, know = before.get("functions", {}), now.get("functions", {})
    functions = [name for name in knew if _traits(knew[name]) != _traits(know.get(name, {}))]
    return [*(one for one in differ if one not in alike), *functions]


def finished_items(out: Path) -> dict[str, Finished]:
    """The items that ended in the run so far; those that the budget cut short begin again."""
    lines = list(read_lines(out))
    texts = {line.item: line.text for line in lines if isinstance(line, FailureLine)}
    return {
        line.item: Finished(line.outcome, texts.get(line.item, ""))
        for line in lines
        if isinstance(line, ItemLine) and line.outcome != "cut"
    }


def _judged_on(profile: Mapping[str, Any]) -> dict[str, str]:
    libraries = {name: library["sha256"] for name, library in profile["libraries"].items()}
    return {"soc": profile["soc"], **libraries}


def _traits(function: Mapping[str, Any]) -> str:
    """What is known of a function, without how that is known."""
    return repr({name: one for name, one in function.items() if name not in ("origin", "source")})


def _build(profile: Mapping[str, Any], name: str) -> str:
    """The key of the build of which a library is, with the library's name; "" if it is of none."""
    origin, library = profile.get("origin") or {}, profile["libraries"].get(name, {})
    return built_of(library.get("path", "")) if origin.get("source") == "built" else ""
