"""Automatic mutants of kernels and their host tilings: ``python -m tests.kernels.automatic_run``.

Each mutant is built, then judged case by case as a run of the profile would: small cases, rows of
the covering array, free draws, documented calls, calls that must be rejected. It is killed by the
first verdict that is not ok. One that survives changes something observable if any answer differs
from the unchanged kernel's: status, phase, output bytes or diagnostic codes.

Ends with status 1 where, of the mutants that change something observable, the lower end of the
95 % Wilson interval of the share killed is below 90 %.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from conformance.call.observation import Observation
from conformance.devices.open import open_device
from conformance.draw.profiles import PROFILES
from conformance.judge.calls import judge
from conformance.judge.examples import judge_example
from conformance.judge.rejections import judge_rejection
from conformance.record.operator import Operator
from conformance.suite import records as suite
from device_kernels.build import build
from device_kernels.toolchain import BuildError
from tests.kernels.copies import KERNELS, compile_copy, copy_operator
from tests.kernels.drawn_cases import Call, calls
from tests.kernels.launches import ROUTE
from tests.kernels.source_mutants import SourceMutant, source_mutants
from tests.kernels.survivors import REASONS

ROOT = Path(__file__).parents[2]
LIMITS = re.compile(r'(?:extern "C"|inline) int64_t \w*Limit\(')
INCLUDED = re.compile(r'^#include "(.*)"', re.M)
LEAST_RATE = 0.90
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
    """What every mutant is held against: the calls, and the unchanged kernel's answers."""

    operator: Operator
    calls: tuple[Call, ...]
    answers: tuple[int, ...]
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
            copy_operator(self.operator.name, copy)
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
        told_all = answered(self.operator, lib, self.calls, self.answers)
        for number, ((told, observed), answer) in enumerate(
            zip(told_all, self.answers, strict=True), 1
        ):
            if told:
                return Fate(mutant, KILLED, number, time.monotonic() - started, told)
            if observed != answer and not changed:
                changed = f"another answer to call {number}: {self.calls[number - 1].case!r}"
        seconds = time.monotonic() - started
        fate = SURVIVED if changed else UNSEEN
        return Fate(mutant, fate, len(self.calls), seconds, " ".join(changed.split()))


def answered(
    operator: Operator, lib: Path, made: tuple[Call, ...], right: tuple[int, ...] = ()
) -> Iterator[tuple[str, int]]:
    """What is wrong with each call on these libraries, empty: nothing; and a hash of its answer.

    ``right`` are answers that were judged before: a drawn case is not judged twice on one.
    """
    with closing(open_device("sim", time_limit=TIME_LIMIT, libraries=lib, route=ROUTE)) as device:
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


def sources(operator: Operator) -> list[str]:
    """The files of an operator's kernel and tiling, and those that they include: paths below the
    folder of kernels. Not its entry, and not the shared parts of limits (``reached``).
    """
    found = {
        path.relative_to(KERNELS)
        for path in (KERNELS / operator.name).iterdir()
        if path.suffix in (".h", ".cpp") and not path.name.startswith("aclnn")
    }
    pending = list(found)
    while pending:
        folder, text = pending[-1].parent, (KERNELS / pending.pop()).read_text(encoding="utf-8")
        near = {Path(os.path.normpath(folder / name)) for name in INCLUDED.findall(text)}
        near = {path for path in near if not path.name.endswith("_limit.h")}
        new = {path for path in near - found if (KERNELS / path).is_file()}
        found |= new
        pending += new
    return sorted(map(str, found))


def chosen(
    operator: Operator, sample: int, seed: int, only: tuple[str, ...] = ()
) -> list[SourceMutant]:
    """All mutants, or so many of them; or those whose text contains one of ``only``."""
    every = [
        mutant
        for file in sources(operator)
        for mutant in source_mutants(file, reached((KERNELS / file).read_text(encoding="utf-8")))
    ]
    if only:
        return [mutant for mutant in every if any(text in str(mutant) for text in only)]
    return random.Random(seed).sample(every, sample) if 0 < sample < len(every) else every


def reached(text: str) -> str:
    """A source without the limits that it exports at its end, or that are all of it: no call of the
    operator reads them.

    Every run compares them with the record's, and tests of the tilings hold them.
    """
    return LIMITS.split(text)[0]


def wilson(killed: int, of: int) -> float:
    """The lower end of the 95 % Wilson interval of a share."""
    if not of:
        return 0.0
    z, rate = 1.96, killed / of
    middle = rate + z * z / (2 * of)
    spread = z * ((rate * (1 - rate) + z * z / (4 * of)) / of) ** 0.5
    return (middle - spread) / (1 + z * z / of)


def report(fates: list[Fate]) -> tuple[list[str], float]:
    """The lines that tell how it came out, and the rate that counts."""
    count = Counter(fate.fate for fate in fates)
    rate = wilson(count[KILLED], count[KILLED] + count[SURVIVED])
    lines = [", ".join(f"{count[name]} {name}" for name in (KILLED, SURVIVED, UNSEEN, INVALID))]
    kills = sorted(fate.calls for fate in fates if fate.fate == KILLED)
    if kills:
        times = sorted(fate.seconds for fate in fates if fate.fate == KILLED)
        middle = len(kills) // 2
        lines.append(
            f"calls to the kill: median {kills[middle]}, most {kills[-1]};"
            f" seconds: median {times[middle]:.1f}, most {times[-1]:.1f};"
            f" killed by their first call: {kills.count(1)}"
        )
    for name in (SURVIVED, UNSEEN):
        lines += [f"{name}:"] if count[name] else []
        for fate in (one for one in fates if one.fate == name):
            reason = REASONS.get(str(fate.mutant), "no reason is known")
            lines.append(f"  {fate.mutant}: {reason}")
    lines.append(f"share killed of those that change something, at least {100 * rate:.1f} %")
    return lines, rate


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operator", action="append", default=[], help="all if absent")
    parser.add_argument("--sample", type=int, default=140, help="how many mutants (0: all)")
    parser.add_argument("--only", action="append", default=[], help="those with this text: :64 ")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and of the draws")
    parser.add_argument("--profile", choices=PROFILES, default="smoke")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=ROOT / "reports" / "mutants")
    options = parser.parse_args(arguments)
    well = True
    for operator in suite.chosen(suite.operators(), options.operator):
        rate = held_against_mutants(operator, options)
        well &= rate >= LEAST_RATE
    return 0 if well else 1


_bench: Bench
"""Inherited by the workers, which are forks: thousands of cases are too many to send."""


def _judge(mutant: SourceMutant) -> Fate:
    return _bench.judge(mutant)


def held_against_mutants(operator: Operator, options: argparse.Namespace) -> float:
    """Judge the mutants of one operator and tell how it came out; the rate that counts."""
    global _bench
    console = Console(stderr=True)  # the table is written as it comes, for a run that is cut short
    made = tuple(calls(operator, PROFILES[options.profile], options.seed))
    real = build(quiet=True)
    right = list(answered(operator, real.lib, made))
    wrong = [told for told, _ in right if told]
    if wrong:
        raise SystemExit(f"the unchanged kernel is refused: {wrong[0]}")
    work, fates = chosen(operator, options.sample, options.seed, options.only), []
    options.out.mkdir(parents=True, exist_ok=True)
    table = options.out / f"{operator.name}.txt"
    with tempfile.TemporaryDirectory() as folder, table.open("w", encoding="utf-8") as told:
        seen = tuple(seen for _, seen in right)
        _bench = Bench(operator, made, seen, Path(folder), real.runtime)
        with (
            multiprocessing.get_context("fork").Pool(options.jobs) as pool,
            Progress(console=console, disable=not console.is_terminal) as progress,
        ):
            task = progress.add_task(f"mutants of {operator.name}", total=len(work))
            for fate in pool.imap_unordered(_judge, work):
                fates.append(fate)
                print(fate, file=told, flush=True)
                progress.update(task, advance=1)
    fates.sort(key=lambda fate: (fate.mutant.file, fate.mutant.line, str(fate.mutant)))
    lines, rate = report(fates)
    calls_each = f"{len(made):,} calls each at most, profile {options.profile}"
    print(f"{operator.name}: {len(fates)} mutants, {calls_each}")
    print("\n".join(lines), flush=True)
    return rate


if __name__ == "__main__":
    raise SystemExit(main())
