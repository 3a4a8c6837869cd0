/*
 * aclnnMoeTokenPermuteWithEpGrad: the gradient of the permutation of tokens by expert, of which a
 * range of ranks was kept. Parameters and their order: the operator's README; the two phases: its
 * aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_EP_GRAD_H
#define ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_EP_GRAD_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * permutedTokensOutputGrad: [rows, hidden]. sortedIndices: int32 [tokens * numTopk], token-major.
 * permutedProbsOutputGradOptional: [rows], in the data type of permutedTokensOutputGrad; or null.
 * rangeOptional: the first rank and the one behind the last, of which row i has the rank
 * rangeOptional[0] + i; null: no rank. paddedMode: false. tokenGradOut: [tokens, hidden].
 * probsGradOut: [tokens, numTopk]; may be null where permutedProbsOutputGradOptional is.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteWithEpGradGetWorkspaceSize(
    const aclTensor* permutedTokensOutputGrad, const aclTensor* sortedIndices,
    const aclTensor* permutedProbsOutputGradOptional, int64_t numTopk,
    const aclIntArray* rangeOptional, bool paddedMode, const aclTensor* tokenGradOut,
    const aclTensor* probsGradOut, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteWithEpGrad(void* workspace,
                                                               uint64_t workspaceSize,
                                                               aclOpExecutor* executor,
                                                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
