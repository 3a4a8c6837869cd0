"""Sequences of calls: growing and shrinking, of several operators, refused ones and repeated ones.

What a call leaves behind shows in another: in static variables of host code, in scratch memory, in
what an entry keeps of a call that it refused. So a sequence is long, its calls are small, and most
of them find memory as the calls before left it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.call.case import Case
from conformance.call.surroundings import AS_LEFT, POISONED, Memory, Setting
from conformance.draw.machines import in_any_order
from conformance.record.operator import Operator

PARTS, LONGEST_PART = 4, 7
"""A sequence is of so many lists of calls, each of which may be empty and shrinks by itself: of one
list Hypothesis would draw few calls, as long as it may be."""

SMALL, SEAM, LARGE, REFUSED, OTHER, REPEATED = (
    "small",
    "seam",
    "large",
    "refused",
    "other",
    "repeated",
)
KINDS = (SMALL, SMALL, SMALL, OTHER, OTHER, REPEATED, REFUSED, REFUSED, SEAM, SEAM, LARGE)
"""What a call may be; a kind that a record does not have is left out."""

MEMORY: tuple[Memory, ...] = (POISONED, AS_LEFT, AS_LEFT, AS_LEFT)
"""What no call leaves, as zeros everywhere, definedness asks."""

Drawn = Case | int
"""A call, or the number of an earlier one that is made again (modulo how many there are)."""


def sequences(
    operator: Operator,
    others: Iterable[Operator],
    fitted: Callable[[Case], Case] = lambda case: case,
) -> SearchStrategy[Case]:
    """Cases of ``operator`` with calls before them, also of the ``others``.

    ``fitted`` puts a call on a machine that the device's libraries are meant for.
    """
    own = _calls(operator, fitted)
    beside = [_calls(one, fitted) for one in others if one.name != operator.name]
    kinds: dict[str, SearchStrategy[Case] | SearchStrategy[int]] = {**own}
    if beside:
        kinds[OTHER] = st.sampled_from(beside).flatmap(_of_another)
    kinds[REPEATED] = st.integers(0, PARTS * LONGEST_PART)
    told = [kind for kind in KINDS if kind in kinds]
    before = st.sampled_from(told).flatmap(kinds.__getitem__)
    parts = st.tuples(*[st.lists(before, max_size=LONGEST_PART)] * PARTS)
    last = [own[kind] for kind in (SMALL, SEAM) if kind in own] or [own[LARGE]]
    return st.builds(_sequence, parts, st.one_of(last))


def _sequence(parts: Sequence[Sequence[Drawn]], last: Case) -> Case:
    before: list[Case] = []
    for one in (one for part in parts for one in part):
        if isinstance(one, Case):
            before.append(one)
        elif before:
            before.append(before[one % len(before)])
    return replace(last, before=tuple(before))


def _of_another(calls: dict[str, SearchStrategy[Case]]) -> SearchStrategy[Case]:
    """Small calls, and those that are refused."""
    return st.sampled_from([kind for kind in (SMALL, REFUSED) if kind in calls] or [LARGE]).flatmap(
        calls.__getitem__
    )


def _calls(operator: Operator, fitted: Callable[[Case], Case]) -> dict[str, SearchStrategy[Case]]:
    """The calls of an operator by kind, of all its modes and dtypes."""
    cells = operator.declared_cells
    draws = {SMALL: operator.small_cases, SEAM: operator.seam_cases, LARGE: operator.cases}
    found: dict[str, SearchStrategy[Case]] = {}
    for kind, draw in draws.items():
        if draw is not None:
            drawn = st.sampled_from(cells).flatmap(partial(_of_cell, cache(draw)))
            ordered = in_any_order(drawn, operator.computes)
            found[kind] = st.builds(_in_memory, ordered.map(fitted), _MEMORY)
    if refused := _refused(operator):
        # First a rule: most calls break one of pointers or data types, which no tiling sees.
        found[REFUSED] = st.sampled_from(refused).flatmap(st.sampled_from)
    return found


def _refused(operator: Operator) -> list[list[Case]]:
    """The rejected calls that are made, those of each rule together."""
    found: dict[tuple[int, str], list[Case]] = {}
    for one in operator.rejections:
        # What CANN does not check is no call to make on a device that goes on; nor is one that a
        # bundle's programs, which keep the protocol, cannot make. A function may carry one out, and
        # some versions of CANN do.
        checked = one.checked_by_cann and one.versions is None
        if checked and one.case.breach is None and one.breaks is None:
            found.setdefault((one.status, one.clause.text), []).append(one.case)
    return list(found.values())


def _of_cell(
    draw: Callable[[str, str], SearchStrategy[Case]], cell: tuple[str, str]
) -> SearchStrategy[Case]:
    return draw(*cell)


_MEMORY = st.sampled_from(MEMORY)


def _in_memory(case: Case, memory: Memory) -> Case:
    return replace(case, setting=Setting(memory, case.setting.determinism))
