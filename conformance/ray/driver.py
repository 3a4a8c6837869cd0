"""The pytest plugin of a run on a cluster: in the place of judging the items, it has workers do so.

The session collects and sums up as any other, and writes the run's one folder alone.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from conformance import places
from conformance.catalogue import on_ray as say
from conformance.errors import EnvironmentFailure, text_of
from conformance.evidence.lines import (
    DeviceLine,
    LineReader,
    WorkerLine,
    Writer,
    encoded,
    read_lines,
)
from conformance.evidence.run_folder import FAILURES
from conformance.plugin import CONTEXT
from conformance.ray.asked import Farmed, farmed
from conformance.ray.cluster import NoCluster, RayCluster
from conformance.ray.dealing import Dealing, grouped
from conformance.ray.farm import Farm
from conformance.ray.messages import Job
from conformance.ray.worker import judges_of
from conformance.session.command import of_suite
from conformance.session.context import Context
from conformance.session.controller import Controller
from conformance.session.resume import changed
from conformance.session.selection import draws, together
from conformance.text.command_lines import COMMAND, VARIABLE

OPTION = "--conformance-ray"
OWN = ("--junit-xml=", "--conformance-resume", "--conformance-device=", OPTION)
"""How arguments begin that are this session's alone."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option by which the front door says which cluster."""
    parser.addoption(OPTION, dest="conformance_ray", help="JSON")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Have workers judge what this session collects."""
    asked = farmed(config.option.conformance_ray)
    config.pluginmanager.register(Driver(config.stash[CONTEXT], asked), "conformance-ray-driver")


class Driver:
    """The hook that judges in the place of pytest's own."""

    def __init__(self, context: Context, asked: Farmed) -> None:
        self._context = context
        self._asked = asked

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Judge on the cluster; pytest's own loop reports what could not be collected."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        controller: Controller = session.config.pluginmanager.get_plugin("conformance-controller")  # type: ignore[assignment]
        context = self._context
        open_ = [item for item in session.items if item.nodeid not in context.finished]
        if context.sums_up or not open_:
            return None
        for item in session.items:
            if item.nodeid in context.finished:
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        try:
            self._judge(session, open_, controller)
        except EnvironmentFailure as failure:
            controller.lost.append(text_of(failure))
        return True

    def _judge(
        self, session: pytest.Session, items: list[pytest.Item], controller: Controller
    ) -> None:
        asked = self._asked
        try:
            cluster = RayCluster(asked.address, npus=asked.npus, cards=asked.cards, cpus=asked.most)
        except NoCluster as error:
            where = asked.address or say.THIS_HOST()
            told = say.NO_CLUSTER(address=where, error=str(error))
            raise EnvironmentFailure(told) from error
        try:
            room = sum(node.room for node in cluster.nodes())
            workers = max(1, min(room, asked.most or room, len(items)))
            dealing = Dealing(grouped((one.nodeid, together(one), draws(one)) for one in items))
            with_it = self._job(session.config, workers)
            desk = RunDesk(session, self._context, controller)
            first = next_number(self._context.out)
            farm = Farm(cluster, dealing, desk, with_it, most=asked.most, first=first)
            farm.run(lambda: bool(session.shouldfail or session.shouldstop))
        finally:
            cluster.close()
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)

    def _job(self, config: pytest.Config, workers: int) -> Job:
        given = [str(one) for one in config.invocation_params.args]
        suite = of_suite(places.root())
        behind = given[given.index(suite[0]) + len(suite) :]
        return Job(
            (
                *arguments_of_worker(behind),
                f"--conformance-device={self._asked.device}",
            ),
            {name: os.environ[name] for name in (VARIABLE, COMMAND) if name in os.environ},
            os.getcwd(),
            workers,
        )


def arguments_of_worker(given: list[str]) -> Iterator[str]:
    """The arguments that hold for workers, too, of those behind the suite's own."""
    plugin = ["-p", __name__]
    left = list(given)
    while left:
        if left[:2] == plugin:
            del left[:2]
        elif left[0].startswith(OWN):
            del left[0]
        else:
            yield left.pop(0)


def next_number(out: Path) -> int:
    """The number of a worker's name that no file of a run's folder has."""
    names = (re.fullmatch(r"evidence\.ray(\d+)\.jsonl", path.name) for path in out.iterdir())
    return max((int(found[1]) + 1 for found in names if found), default=0)


class RunDesk:
    """Writes what workers say into the run's folder, and reports it to pytest."""

    def __init__(self, session: pytest.Session, context: Context, controller: Controller) -> None:
        self._session = session
        self._config = session.config
        self._out = context.out
        self._controller = controller
        self._items = {item.nodeid: item for item in session.items}
        self._judges = judges_of(context, self._items)
        self._writers: dict[str, Writer] = {}
        self._read = LineReader()
        before = (one for one in read_lines(context.out) if isinstance(one, DeviceLine))
        first = next(before, None)
        self._profile: Mapping[str, Any] | None = None if first is None else first.profile

    def differs(self, judges: dict[str, Any]) -> list[str]:
        """What decides verdicts and is otherwise there than here, by name."""
        return [name for name, value in self._judges.items() if judges.get(name) != value]

    def other_device(self, line: bytes) -> str:
        """Why the device of this line must not judge in the run; empty if it may."""
        told = self._read(line)
        assert isinstance(told, DeviceLine)
        if self._profile is None:
            self._profile = told.profile
        names = changed(self._profile, told.profile)
        return say.DEVICE_DIFFERS(names=names) if names else ""

    def write(self, worker: str, line: bytes) -> None:
        """Put a line on record. Raises `EnvironmentFailure`."""
        if worker not in self._writers:
            self._writers[worker] = Writer(self._out, worker)
        self._writers[worker].append(line)

    def keep(self, path: str, content: bytes) -> None:
        """Keep a file of a failure's bundle, nothing elsewhere. Raises `EnvironmentFailure`."""
        parts = PurePosixPath(path).parts
        if parts[:1] != (FAILURES,) or ".." in parts:
            raise EnvironmentFailure(say.NO_BUNDLE(path=path))
        place = self._out.joinpath(*parts)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        except OSError as error:
            raise EnvironmentFailure(say.NOT_KEPT(path=path, error=str(error))) from error

    def report(self, item: str, reports: list[bytes]) -> None:
        """Report an item that has ended as pytest does."""
        hook, config = self._config.hook, self._config
        location = self._items[item].location
        hook.pytest_runtest_logstart(nodeid=item, location=location)
        for one in reports:
            told = json.loads(one)
            report = hook.pytest_report_from_serializable(config=config, data=told)
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item, location=location)

    def crashed(self, worker: str, item: str) -> None:
        """Report an item that has lost workers, as pytest-xdist does."""
        told = str(say.CRASHED(worker=worker, item=item))
        location = self._items[item].location
        report = pytest.TestReport(item, location, {}, "failed", told, "call")
        self._config.hook.pytest_runtest_logreport(report=report)

    def lost(self, worker: str, node: str, reason: str, items: list[str]) -> None:
        """Put on record that others judge what a worker had begun."""
        line = WorkerLine(worker=worker, node=node, reason=reason, items=tuple(items))
        self.write(worker, encoded(line))

    def worked_out(self, known: dict[str, bytes]) -> None:
        """Keep it for the summary."""
        self._controller.keep(known)
