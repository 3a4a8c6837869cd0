// MoeFinalizeRoutingV2: a token is what its experts made of it, each weighed by its scale, beside
// what was there before.
//
// Two tokens of two slots each, dropPadMode 1: expandedX has two experts with one row each, and
// expandedRowIdx lies slot by slot, the first slots of both tokens and then the second ones:
//
//   slot 0    token 0: row 0    token 1: row 1
//   slot 1    token 0: row 1    token 1: -1, which was dropped
//
// x1 is added as it is, and the bias of its expert to every row before the scale multiplies:
//
//   out[0] = x1[0] + 0.5 * (row 0 + bias 0) + 0.25 * (row 1 + bias 1) = 1 1 + 1 1.5 + 4 3 = 6 5.5
//   out[1] = x1[1] + 2 * (row 1 + bias 1) + 3 * bias 0 = 2 2 + 32 24 + 3 3 = 37 29
//
// The dropped slot has no row, and its bias counts all the same.
#include "aclnnop/aclnn_moe_finalize_routing_v2.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> rows("expandedX", {2, 1, 2}, {1.0f, 2.0f, 6.0f, 4.0f});
    const Array<int32_t> places("expandedRowIdx", {4}, {0, 1, 1, -1});
    const Array<float> before("x1", {2, 2}, {1.0f, 1.0f, 2.0f, 2.0f});
    const Array<float> bias("bias", {2, 2}, {1.0f, 1.0f, 10.0f, 8.0f});
    const Array<float> scales("scales", {2, 2}, {0.5f, 0.25f, 2.0f, 3.0f});
    const Array<int32_t> experts("expertIdx", {2, 2}, {0, 1, 1, 0});
    const Array<float> out("out", {2, 2}, std::vector<float>(4, -1.0f));
    const aclTensor* noX2 = nullptr;
    const int64_t dropPadMode = 1;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeFinalizeRoutingV2GetWorkspaceSize(
        rows.Tensor(), places.Tensor(), before.Tensor(), noX2, bias.Tensor(), scales.Tensor(),
        experts.Tensor(), dropPadMode, out.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeFinalizeRoutingV2(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    rows.Print();
    places.Print();
    before.Print();
    bias.Print();
    scales.Print();
    experts.Print();
    out.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
