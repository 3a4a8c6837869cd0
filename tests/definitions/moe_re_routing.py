"""MoeReRouting as plain loops over lists."""

from __future__ import annotations

from typing import Any


def moe_re_routing(
    tokens: Any,
    expert_token_num_per_rank: Any,
    per_token_scales: Any = None,
    *,
    expert_token_num_type: int = 1,
    idx_type: int = 0,
) -> dict[str, Any]:
    """Return permute_tokens, permute_per_token_scales (None without scales), permute_token_idx and
    expert_token_num, as lists.

    Sources: [R] README "MoeReRouting", sections "功能说明" (two formulas), "参数说明" (table) and
    "约束说明"; [P] hiascend, "torch_npu.npu_moe_re_routing", "参数说明" and "输出说明".

    Where the documents are ambiguous or silent:
     1. Both sums run to cur_rank and cur_expert inclusive, so that an offset is behind the segment
        itself. Chosen: what lies before the segment.
     2. SrcOffset adds, of each earlier rank, only the experts up to cur_expert. Tokens that came
        rank by rank have all experts of an earlier rank before them. Chosen: all of these.
        DstOffset likewise: all ranks of each earlier expert.
     3. Type 0 of permute_token_idx is "gather索引". Chosen: entry i is where row i was.
     4. [P] says that counts are above 0, [R] does not. Chosen: 0 is a segment without tokens.
     5. Other types than those supported are a ValueError, and so are counts that do not add up to
        the number of tokens.
    """
    if expert_token_num_type != 1 or idx_type != 0:
        raise ValueError("expert_token_num_type or idx_type is not supported")
    counts = expert_token_num_per_rank
    experts = len(counts[0]) if counts else 0
    if any(count < 0 for line in counts for count in line):
        raise ValueError("a count is negative")
    if sum(sum(line) for line in counts) != len(tokens):
        raise ValueError("the counts do not add up to the tokens")
    starts: list[list[int]] = []
    start = 0
    for line in counts:
        starts.append([])
        for count in line:
            starts[-1].append(start)
            start += count
    idx: list[int] = []
    totals = []
    for expert in range(experts):
        total = 0
        for rank, line in enumerate(counts):
            for token in range(line[expert]):
                idx.append(starts[rank][expert] + token)
            total += line[expert]
        totals.append(total)
    return {
        "permute_tokens": [tokens[at] for at in idx],
        "permute_per_token_scales": per_token_scales and [per_token_scales[at] for at in idx],
        "permute_token_idx": idx,
        "expert_token_num": totals,
    }
