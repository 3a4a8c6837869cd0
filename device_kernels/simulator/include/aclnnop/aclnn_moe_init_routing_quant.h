/*
 * aclnnMoeInitRoutingQuant: tokens as int8 in the order of their experts, by a number for every
 * slot. Parameters and the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_INIT_ROUTING_QUANT_H
#define ACLNNOP_ACLNN_MOE_INIT_ROUTING_QUANT_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * x: [tokens, hidden]. rowIdx: int32 [tokens, topK], each number below tokens * topK once; n stands
 * for token n % tokens. expertIdx: int32 [tokens, topK]. expandedXOut: int8 [min(activeNum, tokens)
 * * topK, hidden], x * scale + offset rounded. The other outputs: int32 [tokens * topK].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingQuantGetWorkspaceSize(
    const aclTensor* x, const aclTensor* rowIdx, const aclTensor* expertIdx, int64_t activeNum,
    double scale, double offset, const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
    const aclTensor* expandedExpertIdxOut, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingQuant(void* workspace, uint64_t workspaceSize,
                                                         aclOpExecutor* executor,
                                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
