/*
 * aclnnMoeTokenUnpermuteWithEp: every token as the sum of those of its permuted copies whose ranks
 * lie in a range, weighted by probabilities. Parameters and their order: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_EP_H
#define ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_EP_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * permutedTokens: [rows, hidden]. sortedIndices: int32 [tokens * numTopk], token-major, ranks.
 * probsOptional: [tokens, numTopk], of any floating data type; null: rows are added as they are.
 * rangeOptional: the first rank and the one behind the last, of which row i has the rank
 * rangeOptional[0] + i; null: that of MoeTokenUnpermute, with numTopk of probsOptional, or 1.
 * paddedMode: false. restoreShapeOptional: null. out: [tokens, hidden], as permutedTokens.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteWithEpGetWorkspaceSize(
    const aclTensor* permutedTokens, const aclTensor* sortedIndices, const aclTensor* probsOptional,
    int64_t numTopk, const aclIntArray* rangeOptional, bool paddedMode,
    const aclIntArray* restoreShapeOptional, const aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteWithEp(void* workspace,
                                                             uint64_t workspaceSize,
                                                             aclOpExecutor* executor,
                                                             aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
