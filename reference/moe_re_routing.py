"""MoeReRouting: rows that came rank by rank are laid expert by expert.

The rows of one rank for one expert are a segment. tokens [A, H] has the segments by rank, and those
of a rank by expert; the outputs have them by expert, and those of an expert by rank.

Where the document is silent or contradicts itself, this reading was taken:

* Its sums for the two offsets run to the current rank and expert, both included, and that of the
  source leaves out experts after the current one of ranks before it. So no first segment would
  begin at 0, and segments would overlap. The words hold: after the exchange, rows are rearranged in
  the order of the experts. An offset is the number of rows in the segments before it.
* Rows of a segment, and the segments of an expert: as they came.
* permute_token_idx is "where each token was", of type 0, gather: row i was row idx[i].
* Without scales nothing is said of theirs: they are 0 here.
* Counts of 0 are not mentioned; a segment may have no rows.

Source: MoeReRouting README, function, parameters and constraints.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.rules import reject, require_dtype

_PARAMETERS = "MoeReRouting README, parameters"
_CONSTRAINTS = "MoeReRouting README, constraints"


def _check(
    tokens: NDArray[Any], counts: NDArray[Any], scales: NDArray[Any] | None, kinds: dict[str, int]
) -> None:
    require_dtype("expert_token_num_per_rank", counts, _PARAMETERS, "int32", "int64")
    for name, array in (("tokens", tokens), ("expert_token_num_per_rank", counts)):
        if array.ndim != 2:
            reject(f"{name}.shape", array.shape, "must have two axes", _CONSTRAINTS)
    if (counts < 0).any() or counts.sum() != len(tokens):
        rule = f"must be 0 or more, and add up to the {len(tokens)} rows of tokens"
        reject("expert_token_num_per_rank", counts.tolist(), rule, _CONSTRAINTS)
    if scales is not None and scales.shape != tokens.shape[:1]:
        rule = f"must be [{len(tokens)}], the rows of tokens"
        reject("per_token_scales.shape", scales.shape, rule, _PARAMETERS)
    for (name, value), only in zip(kinds.items(), (1, 0), strict=True):
        if value != only:
            reject(name, value, f"must be {only}", _CONSTRAINTS)


def formula(
    tokens: NDArray[Any],
    expert_token_num_per_rank: NDArray[Any],
    per_token_scales: NDArray[Any] | None = None,
    expert_token_num_type: int = 1,
    idx_type: int = 0,
) -> dict[str, NDArray[Any]]:
    """Rows of ``tokens`` [A, H] and ``per_token_scales`` [A], of any dtype, by expert.

    ``expert_token_num_per_rank`` [N, E], int32 or int64, says how many came from a rank for an
    expert. Returns permute_tokens [A, H], permute_per_token_scales [A], permute_token_idx [A] in
    int32 and expert_token_num [E] in the dtype of the counts. Raises ValueError for counts that are
    negative or do not add up to A, for shapes that do not fit, and for other types than 1 and 0;
    TypeError for counts of another dtype. Source: README, function.
    """
    counts = expert_token_num_per_rank
    kinds = {"expert_token_num_type": expert_token_num_type, "idx_type": idx_type}
    _check(tokens, counts, per_token_scales, kinds)
    experts = np.tile(np.arange(counts.shape[1]), counts.shape[0])
    idx = np.argsort(np.repeat(experts, counts.ravel()), kind="stable").astype(np.int32)
    scales = np.zeros(len(tokens), np.float32) if per_token_scales is None else per_token_scales
    return {
        "permute_tokens": tokens[idx],
        "permute_per_token_scales": scales[idx],
        "permute_token_idx": idx,
        "expert_token_num": counts.sum(axis=0, dtype=counts.dtype),
    }
