"""What the documents of the gating operators allow; other calls raise ValueError.

The tensors are of numpy or of torch.
"""

from __future__ import annotations

from typing import Any

from documented import FLOATS, check

Tensor = Any
MOST_SLOTS = 1024
MOST_EXPERTS, MOST_GROUPS, ALIGNED = 2048, 64, 32


def check_gating(x: Tensor, k: int, finished: Tensor | None = None, renorm: int = 0) -> None:
    """``x`` is [..., experts] with one or two axes before, ``finished`` bool of these."""
    check("x", x, (2, 3), FLOATS)
    if finished is not None:
        check("finished", finished, (1, 2), ("bool",))
        require(finished.shape == x.shape[:-1], "finished has the axes of x but the last")
    require(0 < k <= min(x.shape[-1], MOST_SLOTS), f"k={k}: 1 to the experts, at most {MOST_SLOTS}")
    require(renorm in (0, 1), f"renorm={renorm}: 0 or 1")


def check_groups(
    x: Tensor,
    k: int,
    bias: Tensor | None,
    kept: int,
    groups: int,
    by_sum: int,
    renorm: int,
    norm_type: int,
) -> None:
    """``x`` is [rows, experts], ``bias`` [experts]; experts fall into groups of equal size."""
    check("x", x, (2,), FLOATS)
    experts = x.shape[1]
    if bias is not None:
        check("bias", bias, (1,), (str(x.dtype).removeprefix("torch."),))
        require(bias.shape[0] == experts, "bias has one element for each expert")
    require(0 < experts <= MOST_EXPERTS, f"{experts} experts: 1 to {MOST_EXPERTS}")
    require(0 < groups <= MOST_GROUPS and experts % groups == 0, f"groups={groups}: cut x evenly")
    members = experts // groups
    aligned = groups * -(-members // ALIGNED) * ALIGNED
    require(groups == 1 or aligned <= MOST_EXPERTS, "groups of 32 are too many")
    require(0 < kept <= groups, f"k_group={kept}: 1 to {groups}")
    require(0 < k <= kept * members, f"k={k}: 1 to {kept * members}, those of the kept groups")
    require(by_sum in (0, 1) and members > by_sum, f"group_select_mode={by_sum}: 0 or 1, of two")
    require(renorm in (0, 1) and norm_type in (0, 1, 2), "renorm is 0 or 1, norm_type 0 to 2")


def require(right: bool, rule: str) -> None:
    """Raise ValueError for a broken rule."""
    if not right:
        raise ValueError(rule)
