"""What every mutant of an operator is held against, and what became of it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from conformance.catalogue import mutants as say
from conformance.devices.kernel_copies import BuildError, compile_copy, copy_kernel
from conformance.devices.open import open_device
from conformance.errors import EnvironmentFailure
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.rejections import judge_rejection
from conformance.mutants.answer import Answer, answer, difference
from conformance.mutants.drawn_cases import Call
from conformance.mutants.source_mutants import SourceMutant
from conformance.record.operator import Operator

TIME_LIMIT = 3.0
KILLED, SURVIVED, UNSEEN, INVALID = "killed", "survived", "changes nothing", "does not compile"


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: after how many calls and seconds, and what killed or showed it.

    ``shown`` is the number of the first call with another answer, 0: there is none.
    """

    mutant: SourceMutant
    fate: str
    calls: int = 0
    seconds: float = 0.0
    by: str = ""
    shown: int = 0

    def __str__(self) -> str:
        how = f"{self.fate:16} {self.calls:6} {self.seconds:7.1f} s"
        return f"{how}  {self.mutant}  {self.by}".rstrip()


@dataclass(frozen=True)
class Bench:
    """What every mutant is held against: the calls, and the unchanged kernel's answers.

    ``kernel`` is the folder of the unchanged sources, ``folder`` an empty one to work in, and
    ``runtime`` that of the libraries which copies are linked with.
    """

    operator: Operator
    route: str
    calls: tuple[Call, ...]
    answers: tuple[Answer, ...]
    kernel: Path
    folder: Path
    runtime: Path

    def judge(self, mutant: SourceMutant) -> Fate:
        """Build a mutant and judge it.

        A worker has one copy of the kernels and one tree, so that it compiles what a mutant changes
        and nothing else. Raises EnvironmentFailure if the unchanged copy does not compile.
        """
        own = self.folder / str(os.getpid())
        if not own.exists():
            copy_kernel(self.kernel, own / "kernels")
        source = own / "kernels" / mutant.file
        whole = source.read_text(encoding="utf-8")
        source.write_text(mutant.apply(whole), encoding="utf-8")
        try:
            lib = self._compiled(own)
        except BuildError:
            lib = None
        finally:
            source.write_text(whole, encoding="utf-8")
        if lib is None:
            self._check_unchanged(own)
            return Fate(mutant, INVALID)
        return self._judge_built(mutant, lib)

    def _check_unchanged(self, own: Path) -> None:
        """That a mutant does not compile must be the mutant's doing, and not that of the copy."""
        if (own / "compiled").exists():
            return
        try:
            self._compiled(own)
        except BuildError as error:
            told = say.COPY_NOT_BUILT(folder=self.kernel, error=str(error))
            raise EnvironmentFailure(told) from error

    def _compiled(self, own: Path) -> Path:
        folder = own / "kernels" / self.kernel.name
        lib = compile_copy(folder, own / "tree", self.runtime, "all")
        (own / "compiled").touch()
        return lib

    def _judge_built(self, mutant: SourceMutant, lib: Path) -> Fate:
        started, changed, shown = time.monotonic(), "", 0
        told_all = answered(self.operator, self.route, lib, self.calls, self.answers)
        for number, ((told, seen), right) in enumerate(zip(told_all, self.answers, strict=True), 1):
            if told:
                return Fate(mutant, KILLED, number, time.monotonic() - started, told)
            if seen != right and not changed:
                changed, shown = difference(self.calls[number - 1], right, seen), number
        seconds = time.monotonic() - started
        fate = SURVIVED if changed else UNSEEN
        return Fate(mutant, fate, len(self.calls), seconds, changed, shown)


def answered(
    operator: Operator,
    route: str,
    lib: Path,
    made: Sequence[Call],
    right: Sequence[Answer] = (),
    time_limit: float = TIME_LIMIT,
) -> Iterator[tuple[str, Answer]]:
    """What is wrong with each call on these libraries, empty: nothing; and its answer.

    ``right`` are answers that were judged before: a drawn case is not judged twice on one.
    """
    with closing(open_device("sim", time_limit=time_limit, libraries=lib, route=route)) as device:
        for call, known in zip_longest(made, right):
            case = replace(call.case)  # a case keeps its arrays, and thousands are kept here
            observation = device.run(operator, case)
            seen = answer(observation)
            is_drawn = call.rejection is None and call.example is None
            if is_drawn and seen == known:
                yield "", seen
                continue
            if call.rejection is not None:
                verdict = judge_rejection(call.rejection, observation)
            elif call.example is not None:
                example = replace(call.example, case=case)
                verdict = judge_example(example, operator, observation)
            else:
                verdict = judge(operator, case, observation)
            yield ("" if verdict.ok else verdict.headline), seen


_bench: Bench
"""Inherited by the workers, which are forks: thousands of cases are too many to send."""


@contextmanager
def fates(bench: Bench, mutants: Sequence[SourceMutant], workers: int) -> Iterator[Iterator[Fate]]:
    """What became of each mutant, in the order in which so many processes are done with them.

    They are forked at once: begin threads, as of a progress bar, within.
    """
    global _bench
    _bench = bench
    count = max(1, min(workers, len(mutants)))
    left = len(mutants)
    with multiprocessing.get_context("fork").Pool(count, _in_a_group) as pool:
        found = pool.imap_unordered(_judge, mutants)

        def each() -> Iterator[Fate]:
            nonlocal left
            for fate in found:
                left -= 1
                yield fate

        yield each()
        if not left:
            # They end by themselves: a signal is lost on one that is about to wait for work.
            pool.close()
            pool.join()


def _in_a_group() -> None:
    """A worker ends with its compilers. Its parent alone hears of an interrupt, and ends it."""
    os.setpgrp()
    signal.signal(signal.SIGTERM, _end_group)


def _end_group(*_: object) -> None:
    """End what is compiled, too: ninja ends its compilers, which have groups of their own."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)
    os._exit(1)


def _judge(mutant: SourceMutant) -> Fate:
    return _bench.judge(mutant)
