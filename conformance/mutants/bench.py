"""What every mutant of an operator is held against, and what became of it."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from conformance.call.observation import Observation
from conformance.catalogue import mutants as say
from conformance.devices.kernel_copies import BuildError, compile_copy, copy_kernel
from conformance.devices.open import open_device
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.rejections import judge_rejection
from conformance.mutants.drawn_cases import Call
from conformance.mutants.source_mutants import SourceMutant
from conformance.record.operator import Operator

TIME_LIMIT = 3.0
KILLED, SURVIVED, UNSEEN, INVALID = "killed", "survived", "changes nothing", "does not compile"


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: after how many calls and seconds, and what killed or showed it."""

    mutant: SourceMutant
    fate: str
    calls: int = 0
    seconds: float = 0.0
    by: str = ""

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
    answers: tuple[int, ...]
    kernel: Path
    folder: Path
    runtime: Path

    def judge(self, mutant: SourceMutant) -> Fate:
        """Build a mutant and judge it.

        A worker has one copy of the kernels and one tree, so that it compiles what a mutant changes
        and nothing else.
        """
        own = self.folder / str(os.getpid())
        copy = own / "kernels"
        if not copy.exists():
            copy_kernel(self.kernel, copy)
        source = copy / mutant.file
        whole = source.read_text(encoding="utf-8")
        source.write_text(mutant.apply(whole), encoding="utf-8")
        try:
            return self._judge_built(mutant, copy, own / "tree")
        except BuildError:
            return Fate(mutant, INVALID)
        finally:
            source.write_text(whole, encoding="utf-8")

    def _judge_built(self, mutant: SourceMutant, kernels: Path, tree: Path) -> Fate:
        lib = compile_copy(kernels, tree, self.runtime, "all")
        started, changed = time.monotonic(), ""
        told_all = answered(self.operator, self.route, lib, self.calls, self.answers)
        for number, ((told, observed), answer) in enumerate(
            zip(told_all, self.answers, strict=True), 1
        ):
            if told:
                return Fate(mutant, KILLED, number, time.monotonic() - started, told)
            if observed != answer and not changed:
                case = " ".join(repr(self.calls[number - 1].case).split())
                changed = say.ANOTHER_ANSWER(number=number, case=case)
        seconds = time.monotonic() - started
        return Fate(mutant, SURVIVED if changed else UNSEEN, len(self.calls), seconds, changed)


def answered(
    operator: Operator, route: str, lib: Path, made: Sequence[Call], right: Sequence[int] = ()
) -> Iterator[tuple[str, int]]:
    """What is wrong with each call on these libraries, empty: nothing; and a hash of its answer.

    ``right`` are answers that were judged before: a drawn case is not judged twice on one.
    """
    with closing(open_device("sim", time_limit=TIME_LIMIT, libraries=lib, route=route)) as device:
        for call, known in zip_longest(made, right):
            case = replace(call.case)  # a case keeps its arrays, and thousands are kept here
            observation = device.run(operator, case)
            is_drawn = call.rejection is None and call.example is None
            if is_drawn and answer(observation) == known:
                yield "", known
                continue
            if call.rejection is not None:
                verdict = judge_rejection(call.rejection, observation)
            elif call.example is not None:
                example = replace(call.example, case=case)
                verdict = judge_example(example, operator, observation)
            else:
                verdict = judge(operator, case, observation)
            yield ("" if verdict.ok else verdict.headline), answer(observation)


def answer(observation: Observation) -> int:
    """A hash of everything that a caller can see of a call, but not of the words of messages."""
    outputs = tuple((name, array.tobytes()) for name, array in sorted(observation.outputs.items()))
    codes = tuple(diagnostic.code for diagnostic in observation.diagnostics)
    seen = (observation.outcome.name, observation.status, observation.phase, outputs, codes)
    return hash(seen)


_bench: Bench
"""Inherited by the workers, which are forks: thousands of cases are too many to send."""


@contextmanager
def fates(bench: Bench, mutants: Sequence[SourceMutant], workers: int) -> Iterator[Iterator[Fate]]:
    """What became of each mutant, in the order in which so many processes are done with them.

    They are forked at once: begin threads, as of a progress bar, within.
    """
    global _bench
    _bench = bench
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        yield pool.imap_unordered(_judge, mutants)


def _judge(mutant: SourceMutant) -> Fate:
    return _bench.judge(mutant)
