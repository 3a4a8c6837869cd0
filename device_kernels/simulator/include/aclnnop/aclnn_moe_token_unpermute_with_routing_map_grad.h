/*
 * aclnnMoeTokenUnpermuteWithRoutingMapGrad: gradients of the copies that
 * aclnnMoeTokenUnpermuteWithRoutingMap added, and of their probabilities. Parameters: its aclnn
 * document.
 */
#ifndef ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_H
#define ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * unpermutedTokensGrad: fp32, fp16 or bf16 [tokens, hidden]. outIndex: int32 [slots]; the row of
 * each slot, -1 for none. permuteTokenId: int32 [slots]; the token of each slot, read if dropAndPad
 * is true: else slots lie token by token. Needed beside probsOptional: routingMapOptional, int8 or
 * bool [tokens, experts], of 0 and 1, read if dropAndPad is false; permutedTokensOptional, [slots,
 * hidden], as unpermutedTokensGrad; and probsGradOutOptional, as probsOptional. probsOptional:
 * [tokens, experts], as unpermutedTokensGrad, or fp32 beside bf16. restoreShapeOptional: not read.
 * permutedTokensGradOut: [slots, hidden]; a row that no slot has is left alone.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteWithRoutingMapGradGetWorkspaceSize(
    const aclTensor* unpermutedTokensGrad, const aclTensor* outIndex,
    const aclTensor* permuteTokenId, const aclTensor* routingMapOptional,
    const aclTensor* permutedTokensOptional, const aclTensor* probsOptional, bool dropAndPad,
    const aclIntArray* restoreShapeOptional, const aclTensor* permutedTokensGradOut,
    const aclTensor* probsGradOutOptional, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeTokenUnpermuteWithRoutingMapGrad(void* workspace,
                                                                         uint64_t workspaceSize,
                                                                         aclOpExecutor* executor,
                                                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
