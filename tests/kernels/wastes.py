"""Edits of kernels that leave every value right and waste the device's time."""

from __future__ import annotations

from tests.kernels.mutants import Mutant

ROW_SUM = "shared/rows/row_sum_kernel.h"
SLOT_COPY = "shared/slots/slot_copy_kernel.h"

WASTES = {
    "moe_token_unpermute": (
        Mutant(
            "doubled-copy",
            ROW_SUM,
            "        rowQueue_.EnQue(values);\n        return rowQueue_",
            "        AscendC::PipeBarrier<PIPE_MTE2>();\n"
            "        AscendC::DataCopyPad(values, row,"
            " AscendC::DataCopyExtParams{1, bytes, 0, 0, 0}, zeros);\n"
            "        rowQueue_.EnQue(values);\n        return rowQueue_",
        ),
        Mutant(
            "serialised-core",
            "moe_token_unpermute/moe_token_unpermute_tiling.cpp",
            "std::min(call.tokens, call.cores);",
            "std::min<int64_t>(call.tokens, 1);",
        ),
        Mutant(
            "lost-double-buffer",
            ROW_SUM,
            "static_cast<uint8_t>(tiling->inputBuffers)",
            "1",
        ),
    ),
    "moe_token_permute": (
        Mutant(
            "doubled-copy",
            SLOT_COPY,
            "        rowQueue_.EnQue(rows);\n",
            "        AscendC::PipeBarrier<PIPE_MTE2>();\n"
            "        AscendC::DataCopyPad(rows, tokens_[token * hidden_ + column],\n"
            "                             DataCopyExtParams{static_cast<uint16_t>(tokens), bytes,"
            " 0, 0, 0},\n                             DataCopyPadExtParams<T>{});\n"
            "        rowQueue_.EnQue(rows);\n",
        ),
        Mutant(
            "serialised-core",
            "moe_token_permute/moe_token_permute_tiling.cpp",
            "CutCopies(bytes, slots.tokens, call.cores, &slots)",
            "CutCopies(bytes, slots.tokens, 1, &slots)",
        ),
        Mutant(
            "lost-double-buffer",
            SLOT_COPY,
            "pipe->InitBuffer(rowQueue_, BUFFERS,",
            "pipe->InitBuffer(rowQueue_, 1,",
        ),
    ),
}
"""By operator: a copy that is made twice, work of all cores on one, one buffer in place of several.
"""
