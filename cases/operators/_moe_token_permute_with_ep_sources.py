"""Where the clauses of MoeTokenPermuteWithEp come from, and its name at the interface."""

ACLNN = "aclnnMoeTokenPermuteWithEp"
"""Not in CANN 8.1.RC1, whose headers name no operator with expert parallelism."""

README = "aclnnMoeTokenPermuteWithEp document"
DEFINITION = "ops-transformer, moe_token_permute_with_ep_def.cpp"
TILING = "ops-transformer, moe_token_permute_with_ep_tiling.cpp"
SORT = "Ascend C API, Sort and MrgSort: equal keys keep their order"
INTERFACE = "aclnn interfaces made from an operator's definition"
