"""Calls that show every mistake of the permutation, with the machine for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.kernels.permute_calls import (
    BF16,
    FP16,
    FP32,
    Array,
    Call,
    Permuter,
    by_definition,
    drawn_call,
)

SMALL_UB = 1024
"""The least simulated machine: a core sorts 32 keys, and merges 8 pairs of each list at a time."""


@dataclass(frozen=True)
class Trial:
    """A call on a machine."""

    cores: int
    ub_bytes: int
    call: Call


def experts(name: str, slots: int, seed: int = 0) -> Array:
    """Indices of so many slots, int32 [slots]; by name what they are like."""
    random = np.random.default_rng([seed, slots])
    every = np.arange(slots)
    made = {
        "all equal": np.zeros(slots),
        "rising": every,
        "falling": every[::-1],
        "falling with ties": every[::-1] // 3,
        "negative": random.integers(-3, 3, slots),
        "one missing": random.choice([0, 1, 3], slots),
        "two": random.integers(0, 2, slots),
        "permutation": random.permutation(slots),
        "largest": 16777214 - random.integers(0, 3, slots),
        "blocks": every // 5 % 4,
    }
    return made[name].astype(np.int32)


KINDS = (
    "all equal",
    "rising",
    "falling",
    "falling with ties",
    "negative",
    "one missing",
    "two",
    "permutation",
    "largest",
    "blocks",
)


def trials() -> Iterator[Trial]:
    """A few calls of every path: lists merged in a run and of runs, ranges, tiles, dtypes."""
    number = 0
    for slots, cores in ((33, 1), (33, 2), (64, 1), (96, 3), (130, 2), (160, 5), (600, 3)):
        for kind in ("falling with ties", "negative", "permutation", "all equal"):
            number += 1
            top_k = 2 if slots % 2 == 0 else 3 if slots % 3 == 0 else 1
            indices = experts(kind, slots).reshape(-1, top_k)
            if number % 2:
                indices = indices.astype(np.int64)
            span = ((0, slots), (slots // 3, slots // 2), (slots // 4, slots), (5, 5))[number % 4]
            call = drawn_call(
                indices,
                (1, 7, 300)[number % 3],
                probs=number % 3 != 0,
                seed=number,
                span=span,
                dtype=(FP32, FP16, BF16)[number % 3],
            )
            yield Trial(cores, SMALL_UB, call)
    for slots, ub_bytes in ((40, 2048), (200, 6144), (300, 16384)):
        for kind in ("falling with ties", "two"):
            yield Trial(1, ub_bytes, drawn_call(experts(kind, slots), 5))
    far = np.array([1 << 40, 1 << 33, (1 << 32) + 7, 3, -(1 << 35), 9], np.int64)
    yield Trial(1, SMALL_UB, drawn_call(far, 3))


def difference(permuter: Permuter, trial: Trial) -> str:
    """What is wrong with the answer to a call; empty where nothing is."""
    permuter.machine(trial.cores, trial.ub_bytes)
    answer = permuter.run(trial.call)
    if answer.status != 0:
        return f"status {answer.status}: {answer.text}"
    if answer.diagnostics:
        return str(answer.diagnostics[0])
    tokens, ranks, probs = by_definition(trial.call)
    if answer.ranks.tolist() != ranks:
        return f"sortedIndicesOut is {answer.ranks.tolist()}, it must be {ranks}"
    if answer.tokens.tobytes() != tokens.tobytes():
        return f"permuteTokensOut is {answer.tokens.tolist()}, it must be {tokens.tolist()}"
    if answer.probs.tobytes() != probs.tobytes():
        return f"permuteProbsOut is {answer.probs.tolist()}, it must be {probs.tolist()}"
    return ""
