// The README example of MoeInitRoutingV2Grad as a program for CANN: nothing here knows of a
// simulator.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_moe_init_routing_v2_grad.h"

namespace {

#define REQUIRE(call)                                                            \
    do {                                                                         \
        const auto status = (call);                                              \
        if (status != 0) {                                                       \
            const char* text = aclGetRecentErrMsg();                             \
            std::fprintf(stderr, "%s: %d %s\n", #call, static_cast<int>(status), \
                         text ? text : "");                                      \
            return 1;                                                            \
        }                                                                        \
    } while (false)

std::vector<int64_t> Strides(const std::vector<int64_t>& shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size() - 1; axis > 0; --axis) {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    return strides;
}

template <typename T>
int Upload(const std::vector<T>& host, const std::vector<int64_t>& shape, aclDataType type,
           void** device, aclTensor** tensor) {
    const size_t bytes = host.size() * sizeof(T);
    REQUIRE(aclrtMalloc(device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    REQUIRE(aclrtMemcpy(*device, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    const auto strides = Strides(shape);
    *tensor = aclCreateTensor(shape.data(), shape.size(), type, strides.data(), 0, ACL_FORMAT_ND,
                              shape.data(), shape.size(), *device);
    return *tensor == nullptr ? 1 : 0;
}

}  // namespace

int main() {
    REQUIRE(aclInit(nullptr));
    REQUIRE(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    REQUIRE(aclrtCreateStream(&stream));

    const std::vector<float> gradient = {0.1f, 0.1f, 0.3f, 0.3f, 0.2f, 0.2f, 0.4f, 0.4f};
    const std::vector<int32_t> rows = {2, 0, 1, 3};
    std::vector<float> result(4, -1.0f);
    void *gradientDevice = nullptr, *rowsDevice = nullptr, *outDevice = nullptr;
    aclTensor *gradientTensor = nullptr, *rowsTensor = nullptr, *outTensor = nullptr;
    if (Upload(gradient, {4, 2}, ACL_FLOAT, &gradientDevice, &gradientTensor) != 0 ||
        Upload(rows, {4}, ACL_INT32, &rowsDevice, &rowsTensor) != 0 ||
        Upload(result, {2, 2}, ACL_FLOAT, &outDevice, &outTensor) != 0) {
        return 1;
    }

    uint64_t workspaceSize = 0;
    aclOpExecutor* executor = nullptr;
    REQUIRE(aclnnMoeInitRoutingV2GradGetWorkspaceSize(gradientTensor, rowsTensor, 2, 0, 0,
                                                      outTensor, &workspaceSize, &executor));
    void* workspace = nullptr;
    if (workspaceSize > 0) {
        REQUIRE(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    REQUIRE(aclnnMoeInitRoutingV2Grad(workspace, workspaceSize, executor, stream));
    REQUIRE(aclrtSynchronizeStream(stream));
    const size_t bytes = result.size() * sizeof(float);
    REQUIRE(aclrtMemcpy(result.data(), bytes, outDevice, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    for (const float value : result) {
        std::printf("%.8f\n", value);
    }

    aclDestroyTensor(gradientTensor);
    aclDestroyTensor(rowsTensor);
    aclDestroyTensor(outTensor);
    for (void* memory : {gradientDevice, rowsDevice, outDevice, workspace}) {
        if (memory != nullptr) {
            REQUIRE(aclrtFree(memory));
        }
    }
    REQUIRE(aclrtDestroyStream(stream));
    REQUIRE(aclrtResetDevice(0));
    REQUIRE(aclFinalize());
    return 0;
}
