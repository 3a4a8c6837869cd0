"""A run as it is asked for at the front door, and the plugin's options of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from conformance import places
from conformance.catalogue.message import packed
from conformance.devices.python.named import written
from conformance.draw.batches import batches, batches_asked, workloads_judged
from conformance.evidence.shard import WHOLE
from conformance.record import workload
from conformance.record.operator import REFERENCE, Operator
from conformance.session.planned_cases import about
from conformance.session.resume import Asked
from conformance.suite.on_route import on_route


@dataclass(frozen=True, kw_only=True)
class Request(Asked):
    """A run as the front door has checked it; ``budget`` is in seconds.

    ``counted`` are folders of kernels whose coverage is measured; ``libraries`` count it.
    ``left_out`` is what was asked for besides and cannot be judged, each with the reason; ``named``
    are the operators that were asked for by name. ``called`` says what the device calls, as it has
    been told; ``verbose`` asks for more than one screen. ``alone`` says that this
    process is a command and nothing else, so that pytest may be a fork of it. ``expected_cases``
    are those of a folder, None without one. ``farm`` are the arguments by which a cluster judges.
    """

    out: Path
    workers: int
    budget: float | None = None
    resume: bool = False
    pytest_arguments: tuple[str, ...] = ()
    counted: tuple[Path, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    named: tuple[str, ...] = ()
    called: str = ""
    verbose: bool = False
    alone: bool = False
    expected_cases: int | None = None
    timing: str | None = None
    farm: tuple[str, ...] = ()

    @property
    def expected(self) -> int:
        """Verdicts that a run without failures reaches, about."""
        if self.expected_cases is not None:
            return self.expected_cases
        routed = [one for one in self._called if one.workload_cases is not None]
        if self.workloads:
            named = workload.chosen(self.workloads, places.workloads())
            return len(routed) * sum(len([*batches_asked(one, 0)]) for one in named)
        every = workload.own(places.workloads()) if routed else ()
        full_rows, seed = self.profile.full_rows, self.seed
        calls = sum(
            len([*batches(model, every, full_rows, seed)])
            for one in routed
            for model in workloads_judged(every, full_rows > 0, seed, one.name)
        )
        drawn = sum(about(one, self.profile, self.oracle, self.shard.count) for one in self._called)
        return drawn + calls // self.shard.count

    @property
    def _called(self) -> list[Operator]:
        """The operators with what can be called on the route."""
        return [on_route(operator, self.route) for operator in self.operators]


def options(request: Request) -> Iterator[tuple[str, str]]:
    """The plugin's options of a request."""
    yield "device", request.device
    yield "route", request.route
    yield "profile", request.profile.name
    yield "seed", str(request.seed)
    yield "out", str(request.out)
    yield "time-limit", str(request.time_limit)
    if request.libraries is not None:
        yield "libraries", str(request.libraries)
    if request.package is not None:
        yield "package", str(request.package)
    if request.functions is not None:
        *implementations, tensors = written(request.functions)
        yield from (("implementation", one) for one in implementations)
        yield "tensors", tensors
    if request.lenient:
        yield "lenient", "yes"
    yield from request.against
    if request.standard is not None:
        yield "standard", request.standard
    if request.standards:
        yield "standards", "all"
    if request.budget is not None:
        yield "budget", f"{request.budget:.3f}s"
    if request.oracle != REFERENCE:
        yield "oracle", request.oracle
    yield from (("workload", name) for name in request.workloads)
    if request.shard != WHOLE:
        yield "shard", str(request.shard)
    if request.timing is not None:
        yield "timing", request.timing
    if request.times is not None:
        yield "times", str(request.times)
    if request.split is not None:
        yield "split", str(request.split)
    yield from (("operators", str(directory)) for directory in request.directories)
    yield from (("operator", operator.name) for operator in request.operators)
    yield from (("named", name) for name in request.named)
    if request.cases is not None:
        yield "case", str(request.cases)
    for name, reason in request.left_out.items():
        yield "left-out", f"{quote(name, safe=' /')}={json.dumps(packed(reason))}"
