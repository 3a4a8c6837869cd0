// MoeInitRoutingQuant: a copy of each token for each of its experts, as int8, sorted by expert, of
// which those that would be activeNum tokens' are kept. rowIdx numbers the slots, which are a token
// with one of its experts, and number n stands for token n % 3: of three tokens each number means
// one.
//
// Three tokens of two experts each:
//
//   slot            0  1  2  3  4  5
//   expert          1  2  0  1  0  2
//   rowIdx          0  3  1  4  2  5
//
// In the order of the experts, equal ones in that of the slots, these are slots 2, 4, 0, 3, 1, 5:
//
//   expandedExpertIdxOut = their experts = 0 0 1 1 2 2
//
// Their numbers are 1, 2, 0, 4, 3, 5, and each says where its number has come to: 0 is third.
//
//   expandedRowIdxOut = places of the numbers = 2 0 1 4 3 5
//
// An activeNum of 2 tokens keeps four rows, each x * 1 + 0, rounded:
//
//   expandedXOut[0] = token 1 % 3 = 2 20
//   expandedXOut[1] = token 2 % 3 = 3 30
//   expandedXOut[2] = token 0 % 3 = 1 10
//   expandedXOut[3] = token 4 % 3 = 2 20
#include "aclnnop/aclnn_moe_init_routing_quant.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> tokens("x", {3, 2}, {1.0f, 10.0f, 2.0f, 20.0f, 3.0f, 30.0f});
    const Array<int32_t> numbers("rowIdx", {3, 2}, {0, 3, 1, 4, 2, 5});
    const Array<int32_t> experts("expertIdx", {3, 2}, {1, 2, 0, 1, 0, 2});
    const Array<int8_t> rows("expandedXOut", {4, 2}, std::vector<int8_t>(8, -1));
    const Array<int32_t> places("expandedRowIdxOut", {6}, std::vector<int32_t>(6, -1));
    const Array<int32_t> sorted("expandedExpertIdxOut", {6}, std::vector<int32_t>(6, -1));
    const int64_t activeNum = 2;
    const double scale = 1, offset = 0;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeInitRoutingQuantGetWorkspaceSize(
        tokens.Tensor(), numbers.Tensor(), experts.Tensor(), activeNum, scale, offset,
        rows.Tensor(), places.Tensor(), sorted.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeInitRoutingQuant(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    tokens.Print();
    numbers.Print();
    experts.Print();
    rows.Print();
    places.Print();
    sorted.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
