// MoeTokenPermuteWithEp: a copy of each token for each of its experts, sorted by expert, of which
// the copies in a range of places are kept.
//
// Three tokens of two experts each. A slot is a token with one of its experts; its place in the
// order of the experts, equal ones in the order of the slots, is its rank:
//
//   slot            0  1  2  3  4  5
//   token           0  0  1  1  2  2
//   expert          1  2  3  1  2  3
//   sortedIndicesOut = ranks of the slots = 0 2 4 1 3 5
//
// The range keeps ranks 1 to 4, which are slots 3, 1, 4 and 2:
//
//   permuteTokensOut[0] = token of slot 3 = 2 20
//   permuteTokensOut[1] = token of slot 1 = 1 10
//   permuteTokensOut[2] = token of slot 4 = 3 30
//   permuteTokensOut[3] = token of slot 2 = 2 20
//   permuteProbsOut = those of these slots = 0.2 0.3 0.5 0.4 = 0.2 0.30000001 0.5 0.40000001
//
// to eight digits, which show that float32 does not hold these decimals exactly.
#include <memory>

#include "aclnnop/aclnn_moe_token_permute_with_ep.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> tokens("tokens", {3, 2}, {1.0f, 10.0f, 2.0f, 20.0f, 3.0f, 30.0f});
    const Array<int64_t> experts("indices", {3, 2}, {1, 2, 3, 1, 2, 3});
    const Array<float> probs("probs", {3, 2}, {0.1f, 0.3f, 0.4f, 0.2f, 0.5f, 0.6f});
    const int64_t bounds[] = {1, 5};
    const std::unique_ptr<aclIntArray, decltype(&aclDestroyIntArray)> range(
        aclCreateIntArray(bounds, 2), &aclDestroyIntArray);
    if (range == nullptr) throw std::runtime_error("range: aclCreateIntArray gave none");
    const Array<float> permuted("permuteTokensOut", {4, 2}, std::vector<float>(8, -1.0f));
    const Array<int32_t> ranks("sortedIndicesOut", {6}, std::vector<int32_t>(6, -1));
    const Array<float> permutedProbs("permuteProbsOut", {4}, std::vector<float>(4, -1.0f));
    const int64_t numOutTokens = 0;  // Counts only where there is no range.
    const bool paddedMode = false;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenPermuteWithEpGetWorkspaceSize(
        tokens.Tensor(), experts.Tensor(), probs.Tensor(), range.get(), numOutTokens, paddedMode,
        permuted.Tensor(), ranks.Tensor(), permutedProbs.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenPermuteWithEp(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    tokens.Print();
    experts.Print();
    probs.Print();
    permuted.Print();
    ranks.Print();
    permutedProbs.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
