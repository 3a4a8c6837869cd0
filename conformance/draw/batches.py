"""Batches of a workload: which of a model's steps a run judges, and how their tokens are routed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zlib import crc32

from conformance.record.workload import ROUTINGS, Batch, Workload

FEW_COLUMNS = 16
"""Of a call whose rows would take too much memory in full."""

SHARE = 4
"""Smoke judges a workload in one of so many operators."""


def workloads_judged(
    every: Sequence[Workload], each: bool, turn: int, operator: str
) -> tuple[Workload, ...]:
    """The workloads that a run judges of an operator: ``each``, or those whose turn it is."""
    if each:
        return tuple(every)
    first = crc32(operator.encode()) + turn
    return tuple(one for place, one in enumerate(every) if (first + place) % SHARE == 0)


def batches(one: Workload, every: Sequence[Workload], full_rows: int, turn: int) -> Iterator[Batch]:
    """What a run judges of a workload, the smallest first in each of its parts.

    At few columns: every decode step, and of those that are the first with their experts, top_k and
    ranks the shortest prompt or part of one. If some have ``full_rows``: of each a prompt, by turns
    (all, if all have full rows), and so many workloads, by turns, with full rows of their last
    decode step. Routings go by turns.
    """
    place = list(every).index(one)
    first = next(other for other in every if other.routing == one.routing)
    prompts = sorted((*one.chunked, *one.prefill))
    if not full_rows:
        prompts = prompts[:1] if first == one else []
    elif full_rows < len(every):
        prompts = prompts[(place + turn) % max(1, len(prompts)) :][:1]
    for number, tokens in enumerate((*one.decode, *prompts)):
        yield _batch(one, tokens, FEW_COLUMNS, turn + number)
    if (place - full_rows * turn) % len(every) < full_rows:
        for tokens in one.decode[-1:]:
            yield _batch(one, tokens, one.hidden, turn)


def batches_asked(one: Workload, turn: int) -> Iterator[Batch]:
    """Every step of a workload that a person asks for, in every routing: decode steps with full
    rows, prompts with few columns.
    """
    for routing in range(len(ROUTINGS)):
        for tokens in one.decode:
            yield _batch(one, tokens, one.hidden, turn + routing)
        for tokens in (*one.chunked, *one.prefill):
            yield _batch(one, tokens, FEW_COLUMNS, turn + routing)


def _batch(one: Workload, tokens: int, columns: int, turn: int) -> Batch:
    return Batch(one, tokens, min(columns, one.hidden), ROUTINGS[turn % len(ROUTINGS)], turn)
