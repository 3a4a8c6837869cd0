"""The constraints on calls of MoeReRouting."""

from __future__ import annotations

from tests.cases.constraints.constraint import INVALID, NULL, Constraint

PLAIN, SCALED = (f"{mode}, counts of int32, float16" for mode in ("plain", "scaled"))
OUTPUTS = ("permute_tokens", "permute_per_token_scales", "permute_token_idx", "expert_token_num")
CONSTRAINTS = (
    Constraint(
        "no tensor is null but the scales",
        (PLAIN, SCALED),
        tuple(f"{name} is null" for name in ("tokens", "expert_token_num_per_rank", *OUTPUTS)),
        NULL,
    ),
    Constraint(
        "tokens are int8, float16 or bfloat16, as is their output; scales are float32, row numbers"
        " int32; counts and their sums are int32 or int64, both the same",
        tuple(
            f"{mode}, counts of {counts}, {dtype}"
            for mode in ("plain", "scaled")
            for counts in ("int32", "int64")
            for dtype in ("int8", "float16", "bfloat16")
        ),
        tuple(f"tokens and permute_tokens are int32, {mode}" for mode in ("plain", "scaled")),
        INVALID,
        of=("tokens", "expert_token_num_per_rank", "per_token_scales", *OUTPUTS),
    ),
    Constraint(
        "tokens have two axes, the last of 16384 at most",
        ("16384 columns",),
        of=("tokens", "hidden"),
    ),
    Constraint(
        "counts have two axes, of any number of ranks and of experts",
        ("one rank", "one expert", "more ranks than cores"),
        of=("expert_token_num_per_rank",),
    ),
    Constraint("there is a scale for each row", (SCALED, "no rows"), of=("per_token_scales",)),
    Constraint(
        "the copies have the shape of tokens; each row has a number, and room for a scale",
        (PLAIN, "an odd number of bytes in a row"),
        of=OUTPUTS[:3],
    ),
    Constraint("each expert has a sum", ("one rank", "no rows"), of=("expert_token_num",)),
    Constraint(
        "expertTokenNumType is 1, idxType is 0",
        (PLAIN,),
        of=("expert_token_num_type", "idx_type"),
    ),
)

MODES = {
    "plain": lambda case: "per_token_scales" not in case.inputs,
    "scaled": lambda case: "per_token_scales" in case.inputs,
}
"""By what a call is one of each mode."""
