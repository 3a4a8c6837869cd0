"""Seeded mistakes for the MoeTokenUnpermuteWithRoutingMapGrad kernel: small edits that a suite must
catch. Others of the gradients that it shares are in mutants_moe_token_unpermute_grad.py.
"""

from __future__ import annotations

from functools import partial

from tests.kernels.mutants import Mutant
from tests.kernels.mutants_moe_token_unpermute_grad import LEAST_TILES, NARROW, WEIGHTED
from tests.kernels.mutants_moe_token_unpermute_with_routing_map import MAPPED

FOLDER = "moe_token_unpermute_with_routing_map_grad"
KERNEL = f"{FOLDER}/{FOLDER}_kernel.cpp"
SLOTS = f"{FOLDER}/{FOLDER}_kernel_slots.h"
PROBS, BARE = ("dropless_probs", "padded_probs"), ("dropless", "padded")
LEAST_MOVED_TILES = 257
"""The fewest columns of 16 bits that the smallest buffer moves in two tiles."""

Weighed = partial(Mutant, modes=PROBS)
Mapped = partial(Mutant, modes=PROBS[:1])
Padded = partial(Mutant, modes=PROBS[1:])
Moved = partial(Mutant, file=KERNEL, modes=BARE)

MUTANTS: tuple[Mutant, ...] = (
    Weighed(
        "gradients-of-probs-in-the-order-of-slots",
        SLOTS,
        "to[PlaceOf(i)]",
        "to[first_ + i]",
        least_indices=2,
    ),
    Weighed(
        "probs-without-a-slot-left",
        KERNEL,
        "    zero_fill::WriteAll<BitsOf<P>>(tensors.weightGrads, tiling->probs,"
        " tiling->zerosAtOnce);\n",
        "",
    ),
    Weighed(
        "zeros-over-what-other-cores-wrote",
        KERNEL,
        "    AscendC::SyncAll();\n",
        "",
        cores=2,
    ),
    Weighed(
        "probs-have-the-row-behind-theirs",
        WEIGHTED,
        "CopyIn(rowQueue_, rows_[row * hidden_ + column], columns);",
        "CopyIn(rowQueue_, rows_[(row + 1) % sourceRows_ * hidden_ + column], columns);",
        least_indices=2,
    ),
    Weighed(
        "gradient-of-the-row-not-weighed",
        WEIGHTED,
        "WriteRowGrad(grad, weights_.At(place + i),",
        "WriteRowGrad(grad, 1.0f,",
    ),
    Weighed(
        "last-tile-lost-in-the-probs",
        WEIGHTED,
        "                AddProducts(grad,",
        "                if (column == 0 || column + tileColumns_ < hidden_) AddProducts(grad,",
        least_hidden=LEAST_TILES,
    ),
    Weighed(
        "row-gradient-truncated-to-16-bit",
        WEIGHTED,
        "AscendC::Cast(result, product, RoundMode::CAST_RINT, count);",
        "AscendC::Cast(result, product, RoundMode::CAST_TRUNC, count);",
        dtypes=NARROW,
    ),
    Weighed(
        "fp32-probs-read-as-bf16",
        KERNEL,
        "if (tiling->probsDtype == 0) {",
        "if (tiling->probsDtype > 27) {",
        dtypes=("bfloat16",),
    ),
    Mapped(
        "map-walked-on-from-the-token-before",
        MAPPED,
        "if (slot % topK == 0) {",
        "if (slot < topK && slot % topK == 0) {",
        least_indices=2,
    ),
    Mapped(
        "first-experts-in-place-of-the-map's",
        MAPPED,
        "map.GetValue(static_cast<uint64_t>(line + next)) == 0",
        "next < 0",
    ),
    Mapped(
        "experts-from-the-core's-first-slot-on",
        SLOTS,
        "return slot - slot % mapped.topK;",
        "return slot;",
        cores=2,
        least_indices=2,
    ),
    Padded(
        "capacity-by-the-tokens",
        f"{FOLDER}/{FOLDER}_tiling.cpp",
        "call.slots / call.experts : 0;",
        "call.tokens : 0;",
        least_indices=2,
    ),
    Padded(
        "expert-of-the-sorted-place",
        SLOTS,
        "isPadded ? row / capacity",
        "isPadded ? slot / capacity",
        least_indices=2,
    ),
    Mutant(
        "token-of-the-row-in-place-of-the-slot",
        SLOTS,
        "return isPadded ? tokens.GetValue(static_cast<uint64_t>(slot))",
        "return isPadded ? tokens.GetValue(static_cast<uint64_t>(RowAt(slot)))",
        (PROBS[1], BARE[1]),
        least_indices=2,
    ),
    Mutant(
        "minus-1-taken-as-a-row",
        "shared/slots/slot_rows_kernel.h",
        "return index < first ? INT64_MAX : index - first;",
        "return index < first ? 0 : index - first;",
        (PROBS[0], BARE[0]),
    ),
    Moved(
        "last-tile-lost",
        before="column < hidden; column += most) {",
        after="column + most <= hidden; column += most) {",
        least_hidden=LEAST_MOVED_TILES,
    ),
    Moved(
        "minus-zero-copied-as-plus-zero",
        before="            tile = queue.template DeQue<Bits>();\n",
        after="            tile = queue.template DeQue<Bits>();\n"
        "            AscendC::PipeBarrier<PIPE_ALL>();\n"
        "            for (int64_t i = 0; i < columns; ++i)"
        " if (static_cast<Bits>(tile.GetValue(i) << 1) == 0) tile.SetValue(i, 0);\n"
        "            AscendC::PipeBarrier<PIPE_ALL>();\n",
    ),
)
