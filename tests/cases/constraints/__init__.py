"""The constraints on calls, each with the calls just inside and just outside: a table.

`tests/cases/test_constraints.py` holds it against the records.
"""

from __future__ import annotations

import importlib
from pathlib import Path

from tests.cases.constraints.constraint import Constraint as Constraint

MODULES = {
    path.stem: importlib.import_module(f"{__name__}.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem not in ("__init__", "constraint", "told_by")
}
"""By operator: a module each."""

CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    operator: module.CONSTRAINTS
    for operator, module in MODULES.items()
    if hasattr(module, "CONSTRAINTS")
}

OUTSIDE_ONLY = {
    "moe_token_permute": ("2^24 - 1 slots",),
    "moe_token_permute_with_ep": ("2^24 - 1 slots",),
    "moe_token_permute_with_routing_map": (
        "2^24 - 1 rows",
        "2^24 - 1 tokens",
        "2^24 - 1 experts",
    ),
}
"""The largest call inside sorts 2^24 - 2 slots for minutes: host tilings alone are asked for it
(tests/kernels/tilings/moe_token_permute_with_ep.py, ``slots``)."""

INSIDE_ONLY = {
    "moe_token_permute_grad": ("num_topk 512 float32", "padded_mode"),
    "moe_token_unpermute": ("padded_mode", "restore_shape"),
}
"""Limits of the documents that no vendor's code enforces: a call beyond num_topk 512 is in
quarantine, padded_mode true is the same as false, and a restore_shape has no effect."""
