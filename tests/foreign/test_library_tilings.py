"""Host code asks for what library functions take of UB, and gets what they take on Atlas A2."""

import subprocess
from pathlib import Path

import pytest

from device_kernels.foreign.library import HOST
from device_kernels.toolchain import compiler

PROGRAM = """
#include <cstdio>
#include "tiling/tiling_api.h"
using namespace AscendC;
int main() {
    fe::PlatFormInfos machine(1, 196352);
    const platform_ascendc::PlatformAscendC platform(&machine);
    const ge::Shape rows({4, 32}), row({64}), none({0, 32});
    uint32_t most = 0, least = 0;
    auto topK = [&](int32_t inner, int32_t outer, bool indexed, TopKMode mode, bool largest) {
        GetTopKMaxMinTmpSize(platform, inner, outer, false, indexed, mode, largest, 4, most, least);
        std::printf("%u ", most == least ? most : 0);
    };
    std::printf("%u ", GetSoftMaxMaxTmpSize(rows, 4, false));
    std::printf("%u ", GetSoftMaxMaxTmpSize(rows, 2, true));
    std::printf("%u ", GetSoftMaxMaxTmpSize(rows, 1, false));
    std::printf("%u ", GetSoftMaxMaxTmpSize(none, 4, true));
    std::printf("%u ", GetSoftMaxFlashV2MaxTmpSize(row, 4, 4, true));
    std::printf("%u ", GetSoftMaxFlashV2MaxTmpSize(row, 2, 2, true));
    std::printf("%u ", GetSoftMaxFlashV2MaxTmpSize(row, 4, true, true));
    topK(64, 9, true, TopKMode::TOPK_NORMAL, true);
    topK(64, 9, false, TopKMode::TOPK_NORMAL, true);
    topK(32, 3, true, TopKMode::TOPK_NSMALL, true);
    topK(32, 3, false, TopKMode::TOPK_NSMALL, false);
    GetSigmoidMaxMinTmpSize(rows, 4, false, most, least);
    std::printf("%u %u", most, least);
}
"""
SIZES = {
    "softmax of 4 rows of 32 floats: 4 (8 + 32 + 64) floats": 1664,
    "of halves, of which a block has 16": 1792,
    "of bytes, which it does not take": 0,
    "of no rows": 0,
    "flash softmax of 64 floats: 8 + 64 floats": 288,
    "of halves: 2 * 16 + 64 + 64 floats": 640,
    "whose maxima have one byte": 0,
    "the k largest of rows of 64 with their indices: 16 bytes each": 1024,
    "without indices: 4 more": 1280,
    "of 3 rows of 32: 8 bytes each and a mask": 832,
    "the smallest, without indices: 16 bytes each": 1600,
    "sigmoid of 128 floats at most": 512,
    "and at least": 256,
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """What a host program is told, in the order of SIZES."""
    folder: Path = tmp_path_factory.mktemp("library_tilings")
    (folder / "sizes.cpp").write_text(PROGRAM)
    made = folder / "sizes"
    words = ["-std=c++20", "-w", f"-I{HOST}", str(folder / "sizes.cpp"), "-o", str(made)]
    subprocess.run([compiler(), *words], check=True)
    run = subprocess.run([str(made)], check=True, capture_output=True, text=True)
    return [int(word) for word in run.stdout.split()]


def test_library_functions_ask_for_what_they_take_on_atlas_a2(told: list[int]) -> None:
    assert dict(zip(SIZES, told, strict=True)) == SIZES
