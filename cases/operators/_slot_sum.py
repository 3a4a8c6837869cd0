"""Operators that add rows of slots: how each is called, and how its slots may name rows.

The first input of such a call holds the rows, the second names them, and an output, or the gradient
of one, has a row for each token.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._slot_sum_sizes import LINES, MOST_VALUES, Lines
from conformance.call.case import Attribute, Case, Machine, Tensor
from conformance.draw.patterns import DROPPED, RANKS, Mask, rank_patterns, ranked_beside_drops
from conformance.draw.routings import unread_rows
from conformance.record.derive.calls import Fields
from conformance.record.derive.calls import call as call_of
from conformance.record.signature import Signature
from conformance.values.fill import Fill
from reference.permutation import MOST_TOPK

EVERY = "every tuple"
ROUTINGS = (*RANKS, EVERY)
ONCE = ("in order", "reversed", "permuted", "balanced")
"""Routings that name no row twice."""

Shape = tuple[int, ...]
Indices = NDArray[np.int64]
Call = Callable[..., Case]


def source_of(case: Case) -> Tensor:
    """The tensor whose rows are added."""
    return next(iter(case.inputs.values()))


def names_of(case: Case) -> Tensor:
    """The tensor that names the rows of all slots: the first of indices."""
    return case.inputs[_names_in(case)]


def _names_in(case: Case) -> str:
    return next(name for name, one in case.inputs.items() if one.dtype == "int32")


def of_tokens(case: Case) -> Tensor:
    """The tensor with a row for each token: the output, or its gradient."""
    found = [
        *map(case.outputs.get, ("out", "grad_x", "unpermuted_tokens")),
        *map(case.inputs.get, ("unpermuted_tokens_grad", "grad_y")),
    ]
    return next(tensor for tensor in found if tensor is not None)


def top_k_of(case: Case) -> int:
    """The slots of every token of a call; 0 where there is none."""
    return names_of(case).size // max(1, of_tokens(case).shape[0])


def every_row(case: Case) -> tuple[int, int]:
    """The indices that name a row: those below the number of rows."""
    return 0, math.prod(source_of(case).shape[:-1])


def token_by_token(case: Case) -> Indices:
    """The indices of a case as [tokens, top_k], where they lie so."""
    indices = case.arrays[_names_in(case)]
    return np.asarray(indices, np.int64).reshape(-1, max(1, top_k_of(case)))


@dataclass(frozen=True, eq=False)
class TokenSum:
    """One operator, or one kind of its calls.

    * ``call``: makes a case of mode, dtype, the shape of its ``source`` of rows and the indices of
      all slots, those of one token after those of another; from the number of rows on they name
      none.
    * ``uneven``: modes with another number of rows than of slots.
    * ``window``: the first index of a case that names a row, and the first beyond that names none.
    * ``names``: the indices of a case as [tokens, top_k].
    * ``routings``: ways in which slots may name rows; ``patterns``: those in which some name none.
    * ``slots``: the classes of a token's slots, none: all; ``most_top_k``: the most that are drawn.
    """

    call: Call
    uneven: tuple[str, ...] = ("uneven",)
    window: Callable[[Case], tuple[int, int]] = every_row
    names: Callable[[Case], Indices] = token_by_token
    routings: tuple[str, ...] = ROUTINGS
    patterns: tuple[str, ...] = DROPPED
    slots: tuple[str, ...] = ()
    most_top_k: int = MOST_TOPK
    lines: Lines = LINES

    def drawn(
        self, mode: str, dtype: str, shape: Shape, hidden: int, indices: Indices, **how: Any
    ) -> Case:
        """The case whose rows have this leading shape; those that no index names are not read."""
        unread = unread_rows(indices, math.prod(shape))
        named = tuple(indices.tolist())
        return self.call(mode, dtype, source=(*shape, hidden), indices=named, unread=unread, **how)

    def most_values(self, mode: str) -> int:
        """The most values of which the tuples of a small scope are made."""
        return MOST_VALUES

    def scope(
        self, mode: str, tuples: Indices, generator: np.random.Generator
    ) -> tuple[Shape, Indices]:
        """Leading shape of the rows, and the indices of all tuples as tokens in a drawn order."""
        indices = generator.permutation(tuples).ravel()
        return (1 if mode in self.uneven else indices.size,), indices

    def routed(
        self, mode: str, routing: str, mask: Mask, few: bool, generator: np.random.Generator
    ) -> tuple[Shape, Indices]:
        """Leading shape of the rows, and the indices of all slots; ``mask`` says which name none.

        ``few`` says that there may be some more rows.
        """
        rows, indices = ranked_beside_drops(routing, mask, generator)
        if mode in self.uneven and not mask.any():
            rows += int(generator.integers(1, 5))
        return (rows,), indices

    def sizes(self, case: Case) -> tuple[int, int, int]:
        """The slots of every token, the tokens and the columns of a case."""
        tokens, hidden = of_tokens(case).shape
        return top_k_of(case), tokens, hidden

    def shown(self, case: Case, named: Indices) -> set[str]:
        """The routings that the slots which name a row show."""
        return rank_patterns(named)


def slot_sum_call(
    signature: Signature, added: str, named: str, as_slots: tuple[str, ...] = ()
) -> Call:
    """What makes a case of an operator that adds rows of the tensor ``added``, which ``named``
    lists. ``source`` is the shape of the first in its mode, ``rows`` are those of it that exist,
    None: all. The sizes ``as_slots`` are as many as a token has slots.
    """

    def made(
        mode: str,
        dtype: str,
        *,
        source: Shape,
        indices: Shape,
        top_k: int,
        fill: Fill | None = None,
        values: Shape | None = None,
        unread: Shape = (),
        machine: Machine | None = None,
        rows: Shape | None = None,
        **attributes: Attribute,
    ) -> Case:
        (shape,) = (one.shape for one in signature.of_mode(mode).tensors if one.name == added)
        sizes = {axis.name: extent for axis, extent in zip(shape, source, strict=True)}
        sizes |= {"token": len(indices) // top_k, **dict.fromkeys(("slot", *as_slots), top_k)}
        given: Fields = {
            added: {"values": values, "fill": fill, "unread": unread, "rows": rows},
            named: {"values": indices},
        }
        return call_of(signature, mode, dtype, sizes, given, machine=machine, **attributes)

    return made
