/*
 * aclnnMoeTokenUnpermuteWithEpGrad: gradients of permuted tokens whose ranks lie in a range, and of
 * the probabilities that weighed them. Parameters and their order: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_EP_GRAD_H
#define ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_EP_GRAD_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * unpermutedTokensGrad: [tokens, hidden]. sortedIndices: int32 [tokens * topkNum], token-major,
 * ranks. permutedTokensOptional: [rows, hidden], as unpermutedTokensGrad; null without probs.
 * probsOptional: [tokens, topkNum], of any floating data type; null: topkNum is 1. paddedMode:
 * false. restoreShapeOptional: null. rangeOptional: the first rank and the one behind the last, of
 * which row i has the rank rangeOptional[0] + i; one below 0 counts from the number of slots; null:
 * all ranks. permutedTokensGradOut: [rows, hidden], as unpermutedTokensGrad; rows whose rank no
 * slot has are not written. probsGradOut: as probsOptional; without probs it may be null, and is
 * not written.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteWithEpGradGetWorkspaceSize(
    const aclTensor* unpermutedTokensGrad, const aclTensor* sortedIndices,
    const aclTensor* permutedTokensOptional, const aclTensor* probsOptional, bool paddedMode,
    const aclIntArray* restoreShapeOptional, const aclIntArray* rangeOptional, int64_t topkNum,
    const aclTensor* permutedTokensGradOut, const aclTensor* probsGradOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteWithEpGrad(void* workspace,
                                                                 uint64_t workspaceSize,
                                                                 aclOpExecutor* executor,
                                                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
