/*
 * aclnnMoeTokenUnpermute: tokens from their permuted copies, which probabilities weigh.
 * Parameters: the operator's README; the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_H
#define ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * permutedTokens: [rows, hidden]. sortedIndices: int32 [tokens * topK], token-major; an index from
 * `rows` on adds nothing. probsOptional: [tokens, topK], of any floating data type; null: topK is
 * 1. paddedMode: false. restoreShapeOptional: null. out: [tokens, hidden], as permutedTokens.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteGetWorkspaceSize(
    const aclTensor* permutedTokens, const aclTensor* sortedIndices, const aclTensor* probsOptional,
    bool paddedMode, const aclIntArray* restoreShapeOptional, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermute(void* workspace, uint64_t workspaceSize,
                                                       aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
