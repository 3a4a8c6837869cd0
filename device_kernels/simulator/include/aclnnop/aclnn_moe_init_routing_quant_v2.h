/*
 * aclnnMoeInitRoutingQuantV2: tokens as int8 in the order of their experts, at ranks or at rows of
 * experts. Parameters and the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_INIT_ROUTING_QUANT_V2_H
#define ACLNNOP_ACLNN_MOE_INIT_ROUTING_QUANT_V2_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * x: [tokens, hidden]. expertIdx: int32 [tokens, topK]. scaleOptional: fp32 [1] if quantMode is 0,
 * null, [1, hidden] or [expertNum, hidden] if 1. offsetOptional: fp32 [1], read if quantMode is 0.
 * expandedXOut: int8 [rows, hidden], or [expertNum, expertCapacity, hidden] if dropPadMode is 1.
 * expandedRowIdxOut: int32 [tokens * topK]. Counts: int32 [expertNum], or null if no flag asks for
 * them. dynamicQuantScaleOutOptional: fp32, one for each row of expandedXOut; not touched if
 * quantMode is 0, when it may be null.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingQuantV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* expertIdx, const aclTensor* scaleOptional,
    const aclTensor* offsetOptional, int64_t activeNum, int64_t expertCapacity, int64_t expertNum,
    int64_t dropPadMode, int64_t expertTokensCountOrCumsumFlag, bool expertTokensBeforeCapacityFlag,
    int64_t quantMode, const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
    const aclTensor* expertTokensCountOrCumsumOutOptional,
    const aclTensor* expertTokensBeforeCapacityOutOptional,
    const aclTensor* dynamicQuantScaleOutOptional, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingQuantV2(void* workspace, uint64_t workspaceSize,
                                                           aclOpExecutor* executor,
                                                           aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
