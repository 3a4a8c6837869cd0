/*
 * aclnnMoeGatingTopKBackward: the gradient of the inputs of MoeGatingTopK with sigmoid scores, from
 * that of its weights. Parameters and their order: the operator's aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_GATING_TOP_K_BACKWARD_H
#define ACLNNOP_ACLNN_MOE_GATING_TOP_K_BACKWARD_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * xNorm: the scores, fp32 [rows, experts], 2 to 2048 experts. gradY: the gradient of the weights,
 * [rows, k]. expertIdx: the experts that were chosen, int32, likewise. renorm: without effect.
 * normType: 1, scores are sigmoids. routedScalingFactor, eps: those of the forward call. out: the
 * gradient of its x, of gradY's data type and xNorm's shape; zero for experts that were not chosen.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeGatingTopKBackwardGetWorkspaceSize(
    const aclTensor* xNorm, const aclTensor* gradY, const aclTensor* expertIdx, int64_t renorm,
    int64_t normType, double routedScalingFactor, double eps, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeGatingTopKBackward(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
