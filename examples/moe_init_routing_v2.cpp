// MoeInitRoutingV2 with drop/pad: every expert has expertCapacity rows, which copies of its tokens
// fill in the order of the slots. Copies beyond them are dropped, rows that are left are zeros.
//
// Three tokens of two experts each, and three experts of two rows. A slot is a token with one of
// its experts; its place is a row of expandedXOut, or -1 where the expert has no row left for it:
//
//   slot            0  1  2  3  4  5
//   token           0  0  1  1  2  2
//   expert          1  0  1  2  0  1
//   expandedRowIdxOut = places of the slots = 2 0 3 4 1 -1
//
// The third slot of expert 1 is dropped, and expert 2 has one slot for two rows:
//
//   expandedXOut[0] = token of slot 1 = 1 10
//   expandedXOut[1] = token of slot 4 = 3 30
//   expandedXOut[2] = token of slot 0 = 1 10
//   expandedXOut[3] = token of slot 2 = 2 20
//   expandedXOut[4] = token of slot 3 = 2 20
//   expandedXOut[5] = zeros of the padding = 0 0
//
// What the experts would have had to do without a capacity is counted, too:
//
//   expertTokensBeforeCapacityOut = slots of every expert = 2 3 1
#include "aclnnop/aclnn_moe_init_routing_v2.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> tokens("x", {3, 2}, {1.0f, 10.0f, 2.0f, 20.0f, 3.0f, 30.0f});
    const Array<int32_t> experts("expertIdx", {3, 2}, {1, 0, 1, 2, 0, 1});
    const Array<float> rows("expandedXOut", {3, 2, 2}, std::vector<float>(12, -1.0f));
    const Array<int32_t> places("expandedRowIdxOut", {6}, std::vector<int32_t>(6, -9));
    const Array<int32_t> counts("expertTokensBeforeCapacityOut", {3}, std::vector<int32_t>(3, -9));
    const int64_t activeNum = 0;  // Here it means nothing: all rows of the experts are written.
    const int64_t expertCapacity = 2;
    const int64_t expertNum = 3;
    const int64_t dropPadMode = 1;
    const int64_t countOrCumsumFlag = 0;  // With drop/pad slots are counted before the capacity.
    const bool beforeCapacityFlag = true;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeInitRoutingV2GetWorkspaceSize(
        tokens.Tensor(), experts.Tensor(), activeNum, expertCapacity, expertNum, dropPadMode,
        countOrCumsumFlag, beforeCapacityFlag, rows.Tensor(), places.Tensor(), nullptr,
        counts.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeInitRoutingV2(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    tokens.Print();
    experts.Print();
    rows.Print();
    places.Print();
    counts.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
