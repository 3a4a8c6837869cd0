/*
 * aclnnMoeInitRouting: tokens in the order of their experts, by a number for every slot.
 * Parameters and the two phases: the operator's aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_INIT_ROUTING_H
#define ACLNNOP_ACLNN_MOE_INIT_ROUTING_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * x: [tokens, hidden]. rowIdx: int32 [tokens, topK], each number below tokens * topK once; n stands
 * for token n % tokens. expertIdx: int32 [tokens, topK]. expandedXOut: as x,
 * [min(activeNum, tokens) * topK, hidden]. The other outputs: int32 [tokens * topK].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingGetWorkspaceSize(
    const aclTensor* x, const aclTensor* rowIdx, const aclTensor* expertIdx, int64_t activeNum,
    const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
    const aclTensor* expandedExpertIdxOut, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRouting(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
