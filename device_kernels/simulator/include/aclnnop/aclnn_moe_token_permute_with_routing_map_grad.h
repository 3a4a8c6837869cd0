/*
 * aclnnMoeTokenPermuteWithRoutingMapGrad: the gradient of the permutation of tokens by a routing
 * map. Parameters: the operator's README; order and the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_H
#define ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * permutedTokenOutputGrad: [rows, hidden]; rows is tokensNum * topK, or numExperts * capacity where
 * dropAndPad is true. permutedProbsOutputGradOptional: [rows], as permutedTokenOutputGrad, or null.
 * sortedIndices: int32 [rows]; ranks, token-major, or tokens, expert-major, where dropAndPad is
 * true. routingMapOptional: int8 or bool [tokensNum, numExperts]. tokensGradOut: [tokensNum,
 * hidden]. probsGradOutOptional: [tokensNum, numExperts], or null; written if both optional
 * gradients are there.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGradGetWorkspaceSize(
    const aclTensor* permutedTokenOutputGrad, const aclTensor* permutedProbsOutputGradOptional,
    const aclTensor* sortedIndices, const aclTensor* routingMapOptional, int64_t numExperts,
    int64_t tokensNum, bool dropAndPad, aclTensor* tokensGradOut, aclTensor* probsGradOutOptional,
    uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenPermuteWithRoutingMapGrad(void* workspace,
                                                                       uint64_t workspaceSize,
                                                                       aclOpExecutor* executor,
                                                                       aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
