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
    some input shows the mistake; in all others the kernel stays right.
    """

    name: str
    file: str
    before: str
    after: str
    modes: tuple[str, ...] = ALL_MODES
    dtypes: tuple[str, ...] = ALL_DTYPES


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
