// MoeTokenUnpermuteWithRoutingMap: a token is the sum of its permuted copies, each multiplied by
// the probability that a routing map selects.
//
// Two tokens, three experts, no padding. The map routes token 0 to experts 0 and 2, token 1 to
// experts 0 and 1; permuteProbs lists their probabilities, token by token. sortedIndices says, slot
// by slot, in which row of permutedTokens the copy is; the second slot of token 0 has none:
//
//   permuteProbs = probs[0][0] probs[0][2] probs[1][0] probs[1][1] = 0.5 3 0.25 -1
//   unpermutedTokens[0] = 0.5 * row 0 = 0.5
//   unpermutedTokens[1] = 0.25 * row 1 - 1 * row 2 = 0.5 - 4 = -3.5
#include "aclnnop/aclnn_moe_token_unpermute_with_routing_map.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> permuted("permutedTokens", {4, 1}, {1.0f, 2.0f, 4.0f, 8.0f});
    const Array<int32_t> places("sortedIndices", {4}, {0, -1, 1, 2});
    const Array<int8_t> map("routingMap", {2, 3}, {1, 0, 1, 1, 1, 0});
    const Array<float> probs("probs", {2, 3}, {0.5f, 9.0f, 3.0f, 0.25f, -1.0f, 9.0f});
    const Array<float> out("unpermutedTokens", {2, 1}, std::vector<float>(2, -1.0f));
    const Array<int32_t> outIndex("outIndex", {4}, std::vector<int32_t>(4, -1));
    const Array<int32_t> tokenId("permuteTokenId", {4}, std::vector<int32_t>(4, -1));
    const Array<float> permuteProbs("permuteProbs", {4}, std::vector<float>(4, -1.0f));
    const bool paddedMode = false;
    const aclIntArray* restoreShape = nullptr;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenUnpermuteWithRoutingMapGetWorkspaceSize(
        permuted.Tensor(), places.Tensor(), map.Tensor(), probs.Tensor(), paddedMode, restoreShape,
        out.Tensor(), outIndex.Tensor(), tokenId.Tensor(), permuteProbs.Tensor(), &bytes,
        &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenUnpermuteWithRoutingMap(workspace.Address(), bytes, executor,
                                               device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    permuted.Print();
    places.Print();
    map.Print();
    probs.Print();
    permuteProbs.Print();
    out.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
