// MoeFinalizeRoutingV4: a token is what its experts made of it, beside experts that need no row.
//
// Two tokens of two slots each, dropPadMode 2. Expert 0 has rows, 1 is a zero expert, 2 a copy
// expert, and 3 and 4 are constant ones:
//
//   token 0: expert 0, row 3, scale 1     expert 3: alpha1 * x[0] + alpha2 * v, scale 2
//   token 1: expert 1, which is left out  expert 2, which copies x[1], scale 4
//
//   out[0] = 1 * 8 + 2 * (2 * 10 + 0.5 * 100) = 148
//   out[1] = 4 * 20 = 80
//
// No row is read for the last three slots. Beside scales a k of 1 is not looked at.
#include "aclnnop/aclnn_moe_finalize_routing_v4.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> rows("expandedX", {4, 1}, {1.0f, 2.0f, 4.0f, 8.0f});
    const Array<int32_t> places("expandedRowIdx", {4}, {3, 0, 1, 2});
    const Array<float> scales("scales", {2, 2}, {1.0f, 2.0f, 3.0f, 4.0f});
    const Array<int32_t> experts("expertIdx", {2, 2}, {0, 3, 1, 2});
    const Array<float> x("x", {2, 1}, {10.0f, 20.0f});
    const Array<float> alpha1("alpha1", {2, 1}, {2.0f, 7.0f});
    const Array<float> alpha2("alpha2", {2, 1}, {0.5f, 7.0f});
    const Array<float> v("v", {2, 1}, {100.0f, 7.0f});
    const Array<float> out("out", {2, 1}, std::vector<float>(2, -1.0f));
    const aclTensor* none = nullptr;
    const int64_t ranges[] = {1, 2, 3, 5};
    aclIntArray* zero = aclCreateIntArray(ranges, 2);
    aclIntArray* copy = aclCreateIntArray(ranges + 1, 2);
    aclIntArray* constant = aclCreateIntArray(ranges + 2, 2);
    const int64_t dropPadMode = 2;
    const int64_t k = 1;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeFinalizeRoutingV4GetWorkspaceSize(
        rows.Tensor(), places.Tensor(), none, none, none, scales.Tensor(), experts.Tensor(),
        x.Tensor(), alpha1.Tensor(), alpha2.Tensor(), v.Tensor(), dropPadMode, zero, copy, constant,
        k, out.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeFinalizeRoutingV4(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));
    for (aclIntArray* array : {zero, copy, constant}) {
        aclDestroyIntArray(array);
    }

    rows.Print();
    places.Print();
    scales.Print();
    experts.Print();
    x.Print();
    alpha1.Print();
    alpha2.Print();
    v.Print();
    out.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
