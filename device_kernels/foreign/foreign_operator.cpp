#include "foreign_operator.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "int_array.h"
#include "machine.h"
#include "operand.h"
#include "report.h"
#include "tiling_upload.h"
#include "type_check.h"

namespace foreign {

using opapi::TensorView;

namespace {

// Of this thread's last tiling, until it is taken.
struct LastKey {
    uint64_t key = 0;
    bool isThere = false;
};
thread_local LastKey lastKey;

ForeignTensor Described(const TensorView& view, bool isRequired, int32_t otherwise) {
    static const int64_t kEmpty[] = {0};
    if (!view.isPresent && isRequired) {
        return {kEmpty, 1, otherwise, 1};
    }
    return {view.shape.data(), view.shape.size(), view.dtype, view.isPresent ? 1 : 0};
}

// What phase 2 needs; tensors that are absent travel as null.
struct Launched {
    const Operator* called;
    const Column* column;
    std::shared_ptr<const ForeignTiling> tiling;
    uint64_t tilingOffset;
    uint64_t workspaceOffset;
    std::vector<opapi::Operand> operands;
    std::vector<bool> written;

    aclnnStatus operator()(uint8_t* workspace, aclrtStream stream) const {
        void* tilingOnDevice = workspace + tilingOffset;
        uint8_t* own = workspace + workspaceOffset;
        std::vector<void*> args;
        aclnnStatus status =
            opapi::UploadTiling(tiling->data, tiling->dataBytes, tilingOnDevice, stream);
        for (size_t index = 0; index < operands.size() && status == ACLNN_SUCCESS; ++index) {
            // What the kernel leaves of a stand-in for an output is the caller's.
            status = operands[index].CopyIn(workspace, stream);
            operands[index].Describe(workspace, written[index]);
            args.push_back(operands[index].Address(workspace));
        }
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        opapi::DescribeWorkspace(own, tiling->workspaceBytes, "workspace");
        opapi::DescribeRegion(tilingOnDevice, tiling->dataBytes, "tiling", /*writable=*/false);
        args.push_back(own);
        args.push_back(tilingOnDevice);
        const uint32_t answer = column->launch(tiling->blocks, stream, tiling->key, args.data());
        status = opapi::Launched(called->phases.run, tiling->blocks, answer);
        for (size_t index = 0; index < operands.size() && status == ACLNN_SUCCESS; ++index) {
            if (written[index]) {
                status = operands[index].CopyOut(workspace, stream);
            }
        }
        return status;
    }
};

}  // namespace

void Call::Input(const aclTensor* tensor, const char* name, bool isOptional, bool isTransposed) {
    tensors_.push_back({tensor, name, isOptional, false, isTransposed, false});
}

void Call::Output(const aclTensor* tensor, const char* name, bool isOptional, bool isRequired) {
    tensors_.push_back({tensor, name, isOptional, true, false, isRequired});
}

void Call::Attribute(int64_t number) { numbers_.push_back({number, {}, false, true}); }

void Call::Real(double number) { numbers_.push_back({0, {}, false, true, number, true}); }

void Call::List(const aclIntArray* array, const char* name, std::vector<int64_t> otherwise,
                bool hasOtherwise) {
    opapi::IntArray captured;
    const aclnnStatus status = opapi::CaptureIntArray(called_.phases.plan, array, name, &captured);
    failed_ = failed_ == ACLNN_SUCCESS ? status : failed_;
    if (!captured.isPresent) {
        captured.values = std::move(otherwise);
    }
    numbers_.push_back({0, captured.values, true, captured.isPresent || hasOtherwise});
}

aclnnStatus Call::Capture(std::vector<TensorView>* views) const {
    views->resize(tensors_.size());
    for (size_t index = 0; index < tensors_.size(); ++index) {
        const Given& given = tensors_[index];
        const aclnnStatus status = opapi::Capture(
            called_.phases.plan, {{given.tensor, given.name, &(*views)[index], given.isOptional}});
        if (status != ACLNN_SUCCESS) {
            return status;
        }
        const aclnnStatus laid = opapi::CheckLayouts(called_.phases.plan, {&(*views)[index]});
        if (laid != ACLNN_SUCCESS) {
            return laid;
        }
        TensorView& view = (*views)[index];
        if (given.isTransposed && view.shape.size() == 2) {
            std::swap(view.shape[0], view.shape[1]);
            std::swap(view.strides[0], view.strides[1]);
        }
    }
    return ACLNN_SUCCESS;
}

const Column* Call::Fitting(const std::vector<TensorView>& views) const {
    for (const Column& column : called_.columns) {
        size_t index = 0;
        const bool fits = std::all_of(views.begin(), views.end(), [&](const TensorView& view) {
            const int32_t wanted = column.dtypes[index++];
            return !view.isPresent || view.dtype == wanted;
        });
        if (fits) {
            return &column;
        }
    }
    return nullptr;
}

aclnnStatus Call::Cut(const std::vector<TensorView>& views, const Column& column,
                      ForeignTiling* tiling) const {
    opapi::Machine machine;
    const aclnnStatus status = opapi::CurrentMachine(called_.phases.plan, &machine);
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    std::vector<ForeignTensor> inputs;
    std::vector<ForeignTensor> outputs;
    for (size_t index = 0; index < views.size(); ++index) {
        const Given& given = tensors_[index];
        (given.isOutput ? outputs : inputs)
            .push_back(Described(views[index], given.isRequired, column.dtypes[index]));
    }
    std::vector<ForeignAttribute> attributes;
    for (const Number& number : numbers_) {
        attributes.push_back({number.number, number.list.data(), number.list.size(),
                              number.isList ? 1 : 0, number.present ? 1 : 0, number.real,
                              number.isReal ? 1 : 0});
    }
    const ForeignTilingCall call{inputs.data(),
                                 inputs.size(),
                                 outputs.data(),
                                 outputs.size(),
                                 attributes.data(),
                                 attributes.size(),
                                 static_cast<uint32_t>(machine.vectorCores),
                                 static_cast<uint64_t>(machine.ubBytes)};
    if (called_.tiling(&call, tiling) != 0) {
        return opapi::Fail(ACLNN_ERR_INNER_TILING_ERROR,
                           std::string(called_.phases.plan) +
                               ": the operator's host tiling refuses the call: " + tiling->reason);
    }
    lastKey = {tiling->key, true};
    return ACLNN_SUCCESS;
}

aclnnStatus Call::Plan(uint64_t* workspaceSize, aclOpExecutor** executor) {
    std::vector<TensorView> views;
    aclnnStatus status = failed_ == ACLNN_SUCCESS ? Capture(&views) : failed_;
    if (status == ACLNN_SUCCESS) {
        status = opapi::CheckResults(called_.phases.plan, workspaceSize, executor);
    }
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const Column* column = Fitting(views);
    if (column == nullptr) {
        return opapi::Fail(
            ACLNN_ERR_PARAM_INVALID,
            std::string(called_.phases.plan) +
                ": no column of data types in op_host's definition is that of this call");
    }
    opapi::Plan plan;
    size_t place = 0;
    // As CANN's generated layer: where every output is empty there is nothing to do.
    const bool nothing = std::all_of(views.begin(), views.end(), [&](const TensorView& view) {
        return !tensors_[place++].isOutput || !view.isPresent || view.IsEmpty();
    });
    if (nothing) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    auto tiling = std::make_shared<ForeignTiling>();
    status = Cut(views, *column, tiling.get());
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    const uint64_t tilingOffset = plan.Reserve(tiling->dataBytes);
    const uint64_t workspaceOffset = plan.Reserve(tiling->workspaceBytes);
    std::vector<opapi::Operand> operands;
    std::vector<bool> written;
    for (size_t index = 0; index < views.size(); ++index) {
        operands.emplace_back(std::move(views[index]), &plan);
        written.push_back(tensors_[index].isOutput);
    }
    plan.run = Launched{&called_,          column,          tiling,
                        tilingOffset,      workspaceOffset, std::move(operands),
                        std::move(written)};
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

}  // namespace foreign

extern "C" __attribute__((visibility("default"))) int32_t ascendsimTakeTilingKey(uint64_t* key) {
    const bool isThere = foreign::lastKey.isThere;
    *key = foreign::lastKey.key;
    foreign::lastKey = {};
    return isThere ? 1 : 0;
}
