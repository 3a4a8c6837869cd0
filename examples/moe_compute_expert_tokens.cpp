// MoeComputeExpertTokens: where the rows of each expert end, the example of its document.
//
// Six rows lie in the order of three experts: 0 0 1 1 2 2. The rows of expert 0 end behind row 1,
// those of expert 1 behind row 3, and those of expert 2 behind row 5:
//
//   out = rows of an expert and of all before it = 2 4 6
#include "aclnnop/aclnn_moe_compute_expert_tokens.h"
#include "device.h"

int main() try {
    const Device device;
    const int64_t numExperts = 3;
    const Array<int32_t> sortedExperts("sortedExperts", {6}, {0, 0, 1, 1, 2, 2});
    const Array<int32_t> out("out", {numExperts}, std::vector<int32_t>(3, -1));

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeComputeExpertTokensGetWorkspaceSize(sortedExperts.Tensor(), numExperts,
                                                      out.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeComputeExpertTokens(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    sortedExperts.Print();
    out.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
