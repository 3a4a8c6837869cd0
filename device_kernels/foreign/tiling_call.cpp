// Compiled into the library of a foreign operator's host code: calls the tiling function that this
// code has registered.
#include "tiling_call.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "log/log.h"
#include "register/op_impl_registry.h"

namespace {

gert::ContextTensor Seen(const ForeignTensor& tensor) {
    gert::ContextTensor seen;
    seen.present = tensor.present != 0;
    if (seen.present) {
        const gert::Shape shape(std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank));
        const auto type = static_cast<ge::DataType>(tensor.dtype);
        seen.shape = gert::StorageShape(shape);
        seen.description = gert::CompileTimeTensorDesc(type);
        seen.tensor = gert::Tensor(shape, type);
    }
    return seen;
}

std::vector<gert::ContextTensor> SeenAll(const ForeignTensor* tensors, uint64_t count) {
    std::vector<gert::ContextTensor> seen;
    std::transform(tensors, tensors + count, std::back_inserter(seen), Seen);
    return seen;
}

gert::RuntimeAttrs Attributes(const ForeignTilingCall& call) {
    gert::RuntimeAttrs attributes;
    for (uint64_t index = 0; index < call.attributeCount; ++index) {
        const ForeignAttribute& given = call.attributes[index];
        if (given.present == 0) {
            attributes.AppendNone();
        } else if (given.isList != 0) {
            attributes.Append(std::vector<int64_t>(given.numbers, given.numbers + given.count));
        } else if (given.isReal != 0) {
            attributes.AppendReal(static_cast<float>(given.real));
        } else {
            attributes.Append(given.number);
        }
    }
    return attributes;
}

int32_t Refuse(ForeignTiling* tiling, const std::string& reason) {
    std::snprintf(tiling->reason, sizeof tiling->reason, "%s", reason.c_str());
    return 1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int32_t
FOREIGN_TILING(const ForeignTilingCall* call, ForeignTiling* tiling) {
    const ascendsim::RegisteredTiling& registered = ascendsim::Registered();
    if (registered.tiling == nullptr) {
        return Refuse(tiling, "op_host registers no tiling function (IMPL_OP_OPTILING)");
    }
    ascendsim::HostErrors().clear();
    const fe::PlatFormInfos platform(call->vectorCores, call->ubBytes);
    std::shared_ptr<void> compileInfo;
    if (registered.makeCompileInfo != nullptr) {
        compileInfo = registered.makeCompileInfo();
        gert::TilingParseContext parse(registered.operatorType, compileInfo.get(), platform);
        if (registered.parse(&parse) != ge::GRAPH_SUCCESS) {
            return Refuse(tiling, "the parse function fails: " + ascendsim::HostErrors());
        }
    }
    gert::TilingContext context(registered.operatorType, SeenAll(call->inputs, call->inputCount),
                                SeenAll(call->outputs, call->outputCount), Attributes(*call),
                                platform, compileInfo.get());
    if (registered.tiling(&context) != ge::GRAPH_SUCCESS) {
        return Refuse(tiling, ascendsim::HostErrors());
    }
    const gert::TilingData& data = *context.GetRawTilingData();
    if (data.GetDataSize() > sizeof tiling->data) {
        return Refuse(tiling, "the tiling struct has more than 64 KiB");
    }
    tiling->key = context.GetTilingKey();
    tiling->blocks = context.GetBlockDim();
    const std::vector<size_t>& workspaces = context.Workspaces();
    tiling->workspaceBytes =
        std::accumulate(workspaces.begin(), workspaces.end(), static_cast<size_t>(0));
    tiling->dataBytes = data.GetDataSize();
    std::memcpy(tiling->data, data.GetData(), data.GetDataSize());
    return 0;
}
