// MoeInitRoutingQuantV2: a copy of each token for each of its experts, as int8, at one of the rows
// that each expert has: a copy beyond them is dropped, and a row without one is zero.
//
// Three tokens of two experts each, and three experts of two rows:
//
//   slot            0  1  2  3  4  5
//   expert          1  0  1  2  0  1
//
// Expert 0 has slots 1 and 4. Expert 1 has slots 0, 2 and 5, of which the last is dropped, and
// expert 2 slot 3:
//
//   expandedRowIdxOut = the rows of the slots = 2 0 3 4 1 -1
//   expertTokensBeforeCapacityOut = slots of each expert = 2 3 1
//
// A token's row is x * 1 + 0, rounded. The rows of expert 0 are tokens 0 and 2, of expert 1 tokens
// 0 and 1, of expert 2 token 1 and zeros:
//
//   expandedXOut[0] = token 0 = 1 10
//   expandedXOut[1] = token 2 = 3 30
//   expandedXOut[2] = token 0 = 1 10
//   expandedXOut[3] = token 1 = 2 20
//   expandedXOut[4] = token 1 = 2 20
//   expandedXOut[5] = no slot = 0 0
#include "aclnnop/aclnn_moe_init_routing_quant_v2.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> tokens("x", {3, 2}, {1.0f, 10.0f, 2.0f, 20.0f, 3.0f, 30.0f});
    const Array<int32_t> experts("expertIdx", {3, 2}, {1, 0, 1, 2, 0, 1});
    const Array<float> scale("scaleOptional", {1}, {1.0f});
    const Array<float> offset("offsetOptional", {1}, {0.0f});
    const Array<int8_t> rows("expandedXOut", {3, 2, 2}, std::vector<int8_t>(12, -1));
    const Array<int32_t> places("expandedRowIdxOut", {6}, std::vector<int32_t>(6, -2));
    const Array<int32_t> counts("expertTokensBeforeCapacityOut", {3}, std::vector<int32_t>(3, -1));
    const int64_t activeNum = 0, capacity = 2, expertNum = 3, dropPad = 1, isStatic = 0;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeInitRoutingQuantV2GetWorkspaceSize(
        tokens.Tensor(), experts.Tensor(), scale.Tensor(), offset.Tensor(), activeNum, capacity,
        expertNum, dropPad, 0, true, isStatic, rows.Tensor(), places.Tensor(), nullptr,
        counts.Tensor(), nullptr, &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeInitRoutingQuantV2(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    tokens.Print();
    experts.Print();
    scale.Print();
    offset.Print();
    rows.Print();
    places.Print();
    counts.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
