// A program as one writes it for CANN: nothing here knows of the simulator.

#include <cstdio>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

#define CHECK(call)                                                                   \
    do {                                                                              \
        const int status = static_cast<int>(call);                                    \
        if (status != ACL_SUCCESS) {                                                  \
            const char* text = aclGetRecentErrMsg();                                  \
            std::printf("%s = %d: %s\n", #call, status, text == nullptr ? "" : text); \
            return 1;                                                                 \
        }                                                                             \
    } while (false)

int main() {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));

    const std::vector<float> sent = {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
    const size_t bytes = sent.size() * sizeof(float);
    void* device = nullptr;
    CHECK(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(device, bytes, sent.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

    const std::vector<int64_t> shape = {2, 3};
    const std::vector<int64_t> strides = {3, 1};
    aclTensor* tensor =
        aclCreateTensor(shape.data(), shape.size(), aclDataType::ACL_FLOAT, strides.data(), 0,
                        aclFormat::ACL_FORMAT_ND, shape.data(), shape.size(), device);
    int64_t* dims = nullptr;
    uint64_t count = 0;
    CHECK(aclGetViewShape(tensor, &dims, &count));
    std::printf("%s, shape %d x %d\n", aclrtGetSocName(), static_cast<int>(dims[0]),
                static_cast<int>(dims[1]));
    delete[] dims;

    std::vector<float> received(sent.size());
    CHECK(
        aclrtMemcpyAsync(received.data(), bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(aclrtSynchronizeStream(stream));
    std::printf("received %s\n", received == sent ? "what was sent" : "something else");

    CHECK(aclDestroyTensor(tensor));
    CHECK(aclrtFree(device));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
