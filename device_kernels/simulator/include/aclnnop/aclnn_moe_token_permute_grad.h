/*
 * aclnnMoeTokenPermuteGrad: the gradient of the permutation of tokens by expert.
 * Parameters, their order and the two phases: the operator's aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_GRAD_H
#define ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_GRAD_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * permutedOutputGrad: [rows, hidden]. sortedIndices: int32 [tokens * numTopk], token-major; an
 * index from `rows` on adds nothing. paddedMode: false. out: [tokens, hidden], as
 * permutedOutputGrad.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteGradGetWorkspaceSize(
    const aclTensor* permutedOutputGrad, const aclTensor* sortedIndices, int64_t numTopk,
    bool paddedMode, const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteGrad(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
