// MoeTokenUnpermuteGrad: what the weighted rows of a token, and their weights, contribute to it.
//
// Two tokens of two slots each. sortedIndices says, slot by slot, which row of permutedTokens was
// multiplied by the slot's probability in probs. Rows get the gradient of their token times that
// probability; of row 1 it is 0, and row 2 belongs to the second slot of the first token:
//
//   permutedTokensGradOut[0] = 0.5 * (1 2) = 0.5 1
//   permutedTokensGradOut[1] = 0 * (3 -1) = 0 -0
//   permutedTokensGradOut[2] = 0.25 * (1 2) = 0.25 0.5
//   permutedTokensGradOut[3] = 0.75 * (3 -1) = 2.25 -0.75
//
// A probability gets the products of its row and of its token's gradient, all added up:
//
//   probsGradOut[0] = (row 0, row 2) . (1 2) = 5 17
//   probsGradOut[1] = (row 3, row 1) . (3 -1) = 13 5
#include "aclnnop/aclnn_moe_token_unpermute_grad.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> permuted("permutedTokens", {4, 2},
                                {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f});
    const Array<float> grads("unpermutedTokensGrad", {2, 2}, {1.0f, 2.0f, 3.0f, -1.0f});
    const Array<int32_t> places("sortedIndices", {4}, {0, 2, 3, 1});
    const Array<float> probs("probs", {2, 2}, {0.5f, 0.25f, 0.75f, 0.0f});
    const Array<float> rowGrads("permutedTokensGradOut", {4, 2}, std::vector<float>(8, -1.0f));
    const Array<float> probGrads("probsGradOut", {2, 2}, std::vector<float>(4, -1.0f));
    const bool paddedMode = false;
    const aclIntArray* restoreShape = nullptr;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenUnpermuteGradGetWorkspaceSize(
        permuted.Tensor(), grads.Tensor(), places.Tensor(), probs.Tensor(), paddedMode,
        restoreShape, rowGrads.Tensor(), probGrads.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenUnpermuteGrad(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    permuted.Print();
    grads.Print();
    places.Print();
    probs.Print();
    rowGrads.Print();
    probGrads.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
