/*
 * aclnnMoeTokenUnpermuteGrad: gradients of permuted tokens and of the probabilities that weighed
 * them. Parameters: the operator's README; the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_GRAD_H
#define ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_GRAD_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * permutedTokens: [rows, hidden]. unpermutedTokensGrad: [tokens, hidden], as permutedTokens.
 * sortedIndices: int32 [tokens * topK], token-major; an index from `rows` on names no row.
 * probsOptional: [tokens, topK], of any floating data type; null: topK is 1. paddedMode: false.
 * restoreShapeOptional: null. permutedTokensGradOut: [rows, hidden], as permutedTokens; rows that
 * no index names are not written. probsGradOut: as probsOptional; without probs it may be null, and
 * is not written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteGradGetWorkspaceSize(
    const aclTensor* permutedTokens, const aclTensor* unpermutedTokensGrad,
    const aclTensor* sortedIndices, const aclTensor* probsOptional, bool paddedMode,
    const aclIntArray* restoreShapeOptional, const aclTensor* permutedTokensGradOut,
    const aclTensor* probsGradOut, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteGrad(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
