"""Mistakes that show only where work runs later than it is submitted, or beside other work.

A runtime that carries everything out at submission accepts all of them, and so may a card that is
quick or idle.
"""

from __future__ import annotations

from tests.kernels.entry_steps import entry, step
from tests.kernels.mutants import Mutant

OPERATOR = "moe_init_routing_v2_grad"
COPY = (
    "return aclrtMemcpyAsync(target, sizeof(tiling), {}, sizeof(tiling),"
    " ACL_MEMCPY_HOST_TO_DEVICE, {});"
)
FREED = "const aclnnStatus status = aclrtMemcpyAsync(target, sizeof(tiling), {}, sizeof(tiling),"
FREED += " ACL_MEMCPY_HOST_TO_DEVICE, stream); {} return status;"
START = "    static uint32_t Start(const entry::Launch& at, const Tiling&) {\n"

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    OPERATOR: (
        step(
            OPERATOR,
            "tiling-is-copied-from-memory-that-is-freed-at-once",
            "Upload",
            "auto* host = new Tiling(tiling);\n        " + FREED.format("host", "delete host;"),
        ),
        step(
            OPERATOR,
            "tiling-is-copied-from-the-one-buffer-of-all-calls",
            "Upload",
            "static Tiling host;\n        host = tiling;\n        "
            + FREED.format("&host", "host = {};"),
        ),
        Mutant(
            "launched-on-the-default-stream",
            entry(OPERATOR),
            "at.cores, at.stream,",
            "at.cores, nullptr,",
        ),
        step(
            OPERATOR,
            "tiling-is-copied-on-a-stream-of-its-own",
            "Upload",
            "static aclrtStream beside = nullptr;\n"
            "        if (beside == nullptr) {\n            aclrtCreateStream(&beside);\n        }\n"
            "        static_cast<void>(stream);\n"
            "        auto* kept = new Tiling(tiling);\n        " + COPY.format("kept", "beside"),
        ),
        Mutant(
            "tiling-lies-in-device-memory-that-is-freed-before-it-is-read",
            entry(OPERATOR),
            START,
            "    static uint32_t Start(entry::Launch at, const Tiling& tiling) {\n"
            "        void* apart = nullptr;\n"
            "        aclrtMalloc(&apart, sizeof(tiling), ACL_MEM_MALLOC_HUGE_FIRST);\n"
            "        opapi::UploadTiling(&tiling, sizeof(tiling), apart, at.stream);\n"
            "        at.tiling = static_cast<uint8_t*>(apart);\n"
            "        struct Owner {\n"
            "            void* memory;\n"
            "            ~Owner() { aclrtFree(memory); }\n"
            "        } owner{apart};\n"
            '        opapi::DescribeRegion(apart, sizeof(tiling), "tiling", false);\n',
        ),
    ),
}
"""By operator."""
