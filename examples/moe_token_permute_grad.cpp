// MoeTokenPermuteGrad: the gradient of a token is the sum of the gradients of its permuted copies.
//
// One token, two experts (numTopk 2). sortedIndices says, token by token, at which places of the
// sorted order its copies are, and permutedOutputGrad has a row for each place:
//
//   out[0] = row 0 + row 1 = 1 2 + 3 4 = 4 6
//
// The example of the operator's document has these values too, but puts the bytes of float32
// numbers into tensors of other types. Here every tensor has the type of its values.
#include "aclnnop/aclnn_moe_token_permute_grad.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> gradient("permutedOutputGrad", {2, 2}, {1.0f, 2.0f, 3.0f, 4.0f});
    const Array<int32_t> places("sortedIndices", {2}, {0, 1});
    const Array<float> out("out", {1, 2}, std::vector<float>(2, -1.0f));
    const int64_t numTopk = 2;
    const bool paddedMode = false;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenPermuteGradGetWorkspaceSize(gradient.Tensor(), places.Tensor(), numTopk,
                                                   paddedMode, out.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenPermuteGrad(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    gradient.Print();
    places.Print();
    out.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
