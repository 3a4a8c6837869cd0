// The two phases of an operator whose kernel and host tiling come from a checkout: what its aclnn
// entry does for every operator alike. Phase 1 takes the tensors in the order of the definition,
// finds the build of the kernel for their data types and asks the tiling function; phase 2 copies
// what is not contiguous and launches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "plan.h"
#include "tensor_view.h"
#include "tiling_call.h"

namespace foreign {

/// Launches one build of the kernel: blocks, stream, tiling key and the addresses of its arguments.
using Launch = uint32_t (*)(uint32_t blocks, void* stream, uint64_t key, void* const* args);

/// A build: the data type of each input and output, in the order of the definition.
struct Column {
    std::vector<int32_t> dtypes;
    Launch launch;
};

struct Operator {
    opapi::Phases phases;
    ForeignTilingFunction tiling;
    std::vector<Column> columns;
};

class Call {
public:
    explicit Call(const Operator& called) : called_(called) {}

    /// A transposed matrix reaches the kernel with its axes exchanged.
    void Input(const aclTensor* tensor, const char* name, bool isOptional, bool isTransposed);
    /// One that the definition requires and the caller leaves out is an empty one to the tiling.
    void Output(const aclTensor* tensor, const char* name, bool isOptional, bool isRequired);
    void Attribute(int64_t number);
    /// A floating-point number, which the host code reads as a float.
    void Real(double number);
    /// A list; null: what the definition has for it, `count` numbers, or none where it has nothing.
    void List(const aclIntArray* array, const char* name, std::vector<int64_t> otherwise,
              bool hasOtherwise);

    /// Ends phase 1. 161001 for a missing tensor, 161002 where no build has these data types,
    /// 561002 with the host code's words where the tiling refuses.
    aclnnStatus Plan(uint64_t* workspaceSize, aclOpExecutor** executor);

private:
    struct Given {
        const aclTensor* tensor;
        const char* name;
        bool isOptional;
        bool isOutput;
        bool isTransposed;
        bool isRequired;
    };
    struct Number {
        int64_t number;
        std::vector<int64_t> list;
        bool isList;
        bool present;
        double real = 0;
        bool isReal = false;
    };

    aclnnStatus Capture(std::vector<opapi::TensorView>* views) const;
    const Column* Fitting(const std::vector<opapi::TensorView>& views) const;
    aclnnStatus Cut(const std::vector<opapi::TensorView>& views, const Column& column,
                    ForeignTiling* tiling) const;

    const Operator& called_;
    std::vector<Given> tensors_;
    std::vector<Number> numbers_;
    aclnnStatus failed_ = ACLNN_SUCCESS;
};

}  // namespace foreign

/// The key that this thread's last tiling function has chosen, told once: 0 where there is none.
extern "C" int32_t ascendsimTakeTilingKey(uint64_t* key);
