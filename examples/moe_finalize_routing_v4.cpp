// MoeFinalizeRoutingV4: a token is what its experts made of it, beside experts that need no row.
//
// Two tokens of two slots each, dropPadMode 2, without scales, so that k says that there are two
// slots. Expert 0 has rows, 1 is a zero expert, 2 a copy expert, 3 a constant one:
//
//   token 0: expert 0, row 1             expert 2, which copies x[0]
//   token 1: expert 1, which is left out  expert 3: alpha1 * x[1] + alpha2 * v
//
//   out[0] = 4 3 + 10 20 = 14 23
//   out[1] = 2 3 * 30 40 + 1 10 * 5 7 = 65 190
//
// The indices of slots 1, 2 and 3 are not looked at: no row is read for them.
#include "aclnnop/aclnn_moe_finalize_routing_v4.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> rows("expandedX", {4, 2}, {1.0f, 2.0f, 4.0f, 3.0f, 0.0f, 0.0f, 0.0f, 0.0f});
    const Array<int32_t> places("expandedRowIdx", {4}, {1, 0, 2, 3});
    const Array<int32_t> experts("expertIdx", {2, 2}, {0, 2, 1, 3});
    const Array<float> x("x", {2, 2}, {10.0f, 20.0f, 30.0f, 40.0f});
    const Array<float> alpha1("alpha1", {1, 2}, {2.0f, 3.0f});
    const Array<float> alpha2("alpha2", {1, 2}, {1.0f, 10.0f});
    const Array<float> v("v", {1, 2}, {5.0f, 7.0f});
    const Array<float> out("out", {2, 2}, std::vector<float>(4, -1.0f));
    const aclTensor* none = nullptr;
    const int64_t ranges[] = {1, 2, 3, 4};
    aclIntArray* zero = aclCreateIntArray(ranges, 2);
    aclIntArray* copy = aclCreateIntArray(ranges + 1, 2);
    aclIntArray* constant = aclCreateIntArray(ranges + 2, 2);
    const int64_t dropPadMode = 2;
    const int64_t k = 2;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeFinalizeRoutingV4GetWorkspaceSize(
        rows.Tensor(), places.Tensor(), none, none, none, none, experts.Tensor(), x.Tensor(),
        alpha1.Tensor(), alpha2.Tensor(), v.Tensor(), dropPadMode, zero, copy, constant, k,
        out.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeFinalizeRoutingV4(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));
    for (aclIntArray* array : {zero, copy, constant}) {
        aclDestroyIntArray(array);
    }

    rows.Print();
    places.Print();
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
