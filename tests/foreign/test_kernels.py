"""Kernels of the public operator repositories compile against the CPU model as they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.foreign.kernels import judge, judge_all

HOME = os.environ.get("OPS_TRANSFORMER_HOME", "")
DEFINITION = """
class Twice : public OpDef { explicit Twice(const char* name) : OpDef(name) {
    static const std::vector<ge::DataType> numbers = {ge::DT_INT32, ge::DT_INT64, ge::DT_INT32};
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT});
    this->Input("at").DataType(numbers).Format({ge::FORMAT_ND});
    // this->Input("gone").DataType({ge::DT_DOUBLE});
    this->Output("y").DataType({ge::DT_BF16});
    OpAICoreConfig other;
    other.Input("z").DataType({ge::DT_DOUBLE});
} };
OP_ADD(Twice);
"""
PART = """
BEGIN_TILING_DATA_DEF(Part)
  TILING_DATA_FIELD_DEF(int64_t,
                        first);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(PartOp, Part)
"""
TILING = """
#include "the_part.h"
BEGIN_TILING_DATA_DEF(TwiceTilingData)
TILING_DATA_FIELD_DEF_STRUCT(Part, part);
TILING_DATA_FIELD_DEF_ARR(int32_t, 4, counts);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Twice, TwiceTilingData)
"""
KERNEL = """
#include "kernel_operator.h"
#include "kernel_utils.h"
using namespace AscendC;
template <typename T> __aicore__ inline void Body(int64_t first) {{ {body} }}
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR at, GM_ADDR y, GM_ADDR workspace,
                                            GM_ADDR tiling) {{
    GET_TILING_DATA(data, tiling);
    static_assert(IsSameType<DTYPE_Y, bfloat16_t>::value && ORIG_DTYPE_Y == DT_BF16);
    static_assert(sizeof(DTYPE_AT) == (ORIG_DTYPE_X == DT_FLOAT16 ? 8 : 4));
    if (TILING_KEY_IS(1)) {{
        Body<DTYPE_X>(data.part.first + data.counts[3]);
    }}
}}
"""


def operator(folder: Path, body: str) -> Path:
    """An operator's folder, as the public repositories have it."""
    files = {
        "op_host/twice_def.cpp": DEFINITION,
        "op_host/a_twice_tiling.h": TILING,
        "op_host/the_part.h": PART,
        "op_kernel/twice.cpp": KERNEL.format(body=body),
    }
    for name, text in files.items():
        path = folder / "twice" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "twice"


def test_an_operator_is_compiled_once_for_each_column_of_data_types(tmp_path: Path) -> None:
    """Two of the three columns differ."""
    found = judge(operator(tmp_path, "ASSERT(first >= 0);"), tmp_path)
    assert (found.missing, found.builds) == ("", 2)
    assert str(found).endswith("compiled, 2 data types")


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("NoSuchFunction(first);", "'NoSuchFunction'"),
        ("static_assert(sizeof(T) == 4, \"for float\");", "for float"),
        ("LocalTensor<int64_t> tensor; Add(tensor, tensor, tensor, 8);", "Add does not take"),
    ],
)  # fmt: skip
def test_the_first_thing_that_is_missing_is_named(tmp_path: Path, body: str, missing: str) -> None:
    """Also where only the second column needs it."""
    found = judge(operator(tmp_path, body), tmp_path)
    assert missing in found.missing.replace("‘", "'").replace("’", "'")


def test_a_folder_without_data_types_is_told(tmp_path: Path) -> None:
    folder = operator(tmp_path, "")
    (folder / "op_host" / "twice_def.cpp").write_text("OP_ADD(Twice);")
    assert judge(folder, tmp_path).missing == (
        "not read: twice_def.cpp adds no operator with data types"
    )


@pytest.mark.skipif(
    not HOME or not Path(HOME, "moe").is_dir(),
    reason="OPS_TRANSFORMER_HOME names no checkout of the public operators",
)
def test_most_public_routing_kernels_compile_as_they_are() -> None:
    findings = judge_all(Path(HOME) / "moe")
    print(*findings, sep="\n")
    assert len(findings) >= 26
    assert sum(not one.missing for one in findings) >= 20, "\n".join(map(str, findings))
