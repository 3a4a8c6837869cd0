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

Floats = NDArray[Any]


def formula(
    x: Floats,
    k: int,
    k_group: int,
    group_count: int,
    group_select_mode: int,
    renorm: int,
    norm_type: int,
    routed_scaling_factor: float,
    eps: float,
    bias: Floats | None = None,
    input_ids: NDArray[Any] | None = None,
    tid2eid: NDArray[Any] | None = None,
) -> dict[str, NDArray[Any]]:
    """The document's steps, in the dtype of x [rows, experts]; ``bias`` is [experts].

    Raises what the formula of MoeGatingTopK raises, ValueError for a table of other than k columns,
    and IndexError for an id that is no row.
    """
    if input_ids is None or tid2eid is None:
        groups = k_group, group_count, group_select_mode
        return by_key.formula(x, k, *groups, renorm, norm_type, routed_scaling_factor, eps, bias)
    if tid2eid.shape[-1] != k:
        raise ValueError(f"k={k}: tid2eid has {tid2eid.shape[-1]} columns")
    scores = by_key.scores_of(x, norm_type)
    normalises = bool(norm_type or renorm)
    return by_key.weighed(scores, tid2eid[input_ids], normalises, routed_scaling_factor, eps)
