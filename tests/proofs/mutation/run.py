"""Mutants of the judge, each held against the tests: ``python -m tests.proofs.mutation.run``.

Every mutant of the judges in conformance/judge and of conformance/numerics/*.py that changes an
outcome of the toy corpus must make a test fail. Ends with status 1 where one does not, 2 where the
unchanged judge does not pass. ``--jobs N`` at a time; ``--module NAME`` (again and again),
``--shard I/N`` and ``--sample N --seed S`` choose some; results go to ``--out``. ``--go-on FILE``
keeps what an earlier run's mutants.jsonl decided about the same judge: survivors and the rest are
judged.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tests.proofs.mutation.mutants import Mutant, mutants
from tests.proofs.mutation.outcome import Bench, Fate, Outcome, digests_of
from tests.proofs.mutation.report import decided, line_of, listing, summary, told, write
from tests.proofs.mutation.warm import WarmTests, with_collected

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "tests" / "conformance"
CORPUS = "tests.proofs.mutation.corpus"
OF_CALLS = ("calls", "effects", "examples", "quarantined", "rejections")
OF_OUTPUTS = ("agreement", "copies", "sums", "worst")
"""The modules of conformance/judge that judge whole calls, and outputs."""

LOOPS = ("compiled_interval", "compiled_sums")
"""The modules of numerics whose tests are those of `compiled`."""

OF_WHOLE_CALLS = (
    *("judge/test_calls.py", "judge/test_refusals_and_examples.py"),
    "session/test_failure_text.py",
)
"""The tests that mirror those of whole calls."""

LIBRARIES = (
    "hypothesis.strategies",
    "ml_dtypes",
    "msgspec",
    "numpy.testing",
    "pytest",
    "rich.table",
)


def modules() -> dict[str, Path]:
    """The judge's modules by name."""
    judges = (*OF_CALLS, *OF_OUTPUTS)
    paths = [ROOT / "conformance" / "judge" / f"{name}.py" for name in judges]
    paths += sorted((ROOT / "conformance" / "numerics").glob("[!_]*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in paths}


def judging_tests() -> list[Path]:
    """The tests that have to kill mutants."""
    of_outputs = [f"judge/test_{name}.py" for name in OF_OUTPUTS]
    places = ("numerics/test_*.py", *of_outputs, *OF_WHOLE_CALLS, "diagnosis/test_*.py")
    return [path for place in places for path in sorted(TESTS.glob(place))]


def own_tests(module: str) -> list[Path]:
    """The tests that mirror a module."""
    room, name = module.split(".")[-2:]
    name = "compiled" if name in LOOPS else name
    places = (f"{room}/test_{name}.py", f"{room}/test_{name}_by_*.py")
    if room == "judge" and name in OF_CALLS:
        places = OF_WHOLE_CALLS
    return [path for place in places for path in sorted(TESTS.glob(place))]


def chosen(options: argparse.Namespace) -> list[Mutant]:
    """The mutants that the command line asks for."""
    known = modules()
    names = {name.rpartition(".")[2]: name for name in known}
    unknown = sorted(set(options.module) - set(names))
    if unknown:
        raise SystemExit(f"--module {unknown[0]}: must be one of {', '.join(names)}")
    wanted = [names[name] for name in options.module] or list(known)
    found = list(itertools.chain.from_iterable(mutants(name, known[name]) for name in wanted))
    if options.sample:
        found = random.Random(options.seed).sample(found, min(options.sample, len(found)))
    part, parts = (int(number) for number in options.shard.split("/"))
    return [mutant for mutant in found[part - 1 :: parts] if mutant.changes]


_bench: list[Bench] = []


def _judge(mutant: Mutant) -> Outcome:
    return _bench[-1].judge(mutant)


def judged(bench: Bench, work: list[Mutant], jobs: int, folder: Path) -> list[Outcome]:
    """The outcomes of all mutants, with a bar on a terminal.

    Survivors are printed at once, and every outcome is a line of mutants.jsonl in ``folder`` at
    once, so that a run that is stopped leaves what it found.
    """
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    found = []
    _bench.append(bench)  # collected tests cannot be sent to a process, but it can inherit them
    with (
        multiprocessing.get_context("fork").Pool(jobs) as pool,
        Progress(*columns, console=console, disable=not console.is_terminal) as progress,
        listing(folder).open("w", encoding="utf-8") as listed,
    ):
        task = progress.add_task("mutants", total=len(work))
        for outcome in pool.imap_unordered(_judge, work):
            found.append(outcome)
            print(line_of(outcome), file=listed, flush=True)
            if outcome.fate is Fate.SURVIVED:
                print("\n".join(told([outcome])), flush=True)
            survived = sum(one.fate is Fate.SURVIVED for one in found)
            progress.update(task, advance=1, description=f"mutants, {survived} survived")
    return sorted(found, key=lambda one: (one.mutant.module, one.mutant.line, str(one.mutant)))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--module", action="append", default=[])
    parser.add_argument("--shard", default="1/1", metavar="I/N")
    parser.add_argument("--sample", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--go-on", type=Path, metavar="FILE")
    parser.add_argument("--out", type=Path, default=ROOT / "reports" / "mutation")
    options = parser.parse_args(arguments)
    # Compiled anew for each mutant, loops take half a minute.
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    for library in (*LIBRARIES, *(("numba",) if find_spec("numba") else ())):
        importlib.import_module(library)
    began = time.monotonic()
    digests, again = digests_of(CORPUS), digests_of(CORPUS)
    if digests != again:
        changed = [name for name in digests if digests[name] != again[name]]
        print(f"the corpus is not the same every time: {', '.join(changed)}")
        return 2
    own = {name: own_tests(name) for name in modules()}
    outcomes: list[Outcome] = []

    def against(items: Sequence[pytest.Item]) -> None:
        warm = WarmTests(items, own)
        if warm.failing:
            raise RuntimeError(f"the tests fail on the unchanged judge: {warm.failing}")
        bench = Bench(CORPUS, digests, judging_tests(), own, warm)
        work = chosen(options)
        outcomes.extend(decided(options.go_on, work) if options.go_on else [])
        away = {outcome.mutant for outcome in outcomes}
        work = [mutant for mutant in work if mutant not in away]
        outcomes.extend(judged(bench, work, options.jobs, options.out))

    try:
        with_collected(judging_tests(), against)
    except RuntimeError as error:
        print(error)
        return 2
    write(outcomes, options.out)
    print(summary(outcomes, time.monotonic() - began))
    print(f"every mutant: {options.out / 'mutants.md'}")
    return 1 if any(one.fate is Fate.SURVIVED for one in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
