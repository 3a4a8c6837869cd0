#include "submission.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace entry {

void* Launch::operator[](const char* name) const { return submission_->Address(name, workspace); }

Submission::Submission(Call call, opapi::Plan* plan) : phases_(call.phases()) {
    const std::vector<Parameter>& parameters = call.table().parameters;
    for (size_t place = 0; place < parameters.size(); ++place) {
        if (parameters[place].IsTensor()) {
            tensors_.push_back({parameters[place].name, parameters[place].kind == Kind::OUTPUT,
                                opapi::Operand(std::move(call.At(place)), plan)});
        }
    }
}

aclnnStatus Submission::CopyIn(uint8_t* workspace, aclrtStream stream) const {
    aclnnStatus status = ACLNN_SUCCESS;
    for (const Named& tensor : tensors_) {
        // Of an output, too: what a kernel does not write of it must stay as it was.
        if (status == ACLNN_SUCCESS) {
            status = tensor.operand.CopyIn(workspace, stream);
        }
    }
    return status;
}

void Submission::Describe(const char* name, uint8_t* workspace) const {
    const Named& tensor = Of(name);
    tensor.operand.Describe(workspace, tensor.isOutput);
}

aclnnStatus Submission::CopyOut(uint8_t* workspace, aclrtStream stream) const {
    aclnnStatus status = ACLNN_SUCCESS;
    for (const Named& tensor : tensors_) {
        if (tensor.isOutput && status == ACLNN_SUCCESS) {
            status = tensor.operand.CopyOut(workspace, stream);
        }
    }
    return status;
}

std::vector<const char*> Submission::Names() const {
    std::vector<const char*> names;
    for (const Named& tensor : tensors_) {
        names.push_back(tensor.name);
    }
    return names;
}

Launch Submission::On(uint8_t* workspace, aclrtStream stream) const {
    Launch launch;
    launch.workspace = workspace;
    launch.stream = stream;
    launch.submission_ = this;
    return launch;
}

void* Submission::Address(const char* name, uint8_t* workspace) const {
    return Of(name).operand.Address(workspace);
}

const Submission::Named& Submission::Of(const char* name) const {
    const auto found = std::find_if(tensors_.begin(), tensors_.end(), [name](const Named& one) {
        return std::strcmp(one.name, name) == 0;
    });
    if (found == tensors_.end()) {
        std::fprintf(stderr, "%s: the table of the interface has no tensor %s\n", phases_.run,
                     name);
        std::abort();
    }
    return *found;
}

}  // namespace entry
