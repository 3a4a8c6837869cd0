"""A run beside the baseline: only what has the same name and the same inputs in both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from conformance.catalogue import gate as say
from conformance.devices.device import ARCHIVE
from conformance.gate.baseline import Baseline
from conformance.gate.facts import CellFact, Facts, Named
from conformance.gate.judgement import Finding

SHOWN = 5
PARTS = (".o", ARCHIVE)
"""The files that single operators lie in: kernel binaries of a package, archives of a build."""


def compare(run: Facts, baseline: Baseline) -> Iterator[Finding]:
    """Everything that got worse than what was accepted, or cannot be seen any more."""
    before = baseline.facts
    yield from _cells(run, before)
    for name, was in before.named.items():
        now = run.named.get(name)
        if now is None:
            yield Finding(kind="missing case", subject=name, message=say.NO_VERDICT_NOW())
        elif now.digest == was.digest:
            yield from _named(name, was, now)
    yield from _shares(run, before)
    for name, order in before.orders.items():
        found = run.orders.get(name)
        if found is None:
            message = say.NO_ORDER_NOW(before=order.order)
            yield Finding(kind="order drift", subject=name, message=message)
        elif found != order:
            same = found.order == order.order
            now_order = say.ANOTHER_OF_A_NAME(order=found.order) if same else found.order
            message = say.OTHER_ORDER(before=order.order, now=now_order)
            yield Finding(kind="order drift", subject=name, message=message)


def changed_inputs(run: Facts, baseline: Baseline) -> list[str]:
    """Named calls whose inputs are not those of the baseline: they are judged, not compared."""
    before = baseline.facts.named
    return [
        name
        for name, now in run.named.items()
        if name in before and before[name].digest != now.digest
    ]


def unchanged_libraries(run: Facts, baseline: Baseline) -> Finding | None:
    """The finding where a change is claimed, and what was judged is the baseline's to the byte.

    If operators lie in files of their own these count, by content: a library that was merely linked
    again, or with other operators, is another one, of the old kernels.
    """
    before = baseline.facts.libraries
    binaries = {name: sha for name, sha in run.libraries.items() if name.endswith(PARTS)}
    was = {sha for name, sha in before.items() if name.endswith(PARTS)}
    if binaries and was:
        return None if set(binaries.values()) - was else _stale(binaries)
    kernels = {name: sha for name, sha in run.libraries.items() if "ascendcl" not in name}
    if not kernels:
        return Finding(kind="stale kernel", subject="libraries", message=say.NO_LIBRARIES())
    if any(before.get(name) != sha for name, sha in kernels.items()):
        return None
    return _stale(kernels)


def _stale(kernels: Mapping[str, str]) -> Finding:
    files = [say.LIBRARY(file=name, sha256=sha[:16]) for name, sha in kernels.items()]
    message = say.OLD_LIBRARIES(files=files)
    return Finding(kind="stale kernel", subject="libraries", message=message)


def figures(run: Facts, baseline: Baseline | None) -> Iterator[str]:
    """Device time, workspace and bit-exact shares of all cases: shown, not judged."""
    for what, told, beside in (
        ("call_seconds", say.TIME, say.BASELINE_TIME),
        ("workspace_bytes", say.WORKSPACE, say.BASELINE_WORKSPACE),
    ):
        now, was, calls = 0.0, 0.0, 0
        for name, call in run.named.items():
            old = baseline.facts.named.get(name) if baseline is not None else call
            if old is not None and old.digest == call.digest:
                now, was, calls = now + getattr(call, what), was + getattr(old, what), calls + 1
        if calls:
            before = beside(was=was) if baseline is not None else ""
            yield told(calls=calls, now=now, baseline=before)
    for name, cell in run.cells.items():
        old_cell = baseline.facts.cells.get(name) if baseline is not None else None
        share, was_share = cell.share_exact, old_cell.share_exact if old_cell else None
        if share is not None and was_share is not None and share != was_share:
            yield say.OTHER_SHARE(cell=name, now=share, was=was_share)


def _cells(run: Facts, before: Facts) -> Iterator[Finding]:
    gone = [
        name
        for name in before.cells
        if run.cells.get(name, CellFact(cases=0, failed=0)).cases == 0 and before.cells[name].cases
    ]
    for name in gone:
        if name not in run.cells:
            yield Finding(kind="missing cell", subject=name, message=say.NO_CELL_NOW())


def _named(name: str, was: Named, now: Named) -> Iterator[Finding]:
    if was.ok and not now.ok:
        # A waiver may answer for it: `conformance.gate.decide` takes these apart.
        yield Finding(kind="newly failing", subject=name, message=say.WAS_ACCEPTED())
    if now.drift and not was.drift:
        yield Finding(kind="order drift", subject=name, message=say.OFF_THE_ORDER())
    if was.tiling_key is not None and now.tiling_key != was.tiling_key:
        message = say.OTHER_TILING_KEY(before=was.tiling_key, now=_key(now.tiling_key))
        yield Finding(kind="tiling key", subject=name, message=message)


def _key(tiling_key: int | None) -> str:
    return say.UNKNOWN() if tiling_key is None else str(tiling_key)


def _shares(run: Facts, before: Facts) -> Iterator[Finding]:
    """The bit-exact share of each cell over the named calls that were accepted both times."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    worse: dict[str, list[str]] = defaultdict(list)
    for name, was in before.named.items():
        now = run.named.get(name)
        if now is None or now.digest != was.digest or not (was.ok and now.ok):
            continue
        for at, figure in enumerate((was.exact, was.elements, now.exact, now.elements)):
            sums[now.cell][at] += figure
        if now.exact < was.exact:
            worse[now.cell].append(name)
    for cell, (was_exact, was_all, now_exact, now_all) in sums.items():
        # Whole numbers: a share of one element less is a fall, however many there are.
        if was_all and now_exact * was_all < was_exact * now_all:
            names = worse[cell][:SHOWN]
            message = say.FEWER_EXACT(
                now=now_exact,
                now_all=now_all,
                was=was_exact,
                was_all=was_all,
                where=say.FEWER_IN(names=names) if names else "",
            )
            yield Finding(kind="bit-exact share", subject=cell, message=message)
        elif was_all and not now_all:
            message = say.NONE_EXACT(was=was_all)
            yield Finding(kind="bit-exact share", subject=cell, message=message)
