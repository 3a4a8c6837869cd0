"""How long each item of an earlier run took, as its ``junit.xml`` says."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

from conformance.catalogue import sharding as say
from conformance.errors import UsageError
from conformance.evidence.part import Part
from conformance.names import marks, unmarked
from conformance.plain_file import read_plain

JUNIT = "junit.xml"
MOST_BYTES = 2**28


def item_times(path: Path) -> dict[str, float]:
    """Seconds by the name of an item, such as ``test_values[moe_token_permute-whole-float16]``.

    An item that was split takes what its parts take together. Of several seeds it is their mean.
    ``path`` is the folder of a run, or a ``junit.xml``. Raises `UsageError` for another one.
    """
    file = path / JUNIT if path.is_dir() else path
    try:
        content = read_plain(file, MOST_BYTES, follow=True)
    except OSError as error:
        raise UsageError("times", path, say.UNREADABLE(why=error.strerror or str(error))) from error
    if b"<!ENTITY" in content:
        raise UsageError("times", path, say.NO_TIMES())
    try:
        times = _whole(_cases(ElementTree.fromstring(content)))
    except (ElementTree.ParseError, ValueError) as error:
        raise UsageError("times", path, say.NO_TIMES()) from error
    if not times:
        raise UsageError("times", path, say.NO_TIMES())
    return times


def checked(path: Path | None) -> Path | None:
    """The absolute path of what has times of items. Raises `UsageError` if it has none."""
    if path is not None:
        item_times(path)
    return path and path.absolute()


def _cases(root: ElementTree.Element) -> Iterator[tuple[str, float]]:
    for case in root.iter("testcase"):
        seconds = float(case.get("time", ""))
        if not 0 <= seconds < math.inf:
            raise ValueError(seconds)
        yield case.get("name", ""), seconds


def _whole(cases: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The seconds of whole items."""
    seeds: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name, seconds in cases:
        part = Part.of_item(name)
        seed = "".join(mark for mark in marks(name) if mark != str(part))
        # Also of an item of which some parts are there, as in a run that is a shard.
        seeds[unmarked(name)][seed].append(seconds * part.count)
    return {
        name: sum(sum(some) / len(some) for some in of_seed.values()) / len(of_seed)
        for name, of_seed in seeds.items()
    }


def digest(times: Mapping[str, float]) -> str:
    """What tells times apart: shards by other times would not be of one run. "" of none."""
    told = "".join(f"{name} {seconds:.3f}\n" for name, seconds in sorted(times.items()))
    return hashlib.sha256(told.encode()).hexdigest()[:16] if times else ""


def expected(name: str, times: Mapping[str, float], means: Mapping[str, float]) -> float:
    """The seconds of an item: its own, or else the mean of its template's, or of all; of a part its
    share of them."""
    whole = times.get(unmarked(name), means.get(template(name), means.get("", 1.0)))
    return whole / Part.of_item(name).count


def means(times: Mapping[str, float]) -> dict[str, float]:
    """The mean seconds of each template's items, and under "" of all."""
    taken: dict[str, list[float]] = {}
    for name, seconds in times.items():
        taken.setdefault(template(name), []).append(seconds)
        taken.setdefault("", []).append(seconds)
    return {name: sum(each) / len(each) for name, each in taken.items()}


def template(name: str) -> str:
    """The function of an item's name."""
    return name.partition("[")[0]
