"""Which extremes a run is sure to judge of an operator, read off its record, and by what.

`python -m tests.cases.extremes_audit` prints the table of docs/reference/extremes.md. What is sure
is what a record declares: a documented call, of which every run makes all; an edge, of which a run
judges a case where its profile affords it; a level of a discrete cell, which gate judges with every
other. Drawn cases that show an extreme by luck do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cases.operators._extremes import PRIME_COLUMNS
from conformance.call.case import Case
from conformance.draw.profiles import PROFILES
from conformance.record.cells import Cells
from conformance.record.contract import Selected
from conformance.record.edges import Edge
from conformance.record.operator import Operator
from conformance.suite import records as suite

GATE, NIGHTLY = PROFILES["gate"].edge_cost, PROFILES["nightly"].edge_cost
MOST_KEYS = 2**24 - 2

Shown = Callable[[Edge], bool]


def cells_of(operator: Operator) -> list[Cells]:
    if operator.cells is None:
        return []
    return [operator.cells(mode.name, "float16") for mode in operator.modes]


def by_edge(operator: Operator, shown: Shown) -> str:
    near = [one.edges.declared for one in cells_of(operator) if one.edges]
    costs = [edge.cost for declared in near for edge in declared if shown(edge)]
    if not costs or min(costs) > NIGHTLY:
        return ""
    return "edge" if min(costs) <= GATE else "nightly"


def by_example(operator: Operator, shown: Callable[[Case], bool]) -> str:
    return "call" if any(shown(example.case) for example in operator.examples) else ""


def begins(words: str) -> Callable[[Operator], str]:
    return lambda operator: by_edge(operator, lambda edge: edge.limit.startswith(words))


def fixes(**sizes: int) -> Callable[[Operator], str]:
    return lambda operator: by_edge(operator, lambda edge: sizes.items() <= edge.sizes.items())


def columns(operator: Operator) -> str:
    """Of scores the columns are experts."""
    of_one_group = {"member": PRIME_COLUMNS, "group": 1}
    ways = ({"hidden": PRIME_COLUMNS}, {"expert": PRIME_COLUMNS}, of_one_group)
    return next((sure for one in ways if (sure := fixes(**one)(operator))), "")


MOST_SLOTS = {"top_k": 511, "slot": 1024}
"""By the name that the sizes of an edge have for them: of top_k 512 a map allows one less."""


def most_slots(operator: Operator) -> str:
    def shown(edge: Edge) -> bool:
        return any(edge.sizes.get(name, 0) >= most for name, most in MOST_SLOTS.items())

    return by_edge(operator, shown)


def one_takes_all(operator: Operator) -> str:
    """Equal keys, a map of one expert; of ranks, 0, 1, 2... are those of slots of one expert. Of
    equal scores the first expert is selected by all."""
    wanted = {"keys": "all equal", "tokens of an expert": "all", "routing": "in order"}
    wanted |= {"values": "equal", "ids": "the same in every row", "segments": "of one expert"}
    if operator.name == "moe_token_permute_with_routing_map":
        wanted["routing"] = "expert with all tokens"
    axes = [axis for one in cells_of(operator) for axis in one.axes]
    return "level" if any(wanted.get(axis.name) in axis.levels for axis in axes) else ""


def of_every_expert(operator: Operator) -> str:
    """Keys that name each expert once in every token, or a map that is true everywhere, or as many
    ids as there are scores."""

    def shown(case: Case) -> bool:
        given = case.inputs.get("routing_map")
        whole = given is not None and given.size > 0 and bool(case.arrays["routing_map"].all())
        return whole or selects_all(case)

    def selects_all(case: Case) -> bool:
        ids = [n for n in case.outputs if isinstance(operator.contract(n, case), Selected)]
        return any(case.outputs[name].shape == case.inputs["x"].shape for name in ids)

    named = any(one.name == "every token of every expert" for one in operator.examples)
    return "call" if named else by_example(operator, shown)


def beyond(elements: int) -> Callable[[Operator], str]:
    def shown(case: Case) -> bool:
        return any(tensor.size > elements for tensor in case.inputs.values())

    return lambda operator: by_example(operator, shown)


def large_indices(operator: Operator) -> str:
    def shown(case: Case) -> bool:
        named = [a for a in case.arrays.values() if a.dtype.kind == "i" and a.size]
        return any(int(np.max(a)) > 2**24 for a in named)

    return by_example(operator, shown)


def empty(operator: Operator) -> str:
    def shown(case: Case) -> bool:
        return any(tensor.size == 0 for tensor in (*case.inputs.values(), *case.outputs.values()))

    return by_example(operator, shown)


EXTREMES: dict[str, Callable[[Operator], str]] = {
    "NaN, infinities, -0.0, subnormal in every slot": begins("special values in every slot"),
    "the same in every column of a row of two tiles": begins("special values in every column"),
    "one expert takes all": one_takes_all,
    "fewest tokens, one slot, one column": begins("the fewest rows of one column"),
    "the most slots of a token": most_slots,
    "as many slots as experts": of_every_expert,
    f"{PRIME_COLUMNS} columns": columns,
    "a size of zero": empty,
    "offsets beyond 2^31 elements": beyond(2**31),
    "offsets beyond 2^32 elements": beyond(2**32),
    "indices beyond 2^24": large_indices,
    f"{MOST_KEYS:,} keys": fixes(tokens=MOST_KEYS // 2, top_k=2),
}
"""Extremes by name: what in a record makes it sure, "call", "edge", "level" or "nightly"; ""."""


def audit() -> Iterator[tuple[str, str, str]]:
    """Operator, extreme, and what makes it sure."""
    for operator in suite.operators([]):
        for extreme, sure in EXTREMES.items():
            yield operator.name, extreme, sure(operator)


def table() -> Iterator[str]:
    """The lines of the table: a row for each extreme."""
    told = {(operator, extreme): sure for operator, extreme, sure in audit()}
    operators = list(dict.fromkeys(operator for operator, _ in told))
    yield "| extreme | " + " | ".join(f"`{one.removeprefix('moe_')}`" for one in operators) + " |"
    yield "|---|" + "---|" * len(operators)
    for extreme in EXTREMES:
        cells = " | ".join(told[one, extreme] or "-" for one in operators)
        yield f"| {extreme} | {cells} |"


if __name__ == "__main__":
    print("\n".join(table()))
