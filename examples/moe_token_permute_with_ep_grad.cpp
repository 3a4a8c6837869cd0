// MoeTokenPermuteWithEpGrad: the gradient of a token is the sum of the gradients of its permuted
// copies, as far as their ranks lie in a range; that of a probability is its permuted one's.
//
// Two tokens of two slots each. sortedIndices says, slot by slot, which rank the copy has. The
// range has the ranks 1 to 3, so that row 0 of both permuted gradients is that of rank 1:
//
//   tokenGradOut[0] = row 0 + row 1 = 1 2 + 3 4 = 4 6
//   tokenGradOut[1] = row 2 = 5 6
//   probsGradOut[0] = element 0, element 1 = 0.5 0.25
//   probsGradOut[1] = element 2, none = -0.75 0
//
// The second slot of the second token has the rank 0, which is outside: it adds nothing, and the
// gradient of its probability is 0.
#include <memory>

#include "aclnnop/aclnn_moe_token_permute_with_ep_grad.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> rows("permutedTokensOutputGrad", {3, 2},
                            {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
    const Array<int32_t> ranks("sortedIndices", {4}, {1, 2, 3, 0});
    const Array<float> permuted("permutedProbsOutputGrad", {3}, {0.5f, 0.25f, -0.75f});
    const Array<float> tokens("tokenGradOut", {2, 2}, std::vector<float>(4, -1.0f));
    const Array<float> probs("probsGradOut", {2, 2}, std::vector<float>(4, -1.0f));
    const int64_t bounds[] = {1, 4};
    const std::unique_ptr<aclIntArray, decltype(&aclDestroyIntArray)> range(
        aclCreateIntArray(bounds, 2), &aclDestroyIntArray);
    if (range == nullptr) throw std::runtime_error("range: aclCreateIntArray gave none");
    const int64_t numTopk = 2;
    const bool paddedMode = false;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenPermuteWithEpGradGetWorkspaceSize(
        rows.Tensor(), ranks.Tensor(), permuted.Tensor(), numTopk, range.get(), paddedMode,
        tokens.Tensor(), probs.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenPermuteWithEpGrad(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    rows.Print();
    ranks.Print();
    permuted.Print();
    tokens.Print();
    probs.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
