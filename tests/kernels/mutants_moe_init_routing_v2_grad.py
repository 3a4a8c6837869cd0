"""Seeded mistakes for the MoeInitRoutingV2Grad kernel: small edits that a suite must catch."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

KERNEL = "moe_init_routing_v2_grad/moe_init_routing_v2_grad_kernel.cpp"

ALL_MODES = ("dropless", "active", "drop_pad")
ALL_DTYPES = ("float32", "float16", "bfloat16")


@dataclass(frozen=True)
class Mutant:
    """One mistake: ``before``, which occurs exactly once in ``file``, becomes ``after``.

    ``file`` is relative to the folder of kernels. ``modes`` and ``dtypes`` are the cells in which
    some input shows the mistake; in all others the kernel stays right. ``cores`` is the smallest
    machine that shows it, ``least_indices`` the fewest row indices that can.
    """

    name: str
    file: str
    before: str
    after: str
    modes: tuple[str, ...] = ALL_MODES
    dtypes: tuple[str, ...] = ALL_DTYPES
    cores: int = 1
    least_indices: int = 1


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


def apply(mutant: Mutant, source_dir: Path, target_dir: Path) -> None:
    """Copy the folder of kernels ``source_dir`` to ``target_dir`` with the one edit of ``mutant``.

    ``target_dir`` must not exist. Raises ``ValueError``, before anything is written, where
    ``before`` does not occur exactly once.
    """
    text = (source_dir / mutant.file).read_text()
    found = text.count(mutant.before)
    if found != 1:
        raise ValueError(
            f"mutant {mutant.name}: {mutant.before!r} occurs {found} times in {mutant.file}; "
            "it must occur exactly once"
        )
    shutil.copytree(source_dir, target_dir)
    (target_dir / mutant.file).write_text(text.replace(mutant.before, mutant.after))
