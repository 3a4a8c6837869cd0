"""Mistakes that only an earlier call shows: host code that keeps what it must forget.

What one refused call leaves for the next, sequences alone find. Other mistakes of this kind other
templates meet by chance, as they judge many cases on one device; but then the bundle, which makes
one call in a new process, is accepted. A sequence's bundle makes the calls before it.
"""

from __future__ import annotations

from tests.kernels.entry_steps import step
from tests.kernels.mutants import Mutant

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_finalize_routing_v2": (
        Mutant(
            "x2-is-left-out-after-a-refused-call",
            "moe_finalize_routing_v2/moe_finalize_routing_v2_tiling.cpp",
            "    if (!broken.empty()) {\n        return kTilingRejected;\n    }\n"
            "    *tiling = Cut(*call);\n",
            "    static bool refused = false;\n"
            "    if (!broken.empty()) {\n        refused = true;\n"
            "        return kTilingRejected;\n    }\n"
            "    *tiling = Cut(*call);\n"
            "    tiling->hasX2 = refused && call->dtype != 0 ? 0 : tiling->hasX2;\n"
            "    refused = false;\n",
            dtypes=("float16", "bfloat16"),
        ),
    ),
    "moe_init_routing_v2": (
        Mutant(
            "active-rows-after-a-refused-call-are-one-fewer",
            "moe_init_routing_v2/aclnn_moe_init_routing_v2.cpp",
            "        return MoeInitRoutingV2Tiling(&cut, tiling, reason, reasonBytes);\n",
            "        const int32_t status = MoeInitRoutingV2Tiling(&cut, tiling, reason,"
            " reasonBytes);\n"
            "        static bool refused = false;\n"
            "        const bool active = cut.activeNum > 0 && cut.dropPadMode == 0;\n"
            "        tiling->slots.endRank -= refused && active ? 1 : 0;\n"
            "        refused = status != ACLNN_SUCCESS;\n"
            "        return status;\n",
            modes=("active",),
        ),
    ),
    "moe_token_unpermute_grad": (
        Mutant(
            "last-core-is-idle-after-a-refused-call",
            "moe_token_unpermute_grad/aclnn_moe_token_unpermute_grad.cpp",
            "        return MoeTokenUnpermuteGradTiling(&cut, tiling, reason, reasonBytes);\n",
            "        const int32_t status = MoeTokenUnpermuteGradTiling(&cut, tiling, reason,"
            " reasonBytes);\n"
            "        static bool refused = false;\n"
            "        const bool wide = cut.dtype == ACL_FLOAT;\n"
            "        tiling->usedCores -= refused && !wide && tiling->usedCores > 1 ? 1 : 0;\n"
            "        refused = status != ACLNN_SUCCESS;\n"
            "        return status;\n",
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
            "    slots.tokens = call.tokens.values[0];",
            "    static int64_t most = 0;\n"
            "    most = most < call.tokens.values[0] ? call.tokens.values[0] : most;\n"
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
