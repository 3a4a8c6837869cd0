// MoeTokenPermuteWithRoutingMapGrad: the gradients of tokens and of their probabilities, from those
// of the copies that a routing map has made.
//
// Two tokens, three experts, no padding. The map routes token 0 to experts 0 and 2, token 1 to
// experts 0 and 1. The copies lie expert by expert: those of tokens 0 and 1 for expert 0, of token
// 1 for expert 1, of token 0 for expert 2. So token 0 has rows 0 and 3, token 1 has rows 1 and 2,
// as sortedIndices says token by token:
//
//   tokensGradOut[0] = row 0 + row 3 = 1 10 + 8 80 = 9 90
//   tokensGradOut[1] = row 1 + row 2 = 2 20 + 4 40 = 6 60
//
// The gradients of the probabilities, 1 2 3 4, go back to the true places of the map in the same
// order, down each expert's column; elsewhere there are zeros:
//
//   probsGradOut[0] = first of expert 0, none of 1, first of 2 = 1 0 4
//   probsGradOut[1] = second of expert 0, first of 1, none of 2 = 2 3 0
#include "aclnnop/aclnn_moe_token_permute_with_routing_map_grad.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> gradient("permutedTokenOutputGrad", {4, 2},
                                {1.0f, 10.0f, 2.0f, 20.0f, 4.0f, 40.0f, 8.0f, 80.0f});
    const Array<float> probs("permutedProbsOutputGrad", {4}, {1.0f, 2.0f, 3.0f, 4.0f});
    const Array<int32_t> places("sortedIndices", {4}, {0, 3, 1, 2});
    const Array<int8_t> map("routingMap", {2, 3}, {1, 0, 1, 1, 1, 0});
    const Array<float> tokensGrad("tokensGradOut", {2, 2}, std::vector<float>(4, -1.0f));
    const Array<float> probsGrad("probsGradOut", {2, 3}, std::vector<float>(6, -1.0f));
    const int64_t numExperts = 3, tokensNum = 2;
    const bool dropAndPad = false;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenPermuteWithRoutingMapGradGetWorkspaceSize(
        gradient.Tensor(), probs.Tensor(), places.Tensor(), map.Tensor(), numExperts, tokensNum,
        dropAndPad, tokensGrad.Tensor(), probsGrad.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenPermuteWithRoutingMapGrad(workspace.Address(), bytes, executor,
                                                 device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    gradient.Print();
    probs.Print();
    places.Print();
    map.Print();
    tokensGrad.Print();
    probsGrad.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
