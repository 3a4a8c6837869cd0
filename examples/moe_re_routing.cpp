// MoeReRouting: rows that came rank by rank, laid expert by expert, with their scales.
//
// Two ranks sent six rows for three experts. expertTokenNumPerRank says how many each:
//
//              expert 0  expert 1  expert 2
//     rank 0      1         1         1      rows 0, 1, 2
//     rank 1      1         2         0      rows 3, 4, 5
//
// So expert 0 has rows 0 and 3, expert 1 has rows 1, 4 and 5, and expert 2 has row 2:
//
//   permuteTokenIdxOut = rows by expert, then by rank = 0 3 1 4 5 2
//   permuteTokensOut[0] = row 0 = 1 10
//   permuteTokensOut[1] = row 3 = 4 40
//   permuteTokensOut[2] = row 1 = 2 20
//   permuteTokensOut[3] = row 4 = 5 50
//   permuteTokensOut[4] = row 5 = 6 60
//   permuteTokensOut[5] = row 2 = 3 30
//   permutePerTokenScalesOut = scales of the same rows = 0.5 2 1 2.5 3 1.5
//   expertTokenNumOut = rows of each expert = 2 3 1
#include "aclnnop/aclnn_moe_re_routing.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<int8_t> tokens("tokens", {6, 2}, {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60});
    const Array<int32_t> counts("expertTokenNumPerRank", {2, 3}, {1, 1, 1, 1, 2, 0});
    const Array<float> scales("perTokenScales", {6}, {0.5f, 1.0f, 1.5f, 2.0f, 2.5f, 3.0f});
    const Array<int8_t> permuted("permuteTokensOut", {6, 2}, std::vector<int8_t>(12, -1));
    const Array<float> permutedScales("permutePerTokenScalesOut", {6},
                                      std::vector<float>(6, -1.0f));
    const Array<int32_t> idx("permuteTokenIdxOut", {6}, std::vector<int32_t>(6, -1));
    const Array<int32_t> sums("expertTokenNumOut", {3}, std::vector<int32_t>(3, -1));
    const int64_t expertTokenNumType = 1;  // counts
    const int64_t idxType = 0;             // gather: where each row lay before

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeReRoutingGetWorkspaceSize(tokens.Tensor(), counts.Tensor(), scales.Tensor(),
                                            expertTokenNumType, idxType, permuted.Tensor(),
                                            permutedScales.Tensor(), idx.Tensor(), sums.Tensor(),
                                            &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeReRouting(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    tokens.Print();
    counts.Print();
    scales.Print();
    permuted.Print();
    permutedScales.Print();
    idx.Print();
    sums.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
