/*
 * aclnnMoeTokenUnpermuteWithRoutingMap: tokens from the copies that a permutation by a routing map
 * made of them, which probabilities weigh. Parameters: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_H
#define ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * permutedTokens: fp32, fp16 or bf16 [slots, hidden]. sortedIndices: int32 [slots]; the rows of
 * each token, token by token, -1 for none, or, if paddedMode is true, the token of each row, expert
 * by expert. routingMapOptional: int8 or bool [tokens, experts], of 0 and 1; read beside
 * probsOptional if paddedMode is false. probsOptional: [tokens, experts], as permutedTokens, or
 * fp32 beside bf16. restoreShapeOptional: tokens and hidden; read without probsOptional.
 * unpermutedTokens: [tokens, hidden]. outIndex, permuteTokenId: int32 [slots], written if
 * paddedMode is true. permuteProbs: [slots], as probsOptional; left alone without it.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteWithRoutingMapGetWorkspaceSize(
    const aclTensor* permutedTokens, const aclTensor* sortedIndices,
    const aclTensor* routingMapOptional, const aclTensor* probsOptional, bool paddedMode,
    const aclIntArray* restoreShapeOptional, aclTensor* unpermutedTokens, aclTensor* outIndex,
    aclTensor* permuteTokenId, aclTensor* permuteProbs, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteWithRoutingMap(void* workspace,
                                                                     uint64_t workspaceSize,
                                                                     aclOpExecutor* executor,
                                                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
