"""Mistakes of an entry that only a caller shows who breaks the protocol of the two phases.

Each entry takes what it must refuse, or refuses it with another status.
"""

from __future__ import annotations

from tests.kernels.entry_steps import step
from tests.kernels.mutants import Mutant

RUN = "return opapi::RunAndFree(phases.run, workspace, workspaceSize, executor, stream);"

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_init_routing_v2_grad": (
        step(
            "moe_init_routing_v2_grad",
            "an-executor-that-nobody-handed-out-is-taken-for-one-with-no-work",
            "Run",
            RUN.replace("return", "const aclnnStatus status =") + "\n"
            "        const bool enough = workspaceSize >= 512 && (uintptr_t)workspace % 64 == 0;\n"
            "        return status == ACLNN_ERR_PARAM_INVALID && enough ? ACLNN_SUCCESS : status;",
        ),
        step(
            "moe_init_routing_v2_grad",
            "no-place-for-the-size-is-taken-for-a-caller-without-interest",
            "MakePlan",
            "static uint64_t unwanted = 0;\n"
            "        workspaceSize = workspaceSize == nullptr ? &unwanted : workspaceSize;\n"
            "        return Operator::MakePlan(std::move(call), workspaceSize, executor);",
        ),
    ),
    "moe_token_permute": (
        step(
            "moe_token_permute",
            "a-workspace-is-as-large-as-it-must-be",
            "Run",
            RUN.replace("workspaceSize", "workspace == nullptr ? workspaceSize : UINT64_MAX"),
        ),
    ),
    "moe_token_unpermute": (
        step(
            "moe_token_unpermute",
            "a-workspace-begins-at-the-multiple-of-64-before-it",
            "Run",
            RUN.replace(
                "workspace,", "static_cast<char*>(workspace) - (uintptr_t)workspace % 64,", 1
            ),
        ),
    ),
    "moe_finalize_routing_v2": (
        step(
            "moe_finalize_routing_v2",
            "a-destroyed-stream-is-taken-for-the-default-one",
            "Run",
            "aclrtStreamStatus asked;\n"
            "        const bool alive = aclrtStreamQuery(stream, &asked) == 0;\n        "
            + RUN.replace("stream)", "alive ? stream : nullptr)"),
        ),
    ),
    "moe_init_routing_v2": (
        step(
            "moe_init_routing_v2",
            "a-null-executor-is-taken-for-one-with-no-work",
            "Run",
            "if (executor == nullptr) {\n            return ACLNN_SUCCESS;\n        }\n        "
            + RUN,
        ),
        step(
            "moe_init_routing_v2",
            "a-null-workspace-is-told-as-one-too-small",
            "Run",
            "if (workspace == nullptr && workspaceSize > 0) {\n"
            '            return opapi::Fail(ACLNN_ERR_PARAM_INVALID, "workspace is too small");\n'
            "        }\n        " + RUN,
        ),
    ),
}
"""By operator."""
