/*
 * aclnnMoeGatingTopKV2: aclnnMoeGatingTopK, or the experts of each row by its id and a table.
 * Parameters and their order: the operator's aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_GATING_TOP_K_V2_H
#define ACLNNOP_ACLNN_MOE_GATING_TOP_K_V2_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * inputIdsOptional: int32 or int64, [rows]; tid2eidOptional: int32 or int64, [keys, k]. If both are
 * given, the experts of a row are those of the table's row with its id. They must be experts, and
 * an id a row; neither is checked. Then biasOptional has no effect, k is at most 64, and kGroup is
 * groupCount, or a group is one expert. Without one of the two they are chosen as in
 * aclnn_moe_gating_top_k.h, and all else is as there.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeGatingTopKV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* biasOptional, const aclTensor* inputIdsOptional,
    const aclTensor* tid2eidOptional, int64_t k, int64_t kGroup, int64_t groupCount,
    int64_t groupSelectMode, int64_t renorm, int64_t normType, bool outFlag,
    double routedScalingFactor, double eps, const aclTensor* yOut, const aclTensor* expertIdxOut,
    const aclTensor* outOut, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeGatingTopKV2(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
