"""MoeGatingTopKV2: MoeGatingTopK, or the experts of each row by its id and a table.

input_ids is [rows], tid2eid [keys, k]. If both are given, the experts of a row are those of the
table's row with its id, in that order: no key decides, and a bias has no effect. All else is as in
MoeGatingTopK, and so is a call with one of the two.
Source: aclnnMoeGatingTopKV2 document, hash mode, steps 1 to 3, and its constraints.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from reference import moe_gating_top_k as by_key


def formula(
    x: NDArray[Any],
    renorm: int,
    norm_type: int,
    routed_scaling_factor: float,
    eps: float,
    bias: NDArray[Any] | None = None,
    input_ids: NDArray[Any] | None = None,
    tid2eid: NDArray[Any] | None = None,
    **how: Any,
) -> dict[str, NDArray[Any]]:
    """The document's steps, in the dtype of x [rows, experts]; ``how`` are k and what is of groups.

    Raises what `by_key.formula` raises, and IndexError for an id that is no row of the table.
    """
    if input_ids is None or tid2eid is None:
        rest = {"routed_scaling_factor": routed_scaling_factor, "eps": eps, "bias": bias}
        return by_key.formula(x, renorm=renorm, norm_type=norm_type, **rest, **how)
    scores = by_key.scores_of(x, norm_type)
    normalises = bool(norm_type or renorm)
    return by_key.weighed(scores, tid2eid[input_ids], normalises, routed_scaling_factor, eps)
