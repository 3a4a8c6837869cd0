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
import os
import tempfile
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from conformance import places
from conformance.draw.profiles import PROFILES
from conformance.mutants import chosen as mutated
from conformance.mutants.bench import (
    INVALID,
    KILLED,
    SURVIVED,
    UNSEEN,
    Bench,
    Fate,
    answered,
    fates,
)
from conformance.mutants.drawn_cases import calls
from conformance.mutants.source_mutants import SourceMutant
from conformance.record.operator import Operator
from conformance.suite import records as suite
from device_kernels.build import build
from tests.kernels.launches import ROUTE
from tests.kernels.survivors import REASONS

ROOT = Path(__file__).parents[2]
KERNELS = places.own_kernels()
LEAST_RATE = 0.90


def sources(operator: Operator) -> list[str]:
    """The files of an operator's kernel and tiling, and those that they include, shared ones too:
    paths below the folder of kernels.
    """
    return mutated.sources(KERNELS / operator.name, KERNELS)


def chosen(
    operator: Operator, sample: int, seed: int, only: tuple[str, ...] = ()
) -> list[SourceMutant]:
    """All mutants, or so many of them; or those whose text contains one of ``only``."""
    every = mutated.mutants(KERNELS / operator.name, KERNELS)
    if only:
        return [mutant for mutant in every if any(text in str(mutant) for text in only)]
    return mutated.sampled(every, sample, seed)


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
    for operator in suite.chosen(suite.records(), options.operator):
        rate = held_against_mutants(operator, options)
        well &= rate >= LEAST_RATE
    return 0 if well else 1


def held_against_mutants(operator: Operator, options: argparse.Namespace) -> float:
    """Judge the mutants of one operator and tell how it came out; the rate that counts."""
    console = Console(stderr=True)  # the table is written as it comes, for a run that is cut short
    made = tuple(calls(operator, PROFILES[options.profile], options.seed, ROUTE))
    real = build(quiet=True)
    right = list(answered(operator, ROUTE, real.lib, made))
    wrong = [told for told, _ in right if told]
    if wrong:
        raise SystemExit(f"the unchanged kernel is refused: {wrong[0]}")
    work: list[SourceMutant] = chosen(operator, options.sample, options.seed, options.only)
    ended: list[Fate] = []
    options.out.mkdir(parents=True, exist_ok=True)
    table = options.out / f"{operator.name}.txt"
    with tempfile.TemporaryDirectory() as folder, table.open("w", encoding="utf-8") as told:
        seen = tuple(seen for _, seen in right)
        kernel = KERNELS / operator.name
        bench = Bench(operator, ROUTE, made, seen, kernel, Path(folder), real.runtime)
        with (
            fates(bench, work, options.jobs) as judged,
            Progress(console=console, disable=not console.is_terminal) as progress,
        ):
            task = progress.add_task(f"mutants of {operator.name}", total=len(work))
            for fate in judged:
                ended.append(fate)
                print(fate, file=told, flush=True)
                progress.update(task, advance=1)
    ended.sort(key=lambda fate: (fate.mutant.file, fate.mutant.line, str(fate.mutant)))
    lines, rate = report(ended)
    calls_each = f"{len(made):,} calls each at most, profile {options.profile}"
    print(f"{operator.name}: {len(ended)} mutants, {calls_each}")
    print("\n".join(lines), flush=True)
    return rate


if __name__ == "__main__":
    raise SystemExit(main())
