"""Tests that are collected once and run in forks, on mutants put in place.

Most mutants are killed within a fraction of a second by a test of their own module. Importing the
project and collecting the tests again for each would take many times that.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.proofs.mutation import sandbox
from tests.proofs.mutation.in_place import NotInPlaceError, put_in_place
from tests.proofs.mutation.mutants import Mutant

SECONDS = 60
"""Of processor time for the tests of one mutant, beside what they take on the unchanged judge."""

QUICK = 0.012
"""Seconds of a test that is worth a try before the corpus is asked whether anything changes."""


class WarmTests:
    """Collected tests; ``own`` are the files that mirror a module."""

    def __init__(self, items: Sequence[pytest.Item], own: Mapping[str, Sequence[Path]]) -> None:
        self.items, self.own = list(items), own
        self.killers: dict[str, set[str]] = {}
        timed = sandbox.run(self._timed, None, 20 * SECONDS, fresh=False)
        self.failing = timed.failure or timed.result[0]
        self.seconds: dict[str, float] = {} if timed.failure else timed.result[1]
        self.whole = round(sum(self.seconds.values()))

    def killer(self, mutant: Mutant, *, quick: bool) -> str:
        """The first test that fails on a mutant; empty where none does, or it fits no place.

        ``quick`` runs the tests of its own module, those that killed another mutant of it, and the
        quick ones; otherwise all the others.
        """
        own = set(self.own.get(mutant.module, ()))
        killers = self.killers.setdefault(mutant.module, set())

        def cost(item: pytest.Item) -> tuple[bool, bool, float]:
            killer = item.nodeid in killers
            far = not killer and item.path not in own
            return far, not killer, self.seconds.get(item.nodeid, 0.0)

        some = [item for item in self.items if (cost(item) < (True, True, QUICK)) == quick]
        work = partial(_killer, mutant, sorted(some, key=cost))
        ended = sandbox.run(work, None, SECONDS + self.whole, fresh=False)
        if ended.failure:
            return ended.failure
        if ended.result:
            killers.add(ended.result)
        return str(ended.result)

    def difference(self, mutant: Mutant, difference: Callable[[], str]) -> str | None:
        """What ``difference`` finds with the mutant in place; None where it fits no place."""
        ended = sandbox.run(partial(_difference, mutant, difference), None, SECONDS, fresh=False)
        return ended.failure or ended.result

    def _timed(self) -> tuple[str, dict[str, float]]:
        seconds = {}
        for item in self.items:
            began = time.process_time()
            failed = first_failing([item])
            seconds[item.nodeid] = time.process_time() - began
            if failed:
                return failed, seconds
        return "", seconds


def _killer(mutant: Mutant, items: Sequence[pytest.Item]) -> str:
    try:
        put_in_place(importlib.import_module(mutant.module), mutant.source)
    except NotInPlaceError:
        return ""
    return first_failing(items)


def _difference(mutant: Mutant, difference: Callable[[], str]) -> str | None:
    try:
        put_in_place(importlib.import_module(mutant.module), mutant.source)
    except NotInPlaceError:
        return None
    return difference()


def first_failing(items: Sequence[pytest.Item]) -> str:
    """The first of the tests that fails, run here and now; empty: none does."""
    noted = FirstFailure()
    items[0].config.pluginmanager.register(noted)
    try:
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if noted.name:
                break
    finally:
        items[0].config.pluginmanager.unregister(noted)
    return noted.name


class FirstFailure:
    """Notes the first test, or file, that fails."""

    def __init__(self) -> None:
        self.name = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.name = self.name or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.name = self.name or f"{report.nodeid} (cannot be collected)"


def with_collected(files: Sequence[Path], work: Callable[[Sequence[pytest.Item]], None]) -> None:
    """Collect the tests of ``files`` and call ``work`` with them in the place of running them."""

    class Loop:
        @pytest.hookimpl(tryfirst=True)
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            work(session.items)
            return True

    quiet = ("-qq", "-s", "--no-summary", "--noconftest", "-p", "no:cacheprovider")
    ignored = ("-p", "no:xdist", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    status = pytest.main([*quiet, *ignored, *map(str, files)], plugins=[Loop()])
    if status != pytest.ExitCode.OK:
        raise RuntimeError(f"the tests cannot be collected: {pytest.ExitCode(status).name}")
