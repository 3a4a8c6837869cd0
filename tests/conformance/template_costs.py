"""What each template of a run cost: `python -m tests.conformance.template_costs RUN`.

Seconds are those of all processes together, from each attempt's start to its verdict; what
collecting the items, building and starting take is not in them. Relations that every run judges
(determinism, layout and others) are told each by its name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.evidence.lines import AnyLine, VerdictLine, read_lines


@dataclass
class Cost:
    """Of one template: how many verdicts it reached, and in how many seconds."""

    template: str
    verdicts: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        each = 1000 * self.seconds / max(1, self.verdicts)
        return f"{self.template:18} {self.verdicts:8,} {self.seconds:8.1f} s {each:6.1f} ms each"


def costs(lines: Iterable[AnyLine]) -> list[Cost]:
    """The dearest template first."""
    found = dict[str, Cost]()
    for line in lines:
        if isinstance(line, VerdictLine):
            name = _named(line)
            cost = found.setdefault(name, Cost(name))
            cost.verdicts += 1
            cost.seconds += line.seconds
    return sorted(found.values(), key=lambda cost: -cost.seconds)


def _named(line: VerdictLine) -> str:
    """An item of a relation is test_relations[<operator>-<relation>-<mode>-<data type>]."""
    template = line.template.removeprefix("test_")
    return line.item.split("[")[-1].split("-")[1] if template == "relations" else template


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    chosen = parser.parse_args()
    for cost in costs(read_lines(chosen.run)):
        print(cost)
    return 0


if __name__ == "__main__":
    sys.exit(main())
