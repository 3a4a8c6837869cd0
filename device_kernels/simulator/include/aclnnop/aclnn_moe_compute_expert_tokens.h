/*
 * aclnnMoeComputeExpertTokens: where the rows of each expert end. Parameters: its document.
 */
#ifndef ACLNNOP_ACLNN_MOE_COMPUTE_EXPERT_TOKENS_H
#define ACLNNOP_ACLNN_MOE_COMPUTE_EXPERT_TOKENS_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * sortedExperts: the expert of each row, ascending from 0 to numExperts - 1, int32 [rows], below
 * 2^24 of them. numExperts: 1 to 2048. out: how many rows have that expert or one before it, int32
 * [numExperts].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeComputeExpertTokensGetWorkspaceSize(
    const aclTensor* sortedExperts, int64_t numExperts, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeComputeExpertTokens(void* workspace, uint64_t workspaceSize,
                                                            aclOpExecutor* executor,
                                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
