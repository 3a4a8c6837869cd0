/*
 * aclnnMoeGatingTopK: the k best experts of each row, of its best groups if there are groups, and
 * their weights. Parameters and their order: the operator's aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_GATING_TOP_K_H
#define ACLNNOP_ACLNN_MOE_GATING_TOP_K_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * x: [rows, experts], at most 2048 experts. biasOptional: [experts] of x's data type, added to the
 * scores by which experts are chosen, not to their weights; null: none. normType: scores are 0 the
 * softmax of a row, 1 the sigmoid, 2 the square root of the softplus of each input. groupCount:
 * groups of as many experts each; kGroup of them are kept, the best by 0 the greatest score of an
 * expert, 1 the sum of the two greatest (groupSelectMode). k: chosen of those. If normType is not 0
 * or renorm is 1, weights are divided by their sum plus eps. All weights are multiplied by
 * routedScalingFactor. yOut: the weights, [rows, k] of x's data type. expertIdxOut: int32,
 * likewise. outOut: fp32 of the shape of x; the scores if outFlag is set, else left as it is.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeGatingTopKGetWorkspaceSize(
    const aclTensor* x, const aclTensor* biasOptional, int64_t k, int64_t kGroup,
    int64_t groupCount, int64_t groupSelectMode, int64_t renorm, int64_t normType, bool outFlag,
    double routedScalingFactor, double eps, const aclTensor* yOut, const aclTensor* expertIdxOut,
    const aclTensor* outOut, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeGatingTopK(void* workspace, uint64_t workspaceSize,
                                                   aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
