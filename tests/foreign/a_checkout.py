"""A checkout in the layout of the public repositories, of one operator written for the tests."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.kept import kept

NAME = "moe_token_permute_grad"
DEFINITION = """
#include "register/op_def_registry.h"
namespace ops {
class MoeTokenPermuteGrad : public OpDef {
    explicit MoeTokenPermuteGrad(const char* name) : OpDef(name) {
        this->Input("grad").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
        this->Input("ranks").ParamType(REQUIRED).DataType({ge::DT_INT32});
        this->Attr("num_topk").AttrType(REQUIRED).Int();
        this->Attr("padded_mode").AttrType(OPTIONAL).Bool(false);
        this->Output("sums").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    }
};
OP_ADD(MoeTokenPermuteGrad);
}
"""
TILING_DATA = """
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(RowSumTilingData)
TILING_DATA_FIELD_DEF(int64_t, rows);
TILING_DATA_FIELD_DEF(int64_t, tokens);
TILING_DATA_FIELD_DEF(int64_t, hidden);
TILING_DATA_FIELD_DEF(int64_t, topK);
TILING_DATA_FIELD_DEF(int64_t, pieces);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MoeTokenPermuteGrad, RowSumTilingData)
struct CompileInfo {};
}
"""
TILING = """
#include "moe_token_permute_grad_tiling.h"
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
namespace optiling {
static ge::graphStatus Prepare(gert::TilingParseContext*) { return ge::GRAPH_SUCCESS; }
static ge::graphStatus Tile(gert::TilingContext* context) {
    auto grad = context->GetInputShape(0)->GetStorageShape();
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    uint64_t bytes = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    OP_CHECK_IF(bytes < 64 * 1024, OP_LOGE(context->GetNodeName(), "%lu bytes are too few", bytes),
                return ge::GRAPH_FAILED);
    OP_CHECK_IF(platform.GetCurNpuArch() != NpuArch::DAV_2201 || grad.GetDimNum() != 2,
                OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(context->GetNodeName(), "grad",
                                                      Ops::Base::ToString(grad).c_str(),
                                                      "it has two axes"),
                return ge::GRAPH_FAILED);
    RowSumTilingData data;
    data.set_rows(grad.GetDim(0));
    data.set_hidden(grad.GetDim(1));
    data.set_pieces((grad.GetDim(1) + 4095) / 4096);
    data.set_topK(*context->GetAttrs()->GetAttrPointer<int64_t>(0));
    data.set_tokens(context->GetOutputShape(0)->GetStorageShape().GetDim(0));
    data.SaveToBuffer(context->GetRawTilingData()->GetData(),
                      context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();
    return context->SetTilingKey(7);
}
IMPL_OP_OPTILING(MoeTokenPermuteGrad).Tiling(Tile).TilingParse<CompileInfo>(Prepare);
}
"""
KERNEL = """
#include "kernel_operator.h"
#include "basic_api/kernel_operator_utils_intf.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void moe_token_permute_grad(GM_ADDR grad, GM_ADDR ranks,
                                                             GM_ADDR sums, GM_ADDR workspace,
                                                             GM_ADDR tiling) {
    GET_TILING_DATA(data, tiling);
    if (!TILING_KEY_IS(7)) {
        return;
    }
    GlobalTensor<float> rows, out;
    GlobalTensor<int32_t> names;
    rows.SetGlobalBuffer((__gm__ float*)grad, data.rows * data.hidden);
    out.SetGlobalBuffer((__gm__ float*)sums, data.tokens * data.hidden);
    names.SetGlobalBuffer((__gm__ int32_t*)ranks);
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> done;
    pipe.InitBuffer(in, 1, 4096 * sizeof(float));
    pipe.InitBuffer(done, 1, 4096 * sizeof(float));
    DataCopyPadExtParams<float> padding{false, 0, 0, 0};
    for (int64_t piece = 0; piece < data.tokens * data.pieces; ++piece) {
        const int64_t token = piece / data.pieces;
        const int64_t first = piece % data.pieces * 4096;
        const int64_t columns = min(4096, data.hidden - first);
        DataCopyExtParams row{1, static_cast<uint32_t>(columns * sizeof(float)), 0, 0, 0};
        LocalTensor<float> sum = done.AllocTensor<float>();
        sum.SetSize(columns);
        Duplicate(sum, 0.0f, sum.GetSize());
        for (int64_t slot = 0; slot < data.topK; ++slot) {
            const int64_t name = names.GetValue(token * data.topK + slot);
            if (name >= data.rows) {
                continue;
            }
            LocalTensor<float> term = in.AllocTensor<float>();
            DataCopyPad(term, rows[name * data.hidden + first], row, padding);
            in.EnQue(term);
            term = in.DeQue<float>();
            Add(sum, sum, term, columns);
            in.FreeTensor(term);
        }
        done.EnQue(sum);
        sum = done.DeQue<float>();
        DataCopyPad(out[token * data.hidden + first], sum, row);
        done.FreeTensor(sum);
    }
}
"""


def written(folder: Path, **replaced: str) -> Path:
    """The checkout, below ``folder``; ``replaced`` are edits of the kernel, old and new text."""
    kernel = KERNEL
    for number in range(len(replaced) // 2):
        assert kernel.count(replaced[f"old{number}"]) == 1
        kernel = kernel.replace(replaced[f"old{number}"], replaced[f"new{number}"])
    files = {
        f"op_host/{NAME}_def.cpp": DEFINITION,
        f"op_host/{NAME}_tiling.h": TILING_DATA,
        f"op_host/{NAME}_tiling.cpp": TILING,
        f"op_kernel/{NAME}.cpp": kernel,
    }
    for name, text in files.items():
        path = folder / "moe" / NAME / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for part in ("include", "src"):  # of what operators share
        (folder / "common" / part / "op_host").mkdir(parents=True, exist_ok=True)
    for part in ("op_host", "op_kernel"):
        (folder / "moe" / "moe_gating_of_another_kind" / part).mkdir(parents=True, exist_ok=True)
    return folder


def kept_checkout(**replaced: str) -> Path:
    """The checkout where it lay in earlier runs, so that it need not be built again; to be read."""
    return kept("checkout", [Path(__file__)], partial(written, **replaced), str(replaced))
