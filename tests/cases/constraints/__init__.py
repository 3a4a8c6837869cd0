"""The constraints on calls, each with the calls just inside and just outside: a table.

`tests/cases/test_constraints.py` holds it against the records.
"""

from __future__ import annotations

from tests.cases.constraints import (
    moe_init_routing_v2,
    moe_token_permute,
    moe_token_permute_grad,
    moe_token_permute_with_ep,
    moe_token_permute_with_routing_map_grad,
    moe_token_unpermute,
)
from tests.cases.constraints.constraint import Constraint as Constraint

CONSTRAINTS: dict[str, tuple[Constraint, ...]] = {
    "moe_init_routing_v2": moe_init_routing_v2.CONSTRAINTS,
    "moe_token_permute": moe_token_permute.CONSTRAINTS,
    "moe_token_permute_grad": moe_token_permute_grad.CONSTRAINTS,
    "moe_token_permute_with_routing_map_grad": moe_token_permute_with_routing_map_grad.CONSTRAINTS,
    "moe_token_permute_with_ep": moe_token_permute_with_ep.CONSTRAINTS,
    "moe_token_unpermute": moe_token_unpermute.CONSTRAINTS,
}

OUTSIDE_ONLY = {
    "moe_token_permute": ("2^24 - 1 slots",),
    "moe_token_permute_with_ep": ("2^24 - 1 slots",),
}
"""The largest call inside sorts 2^24 - 2 slots for minutes: host tilings alone are asked for it
(tests/kernels/test_moe_token_permute_with_ep_tiling.py, ``most slots``)."""

INSIDE_ONLY = {
    "moe_token_permute_grad": ("num_topk 512 float32", "padded_mode"),
    "moe_token_unpermute": ("padded_mode", "restore_shape"),
}
"""Limits of the documents that no vendor's code enforces: a call beyond num_topk 512 is in
quarantine, padded_mode true is the same as false, and a restore_shape has no effect."""
