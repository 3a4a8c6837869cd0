// MoeTokenUnpermuteWithEpGrad: what the weighted rows of a token, and their weights, contribute to
// it. The example of its document, in which no range leaves a rank out.
//
// One token of three slots. sortedIndices says, slot by slot, which rank, and so which row, was
// multiplied by the slot's probability in probs. Rows get the gradient of the token times that
// probability:
//
//   permutedTokensGradOut[0] = 1 * (1 1) = 1 1
//   permutedTokensGradOut[1] = 1 * (1 1) = 1 1
//   permutedTokensGradOut[2] = 1 * (1 1) = 1 1
//
// A probability gets the products of its row and of the token's gradient, all added up:
//
//   probsGradOut[0] = (row 0, row 1, row 2) . (1 1) = 2 2 2
#include "aclnnop/aclnn_moe_token_unpermute_with_ep_grad.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> grads("unpermutedTokensGrad", {1, 2}, std::vector<float>(2, 1.0f));
    const Array<int32_t> ranks("sortedIndices", {3}, {0, 1, 2});
    const Array<float> permuted("permutedTokens", {3, 2}, std::vector<float>(6, 1.0f));
    const Array<float> probs("probs", {1, 3}, std::vector<float>(3, 1.0f));
    const Array<float> rowGrads("permutedTokensGradOut", {3, 2}, std::vector<float>(6, -1.0f));
    const Array<float> probGrads("probsGradOut", {1, 3}, std::vector<float>(3, -1.0f));
    const bool paddedMode = false;
    const aclIntArray* restoreShape = nullptr;
    const aclIntArray* range = nullptr;
    const int64_t topkNum = 3;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenUnpermuteWithEpGradGetWorkspaceSize(
        grads.Tensor(), ranks.Tensor(), permuted.Tensor(), probs.Tensor(), paddedMode, restoreShape,
        range, topkNum, rowGrads.Tensor(), probGrads.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenUnpermuteWithEpGrad(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    grads.Print();
    ranks.Print();
    permuted.Print();
    probs.Print();
    rowGrads.Print();
    probGrads.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
