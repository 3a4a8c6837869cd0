// MoeInitRoutingV3: rows of int8 for a range of experts, each divided by a scale of its own.
//
// Two tokens of four columns, both for expert 1 of two, and the range has expert 1 alone. A row's
// scale is its largest magnitude / 127:
//
//   expandedScaleOut = 127 / 127, 254 / 127 = 1 2
//   expandedXOut[0] = round((127, 0.25, -1.75, 2.25) / 1) = 127 0 -2 2
//   expandedXOut[1] = round((-254, 1.5, 3.5, 127.5) / 2) = -127 1 2 64
//
#include "aclnnop/aclnn_moe_init_routing_v3.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> x("x", {2, 4}, {127.0f, 0.25f, -1.75f, 2.25f, -254.0f, 1.5f, 3.5f, 127.5f});
    const Array<int32_t> experts("expertIdx", {2, 1}, {1, 1});
    const Array<int8_t> rows("expandedXOut", {2, 4}, std::vector<int8_t>(8, 99));
    const Array<int32_t> places("expandedRowIdxOut", {2}, {99, 99});
    const Array<int64_t> counts("expertTokensCountOrCumsumOut", {1}, {99});
    const Array<float> scales("expandedScaleOut", {2}, {99.0f, 99.0f});
    const aclTensor* none = nullptr;
    const int64_t range[] = {1, 2};
    aclIntArray* active = aclCreateIntArray(range, 2);
    const int64_t activeNum = 0;
    const int64_t capacity = 0;
    const int64_t expertNum = 2;
    const int64_t dropPadMode = 0;
    const int64_t countsType = 1;
    const bool givesCounts = true;
    const int64_t quantMode = 1;
    const int64_t rowIdxType = 0;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeInitRoutingV3GetWorkspaceSize(
        x.Tensor(), experts.Tensor(), none, none, activeNum, capacity, expertNum, dropPadMode,
        countsType, givesCounts, quantMode, active, rowIdxType, rows.Tensor(), places.Tensor(),
        counts.Tensor(), scales.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeInitRoutingV3(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));
    aclDestroyIntArray(active);

    x.Print();
    experts.Print();
    rows.Print();
    places.Print();
    counts.Print();
    scales.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
