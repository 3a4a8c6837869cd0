"""Documented calls and doubtful ones in which a table has the experts of each row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cases.operators._gating_group_examples import GroupCalls
from cases.operators._gating_lookups import IDS, MOST_LOOKED_UP, TABLE, TYPES, with_table
from conformance.call.case import Case
from conformance.draw.far import EDGES
from conformance.record.clause import source_read
from conformance.record.operator import Example, Quarantine
from conformance.record.variations import with_attributes, without

PAGE = {"row": 3, "group": 1, "member": 256, "kept": 1, "slot": 2}
PAGE_IDS, PAGE_TABLE = (0, 2, 1), ((10, 42), (33, 127), (5, 88))
PAGE_EXPERTS = (10.0, 42.0, 5.0, 88.0, 33.0, 127.0)
WHOLE = {"group": 2, "kept": 2}
"""Groups that are all kept."""


@dataclass(frozen=True)
class LookupCalls:
    """Calls with a table, made of those without; ``source`` reads what CANN makes of some."""

    calls: GroupCalls
    source: str

    def call(
        self,
        mode: str = "",
        types: tuple[str, str] = ("int32", "int32"),
        keys: int = 3,
        sizes: dict[str, int] | None = None,
        **more: Any,
    ) -> Case:
        """A call of some of these sizes; the ids are rows of the table, from the last on."""
        case = self.calls.call(mode, sizes={**WHOLE, **(sizes or {})}, **more)
        rows, experts = case.inputs["x"].shape
        count = keys * case.attributes["k"]
        table = np.arange(count).reshape(keys, -1) * 5 % experts
        return with_table(case, np.arange(keys - 1, keys - 1 - rows, -1) % keys, table, types)

    @property
    def page(self) -> Case:
        """The call of the page."""
        case = self.calls.call(sizes=PAGE, group_select_mode=1)
        return with_table(case, PAGE_IDS, PAGE_TABLE)

    @property
    def rights(self) -> tuple[Case, ...]:
        """Calls that are right in all, beside those without a table."""
        return (self.page, self.call(types=("int64", "int64")))

    def examples(self) -> Iterator[Example]:
        """With every output in each mode, the page's call, data types, one input alone, limits."""
        place = f"{self.calls.source}, hash mode"
        experts = {"expert_idx": PAGE_EXPERTS}
        page = f"{self.calls.source}, example"
        for mode in self.calls.modes:
            yield Example(f"looked up, {mode}", self.call(mode, out_flag=1), place)
        yield Example("the page's call with a table", self.page, page, experts)
        named = {
            **{f"ids of {name}": self.call(types=types) for name, types in TYPES.items()},
            **self._alone(),
            "looked up without a bias": self.call(bias=False),
            "looked up in a table of one row": self.call(keys=1),
            "looked up: k 1": self.call(sizes={"slot": 1}),
            "looked up: k 64": self.call(sizes=_of_one_group(MOST_LOOKED_UP)),
            "looked up: groups of one expert": self.call(sizes={"group": 4, "member": 1}),
            "an expert twice in a row of the table": with_table(self.call(), (1, 0), _TWICE),
            "two rows of one id": with_table(self.call(sizes={"row": 3}), (0, 2, 2), PAGE_SMALL),
        }
        yield from (Example(name, case, place) for name, case in named.items())
        yield from self._far()

    def _far(self) -> Iterator[Example]:
        """A table for each edge of offsets: one of the two rows that are named ends before it, and
        the other begins at it. No other row exists."""
        for edge, types in zip(EDGES, (("int64", "int64"), ("int32", "int32")), strict=True):
            case = self.calls.call(sizes=_of_one_group(MOST_LOOKED_UP))
            at = edge // MOST_LOOKED_UP
            held = np.arange(2 * MOST_LOOKED_UP)[::-1].reshape(2, -1)
            near = with_table(case, (at, at - 1), held, types)
            table = replace(near.inputs[TABLE], shape=(at + 1, MOST_LOOKED_UP), rows=(at - 1, at))
            power = edge.bit_length() - 1
            yield Example(
                f"looked up in a table beyond 2^{power} elements",
                replace(near, inputs={**near.inputs, TABLE: table}),
                f"{self.calls.source}, tid2eid has any number of rows",
            )

    def _alone(self) -> dict[str, Case]:
        """With one of the two inputs alone, keys decide."""
        both = self.call()
        return {
            "ids without a table": without(both, TABLE),
            "a table without ids": without(both, IDS),
        }

    def wrong(self) -> dict[str, Case]:
        """Calls beyond the limits of a table."""
        return {
            "looked up: k 65": self.call(sizes=_of_one_group(MOST_LOOKED_UP + 1)),
            "looked up: one of two groups kept": self._left_out,
        }

    @property
    def _left_out(self) -> Case:
        return with_attributes(self.call(), k_group=1)

    def doubtful(self) -> tuple[Quarantine, ...]:
        """Calls that the document rejects, and that CANN carries out on Ascend910B and 910_93."""
        wide = self.call(sizes=_of_one_group(MOST_LOOKED_UP + 1), bias=False)
        clauses = {
            "looked up beyond k 64": (wide, "k above 64 is rejected on other products alone"),
            "looked up of groups left out": (
                with_attributes(self.call(bias=False), k_group=1),
                "of groups that are left out, ids and table are ignored",
            ),
        }
        return tuple(
            Quarantine(name, case, source_read(text, self.source))
            for name, (case, text) in clauses.items()
        )


_TWICE = ((4, 4), (1, 3))
PAGE_SMALL = ((0, 5), (1, 4), (3, 2))


def _of_one_group(slots: int) -> dict[str, int]:
    return {"group": 1, "member": 2 * MOST_LOOKED_UP, "kept": 1, "slot": slots}
