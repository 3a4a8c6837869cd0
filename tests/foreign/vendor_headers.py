"""A kernel of this project under the vendor's public headers: a syntax check, nothing is built.

The headers declare the functions of the interface, in the mode for debugging on a CPU. What they
take from a part of CANN that is not public stands in here: the words and types of the device's
compiler, and its intrinsic functions, as functions that take anything. So an error inside the
headers says nothing, and one at a line of the kernel says that the interface has no such call.
Nothing is said of what is inside the stand-ins: their dtypes, and values that a template computes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

COMPILERS = ("clang++", "clang++-14", "clang++-15", "clang++-16", "clang++-18")
FOLDERS = ("", "include", "include/basic_api", "include/adv_api", "include/utils", "impl",
           "impl/basic_api", "impl/utils")  # fmt: skip
DEFINITIONS = ("__NPU_ARCH__=2201", "__CCE_AICORE__=220", "ASCENDC_CPU_DEBUG=1")
ABSENT = ("stub_fun.h", "kernel_fp16.h", "kernel_bf16.h", "simt_stub.h")
"""Headers that public ones include and that are not public."""
ROUNDS = 5
STAND_INS = """
#pragma once
#include <algorithm>
#include <cassert>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>
#define __aicore__
#define __global__
#define __host__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __sync_alias__
#define __sync_noalias__
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __check_sync_alias__
#define __no_simd_vf_fusion__
#define ASCENDC_HOST
#define ASCENDC_AICORE
#define ASCENDC_HOST_AICORE
struct half {
    half() = default;
    template <typename Number> half(Number);
    operator float() const;
    uint16_t bits;
};
struct bfloat16_t {
    bfloat16_t() = default;
    template <typename Number> bfloat16_t(Number);
    operator float() const;
    uint16_t bits;
};
enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4,
              PIPE_MTE5, PIPE_V2, PIPE_FIX };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6,
               EVENT_ID7 };
enum QuantMode_t { NoQuant };
enum mem_t {};
enum dcci_dst_t {};
enum cache_line_t {};
enum pad_t {};
enum Order_t {};
enum atomic_type_t {};
struct MaskReg {};
struct AddrReg {};
struct UnalignRegForStore {};
struct UnalignRegForLoad {};
struct vector_align {};
using GM_ADDR = uint8_t*;
"""


def compiler() -> str | None:
    """The first clang at hand: it goes on behind an error in a header."""
    return next((path for name in COMPILERS if (path := shutil.which(name))), None)


def refused_lines(kernel: Path, headers: Path, tiling: Path, scratch: Path) -> list[str]:
    """What the compiler says of the lines of a kernel and of what it includes beside the kernels.

    ``tiling``: a header of tiling structs.
    """
    kernels = f"{kernel.parents[1]}/"
    for name in ABSENT:
        (scratch / name).write_text('#include "stub_def.h"\n')
    (scratch / "kernel_tiling").mkdir(exist_ok=True)
    (scratch / "kernel_tiling" / "kernel_tiling.h").write_text(f'#include "{tiling}"\n')
    intrinsics: set[str] = set()
    said = ""
    for _ in range(ROUNDS):
        declared = [f"template <typename... A> long {name}(A&&...);" for name in sorted(intrinsics)]
        (scratch / "stub_def.h").write_text("\n".join([STAND_INS, *declared, ""]))
        said = _said_of(kernel, headers, scratch)
        if fatal := re.search(r"fatal error: .*", said):
            return [fatal[0]]
        unknown = r"^(.*?):\d+:\d+: error: use of undeclared identifier '(\w+)'"
        named = {
            word for path, word in re.findall(unknown, said, re.M) if not path.startswith(kernels)
        }
        new = named - intrinsics
        if not new:
            break
        intrinsics |= new
    own = rf"^{re.escape(kernels)}(.*?):(\d+):\d+: error: (.*)$"
    refused = re.findall(own, said, re.M)
    return sorted({f"{os.path.normpath(file)}:{line}: {text}" for file, line, text in refused})


def _said_of(kernel: Path, headers: Path, scratch: Path) -> str:
    command = [compiler() or "clang++", "-std=c++17", "-fsyntax-only", "-w", "-ferror-limit=0"]
    command += ["-fno-caret-diagnostics", *(f"-D{one}" for one in DEFINITIONS), f"-I{scratch}"]
    command += [f"-I{headers / folder}" for folder in FOLDERS]
    done = subprocess.run([*command, str(kernel)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stderr
