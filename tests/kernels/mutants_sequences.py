"""Mistakes that only an earlier call shows: host code that keeps what it must forget.

What one refused call leaves for the next, sequences alone find. Other mistakes of this kind other
templates meet by chance, as they judge many cases on one device; but then the bundle, which makes
one call in a new process, is accepted. A sequence's bundle makes the calls before it.
"""

from __future__ import annotations

from typing import Any

from tests.kernels.entry_steps import TABLE, entry, step
from tests.kernels.mutants import Mutant

REFUSED = """    static bool& Refused() {{
        static bool refused = false;
        return refused;
    }}
    static aclnnStatus MakePlan(entry::Call call, uint64_t* size, aclOpExecutor** executor) {{
        const aclnnStatus status = Operator::MakePlan(std::move(call), size, executor);
        Refused() = status != ACLNN_SUCCESS;
        return status;
    }}
    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason, uint64_t bytes) {{
        const int32_t status = Operator::Cut(call, tiling, reason, bytes);
        if (Refused()) {{
            {0}
        }}
        return status;
    }}
"""


def _after_a_refused_call(operator: str, name: str, statement: str, **limits: Any) -> Mutant:
    """The statement changes the tiling of a call behind one that was refused."""
    return Mutant(name, entry(operator), TABLE, REFUSED.format(statement) + TABLE, **limits)


MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_finalize_routing_v2": (
        _after_a_refused_call(
            "moe_finalize_routing_v2",
            "x2-is-left-out-after-a-refused-call",
            "tiling->hasX2 = tiling->dtype != 0 ? 0 : tiling->hasX2;",
            dtypes=("float16", "bfloat16"),
        ),
    ),
    "moe_init_routing_v2": (
        _after_a_refused_call(
            "moe_init_routing_v2",
            "active-rows-after-a-refused-call-are-one-fewer",
            'tiling->slots.endRank -= call.Number("activeNum") > 0 && tiling->capacity == 0;',
            modes=("active",),
        ),
    ),
    "moe_token_unpermute_grad": (
        _after_a_refused_call(
            "moe_token_unpermute_grad",
            "last-core-is-idle-after-a-refused-call",
            "tiling->usedCores -= tiling->dtype != ACL_FLOAT && tiling->usedCores > 1;",
            dtypes=("float16", "bfloat16"),
            cores=2,
        ),
    ),
}
"""By operator: what a refused call leaves behind."""

MET_BY_CHANCE: dict[str, tuple[Mutant, ...]] = {
    "moe_token_permute": (
        Mutant(
            "tiling-keeps-the-most-tokens-of-all-calls",
            "moe_token_permute/moe_token_permute_tiling.cpp",
            "    slots.tokens = call.tokens;",
            "    static int64_t most = 0;\n"
            "    most = most < call.tokens ? call.tokens : most;\n"
            "    slots.tokens = most;",
        ),
        step(
            "moe_token_permute",
            "workspace-is-as-large-as-the-first-call-needs",
            "HandOut",
            "static uint64_t first = 0;\n"
            "        first = first == 0 ? plan.workspaceBytes : first;\n"
            "        plan.workspaceBytes = plan.run ? first : 0;\n"
            "        return opapi::HandOut(std::move(plan), workspaceSize, executor);",
        ),
    ),
    "moe_token_permute_with_ep": (
        Mutant(
            "every-sixth-call-keeps-one-row-less",
            "moe_token_permute_with_ep/moe_token_permute_with_ep_tiling.cpp",
            "        *tiling = Cut(*call);",
            "        *tiling = Cut(*call);\n"
            "        static int64_t calls = 0;\n"
            "        const bool less = ++calls % 6 == 0 && tiling->slots.endRank > 0;\n"
            "        tiling->slots.endRank -= less ? 1 : 0;",
        ),
    ),
    "moe_token_unpermute": (
        Mutant(
            "last-core-is-idle-after-a-call-of-another-dtype",
            "moe_token_unpermute/moe_token_unpermute_tiling.cpp",
            "        *tiling = Cut(*call);\n",
            "        *tiling = Cut(*call);\n"
            "        static int64_t dtype = call->dtype;\n"
            "        tiling->usedCores -= dtype != call->dtype && tiling->usedCores > 1 ? 1 : 0;\n"
            "        dtype = call->dtype;\n",
            cores=2,
        ),
    ),
    "moe_token_unpermute_grad": (
        Mutant(
            "cut-is-remembered-by-tokens-and-machine-alone",
            "moe_token_unpermute_grad/moe_token_unpermute_grad_tiling.cpp",
            "        *tiling = Cut(*call);",
            "        static MoeTokenUnpermuteGradTilingData last{};\n"
            "        static int64_t tokens = -1, cores = -1, ub = -1;\n"
            "        const bool sized = tokens == call->tokens;\n"
            "        const bool same = sized && cores == call->cores && ub == call->ubBytes;\n"
            "        last = same ? last : Cut(*call);\n"
            "        tokens = call->tokens;\n"
            "        cores = call->cores;\n"
            "        ub = call->ubBytes;\n"
            "        *tiling = last;",
        ),
    ),
}
"""By operator: what any call leaves behind."""
