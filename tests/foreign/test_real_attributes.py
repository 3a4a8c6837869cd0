"""The host code of a checkout reads attributes that are floating-point numbers as floats, and what
the function does not have as absent or by its default.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conformance.devices.device import Device
from conformance.devices.foreign import checkout_libraries
from conformance.devices.open import open_device
from conformance.judge.calls import judge
from conformance.record.variations import with_attributes
from tests.kept import kept
from tests.kernels.real_attributes.in_range import EXAMPLE, OPERATOR
from tests.slow import slow_but

NAME = "in_range"
KERNEL = Path(__file__).parents[1] / "kernels/real_attributes/kernels/in_range/in_range_kernel.cpp"
DEFINITION = """
#include "register/op_def_registry.h"
namespace ops {
class InRange : public OpDef {
    explicit InRange(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_INT32});
        this->Attr("low").AttrType(OPTIONAL).Float(1e-6);
        this->Attr("times").AttrType(REQUIRED).Int();
        this->Attr("high").AttrType(REQUIRED).Float();
        this->Attr("inverted").AttrType(OPTIONAL).Bool(false);
    }
};
OP_ADD(InRange);
}
"""
TILING_DATA = """
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(InRangeTilingData)
TILING_DATA_FIELD_DEF(float, low);
TILING_DATA_FIELD_DEF(float, high);
TILING_DATA_FIELD_DEF(int32_t, times);
TILING_DATA_FIELD_DEF(int32_t, inverted);
TILING_DATA_FIELD_DEF(int64_t, row);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InRange, InRangeTilingData)
}
"""
TILING = """
#include "in_range_tiling.h"
#include "register/op_impl_registry.h"
namespace optiling {
static ge::graphStatus Tile(gert::TilingContext* context) {
    auto attrs = context->GetAttrs();
    InRangeTilingData data;
    data.set_low(*attrs->GetFloat(0));
    data.set_times(*attrs->GetInt(1));
    data.set_high(*attrs->GetAttrPointer<float>(2));
    data.set_inverted(*attrs->GetBool(3) ? 1 : 0);
    data.set_row(context->GetInputShape(0)->GetStorageShape().GetDim(0));
    data.SaveToBuffer(context->GetRawTilingData()->GetData(),
                      context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(InRange).Tiling(Tile);
}
"""
LATER = {
    DEFINITION: {
        'this->Output("y")': """this->Input("mask").ParamType(OPTIONAL).DataType({ge::DT_INT32});
        this->Output("y")""",
        ".Bool(false);": """.Bool(false);
        this->Attr("groups").AttrType(OPTIONAL).Int(-7);
        this->Attr("scale").AttrType(OPTIONAL).Float(2.5e-1f);
        this->Attr("range").AttrType(OPTIONAL).ListInt({-1, 4});""",
    },
    TILING: {
        "InRangeTilingData data;": """auto range = attrs->GetListInt(6);
    if (context->GetOptionalInputShape(1) != nullptr || *attrs->GetInt(4) != -7 ||
        *attrs->GetFloat(5) != 0.25f || range->GetSize() != 2 ||
        static_cast<const int64_t*>(range->GetData())[1] != 4) {
        return ge::GRAPH_FAILED;
    }
    InRangeTilingData data;""",
    },
}
"""What the kernel of a later function has in addition, and its host code finds."""
ENTRY = "GM_ADDR x, GM_ADDR y, GM_ADDR tiling"
READ = "auto data = reinterpret_cast<const __gm__ InRangeTilingData*>(tiling);"


def replaced(text: str, changes: dict[str, str]) -> str:
    for before, after in changes.items():
        assert text.count(before) == 1
        text = text.replace(before, after)
    return text


def kernel(of_later: bool) -> str:
    """The suite's own kernel of the operator, as one of a checkout is written."""
    more = "GM_ADDR mask, " if of_later else ""
    return replaced(
        KERNEL.read_text().replace('#include "in_range_tiling.h"\n', ""),
        {
            ENTRY: f"GM_ADDR x, {more}GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling",
            READ: "GET_TILING_DATA(held, tiling);\n    const auto* data = &held;",
        },
    )


@pytest.fixture(scope="module", params=[False, True], ids=["its own", "of a later function"])
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    changes = LATER if request.param else {}
    files = {
        f"op_host/{NAME}_def.cpp": replaced(DEFINITION, changes.get(DEFINITION, {})),
        f"op_host/{NAME}_tiling.h": TILING_DATA,
        f"op_host/{NAME}_tiling.cpp": replaced(TILING, changes.get(TILING, {})),
        f"op_kernel/{NAME}.cpp": kernel(request.param),
    }

    def write(checkout: Path) -> None:
        for name, text in files.items():
            path = checkout / "moe" / NAME / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    # Where it lay in earlier runs: builds of a checkout are filed by its place, too.
    built = checkout_libraries(kept("checkout", [], write, str(files)), [OPERATOR])
    assert not built.unbuilt, built.unbuilt
    with closing(open_device("sim", libraries=built.libraries)) as opened:
        yield opened


CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"low": -0.5, "high": math.inf},
    {"high": -math.inf, "inverted": 1},
    {"low": 0.5, "high": math.nan, "times": -9},
    {"low": 5e-324},
)


@pytest.mark.parametrize("changed", slow_but(CHANGES[1:2], CHANGES))
def test_numbers_of_both_kinds_keep_their_places(device: Device, changed: dict[str, Any]) -> None:
    case = with_attributes(EXAMPLE, **changed)
    verdict = judge(OPERATOR, case, device.run(OPERATOR, case))
    assert verdict.ok, verdict.text
