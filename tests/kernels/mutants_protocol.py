"""Mistakes of an entry that only a caller shows who breaks the protocol of the two phases.

Each entry takes what it must refuse, or refuses it with another status.
"""

from __future__ import annotations

from tests.kernels.mutants import Mutant

RUN = "return opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);"
PLACES = "        status = opapi::CheckResults({}, workspaceSize, executor);\n"

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_init_routing_v2_grad": (
        Mutant(
            "an-executor-that-nobody-handed-out-is-taken-for-one-with-no-work",
            "moe_init_routing_v2_grad/aclnn_moe_init_routing_v2_grad.cpp",
            RUN,
            "const aclnnStatus status =\n"
            "        opapi::RunAndFree(kAclnn.run, workspace, workspaceSize, executor, stream);\n"
            "    const bool enough = workspaceSize >= 512 && (uintptr_t)workspace % 64 == 0;\n"
            "    return status == ACLNN_ERR_PARAM_INVALID && enough ? ACLNN_SUCCESS : status;",
        ),
        Mutant(
            "no-place-for-the-size-is-taken-for-a-caller-without-interest",
            "moe_init_routing_v2_grad/aclnn_moe_init_routing_v2_grad.cpp",
            PLACES.format("phases.plan"),
            "        static uint64_t unwanted = 0;\n"
            "        workspaceSize = workspaceSize == nullptr ? &unwanted : workspaceSize;\n"
            + PLACES.format("phases.plan"),
        ),
    ),
    "moe_token_permute": (
        Mutant(
            "a-workspace-is-as-large-as-it-must-be",
            "moe_token_permute/aclnn_moe_token_permute.cpp",
            RUN,
            RUN.replace("workspaceSize", "workspace == nullptr ? workspaceSize : UINT64_MAX"),
        ),
    ),
    "moe_token_unpermute": (
        Mutant(
            "a-workspace-begins-at-the-multiple-of-64-before-it",
            "moe_token_unpermute/aclnn_moe_token_unpermute.cpp",
            RUN,
            RUN.replace(
                "workspace,", "static_cast<char*>(workspace) - (uintptr_t)workspace % 64,", 1
            ),
        ),
    ),
    "moe_finalize_routing_v2": (
        Mutant(
            "a-destroyed-stream-is-taken-for-the-default-one",
            "moe_finalize_routing_v2/aclnn_moe_finalize_routing_v2.cpp",
            RUN,
            "aclrtStreamStatus asked;\n"
            "    const bool alive = aclrtStreamQuery(stream, &asked) == 0;\n    "
            + RUN.replace("stream)", "alive ? stream : nullptr)"),
        ),
    ),
    "moe_init_routing_v2": (
        Mutant(
            "a-null-executor-is-taken-for-one-with-no-work",
            "moe_init_routing_v2/aclnn_moe_init_routing_v2.cpp",
            RUN,
            "if (executor == nullptr) {\n        return ACLNN_SUCCESS;\n    }\n    " + RUN,
        ),
        Mutant(
            "a-null-workspace-is-told-as-one-too-small",
            "moe_init_routing_v2/aclnn_moe_init_routing_v2.cpp",
            RUN,
            "if (workspace == nullptr && workspaceSize > 0) {\n"
            '        return opapi::Fail(ACLNN_ERR_PARAM_INVALID, "workspace is too small");\n'
            "    }\n    " + RUN,
        ),
    ),
}
"""By operator."""
