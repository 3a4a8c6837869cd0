"""Mistakes of an operator's entry: a step of the two phases that does something else."""

from __future__ import annotations

from typing import Any

from tests.kernels.mutants import Mutant

TABLE = "    static const entry::Table& Interface() {"
CHECKS = "    static aclnnStatus Check(entry::Call* call) {"
SUCCESS = "return ACLNN_SUCCESS;"
FIRST = {
    "Check": "aclnnStatus Check(entry::Call* call)",
    "CheckDense": "aclnnStatus CheckDense(const entry::Call& call)",
    "CheckFormats": "aclnnStatus CheckFormats(const entry::Call& call)",
    "HandOut": "aclnnStatus HandOut(opapi::Plan plan, uint64_t* workspaceSize,"
    " aclOpExecutor** executor)",
    "MakePlan": "aclnnStatus MakePlan(entry::Call call, uint64_t* workspaceSize,"
    " aclOpExecutor** executor)",
    "Run": "aclnnStatus Run(const opapi::Phases& phases, void* workspace, uint64_t workspaceSize,"
    " aclOpExecutor* executor, aclrtStream stream)",
    "Upload": "aclnnStatus Upload(const Tiling& tiling, uint8_t* target, aclrtStream stream)",
}
"""The steps by name: their first lines (device_kernels/entry/two_phase.h)."""


def entry(operator: str) -> str:
    """The source of an operator's entry, below the folder of kernels."""
    return f"{operator}/aclnn_{operator}.cpp"


def step(operator: str, name: str, which: str, body: str, **limits: Any) -> Mutant:
    """The mistake of that name: the step does what the statements say."""
    changed = f"    static {FIRST[which]} {{\n        {body}\n    }}\n{TABLE}"
    return Mutant(name, entry(operator), TABLE, changed, **limits)


def checked(operator: str, name: str, body: str, **limits: Any) -> Mutant:
    """What is done to a call after its checks, before the checks that the operator has beside."""
    if operator in ("moe_init_routing_v2_grad", "moe_token_permute_with_routing_map_grad"):
        return Mutant(name, entry(operator), CHECKS, f"{CHECKS}\n        {body}", **limits)
    return step(operator, name, "Check", f"{body}\n        {SUCCESS}", **limits)
