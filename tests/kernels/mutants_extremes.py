"""Mistakes that only an extreme shows: beyond 32 bits of an offset, beyond 23 bits of a position.

No drawn case is so far or so large. The first two show in documented calls, in every profile; the
last one on the edge of the most keys, which nightly judges (docs/reference/extremes.md).
"""

from __future__ import annotations

from dataclasses import replace

from tests.kernels.mutants import Mutant

FAR = Mutant(
    "offset-of-a-gradient-in-32-bits",
    "shared/slots/slot_copy_kernel.h",
    "tokens_[token * hidden_ + column],",
    "tokens_[static_cast<uint32_t>(token * hidden_ + column)],",
    modes=("single",),
    least_indices=8194,
)

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_token_unpermute_grad": (FAR,),
    "moe_finalize_routing_v2_grad": (
        FAR,
        replace(
            FAR,
            name="offset-of-a-gradient-in-31-bits",
            after="tokens_[static_cast<int32_t>(token * hidden_ + column)],",
        ),
    ),
    "moe_token_permute": (
        Mutant(
            "positions-of-a-sort-in-23-bits",
            "shared/sorting/stable_sort_kernel.h",
            "AscendC::ArithProgression(positions, static_cast<int32_t>(begin), 1,",
            "AscendC::ArithProgression(positions, static_cast<int32_t>(begin % (1 << 23)), 1,",
            least_indices=2**23 + 1,
        ),
    ),
}
