"""Relations of MoeTokenUnpermute: its axes, who adds the same sums, and special weights."""

from __future__ import annotations

from cases.relations.slot_grads import UNPERMUTE_GRAD, adjoint_of_weighted
from cases.relations.slot_sums import FINALIZE, UNPERMUTE
from cases.relations.sums import of_sums
from cases.relations.sums_agree import agrees, agrees_rounded, batch_invariant, split
from cases.relations.weights import no_number_is_told, zero_is_none
from conformance.record.clause import Clause, SourceClass
from conformance.relations.axes import Axes

AXES = Axes(
    {
        "permuted_tokens": ("row", "hidden"),
        "sorted_indices": ("token.slot",),
        "probs": ("token", "slot"),
        "out": ("token", "hidden"),
    },
    {"sorted_indices": "row"},
)
WEIGHTED = ("whole", "uneven")
ZERO = Clause(
    "a probability of 0 leaves its row out, also an infinite one",
    "ops-transformer, moe_token_unpermute/op_kernel",
    SourceClass.SOURCE_READ,
)
PRODUCT = Clause(
    "each token is the sum of its rows times their probabilities",
    "aclnnMoeTokenUnpermute document, function",
    SourceClass.DOCUMENT,
)
RELATIONS = (
    *of_sums(AXES, ("out",), ("permuted_tokens",)),
    agrees(UNPERMUTE, FINALIZE),
    agrees_rounded(UNPERMUTE, FINALIZE),
    split(UNPERMUTE),
    batch_invariant(UNPERMUTE),
    adjoint_of_weighted(UNPERMUTE, UNPERMUTE_GRAD, ("permuted_tokens",), "probs"),
    zero_is_none(UNPERMUTE, "permuted_tokens", "probs", ZERO, WEIGHTED),
    no_number_is_told(UNPERMUTE, "probs", PRODUCT, WEIGHTED),
)
