"""Which branches of a kernel the cases of a run reached, by the key that its host tiling chose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from conformance.call.observation import Outcome
from conformance.evidence.lines import AnyLine, VerdictLine


class TilingKeys(msgspec.Struct, kw_only=True):
    """Of one operator: ``cases`` counts distinct judged cases by tiling key.

    ``asked`` are the keys that the kernel's source asks for (`LibraryTraits.tiling_keys`), none
    where that is not known. Whether the host code can choose each of them, no source tells.
    """

    operator: str
    cases: dict[int, int]
    asked: tuple[int, ...] = ()

    @property
    def unreached(self) -> list[int]:
        """Keys that the kernel asks for and no case reached, ascending."""
        return [key for key in self.asked if key not in self.cases]

    @property
    def unknown(self) -> list[int]:
        """Keys that a case reached and the kernel does not ask for: a launch that does nothing."""
        return [key for key in self.cases if self.asked and key not in self.asked]


def tiling_keys(
    lines: Iterable[AnyLine], asked: Mapping[str, Sequence[int]], phases: Iterable[str]
) -> list[TilingKeys]:
    """What the verdicts of ``phases`` say, by operator; nothing of devices that tell no key.

    The same inputs on another machine may reach another key, and then count for both.
    """
    seen = set()
    found: dict[str, dict[int, int]] = {}
    for line in of_judged_cases(lines, phases):
        if line.tiling_key is None:
            continue
        case = (line.operator, line.tiling_key, line.digest)
        if case not in seen:
            seen.add(case)
            counts = found.setdefault(line.operator, {})
            counts[line.tiling_key] = counts.get(line.tiling_key, 0) + 1
    return [
        TilingKeys(
            operator=name, cases=dict(sorted(counts.items())), asked=tuple(asked.get(name, ()))
        )
        for name, counts in found.items()
    ]


def of_judged_cases(lines: Iterable[AnyLine], phases: Iterable[str]) -> Iterator[VerdictLine]:
    """The verdicts of ``phases`` on calls that were made, without those in quarantine."""
    counted = set(phases)
    for line in lines:
        if not isinstance(line, VerdictLine) or line.phase not in counted:
            continue
        if line.outcome != Outcome.NOT_POSSIBLE.value and line.judged_as != "quarantine":
            yield line


def asked_in(told: Iterable[TilingKeys]) -> dict[str, tuple[int, ...]]:
    """What the kernels ask for, as the evidence of several runs tells it."""
    return {one.operator: one.asked for one in told if one.asked}
