"""MoeTokenPermute: tokens copied once for each of their experts, sorted, and cut off.

Source: document aclnnMoeTokenPermute (function and parameter tables; constraints). It gives

    sortedIndicesFirst = argSort(Indices)
    sortedIndicesOut = argSort(sortedIndicesFirst)
    permuteTokens[sortedIndicesFirst[i]] = tokens[i // topK]

and, with paddedMode, permuteTokensOut[i] = tokens[Indices[i]] and sortedIndicesOut = Indices. Where
it is silent or contradicts itself, this reading was taken:

* The third equation must say sortedIndicesOut. With sortedIndicesFirst, which is the inverse of it,
  the rows would not be sorted by expert, which the function is said to do, and sortedIndicesOut
  would not be the mapping between the rows and the tokens. (Pages of other versions have the index
  sortedIndices there, a name that none of their equations assigns.)
* argSort is stable and ascending: slots of one expert keep their order.
* topK is no parameter: it is the number of indices for each token, 1 where indices are 1-D.
* numOutTokens cuts the sorted rows and not sortedIndicesOut, which keeps the ranks of the rows that
  are gone. One that is larger than the number of indices cuts nothing.
* Indices outside [0, 16777215), or as many, are sorted here like others. The document says of them
  that they are not sorted right (constraints), which is no rule for what right is.
* paddedMode true has equations and is "not supported": the equations are here.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from reference.permutation import (
    MOST_TOPK,
    check_permuted,
    moved,
    padded,
    ranks,
    rows_kept,
    slots_of_a_token,
)
from reference.rules import reject

_DOCUMENT = "aclnnMoeTokenPermute"


def formula(
    tokens: NDArray[Any],
    indices: NDArray[Any],
    *,
    num_out_tokens: int = 0,
    padded_mode: bool = False,
) -> dict[str, NDArray[Any]]:
    """The document's equations; values are moved, in whatever dtype they come.

    * `tokens`: float16, bfloat16, float32, int8 per the document, and any real dtype here:
      [N, hidden], or [N, ...], a row being all that follows the first axis.
    * `indices`: int32 or int64, [N] or [N, topK]: the expert of each slot. With `padded_mode` 1-D:
      the row of `tokens` for each row of the result.
    * `num_out_tokens`, unit: rows. 0 drops none, a positive one keeps the first rows up to it, a
      negative one drops that many of the last. Ignored with `padded_mode`.

    Returns permute_tokens [rows, hidden] in the dtype of `tokens`, and sorted_indices int32
    [indices.size]. Raises TypeError for a dtype, ValueError for any other argument outside the
    rules: shapes that do not fit, a topK above 512, a padded index that names no token.
    """
    check_permuted(tokens, indices, _DOCUMENT)
    if padded_mode:
        return padded(tokens, indices, _DOCUMENT)
    top_k = slots_of_a_token(tokens, indices, _DOCUMENT)
    if top_k > MOST_TOPK:
        rule = f"topK must be at most {MOST_TOPK}"
        reject("indices.shape", indices.shape, rule, _DOCUMENT + ", constraints")
    rank = ranks(indices)
    rows = rows_kept(indices.size, num_out_tokens)
    return {"permute_tokens": moved(tokens, rank, top_k, 0, rows), "sorted_indices": rank}
