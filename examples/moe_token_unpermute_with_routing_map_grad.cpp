// MoeTokenUnpermuteWithRoutingMapGrad: what the permuted rows of a token, and the probabilities
// that a routing map selects for them, contribute to it.
//
// Two tokens, three experts, no padding. The map routes token 0 to experts 0 and 2, token 1 to
// experts 0 and 1, the last with a negative one. outIndex says, slot by slot, which row of
// permutedTokens was multiplied by the slot's probability:
//
//   permutedTokensGradOut[0] = 0.5 * (1 2) = 0.5 1
//   permutedTokensGradOut[1] = 0.25 * (3 -1) = 0.75 -0.25
//   permutedTokensGradOut[2] = -1 * (3 -1) = -3 1
//   permutedTokensGradOut[3] = 3 * (1 2) = 3 6
//
// A selected probability gets the products of its row and of its token's gradient, all added up;
// the others get zeros:
//
//   probsGradOut[0] = (row 0, none, row 3) . (1 2) = 5 0 23
//   probsGradOut[1] = (row 1, row 2, none) . (3 -1) = 5 9 0
#include "aclnnop/aclnn_moe_token_unpermute_with_routing_map_grad.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> grads("unpermutedTokensGrad", {2, 2}, {1.0f, 2.0f, 3.0f, -1.0f});
    const Array<int32_t> places("outIndex", {4}, {0, 3, 1, 2});
    const Array<int32_t> tokens("permuteTokenId", {4}, {0, 0, 1, 1});
    const Array<int8_t> map("routingMap", {2, 3}, {1, 0, 1, 1, 1, 0});
    const Array<float> permuted("permutedTokens", {4, 2},
                                {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f});
    const Array<float> probs("probs", {2, 3}, {0.5f, 9.0f, 3.0f, 0.25f, -1.0f, 9.0f});
    const Array<float> rowGrads("permutedTokensGradOut", {4, 2}, std::vector<float>(8, -1.0f));
    const Array<float> probGrads("probsGradOut", {2, 3}, std::vector<float>(6, -1.0f));
    const bool dropAndPad = false;
    const aclIntArray* restoreShape = nullptr;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenUnpermuteWithRoutingMapGradGetWorkspaceSize(
        grads.Tensor(), places.Tensor(), tokens.Tensor(), map.Tensor(), permuted.Tensor(),
        probs.Tensor(), dropAndPad, restoreShape, rowGrads.Tensor(), probGrads.Tensor(), &bytes,
        &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenUnpermuteWithRoutingMapGrad(workspace.Address(), bytes, executor,
                                                   device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    permuted.Print();
    grads.Print();
    places.Print();
    map.Print();
    probs.Print();
    rowGrads.Print();
    probGrads.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
