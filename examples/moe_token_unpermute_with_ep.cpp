// MoeTokenUnpermuteWithEp: a token is the sum of those of its permuted copies whose ranks lie in a
// range, each multiplied by its probability. The example of its document.
//
// Three tokens of two slots each. sortedIndices says, slot by slot, which rank the copy has. The
// range has the ranks 1 to 4, so that row 0 of permutedTokens is that of rank 1:
//
//   out[0] = 1 * row 1 = 1 1
//   out[1] = 1 * row 3 + 1 * row 0 = 2 2 + 2 2 = 4 4
//   out[2] = 1 * row 2 = 3 3
//
// The second slot of the first token has the rank 0, and the first one of the last token the rank
// 5: both are outside, and add nothing.
#include <memory>

#include "aclnnop/aclnn_moe_token_unpermute_with_ep.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> permuted("permutedTokens", {4, 2},
                                {2.0f, 2.0f, 1.0f, 1.0f, 3.0f, 3.0f, 2.0f, 2.0f});
    const Array<int32_t> ranks("sortedIndices", {6}, {2, 0, 4, 1, 5, 3});
    const Array<float> probs("probs", {3, 2}, std::vector<float>(6, 1.0f));
    const Array<float> out("out", {3, 2}, std::vector<float>(6, -1.0f));
    const int64_t bounds[] = {1, 5};
    const std::unique_ptr<aclIntArray, decltype(&aclDestroyIntArray)> range(
        aclCreateIntArray(bounds, 2), &aclDestroyIntArray);
    if (range == nullptr) throw std::runtime_error("range: aclCreateIntArray gave none");
    const int64_t numTopk = 2;
    const bool paddedMode = false;
    const aclIntArray* restoreShape = nullptr;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenUnpermuteWithEpGetWorkspaceSize(
        permuted.Tensor(), ranks.Tensor(), probs.Tensor(), numTopk, range.get(), paddedMode,
        restoreShape, out.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenUnpermuteWithEp(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    permuted.Print();
    ranks.Print();
    probs.Print();
    out.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
