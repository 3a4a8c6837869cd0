"""Automatic mutants of a kernel and its host tiling: ``python -m tests.kernels.automatic_run``.

Each mutant is built, then judged case by case as a run of the profile would: small cases, rows of
the covering array, free draws, documented calls, calls that must be refused. It is killed by the
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
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from cases.operators.moe_init_routing_v2_grad import OPERATOR
from conformance.devices.open import open_device
from conformance.judge import judge, judge_example, judge_rejection
from conformance.observation import Observation
from conformance.profiles import PROFILES
from device_kernels.build import BuildError, build
from tests.kernels.drawn_cases import Call, calls
from tests.kernels.source_mutants import SourceMutant, source_mutants
from tests.kernels.survivors import REASONS

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "device_kernels" / "kernels"
SOURCES = tuple(f"{OPERATOR.name}/{OPERATOR.name}_{part}.cpp" for part in ("kernel", "tiling"))
LEAST_RATE = 0.90
TIME_LIMIT = 3.0
KILLED, SURVIVED, UNSEEN, INVALID = "killed", "survived", "changes nothing", "does not compile"


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: after how many calls and seconds, and by what it was killed."""

    mutant: SourceMutant
    fate: str
    calls: int = 0
    seconds: float = 0.0
    by: str = ""


@dataclass(frozen=True)
class Bench:
    """What every mutant is held against: the calls, and the unchanged kernel's answers."""

    calls: tuple[Call, ...]
    answers: tuple[int, ...]
    folder: Path

    def judge(self, mutant: SourceMutant) -> Fate:
        """Build a mutant and judge it."""
        copy = Path(tempfile.mkdtemp(dir=self.folder)) / "kernels"
        shutil.copytree(KERNELS, copy)
        source = copy / mutant.file
        source.write_text(mutant.apply(source.read_text(encoding="utf-8")), encoding="utf-8")
        try:
            lib = build(copy, quiet=True).lib
        except BuildError:
            return Fate(mutant, INVALID)
        started, changed = time.monotonic(), False
        done = zip(answered(lib, self.calls), self.answers, strict=True)
        for number, ((told, observed), answer) in enumerate(done, 1):
            if told:
                return Fate(mutant, KILLED, number, time.monotonic() - started, told)
            changed |= observed != answer
        seconds = time.monotonic() - started
        return Fate(mutant, SURVIVED if changed else UNSEEN, len(self.calls), seconds)


def answered(lib: Path, made: tuple[Call, ...]) -> Iterator[tuple[str, int]]:
    """What is wrong with each call on these libraries, empty: nothing; and a hash of its answer."""
    with closing(open_device("sim", time_limit=TIME_LIMIT, libraries=lib)) as device:
        for call in made:
            observation = device.run(OPERATOR, call.case)
            if call.rejection is not None:
                verdict = judge_rejection(call.rejection, observation)
            elif call.example is not None:
                verdict = judge_example(call.example, OPERATOR, observation)
            else:
                verdict = judge(OPERATOR, call.case, observation)
            yield ("" if verdict.ok else verdict.headline), answer(observation)


def answer(observation: Observation) -> int:
    """A hash of everything that a caller can see of a call, but not of the words of messages."""
    outputs = tuple((name, array.tobytes()) for name, array in sorted(observation.outputs.items()))
    codes = tuple(diagnostic.code for diagnostic in observation.diagnostics)
    seen = (observation.outcome.name, observation.status, observation.phase, outputs, codes)
    return hash(seen)


def chosen(sample: int, seed: int) -> list[SourceMutant]:
    """All mutants, or so many of them, drawn evenly from the kernel and its tiling."""
    found = []
    for file in SOURCES:
        every = list(source_mutants(file, (KERNELS / file).read_text(encoding="utf-8")))
        share = min(len(every), sample // len(SOURCES)) if sample else len(every)
        found += random.Random(seed).sample(every, share)
    return found


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
        lines.append(
            f"calls to the kill: median {kills[len(kills) // 2]}, most {kills[-1]};"
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
    parser.add_argument("--sample", type=int, default=140, help="how many mutants (0: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and of the draws")
    parser.add_argument("--profile", choices=PROFILES, default="smoke")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=ROOT / "reports" / "mutants")
    options = parser.parse_args(arguments)
    console = Console(stderr=True)
    made = tuple(calls(OPERATOR, PROFILES[options.profile], options.seed))
    right = list(answered(build(quiet=True).lib, made))
    wrong = [told for told, _ in right if told]
    if wrong:
        print(f"the unchanged kernel is refused: {wrong[0]}")
        return 2
    work, fates = chosen(options.sample, options.seed), []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MOE_CONFORMANCE_CACHE"] = str(Path(folder) / "build")
        bench = Bench(made, tuple(seen for _, seen in right), Path(folder))
        build(quiet=True)  # the runtime, once for all
        with (
            multiprocessing.get_context("fork").Pool(options.jobs) as pool,
            Progress(console=console, disable=not console.is_terminal) as progress,
        ):
            task = progress.add_task("mutants", total=len(work))
            for fate in pool.imap_unordered(bench.judge, work):
                fates.append(fate)
                progress.update(task, advance=1)
    options.out.mkdir(parents=True, exist_ok=True)
    fates.sort(key=lambda fate: (fate.mutant.file, fate.mutant.line, str(fate.mutant)))
    table = [f"{f.fate:16} {f.calls:6} {f.seconds:7.1f} s  {f.mutant}  {f.by}" for f in fates]
    (options.out / "automatic.txt").write_text("\n".join(table) + "\n", encoding="utf-8")
    lines, rate = report(fates)
    print(f"{len(fates)} mutants, {len(made):,} calls each at most, profile {options.profile}")
    print("\n".join(lines))
    return 0 if rate >= LEAST_RATE else 1


if __name__ == "__main__":
    raise SystemExit(main())
