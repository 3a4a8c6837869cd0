// MoeTokenUnpermute: a token is the sum of its permuted copies, each multiplied by its probability.
//
// Two tokens of two slots each. sortedIndices says, slot by slot, in which row of permutedTokens
// the copy is, and probs how much it counts:
//
//   out[0] = 0.5 * row 0 + 0.25 * row 2 = 0.5 1 + 1.25 1.5 = 1.75 2.5
//   out[1] = 0.75 * row 3 = 5.25 6
//
// The second slot of the second token has the probability 0, so its row, which is infinite, adds
// nothing: 0 times infinity is no number.
#include <limits>

#include "aclnnop/aclnn_moe_token_unpermute.h"
#include "device.h"

int main() try {
    const Device device;
    const float infinity = std::numeric_limits<float>::infinity();
    const Array<float> permuted("permutedTokens", {4, 2},
                                {1.0f, 2.0f, infinity, infinity, 5.0f, 6.0f, 7.0f, 8.0f});
    const Array<int32_t> places("sortedIndices", {4}, {0, 2, 3, 1});
    const Array<float> probs("probs", {2, 2}, {0.5f, 0.25f, 0.75f, 0.0f});
    const Array<float> out("out", {2, 2}, std::vector<float>(4, -1.0f));
    const bool paddedMode = false;
    const aclIntArray* restoreShape = nullptr;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeTokenUnpermuteGetWorkspaceSize(permuted.Tensor(), places.Tensor(), probs.Tensor(),
                                                 paddedMode, restoreShape, out.Tensor(), &bytes,
                                                 &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeTokenUnpermute(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    permuted.Print();
    places.Print();
    probs.Print();
    out.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
