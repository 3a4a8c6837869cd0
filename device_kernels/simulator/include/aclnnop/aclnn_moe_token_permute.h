/*
 * aclnnMoeTokenPermute: tokens in the order of their experts. Parameters and their order: the
 * operator's aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_H
#define ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * tokens: [tokens, hidden]. indices: int32 or int64 [tokens] or [tokens, topK]. numOutTokens: how
 * many of the first ranks are kept; 0: all; below 0: how many of the last are not.
 * permuteTokensOut: [kept ranks, hidden]. sortedIndicesOut: int32 [tokens * topK].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* indices, int64_t numOutTokens, bool paddedMode,
    const aclTensor* permuteTokensOut, const aclTensor* sortedIndicesOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermute(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
