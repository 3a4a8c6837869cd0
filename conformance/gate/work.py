"""The work of fixed cases beside the baseline's: counts that are exact, so that a little is enough.

Counted are the bytes that each pipe moves, instructions, barriers and the longest chain of
instructions that wait for each other (`conformance.call.work`). Compared are calls of the same name
with the same inputs on the same simulated machine that were accepted both times.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.catalogue import work as say
from conformance.gate.facts import Facts, Named
from conformance.gate.judgement import Finding

WORDS = {
    "mte2_bytes": say.MTE2_BYTES,
    "mte3_bytes": say.MTE3_BYTES,
    "scalar_bytes": say.SCALAR_BYTES,
    "vector_bytes": say.VECTOR_BYTES,
    "most_mte2_bytes": say.MOST_MTE2_BYTES,
    "most_mte3_bytes": say.MOST_MTE3_BYTES,
    "most_scalar_bytes": say.MOST_SCALAR_BYTES,
    "most_vector_bytes": say.MOST_VECTOR_BYTES,
    "mte2_instructions": say.MTE2_INSTRUCTIONS,
    "mte3_instructions": say.MTE3_INSTRUCTIONS,
    "vector_instructions": say.VECTOR_INSTRUCTIONS,
    "scalar_accesses": say.SCALAR_ACCESSES,
    "barriers": say.BARRIERS,
    "waits": say.WAITS,
    "meetings": say.MEETINGS,
    "chain": say.CHAIN,
    "chain_bytes": say.CHAIN_BYTES,
}
"""The counts that are compared, in the order in which they are told. How many blocks a launch has
is no work: with fewer of them, the chain and the block with most work show what they cost."""


@dataclass
class Compared:
    """A count of an operator in all calls that both runs have: name, before and now."""

    calls: list[tuple[str, int, int]] = field(default_factory=list)

    def grown(self, most: float) -> list[tuple[str, int, int]]:
        """The calls where it grew by more than a share of what it was, the most grown first."""
        found = [one for one in self.calls if one[2] > one[1] * (1 + most)]
        return sorted(found, key=lambda one: (-_growth(*one[1:]), one[0]))

    def shrunk(self) -> list[tuple[str, int, int]]:
        """The calls where it became less, the most shrunk first."""
        found = [one for one in self.calls if one[2] < one[1]]
        return sorted(found, key=lambda one: (_growth(*one[1:]), one[0]))


def more_work(run: Facts, before: Facts, most: float) -> Iterator[Finding]:
    """A finding for each count of an operator that grew by more than ``most`` in one call."""
    for operator, counts in _compared(run, before).items():
        for count, compared in counts.items():
            if grown := compared.grown(most):
                yield Finding(
                    kind="more work",
                    subject=operator,
                    message=say.MORE_WORK(**_told(count, grown), all=len(compared.calls)),
                )


def less_work(run: Facts, before: Facts) -> Iterator[str]:
    """The largest gain of each operator in words."""
    for operator, counts in _compared(run, before).items():
        shrunk = {count: found for count, one in counts.items() if (found := one.shrunk())}
        if shrunk:
            count = min(shrunk, key=lambda one: _growth(*shrunk[one][0][1:]))
            calls = len(counts[count].calls)
            told = _told(count, shrunk[count])
            yield say.LESS_WORK(operator=operator, **told, all=calls)


def work_not_compared(run: Facts, before: Facts) -> Iterator[str]:
    """Why counts that the run has are not compared."""
    counted = [name for name, one in run.named.items() if one.work]
    if counted and not any(one.work for one in before.named.values()):
        yield say.NO_WORK_BEFORE()
        return
    moved = [
        name
        for name in counted
        if (was := before.named.get(name)) is not None
        and was.digest == run.named[name].digest
        and was.work
        and was.machine != run.named[name].machine
    ]
    if moved:
        yield say.ON_ANOTHER_MACHINE(name=moved[0], count=len(moved))


def _compared(run: Facts, before: Facts) -> dict[str, dict[str, Compared]]:
    """By operator and count, what both runs have of it."""
    found: dict[str, dict[str, Compared]] = {}
    for name, was in before.named.items():
        now = run.named.get(name)
        if now is None or not _comparable(was, now):
            continue
        counts = found.setdefault(now.operator, {})
        for count in WORDS:
            if count in was.work and count in now.work:
                one = counts.setdefault(count, Compared())
                one.calls.append((name, was.work[count], now.work[count]))
    return found


def _comparable(was: Named, now: Named) -> bool:
    same = was.digest == now.digest and was.machine == now.machine
    return same and was.ok and now.ok


def _growth(was: int, now: int) -> float:
    """By how much a count grew, as a share of what it was."""
    if was == 0:
        return math.inf if now else 0.0
    return now / was - 1


def _told(count: str, calls: list[tuple[str, int, int]]) -> dict[str, object]:
    """The call in which a count changed most, and how many there are."""
    name, was, now = calls[0]
    growth = _growth(was, now)
    change = "" if math.isinf(growth) else say.CHANGE(growth=growth)
    return {
        "what": WORDS[count](),
        "was": was,
        "now": now,
        "change": change,
        "name": name,
        "calls": len(calls),
    }
