// MoeTokenPermute: a copy of each token for each of its experts, sorted by expert, of which the
// first numOutTokens are kept.
//
// Three tokens of two experts each. A slot is a token with one of its experts; its place in the
// order of the experts, equal ones in the order of the slots, is its rank:
//
//   slot            0  1  2  3  4  5
//   token           0  0  1  1  2  2
//   expert          1  2  3  1  2  3
//   sortedIndicesOut = ranks of the slots = 0 2 4 1 3 5
//
// numOutTokens keeps ranks 0 to 3, which are slots 0, 3, 1 and 4:
//
//   permuteTokensOut[0] = token of slot 0 = 1 10
//   permuteTokensOut[1] = token of slot 3 = 2 20
//   permuteTokensOut[2] = token of slot 1 = 1 10
//   permuteTokensOut[3] = token of slot 4 = 3 30
//
// The ranks are given of all slots: those from 4 on name no row of permuteTokensOut.
#include "aclnnop/aclnn_moe_token_permute.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> tokens("tokens", {3, 2}, {1.0f, 10.0f, 2.0f, 20.0f, 3.0f, 30.0f});
    const Array<int32_t> experts("indices", {3, 2}, {1, 2, 3, 1, 2, 3});
    const Array<float> permuted("permuteTokensOut", {4, 2}, std::vector<float>(8, -1.0f));
    const Array<int32_t> ranks("sortedIndicesOut", {6}, std::vector<int32_t>(6, -1));
    const int64_t numOutTokens = 4;  // 0: all of them; -2: all but two
    const bool paddedMode = false;   // The operator takes nothing else.

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenPermuteGetWorkspaceSize(tokens.Tensor(), experts.Tensor(), numOutTokens,
                                               paddedMode, permuted.Tensor(), ranks.Tensor(),
                                               &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenPermute(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    tokens.Print();
    experts.Print();
    permuted.Print();
    ranks.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
