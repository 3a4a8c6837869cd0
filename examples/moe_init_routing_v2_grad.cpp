// MoeInitRoutingV2Grad: the gradient of a token is the sum of the gradients of its topK copies.
//
// Two tokens, topK 2, and no row dropped (dropPadMode 0, activeNum 0). expandedRowIdx says, token
// by token, in which rows of gradExpandedX the copies are:
//
//   out[0] = row 2 + row 0 = 0.2 + 0.1 = 0.30000001 0.30000001
//   out[1] = row 1 + row 3 = 0.3 + 0.4 = 0.70000005 0.70000005
//
// to eight digits, which show that float32 holds none of these decimals exactly.
#include "aclnnop/aclnn_moe_init_routing_v2_grad.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> gradient("gradExpandedX", {4, 2},
                                {0.1f, 0.1f, 0.3f, 0.3f, 0.2f, 0.2f, 0.4f, 0.4f});
    const Array<int32_t> rows("expandedRowIdx", {4}, {2, 0, 1, 3});
    const Array<float> out("out", {2, 2}, std::vector<float>(4, -1.0f));
    const int64_t topK = 2, dropPadMode = 0, activeNum = 0;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeInitRoutingV2GradGetWorkspaceSize(gradient.Tensor(), rows.Tensor(), topK,
                                                    dropPadMode, activeNum, out.Tensor(), &bytes,
                                                    &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeInitRoutingV2Grad(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    gradient.Print();
    rows.Print();
    out.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
