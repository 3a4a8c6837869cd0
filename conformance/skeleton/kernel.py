"""The kernel of a new operator: entry, tiling, and an Ascend C kernel that writes nothing."""

from __future__ import annotations

from conformance.devices.messages import DTYPES
from conformance.skeleton.operator import New, joined
from conformance.skeleton.parameters import Parameter

ACL = {
    "float16": "ACL_FLOAT16",
    "bfloat16": "ACL_BF16",
    "float32": "ACL_FLOAT",
    "int8": "ACL_INT8",
    "int32": "ACL_INT32",
    "int64": "ACL_INT64",
    "bool": "ACL_BOOL",
}
IN_KERNEL = {
    "float16": "half",
    "bfloat16": "bfloat16_t",
    "float32": "float",
    "int8": "int8_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "bool": "uint8_t",
}
C_TYPES = {"number": "int64_t", "real": "double", "flag": "bool"}
TABLE = {"number": "Number", "real": "Real", "flag": "Number", "integers": "List"}


def files(new: New) -> dict[str, str]:
    """The four files of a kernel's folder, by name."""
    return {
        f"{new.name}_tiling.h": tiling_header(new),
        f"{new.name}_tiling.cpp": tiling(new),
        f"{new.name}_kernel.cpp": kernel(new),
        f"aclnn_{new.name}.cpp": entry(new),
    }


def tiling_header(new: New) -> str:
    """What host and device share."""
    return f"""// What host and kernel of {new.title} share: how the work is cut.
#pragma once

#include <cstdint>

struct {new.title}TilingData {{
    int64_t dtype;          // aclDataType of {new.first.acl_name}
    int64_t usedCores;      // blocks to launch
    int64_t tokens;         // TODO: what the kernel must know of the shapes
    int64_t tokensPerCore;  // of every core but the last
}};

// The cut for a machine.
{new.title}TilingData {new.title}Tiling(int64_t dtype, int64_t tokens, int64_t cores);
"""


def tiling(new: New) -> str:
    """The host's part of the cut."""
    return f"""#include "{new.name}_tiling.h"

{new.title}TilingData {new.title}Tiling(int64_t dtype, int64_t tokens, int64_t cores) {{
    // TODO: tiles that fit into the unified buffer, from the machine's bytes.
    const int64_t tokensPerCore = (tokens + cores - 1) / cores;
    return {{dtype, (tokens + tokensPerCore - 1) / tokensPerCore, tokens, tokensPerCore}};
}}
"""


def kernel(new: New) -> str:
    """The device's part: each core has its tokens, and writes nothing yet."""
    tensors = [one.name for one in new.tensors]
    parameters = ", ".join(f"GM_ADDR {name}" for name in [*tensors, "tiling"])
    passed = ", ".join(f"GM_ADDR {name}" for name in tensors)
    types = {one.name: _in_kernel(new, one) for one in new.tensors}
    set_buffers = [
        f"{name}_.SetGlobalBuffer(reinterpret_cast<__gm__ {own}*>({name}));"
        for name, own in types.items()
    ]
    members = [f"AscendC::GlobalTensor<{own}> {name}_;" for name, own in types.items()]
    runs = []
    for number, dtype in enumerate(new.dtypes):
        last = number == len(new.dtypes) - 1
        test = f"if (data->dtype == {DTYPES[dtype][0]})"
        head = test if number == 0 else ("} else" if last else "} else " + test)
        runs += [f"{head} {{" if len(new.dtypes) > 1 else "{"]
        runs += [f"    Run<{IN_KERNEL[dtype]}>({', '.join(tensors)}, data);"]
    return f"""// {new.title} in Ascend C: TODO how a core does its part.
#include "kernel_operator.h"
#include "{new.name}_tiling.h"

namespace {{

template <typename T>
class Kernel {{
public:
    __aicore__ inline void Init({passed},
                                const __gm__ {new.title}TilingData* tiling) {{
        firstToken_ = AscendC::GetBlockIdx() * tiling->tokensPerCore;
        const int64_t end = firstToken_ + tiling->tokensPerCore;
        endToken_ = end < tiling->tokens ? end : tiling->tokens;
{joined(set_buffers, 8)}
    }}

    __aicore__ inline void Process() {{
        for (int64_t token = firstToken_; token < endToken_; ++token) {{
            // TODO: the work of a token. Nothing is written yet, so every verdict fails.
        }}
    }}

private:
{joined(members, 4)}
    int64_t firstToken_;
    int64_t endToken_;
}};

template <typename T>
__aicore__ inline void Run({passed},
                           const __gm__ {new.title}TilingData* tiling) {{
    Kernel<T> kernel;
    kernel.Init({", ".join(tensors)}, tiling);
    kernel.Process();
}}

}}  // namespace

extern "C" __global__ __aicore__ void {new.name}({parameters}) {{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    auto data = reinterpret_cast<const __gm__ {new.title}TilingData*>(tiling);
{joined(runs, 4)}
    }}
}}
"""


def entry(new: New) -> str:
    """The two phases, from the table of the interface."""
    rows = [_row(new, one) for one in new.parameters]
    at = ", ".join(f'at["{one.acl_name}"]' for one in new.tensors)
    names = ", ".join(one.acl_name for one in new.parameters)
    sized = next((one for one in new.outputs if not one.optional), new.outputs[0]).acl_name
    return f"""// {new.title} in two phases, as aclnn and as kernel entry.
#include "aclrtlaunch_{new.name}.h"
#include "{new.name}_tiling.h"
#include "two_phase.h"

namespace {{

struct Kernel : entry::Operator<Kernel, {new.title}TilingData> {{
    static const entry::Table& Interface() {{
        // TODO: the axes of each tensor, and which may be null only beside another.
        static const entry::Table table{{
            "{new.title} document, parameters",
            {{
{joined(rows, 16)}
            }}}};
        return table;
    }}

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char*, uint64_t) {{
        *tiling = {new.title}Tiling(call.Dtype("{new.first.acl_name}"),
                                    call.Shape("{sized}").values[0], call.machine().vectorCores);
        return ACLNN_SUCCESS;
    }}

    static uint32_t Start(const entry::Launch& at, const Tiling&) {{
        return aclrtlaunch_{new.name}(at.cores, at.stream, {at}, at.tiling);
    }}
}};

}}  // namespace

{_functions(new, names)}
"""


def _functions(new: New, names: str) -> str:
    if all(one.kind != "integers" for one in new.parameters):
        return f"MOE_TWO_PHASE({new.title}, ({_listed(new, False)}), {names})"
    plain = ", ".join(
        f"{{{one.acl_name}, {one.acl_name}Length}}" if one.kind == "integers" else one.acl_name
        for one in new.parameters
    )
    return (
        f"MOE_ACLNN({new.title}, ({_listed(new, False)}), {names})\n"
        f"MOE_KERNEL({new.title}, ({_listed(new, True)}), {plain})"
    )


def _listed(new: New, is_kernel: bool) -> str:
    return ", ".join(_declared(one, is_kernel) for one in new.parameters)


def _declared(one: Parameter, is_kernel: bool) -> str:
    if one.is_tensor:
        return f"const aclTensor* {one.acl_name}"
    if one.kind == "integers":
        both = f"const int64_t* {one.acl_name}, uint64_t {one.acl_name}Length"
        return both if is_kernel else f"const aclIntArray* {one.acl_name}"
    return f"{C_TYPES[one.kind]} {one.acl_name}"


def _row(new: New, one: Parameter) -> str:
    if not one.is_tensor:
        size = f', "{one.sizes[0]}"' if one.kind == "number" and one.sizes else ""
        return f'entry::{TABLE[one.kind]}("{one.acl_name}"{size}),'
    if new.is_of_case(one) and one != new.first:
        types = f'entry::As("{new.first.acl_name}")'
    else:
        types = f"{{{{{', '.join(ACL[dtype] for dtype in new.dtypes_of(one))}}}}}"
    made = "In" if one.kind == "input" else "Out"
    optional = ".Optional()" if one.optional else ""
    return f'entry::{made}("{one.acl_name}", {types}{_axes(one)}){optional},'


def _axes(one: Parameter) -> str:
    """The axes of the table; it knows products of two names alone."""
    factors = [axis.split(" * ") for axis in one.axes]
    is_known = all(len(of) == 1 or (len(of) == 2 and not _numbers(of)) for of in factors)
    if not factors or not is_known:
        return ""
    listed = [_axis(of) for of in factors]
    return f", {{{', '.join(listed)}}}"


def _numbers(factors: list[str]) -> list[str]:
    return [one for one in factors if one.isdigit()]


def _axis(factors: list[str]) -> str:
    if _numbers(factors):
        return factors[0]
    names = ", ".join(f'"{one}"' for one in factors)
    return names if len(factors) == 1 else f"entry::Times({names})"


def _in_kernel(new: New, one: Parameter) -> str:
    return "T" if new.is_of_case(one) else IN_KERNEL[one.dtypes[0]]
