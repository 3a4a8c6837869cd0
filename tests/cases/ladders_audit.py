"""Which sizes the ladders of the records go up: `python -m tests.cases.ladders_audit`.

It prints a table of docs/reference/extremes.md: how many calls smoke and gate judge of each size.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.draw.ladder_cells import cells_asked, sizes_asked
from conformance.draw.profiles import PROFILES
from conformance.record.operator import TWO_PHASE, Operator
from conformance.suite import records as suite
from conformance.suite.on_route import on_route

NONE = "-"


def counts(operator: Operator, name: str) -> str:
    """Calls of smoke and of gate of a ladder of one operator."""
    found = [ladder for ladder in operator.ladders if ladder.name == name]
    if not found:
        return NONE
    (ladder,) = found
    told = []
    for profile in ("smoke", "gate"):
        each = PROFILES[profile].ladders
        asked = [
            sizes_asked(operator, ladder, mode, each, 0)
            for mode, _ in cells_asked(operator, ladder, each, 0)
        ]
        told.append(f"{sum(map(len, asked))}")
    return " / ".join(told)


def table() -> Iterator[str]:
    """The lines of the table: a row for each size."""
    operators = [on_route(one, TWO_PHASE[0]) for one in suite.operators([])]
    names = dict.fromkeys(ladder.name for one in operators for ladder in one.ladders)
    heads = (f"`{one.name.removeprefix('moe_')}`" for one in operators)
    yield f"| size | {' | '.join(heads)} |"
    yield "|---|" + "---|" * len(operators)
    for name in sorted(names, key=lambda name: (", " in name, [*names].index(name))):
        yield f"| {name} | {' | '.join(counts(one, name) for one in operators)} |"


if __name__ == "__main__":
    print("\n".join(table()))
