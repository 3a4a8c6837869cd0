// A call in phase 2: its tensors as kernels see them, and the launches that it takes.
#pragma once

#include <cstdint>
#include <vector>

#include "call.h"
#include "operand.h"

namespace entry {

/// Where a launch finds its tensors: by name, null for one that is not there.
class Launch {
public:
    uint32_t cores = 0;
    aclrtStream stream = nullptr;
    uint8_t* workspace = nullptr;
    uint8_t* scratch = nullptr;
    uint8_t* tiling = nullptr;

    void* operator[](const char* name) const;

private:
    friend class Submission;
    const class Submission* submission_ = nullptr;
};

class Submission {
public:
    /// Takes the call's tensors, and sets aside workspace for the contiguous copies of those that
    /// need one.
    Submission(Call call, opapi::Plan* plan);

    const opapi::Phases& phases() const { return phases_; }

    /// Submits the contiguous copies of the inputs.
    aclnnStatus CopyIn(uint8_t* workspace, aclrtStream stream) const;
    /// Names a tensor for the next launch; an input is not written.
    void Describe(const char* name, uint8_t* workspace) const;
    /// Submits copies of the outputs to their own places, if kernels wrote elsewhere.
    aclnnStatus CopyOut(uint8_t* workspace, aclrtStream stream) const;
    /// The names of all tensors.
    std::vector<const char*> Names() const;

    Launch On(uint8_t* workspace, aclrtStream stream) const;
    void* Address(const char* name, uint8_t* workspace) const;

private:
    struct Named {
        const char* name;
        bool isOutput;
        opapi::Operand operand;
    };

    const Named& Of(const char* name) const;

    opapi::Phases phases_;
    std::vector<Named> tensors_;
};

}  // namespace entry
