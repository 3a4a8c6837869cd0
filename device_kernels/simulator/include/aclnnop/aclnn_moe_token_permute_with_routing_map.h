/*
 * aclnnMoeTokenPermuteWithRoutingMap: the permutation of tokens by a routing map. Parameters: the
 * operator's README; order and the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_H
#define ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * tokens: fp32, fp16 or bf16 [tokens, hidden]. routingMap: int8 or bool [tokens, experts], of 0 and
 * 1; where dropAndPad is false every row has numOutTokens // tokens ones. probsOptional: [tokens,
 * experts], as tokens, or null. permuteTokensOut: [rows, hidden]; rows is numOutTokens rounded down
 * to a multiple of the tokens, or of the experts where dropAndPad is true. permuteProbsOutOptional:
 * [rows]; left alone without probsOptional. sortedIndicesOut: int32 [rows]; ranks, token-major, or
 * tokens, expert-major, where dropAndPad is true.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* routingMap, const aclTensor* probsOptional,
    int64_t numOutTokens, bool dropAndPad, aclTensor* permuteTokensOut,
    aclTensor* permuteProbsOutOptional, aclTensor* sortedIndicesOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteWithRoutingMap(void* workspace,
                                                                   uint64_t workspaceSize,
                                                                   aclOpExecutor* executor,
                                                                   aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
