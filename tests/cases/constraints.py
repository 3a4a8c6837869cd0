"""The constraints on calls, each with the calls just inside and just outside: a table.

`tests/cases/test_constraints.py` holds it against the records.
"""

from __future__ import annotations

from dataclasses import dataclass, field

NULL, INVALID, TILING = 161001, 161002, 561002


@dataclass(frozen=True)
class Constraint:
    """A rule, the examples that just keep it, the calls that just break it, and their status."""

    rule: str
    inside: tuple[str, ...]
    outside: tuple[str, ...] = ()
    status: int = TILING
    routes: tuple[str, ...] = field(default=("aclnn", "kernel"))


DTYPES = ("float16", "bfloat16", "float32")
CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    "moe_token_permute_grad": (
        Constraint(
            "no tensor is null",
            ("two rows of one token",),
            ("permuted_output_grad is null", "sorted_indices is null", "out is null"),
            NULL,
        ),
        Constraint(
            "float types, one for both; indices int32",
            tuple(f"num_topk 512 {dtype}" for dtype in DTYPES),
            (
                "indices are int64",
                "indices are float32",
                "gradient is int32",
                "gradient and out are int32",
                "out has another dtype",
            ),
            INVALID,
        ),
        Constraint(
            "num_topk is at least 1",
            ("num_topk 1",),
            ("num_topk is 0", "num_topk is -2", "num_topk is 2^32 + 2"),
        ),
        Constraint(
            "num_topk divides the indices", ("ranks of a router",), ("8 indices, num_topk 3",)
        ),
        Constraint(
            "the gradient has two axes",
            ("ranks of a router",),
            ("gradient of rank 1", "gradient of rank 3"),
        ),
        Constraint(
            "the indices have one axis",
            ("ranks of a router",),
            ("indices of rank 0", "indices of rank 2"),
        ),
        Constraint(
            "out is [tokens, hidden]",
            ("ranks of a router",),
            (
                "out too narrow",
                "out too wide",
                "out of 5 rows for 4",
                "out of 3 rows for 4",
                "out of rank 1",
                "out of rank 3",
            ),
        ),
    ),
    "moe_token_permute_with_routing_map_grad": (
        Constraint(
            "num_experts and tokens_num are above 0, before all else",
            ("one token of one expert",),
            (
                "num_experts is 0",
                "num_experts is -1",
                "tokens_num is 0",
                "tokens_num is -4",
                "tokens_num is 0 and the gradient null",
            ),
            INVALID,
        ),
        Constraint(
            "no required tensor is null",
            ("neither probs nor map",),
            (
                "permuted_token_output_grad is null",
                "sorted_indices is null",
                "tokens_grad is null",
            ),
            NULL,
        ),
        Constraint(
            "probs need a map",
            ("neither probs nor map", "worked out float16 int8"),
            ("no map for probs", "no map for probs, padded"),
            NULL,
        ),
        Constraint(
            "float types, one for all; indices int32",
            tuple(f"topK 512 {dtype}" for dtype in DTYPES),
            (
                "gradient is int32",
                "all are int32",
                "probs have another dtype",
                "indices are int64",
                "tokens_grad has another dtype",
                "probs_grad has another dtype",
            ),
            INVALID,
        ),
        Constraint(
            "the map is int8 or bool",
            ("worked out float16 int8", "worked out bfloat16 bool"),
            ("map is uint8", "map is int32"),
            INVALID,
        ),
        Constraint(
            "gradient and map have two axes, probs one",
            ("worked out float32 int8",),
            (
                "gradient of rank 1",
                "gradient of rank 3",
                "map of rank 1",
                "map of rank 3",
                "probs of rank 0",
                "probs of rank 2",
            ),
            INVALID,
        ),
        Constraint(
            "probs_grad is [tokens_num, num_experts]",
            ("worked out float32 int8",),
            ("probs_grad too narrow", "probs_grad of 3 rows for 4"),
            INVALID,
        ),
        Constraint(
            "tokens_grad is [tokens_num, hidden]",
            ("worked out float32 int8",),
            ("tokens_grad too narrow", "tokens_grad of 5 rows for 4"),
            INVALID,
        ),
        Constraint(
            "an index for every row",
            ("worked out float32 int8", "worked out, padded"),
            ("an index too few", "an index too many, padded"),
            INVALID,
        ),
        Constraint(
            "as many probs as rows, a map [tokens_num, num_experts]",
            ("worked out float32 int8",),
            ("probs too few", "map too narrow"),
            INVALID,
        ),
        Constraint(
            "tokens share the rows evenly; padded, experts do",
            ("worked out float32 int8", "worked out, padded"),
            ("8 rows, 3 tokens", "4 rows, 3 experts, padded"),
            INVALID,
        ),
        Constraint(
            "topK is at most 512", tuple(f"topK 512 {dtype}" for dtype in DTYPES), ("topK is 513",)
        ),
    ),
    "moe_token_permute_with_ep": (
        Constraint(
            "no required tensor is null",
            (
                "room for probabilities that are not given",
                "three tokens of two experts, range 1 to 5",
            ),
            (
                "tokens is null",
                "indices is null",
                "sorted_indices is null",
                "permute_tokens is null",
            ),
            NULL,
        ),
        Constraint(
            "probs have an output",
            ("probs of one axis", "room for probabilities that are not given"),
            ("probs are given, and permute_probs is null",),
            NULL,
        ),
        Constraint(
            "tokens are of a float type, indices int32 or int64, ranks int32",
            ("1 slots", "31 slots", "32 slots", "top_k 512"),
            (
                "everything is int32",
                "tokens are float64",
                "indices are int16",
                "indices are float32",
                "sorted indices are int64",
            ),
            INVALID,
        ),
        Constraint(
            "tokens, probs and their outputs have one dtype",
            ("three tokens of two experts, range 1 to 5",),
            tuple(
                f"{name} of another dtype"
                for name in ("tokens", "probs", "permute_tokens", "permute_probs")
            ),
            INVALID,
        ),
        Constraint(
            "a range has two numbers",
            ("range of every rank", "no range and no number of tokens"),
            ("range of no numbers", "range of 1 number", "range of 3 numbers"),
        ),
        Constraint(
            "both numbers of the range lie in [0, slots]",
            (
                "range of every rank",
                "range of the first rank",
                "range of the last rank",
                "empty range at 0",
                "empty range at the end",
                "range from the last rank backwards",
            ),
            tuple(
                f"range {given}"
                for given in ((-1, 5), (5, -1), (-1, -1), (1, 7), (7, 1), (7, 7), (1, 5 + 2**32))
            ),
        ),
        Constraint(
            "indices have one axis or two, and a row for each token",
            ("31 slots", "top_k 1 of two axes"),
            (
                "indices of rank 3",
                "indices of rank 0",
                "indices of 2 tokens for 3",
                "indices of 4 tokens for 3",
            ),
        ),
        Constraint(
            "probs have the shape of indices",
            ("probs of one axis", "three tokens of two experts, range 1 to 5"),
            ("probs of rank 1", "probs of rank 3", "probs of 4 tokens", "probs of 3 experts"),
        ),
        Constraint(
            "top_k is 1 to 512",
            ("top_k 1 of two axes", "top_k 512"),
            ("top_k is 0", "top_k is 513"),
        ),
        Constraint(
            "permuteTokensOut has the rows of the range and the columns of tokens",
            (
                "tokens of three axes",
                "three tokens of two experts, range 1 to 5",
                "empty range at the end",
                "range from the last rank backwards",
            ),
            (
                "a row too few",
                "a row too many",
                "a column too few",
                "a column too many",
                "permuted tokens of rank 1",
                "rows of an empty range, which keeps all",
                "rows of the ranks left in a backward range",
            ),
        ),
        Constraint(
            "sortedIndicesOut has a rank for every slot",
            ("three tokens of two experts, range 1 to 5",),
            ("a rank too few", "ranks of the range only", "ranks of rank 2"),
        ),
        Constraint(
            "permuteProbsOut has the rows of the range, where probs are given",
            ("probs of one axis", "room for probabilities that are not given"),
            ("a probability too few", "a probability too many", "probabilities of rank 2"),
        ),
        Constraint(
            "paddedMode is false",
            ("range of every rank",),
            ("paddedMode is true",),
            routes=("aclnn",),
        ),
        Constraint(
            "without a range numOutTokens lies in [0, slots], and fits the rows",
            ("no range and no number of tokens",),
            ("numOutTokens is -1, 4 rows", "numOutTokens is 7 of 6, 7 rows"),
            routes=("aclnn",),
        ),
        Constraint(
            "without a range numOutTokens n has min(n, slots) rows, n <= 0 max(0, slots + n)",
            tuple(f"no range, numOutTokens {n} of 6" for n in (1, 6, 7, -5, -6)),
            (
                "numOutTokens is 7 of 6, 7 rows, kernel",
                "numOutTokens is 4 of 6, 5 rows",
                "numOutTokens is -2 of 6, 6 rows",
                "numOutTokens is -7 of 6, 6 rows",
            ),
            routes=("kernel",),
        ),
        Constraint(
            "padded indices have one axis",
            ("padded",),
            ("padded, indices of rank 2", "padded, indices of rank 0"),
            routes=("kernel",),
        ),
        Constraint(
            "padded indices name 2^31 tokens at most",
            ("padded, the last token that an int32 names",),
            ("padded, more tokens than an int32 names",),
            routes=("kernel",),
        ),
        Constraint(
            "padded probs are [tokens, experts], and experts share the rows evenly",
            ("padded, probabilities of one expert", "padded, an expert for every row"),
            (
                "padded, probs of rank 1",
                "padded, probs of 4 tokens",
                "padded, probs of 4 experts for 6 rows",
                "padded, probs of 0 experts",
            ),
            routes=("kernel",),
        ),
        Constraint(
            "padded outputs have a row for every index",
            ("padded, probabilities of two experts",),
            (
                "padded, a row too few",
                "padded, a row too many",
                "padded, a column too many",
                "padded, an index too few",
                "padded, a probability too many",
            ),
            routes=("kernel",),
        ),
    ),
}

OUTSIDE_ONLY = {"moe_token_permute_with_ep": ("2^24 - 1 slots",)}
"""The largest call inside sorts 2^24 - 2 slots for minutes: the host tiling alone is asked for it
(tests/kernels/test_moe_token_permute_with_ep_tiling.py, ``most slots``)."""

INSIDE_ONLY = {
    "moe_token_permute_grad": ("num_topk 512 float32", "padded_mode"),
}
"""Limits of the documents that no vendor's code enforces: a call beyond num_topk 512 is in
quarantine, and padded_mode true is the same as false."""
