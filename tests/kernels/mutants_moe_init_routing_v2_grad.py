"""Seeded mistakes for the MoeInitRoutingV2Grad kernel: small edits that a suite must catch."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

KERNEL = "moe_init_routing_v2_grad/moe_init_routing_v2_grad_kernel.cpp"
TILING = "moe_init_routing_v2_grad/moe_init_routing_v2_grad_tiling.cpp"

MUTANTS = (
    Mutant(
        "sum-of-k-plus-1-terms",
        KERNEL,
        "const int64_t slots = topK_;",
        "const int64_t slots = topK_ + 1;",
    ),
    Mutant(
        "last-partial-block-unwritten",
        KERNEL,
        "const uint32_t rowBytes = static_cast<uint32_t>(columns * sizeof(T));",
        "const uint32_t rowBytes = static_cast<uint32_t>(columns * sizeof(T) / 32 * 32);",
    ),
    Mutant(
        "dropped-marker-taken-as-row-0",
        KERNEL,
        "return rowIndices_.GetValue(token * topK_ + slot);",
        "const int32_t row = rowIndices_.GetValue(token * topK_ + slot);"
        " return row == DROPPED ? 0 : row;",
        modes=("drop_pad",),
    ),
    Mutant(
        "index-equal-to-active-num-kept",
        KERNEL,
        "return row < activeNum_;",
        "return row <= activeNum_;",
        modes=("active",),
    ),
    Mutant(
        "fp16-accumulated-in-fp16",
        KERNEL,
        "using Sum = float;",
        "using Sum = std::conditional_t<std::is_same_v<T, half>, half, float>;",
        dtypes=("float16",),
    ),
    Mutant(
        "result-truncated-to-16-bit",
        KERNEL,
        "RoundMode::CAST_RINT",
        "RoundMode::CAST_TRUNC",
        dtypes=("float16", "bfloat16"),
    ),
    Mutant(
        "offset-in-32-bits",
        KERNEL,
        "sourceRows_[row * hidden_ + column]",
        "sourceRows_[static_cast<int32_t>(row * hidden_ + column)]",
        modes=("drop_pad",),
    ),
    Mutant(
        "offset-in-32-bits-unsigned",
        KERNEL,
        "sourceRows_[row * hidden_ + column]",
        "sourceRows_[static_cast<uint32_t>(row * hidden_ + column)]",
        modes=("drop_pad",),
    ),
    Mutant(
        "last-core-idle",
        KERNEL,
        "AscendC::GetBlockIdx() >= data->usedCores",
        "AscendC::GetBlockIdx() >= (data->usedCores > 1 ? data->usedCores - 1 : 1)",
        cores=2,
    ),
    Mutant(
        "rows-summed-one-slot-shifted",
        KERNEL,
        "return rowIndices_.GetValue(token * topK_ + slot);",
        "return rowIndices_.GetValue(Least(token * topK_ + slot + 1, endToken_ * topK_ - 1));",
        least_indices=2,
    ),
    Mutant(
        "stale-sum-after-a-dropped-token-on-core-1",
        KERNEL,
        "const int64_t turn = bins_ - 1;",
        "const int64_t turn = bins_ - 1;"
        " bool kept = AscendC::GetBlockIdx() != 1;"
        " for (int64_t slot = 0; slot < slots; ++slot) kept |= IsKept(SourceRow(token, slot));"
        " if (!kept) return;",
        modes=("drop_pad", "active"),
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "second-tile-at-the-last-tile's-width",
        KERNEL,
        "sourceRows_[row * hidden_ + column]",
        "sourceRows_[row * hidden_ + column / tileColumns_ * columns]",
    ),
    Mutant(
        "tokens-of-a-batch-a-tile-apart",
        TILING,
        "tiling.tileColumns < tiling.hidden",
        "tiling.tileColumns < 1",
        dtypes=("float16", "bfloat16", "float32"),
        least_indices=32,
        least_hidden=17,
    ),
    Mutant(
        "second-tile-of-every-second-token-from-column-0",
        KERNEL,
        "SumToken(token + i, column, columns, i * rowElements);",
        "SumToken(token + i, (token + i - firstToken_) % 2 > 0 ? 0 : column, columns,"
        " i * rowElements);",
        least_indices=2,
    ),
    Mutant(
        "buffers-of-the-last-tile's-width",
        KERNEL,
        "const int64_t rowElements = RoundedToBlocks(tileColumns_);",
        "const int64_t tail = hidden_ % tileColumns_;"
        " const int64_t rowElements = RoundedToBlocks(tail > 0 ? tail : tileColumns_);",
    ),
    Mutant(
        "half-of-the-bins-lost-from-128-slots-on",
        KERNEL,
        "for (int64_t stride = 1; stride < bins_; stride *= 2) {",
        "for (int64_t stride = 1; stride < (bins_ < 64 ? bins_ : 32); stride *= 2) {",
        least_indices=128,
    ),
    Mutant(
        "tail-core-counts-its-tokens-twice",
        KERNEL,
        "MergeBins(tokens * rowElements);",
        "MergeBins(tokens * rowElements);"
        " if (AscendC::GetBlockIdx() > 0 && AscendC::GetBlockIdx() == AscendC::GetBlockNum() - 1) {"
        " AscendC::Add(Bin(0, 0), Bin(0, 0), Bin(0, 0),"
        " static_cast<int32_t>(tokens * rowElements));"
        " AscendC::PipeBarrier<PIPE_V>(); }",
        cores=2,
        least_indices=2,
    ),
    Mutant(
        "row-index-read-as-int16",
        KERNEL,
        "return rowIndices_.GetValue(token * topK_ + slot);",
        "return static_cast<int16_t>(rowIndices_.GetValue(token * topK_ + slot));",
        modes=("drop_pad",),
    ),
    Mutant(
        "null-pointer-dereferenced",
        KERNEL,
        "kernel.Process();",
        "volatile int32_t* volatile nothing = nullptr; *nothing = 1; kernel.Process();",
    ),
    Mutant(
        "loop-without-end",
        KERNEL,
        "token += tokensPerBatch_",
        "token += 0",
    ),
)
