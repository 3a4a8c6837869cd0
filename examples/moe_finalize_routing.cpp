// MoeFinalizeRouting: a token is what its experts made of it, each weighed by its scale, beside
// what was there before.
//
// Three tokens of two slots each, a row of expandedX for every slot. expandedRowIdx lies slot by
// slot, the first slots of all tokens and then the second ones:
//
//   slot 0    token 0: row 4    token 1: row 2    token 2: row 3
//   slot 1    token 0: row 0    token 1: row 1    token 2: row 5
//
// x1 and x2 are added as they are, and the bias of its expert to every row before the scale
// multiplies:
//
//   out[0] = 1000 + 0.5 + 0.5 * (16 + bias 2) + 2 * (1 + bias 0) = 1000.5 + 208 + 202 = 1410.5
//   out[1] = 2000 + 0.25 + 1 * (4 + bias 1) + 0.25 * (2 + bias 0) = 2000.25 + 204 + 25.5 = 2229.75
//   out[2] = 3000 + 0.125 + 3 * (8 + bias 1) - 1 * (32 + bias 2) = 3000.125 + 624 - 432 = 3192.125
#include "aclnnop/aclnn_moe_finalize_routing.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> rows("expandedX", {6, 1}, {1.0f, 2.0f, 4.0f, 8.0f, 16.0f, 32.0f});
    const Array<float> before("x1", {3, 1}, {1000.0f, 2000.0f, 3000.0f});
    const Array<float> beside("x2", {3, 1}, {0.5f, 0.25f, 0.125f});
    const Array<float> bias("bias", {3, 1}, {100.0f, 200.0f, 400.0f});
    const Array<float> scales("scales", {3, 2}, {0.5f, 2.0f, 1.0f, 0.25f, 3.0f, -1.0f});
    const Array<int32_t> places("expandedRowIdx", {6}, {4, 2, 3, 0, 1, 5});
    const Array<int32_t> experts("expertIdx", {3, 2}, {2, 0, 1, 0, 1, 2});
    const Array<float> out("out", {3, 1}, std::vector<float>(3, -1.0f));

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeFinalizeRoutingGetWorkspaceSize(
        rows.Tensor(), before.Tensor(), beside.Tensor(), bias.Tensor(), scales.Tensor(),
        places.Tensor(), experts.Tensor(), out.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeFinalizeRouting(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    rows.Print();
    before.Print();
    beside.Print();
    bias.Print();
    scales.Print();
    places.Print();
    experts.Print();
    out.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
