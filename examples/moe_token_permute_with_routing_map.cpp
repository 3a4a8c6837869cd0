// MoeTokenPermuteWithRoutingMap: copies of tokens in the order of the experts that a map routes
// them to, with their probabilities.
//
// Two tokens, three experts, no padding. The map routes token 0 to experts 0 and 2, token 1 to
// experts 0 and 1: two copies of each. They lie expert by expert, those of tokens 0 and 1 for
// expert 0, of token 1 for expert 1, of token 0 for expert 2:
//
//   permuteTokensOut[0] = token 0 for expert 0 = 1 10
//   permuteTokensOut[1] = token 1 for expert 0 = 2 20
//   permuteTokensOut[2] = token 1 for expert 1 = 2 20
//   permuteTokensOut[3] = token 0 for expert 2 = 1 10
//   permuteProbsOut = the true places of each expert's column = 0.75 0.5 0.125 0.25
//
// So token 0 has rows 0 and 3, token 1 has rows 1 and 2:
//
//   sortedIndicesOut = rows of token 0, then of token 1 = 0 3 1 2
#include "aclnnop/aclnn_moe_token_permute_with_routing_map.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> tokens("tokens", {2, 2}, {1.0f, 10.0f, 2.0f, 20.0f});
    const Array<int8_t> map("routingMap", {2, 3}, {1, 0, 1, 1, 1, 0});
    const Array<float> probs("probs", {2, 3}, {0.75f, 0.0f, 0.25f, 0.5f, 0.125f, 0.0f});
    const Array<float> permuted("permuteTokensOut", {4, 2}, std::vector<float>(8, -1.0f));
    const Array<float> permutedProbs("permuteProbsOut", {4}, std::vector<float>(4, -1.0f));
    const Array<int32_t> places("sortedIndicesOut", {4}, std::vector<int32_t>(4, -1));
    const int64_t numOutTokens = 4;
    const bool dropAndPad = false;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenPermuteWithRoutingMapGetWorkspaceSize(
        tokens.Tensor(), map.Tensor(), probs.Tensor(), numOutTokens, dropAndPad, permuted.Tensor(),
        permutedProbs.Tensor(), places.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(
        aclnnMoeTokenPermuteWithRoutingMap(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    tokens.Print();
    map.Print();
    probs.Print();
    permuted.Print();
    permutedProbs.Print();
    places.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
