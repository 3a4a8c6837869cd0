// What a tiling function reads of a call, and where it leaves its decisions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/shape.h"
#include "graph/types.h"
#include "platform/platform_info.h"

namespace gert {

// The bytes that the kernel reads as its tiling struct.
class TilingData {
public:
    static constexpr size_t kCapacity = 64 * 1024;

    void* GetData() { return bytes_.data(); }
    const void* GetData() const { return bytes_.data(); }
    size_t GetCapacity() const { return bytes_.size(); }
    size_t GetDataSize() const { return size_; }
    void SetDataSize(size_t size) { size_ = size; }

private:
    std::vector<uint8_t> bytes_ = std::vector<uint8_t>(kCapacity);
    size_t size_ = 0;
};

class ComputeNodeInfo {
public:
    ComputeNodeInfo(size_t inputs, size_t outputs) : inputs_(inputs), outputs_(outputs) {}

    size_t GetInputsNum() const { return inputs_; }
    size_t GetOutputsNum() const { return outputs_; }

private:
    size_t inputs_;
    size_t outputs_;
};

// A tensor in its three guises; absent where an optional one was left out.
struct ContextTensor {
    std::string name;
    bool present = false;
    StorageShape shape;
    CompileTimeTensorDesc description;
    Tensor tensor;
};

class TilingContext {
public:
    TilingContext(std::string operatorType, std::vector<ContextTensor> inputs,
                  std::vector<ContextTensor> outputs, RuntimeAttrs attributes,
                  fe::PlatFormInfos platform, void* compileInfo)
        : type_(std::move(operatorType)),
          inputs_(std::move(inputs)),
          outputs_(std::move(outputs)),
          attributes_(std::move(attributes)),
          platform_(platform),
          compileInfo_(compileInfo),
          node_(CountPresent(inputs_), outputs_.size()) {}

    const char* GetNodeName() const { return type_.c_str(); }
    const char* GetNodeType() const { return type_.c_str(); }
    const ComputeNodeInfo* GetComputeNodeInfo() const { return &node_; }
    size_t GetComputeNodeInputNum() const { return node_.GetInputsNum(); }

    // By the place in the definition, absent ones counted; null for one that is absent.
    const StorageShape* GetOptionalInputShape(size_t index) const {
        const ContextTensor* found = At(inputs_, index);
        return found == nullptr ? nullptr : &found->shape;
    }
    const Tensor* GetOptionalInputTensor(size_t index) const {
        const ContextTensor* found = At(inputs_, index);
        return found == nullptr ? nullptr : &found->tensor;
    }
    const CompileTimeTensorDesc* GetOptionalInputDesc(size_t index) const {
        const ContextTensor* found = At(inputs_, index);
        return found == nullptr ? nullptr : &found->description;
    }

    // By the place among those that are there.
    const StorageShape* GetInputShape(size_t index) const {
        const ContextTensor* found = NthPresent(index);
        return found == nullptr ? nullptr : &found->shape;
    }
    const Tensor* GetInputTensor(size_t index) const {
        const ContextTensor* found = NthPresent(index);
        return found == nullptr ? nullptr : &found->tensor;
    }
    const CompileTimeTensorDesc* GetInputDesc(size_t index) const {
        const ContextTensor* found = NthPresent(index);
        return found == nullptr ? nullptr : &found->description;
    }

    const StorageShape* GetOutputShape(size_t index) const {
        const ContextTensor* found = At(outputs_, index);
        return found == nullptr ? nullptr : &found->shape;
    }
    const CompileTimeTensorDesc* GetOutputDesc(size_t index) const {
        const ContextTensor* found = At(outputs_, index);
        return found == nullptr ? nullptr : &found->description;
    }

    const RuntimeAttrs* GetAttrs() const { return &attributes_; }
    fe::PlatFormInfos* GetPlatformInfo() const { return &platform_; }
    const void* GetCompileInfo() const { return compileInfo_; }
    template <typename CompileInfo>
    const CompileInfo* GetCompileInfo() const {
        return static_cast<const CompileInfo*>(compileInfo_);
    }

    TilingData* GetRawTilingData() { return &data_; }
    const TilingData* GetRawTilingData() const { return &data_; }
    template <typename Data>
    Data* GetTilingData() {
        data_.SetDataSize(sizeof(Data));
        return static_cast<Data*>(data_.GetData());
    }

    ge::graphStatus SetTilingKey(uint64_t key) {
        key_ = key;
        return ge::GRAPH_SUCCESS;
    }
    uint64_t GetTilingKey() const { return key_; }
    ge::graphStatus SetBlockDim(uint32_t blocks) {
        blocks_ = blocks;
        return ge::GRAPH_SUCCESS;
    }
    uint32_t GetBlockDim() const { return blocks_; }
    // Blocks of one launch run together on the model whatever is asked for.
    ge::graphStatus SetScheduleMode(uint32_t) { return ge::GRAPH_SUCCESS; }
    ge::graphStatus SetLocalMemorySize(uint32_t) { return ge::GRAPH_SUCCESS; }

    size_t* GetWorkspaceSizes(size_t count) {
        workspaces_.resize(std::max(workspaces_.size(), count));
        return workspaces_.data();
    }
    const std::vector<size_t>& Workspaces() const { return workspaces_; }

private:
    static const ContextTensor* At(const std::vector<ContextTensor>& tensors, size_t index) {
        return index < tensors.size() && tensors[index].present ? &tensors[index] : nullptr;
    }
    static size_t CountPresent(const std::vector<ContextTensor>& tensors) {
        return static_cast<size_t>(std::count_if(tensors.begin(), tensors.end(),
                                                 [](const auto& one) { return one.present; }));
    }
    const ContextTensor* NthPresent(size_t index) const {
        for (const ContextTensor& tensor : inputs_) {
            if (tensor.present && index-- == 0) {
                return &tensor;
            }
        }
        return nullptr;
    }

    std::string type_;
    std::vector<ContextTensor> inputs_;
    std::vector<ContextTensor> outputs_;
    RuntimeAttrs attributes_;
    mutable fe::PlatFormInfos platform_;
    void* compileInfo_;
    ComputeNodeInfo node_;
    TilingData data_;
    uint64_t key_ = 0;
    uint32_t blocks_ = 0;
    std::vector<size_t> workspaces_;
};

}  // namespace gert
