"""Mistakes that show only where work runs later than it is submitted, or beside other work.

A runtime that carries everything out at submission accepts all of them, and so may a card that is
quick or idle.
"""

from __future__ import annotations

from tests.kernels.mutants import Mutant

ENTRY = "moe_init_routing_v2_grad/aclnn_moe_init_routing_v2_grad.cpp"
UPLOAD = "status = opapi::UploadTiling(&tiling, sizeof(tiling), tilingOnDevice, stream);"
COPY = "aclrtMemcpyAsync(tilingOnDevice, sizeof(tiling), {}, sizeof(tiling),\n"
COPY += " " * 38 + "ACL_MEMCPY_HOST_TO_DEVICE, {});"
CORES = "static_cast<uint32_t>(tiling.usedCores), stream, "
DESCRIBED = 'opapi::DescribeRegion(tilingOnDevice, sizeof(tiling), "tiling", /*writable=*/false);'

MUTANTS: dict[str, tuple[Mutant, ...]] = {
    "moe_init_routing_v2_grad": (
        Mutant(
            "tiling-is-copied-from-memory-that-is-freed-at-once",
            ENTRY,
            UPLOAD,
            "auto* host = new MoeInitRoutingV2GradTilingData(tiling);\n"
            "            status = " + COPY.format("host", "stream") + "\n"
            "            delete host;",
        ),
        Mutant(
            "tiling-is-copied-from-the-one-buffer-of-all-calls",
            ENTRY,
            UPLOAD,
            "static MoeInitRoutingV2GradTilingData host;\n"
            "            host = tiling;\n"
            "            status = " + COPY.format("&host", "stream") + "\n"
            "            host = {};",
        ),
        Mutant(
            "launched-on-the-default-stream",
            ENTRY,
            CORES,
            CORES.replace("stream", "nullptr"),
        ),
        Mutant(
            "tiling-is-copied-on-a-stream-of-its-own",
            ENTRY,
            UPLOAD,
            "static aclrtStream beside = nullptr;\n"
            "            if (beside == nullptr) {\n"
            "                aclrtCreateStream(&beside);\n"
            "            }\n"
            "            auto* kept = new MoeInitRoutingV2GradTilingData(tiling);\n"
            "            status = " + COPY.format("kept", "beside"),
        ),
        Mutant(
            "tiling-lies-in-device-memory-that-is-freed-before-it-is-read",
            ENTRY,
            DESCRIBED,
            "void* apart = nullptr;\n"
            "        aclrtMalloc(&apart, sizeof(tiling), ACL_MEM_MALLOC_HUGE_FIRST);\n"
            "        opapi::UploadTiling(&tiling, sizeof(tiling), apart, stream);\n"
            "        tilingOnDevice = apart;\n"
            "        struct Owner {\n"
            "            void* memory;\n"
            "            ~Owner() { aclrtFree(memory); }\n"
            "        } owner{apart};\n        " + DESCRIBED,
        ),
    ),
}
"""By operator."""
