"""Mistakes that show only where the buffer is no whole KiB, or has an odd number of blocks of 32
bytes."""

from __future__ import annotations

from conformance.record.operator import Operator
from conformance.suite.records import operators
from tests.kernels.mutants import Mutant

UB = "call.machine().ubBytes"

FINALIZING = ("moe_finalize_routing_v2", "moe_finalize_routing_v3", "moe_finalize_routing_v4")
ROUTING = ("moe_init_routing_v2", "moe_init_routing_quant_v2")
SHARED = {
    **dict.fromkeys(("moe_gating_top_k", "moe_gating_top_k_v2"), "shared/gating/group_interface.h"),
    **dict.fromkeys(FINALIZING, "shared/finalize/finalize_interface.h"),
    **dict.fromkeys(ROUTING, "shared/routing/routing_interface.h"),
}
"""Where operators ask for the buffer, if not in their own entries."""

UNREACHED = dict.fromkeys(
    ("moe_gating_top_k", "moe_gating_top_k_v2"),
    "the tiling asks whether a row fits and cuts nothing from the buffer, and each drawn one fits",
)


def _cut(operator: Operator, name: str, ub_bytes: str) -> Mutant:
    """The operator's tiling cuts another buffer than there is."""
    place = SHARED.get(operator.name, f"{operator.name}/aclnn_{operator.name}.cpp")
    unreached = UNREACHED.get(operator.name, "")
    return Mutant(name, place, UB, ub_bytes, dtypes=operator.dtypes, unreached=unreached)


def _of(operator: Operator) -> tuple[Mutant, ...]:
    few = _cut(operator, "buffer-rounded-up-to-64-bytes", f"({UB} + 63) / 64 * 64")
    many = _cut(operator, "buffer-rounded-up-to-a-kib", f"({UB} + 1023) / 1024 * 1024")
    return few, many


MUTANTS: dict[str, tuple[Mutant, ...]] = {one.name: _of(one) for one in operators([])}
