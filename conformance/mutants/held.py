"""An operator held against its automatic mutants: what became of each, what no call reaches."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from conformance.devices.kernel_copies import unchanged
from conformance.devices.open import TIME_LIMIT
from conformance.draw.profiles import PROFILES
from conformance.draw.seeded import of_seed_alone
from conformance.mutants.bench import SURVIVED, UNSEEN, Bench, Fate, answered, fates
from conformance.mutants.drawn_cases import Call, calls
from conformance.mutants.source_mutants import SourceMutant
from conformance.record.operator import Operator
from conformance.suite.record_weakness import unreached

PROFILE, ROUTE = "smoke", "aclnn"


def _ignore(fate: Fate) -> None:
    pass


UNWATCHED: AbstractContextManager[Callable[[Fate], None]] = nullcontext(_ignore)


@dataclass(frozen=True)
class Held:
    """How it came out for an operator.

    ``wrong`` is the headline of a call that the unchanged kernel fails: then no mutant was judged.
    ``fates`` are in the order of the sources, ``weak`` are sentences of what no drawn case reaches.
    """

    operator: str
    calls: tuple[Call, ...]
    wrong: str = ""
    fates: tuple[Fate, ...] = ()
    weak: tuple[str, ...] = ()

    @property
    def counts(self) -> Counter[str]:
        """How many mutants had each fate."""
        return Counter(fate.fate for fate in self.fates)

    def of(self, fate: str) -> list[Fate]:
        """Those with a fate."""
        return [one for one in self.fates if one.fate == fate]


def held(
    operator: Operator,
    kernel: Path,
    mutants: Sequence[SourceMutant],
    *,
    seed: int = 0,
    workers: int = 1,
    quiet: bool = True,
    watching: AbstractContextManager[Callable[[Fate], None]] = UNWATCHED,
) -> Held:
    """Judge mutants of the kernel in a folder on the calls of a smoke run; what ``watching`` gives
    is called with each. Raises EnvironmentFailure if the unchanged kernel does not compile.
    """
    real = unchanged(kernel, quiet=quiet)
    with of_seed_alone():
        made = tuple(calls(operator, PROFILES[PROFILE], seed, ROUTE))
    right = []
    for told, seen in answered(operator, ROUTE, real.lib, made, time_limit=TIME_LIMIT):
        if told:
            return Held(operator.name, made, told)
        right.append(seen)
    ended: list[Fate] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bench = Bench(operator, ROUTE, made, tuple(right), kernel, Path(folder), real.runtime)
        with fates(bench, mutants, workers) as judged, watching as watched:
            for fate in judged:
                ended.append(fate)
                watched(fate)
    ended.sort(key=lambda one: (one.mutant.file, one.mutant.start, str(one.mutant)))
    lacking = any(one.fate in (SURVIVED, UNSEEN) for one in ended)
    drawn = [one.case for one in made if one.example is None and one.rejection is None]
    weak = tuple(unreached(operator, drawn)) if lacking else ()
    return Held(operator.name, made, "", tuple(ended), weak)
