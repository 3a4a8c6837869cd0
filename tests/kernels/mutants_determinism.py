"""Mistakes whose sums are right in each call and other ones in the next: determinism finds them."""

from __future__ import annotations

from tests.kernels.entry_steps import step
from tests.kernels.mutants import Mutant

GRADS = "shared/slots/slot_grad_kernel.h"
DO_TILE = "DoTile(token, place, slots, column, Least(tileColumns_, hidden_ - column));"


def _tile_at(at: str) -> str:
    """Another tile of a token in place of the one at `column`; `last` is the last one."""
    return (
        "const int64_t last = (hidden_ - 1) / tileColumns_ * tileColumns_;\n"
        f"            const int64_t at = {at};\n"
        "            DoTile(token, place, slots, at, Least(tileColumns_, hidden_ - at));"
    )


def _backwards_if(condition: str) -> str:
    """The tiles of a token from the last to the first, where the condition holds."""
    return _tile_at(f"{condition} ? last - column : column")


MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_finalize_routing_v2_grad": (
        Mutant(
            "every-second-token-of-a-batch-takes-the-tiles-from-the-last-to-the-first",
            GRADS,
            DO_TILE,
            _backwards_if("place / slots % 2 == 1"),
        ),
    ),
    "moe_token_unpermute_grad": (
        Mutant(
            "odd-blocks-take-the-tiles-from-the-last-to-the-first",
            GRADS,
            DO_TILE,
            _backwards_if("AscendC::GetBlockIdx() % 2 == 1"),
        ),
        Mutant(
            "tiles-begin-at-the-number-of-blocks",
            GRADS,
            DO_TILE,
            _tile_at("(column + AscendC::GetBlockNum() * tileColumns_) % (last + tileColumns_)"),
        ),
    ),
    "moe_init_routing_v2_grad": (
        step(
            "moe_init_routing_v2_grad",
            "the-plan-of-the-newest-call-is-run",
            "HandOut",
            "static std::function<aclnnStatus(uint8_t*, aclrtStream)> newest;\n"
            "        if (plan.run) {\n"
            "            newest = std::move(plan.run);\n"
            "            plan.run = [](uint8_t* at, aclrtStream stream) {"
            " return newest(at, stream); };\n"
            "        }\n"
            "        return opapi::HandOut(std::move(plan), workspaceSize, executor);",
        ),
    ),
}
"""By operator: sums that are legal in any order, and come out otherwise elsewhere. They are of
gradients of weights: of sums that are also asked not to depend on the batch, batch invariance finds
what depends on places and blocks as well.
"""
