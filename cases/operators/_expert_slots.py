"""What tells MoeInitRouting and its later versions from other operators that sort slots."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cases.operators._token_permute import Call, Shape, TokenPermute
from conformance.call.case import Case

Experts = NDArray[np.int64]

Routing = Callable[..., tuple[Experts, dict[str, Any]]]
"""The experts of a case of mode, keys, level, tokens and two numbers that shows the level and what
its choices say, and what else its call has. The numbers choose among the cases that do."""

SORTING = partial(
    TokenPermute,
    probs=False,
    batches=False,
    tokens="x",
    indices="expert_idx",
    flat=False,
    index_dtypes=("int32",),
)


def routed(made: Call, routing: Routing) -> Call:
    """What makes a case of an operator that is called as `Routing` says."""

    def call(
        mode: str,
        dtype: str,
        *,
        tokens: Shape,
        top_k: int,
        indices: Shape,
        level: str,
        numbers: tuple[int, int],
        index_dtype: str = "int32",
        **chosen: Any,
    ) -> Case:
        keys, how = routing(mode, np.array(indices, np.int64), level, tokens[0], numbers, **chosen)
        return made(mode, dtype, x=tokens, top_k=top_k, experts=tuple(keys.tolist()), **how)

    return call
