// MoeFinalizeRoutingV2Grad: what the experts' rows, and the scales that weighed them, contribute to
// the tokens, where every expert has places for as many rows.
//
// Two tokens of two slots each, two experts of two places (dropPadMode 1). expandedRowIdx says,
// slot by slot, which place of expandedX was taken: those of expert 0 are 0 and 1, those of expert
// 1 are 2 and 3, and -1 is a slot that was dropped. A place gets the gradient of its token times
// the scale of its slot; place 3, which no slot took, is zero:
//
//   gradExpandedXOut[0] = 0.5 * (1 2) = 0.5 1
//   gradExpandedXOut[1] = 2 * (3 -1) = 6 -2
//   gradExpandedXOut[2] = 0.25 * (1 2) = 0.25 0.5
//   gradExpandedXOut[3] = nothing was added = 0 0
//
// A scale gets the products of its token's gradient and of what it weighed, all added up. That was
// a row with its expert's bias; a scale of a dropped slot gets zero:
//
//   gradScalesOut[0] = ((1 2) + (10 0), (5 6) + (20 60)) . (1 2) = 15 157
//   gradScalesOut[1] = (3 4) + (10 0) . (3 -1), 0 = 35 0
#include "aclnnop/aclnn_moe_finalize_routing_v2_grad.h"
#include "device.h"

int main() try {
    const Device device;
    const Array<float> grads("gradY", {2, 2}, {1.0f, 2.0f, 3.0f, -1.0f});
    const Array<int32_t> places("expandedRowIdx", {4}, {0, 2, 1, -1});
    const Array<float> expanded("expandedX", {2, 2, 2},
                                {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f});
    const Array<float> scales("scales", {2, 2}, {0.5f, 0.25f, 2.0f, 4.0f});
    const Array<int32_t> experts("expertIdx", {2, 2}, {0, 1, 0, 1});
    const Array<float> bias("bias", {2, 2}, {10.0f, 0.0f, 20.0f, 60.0f});
    const Array<float> rowGrads("gradExpandedXOut", {2, 2, 2}, std::vector<float>(8, -1.0f));
    const Array<float> scaleGrads("gradScalesOut", {2, 2}, std::vector<float>(4, -1.0f));
    const int64_t dropPadMode = 1;
    const int64_t activeNum = 0;
    const int64_t expertNum = 2;
    const int64_t expertCapacity = 2;

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnMoeFinalizeRoutingV2GradGetWorkspaceSize(
        grads.Tensor(), places.Tensor(), expanded.Tensor(), scales.Tensor(), experts.Tensor(),
        bias.Tensor(), dropPadMode, activeNum, expertNum, expertCapacity, rowGrads.Tensor(),
        scaleGrads.Tensor(), &bytes, &executor));
    const Memory workspace(bytes);
    CHECK(aclnnMoeFinalizeRoutingV2Grad(workspace.Address(), bytes, executor, device.Stream()));
    CHECK(aclrtSynchronizeStream(device.Stream()));

    grads.Print();
    places.Print();
    expanded.Print();
    scales.Print();
    experts.Print();
    bias.Print();
    rowGrads.Print();
    scaleGrads.Print();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
