/*
 * aclnnMoeTokenPermuteWithEp: tokens in the order of their experts, as far as a range of ranks
 * goes. Parameters and their order: the operator's aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_EP_H
#define ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_EP_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * tokens: [tokens, hidden]. indices: int32 or int64 [tokens] or [tokens, topK]. probsOptional: as
 * indices, in the data type of tokens; or null. rangeOptional: the first rank and the one behind
 * the last; null: 0 and numOutTokens. permuteTokensOut: [ranks, hidden]. sortedIndicesOut: int32
 * [tokens * topK]. permuteProbsOut: [ranks]; may be null where probsOptional is.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteWithEpGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* indices, const aclTensor* probsOptional,
    const aclIntArray* rangeOptional, int64_t numOutTokens, bool paddedMode,
    const aclTensor* permuteTokensOut, const aclTensor* sortedIndicesOut,
    const aclTensor* permuteProbsOut, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteWithEp(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
