/*
 * aclnnMoeInitRoutingV3: tokens in the order of their experts, of a range of these, at ranks or at
 * rows of experts, as they are or quantised to int8. Parameters and the two phases: its aclnn
 * document.
 */
#ifndef ACLNNOP_ACLNN_MOE_INIT_ROUTING_V3_H
#define ACLNNOP_ACLNN_MOE_INIT_ROUTING_V3_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * x: [tokens, hidden], int8 only without quantisation. expertIdx: int32 [tokens, topK].
 * scaleOptional: fp32 [tokens] if quantMode is -1, [1] if 0, [experts of the range or 1, hidden] if
 * 1. offsetOptional: fp32 [1], read if quantMode is 0. activeExpertRangeOptional: the first expert
 * and the one behind the last; null or empty: all. expandedXOut: as x, or int8 if quantised, [rows,
 * hidden], or [expertNum, expertCapacity, hidden] where dropPadMode is 1. expandedRowIdxOut: int32
 * [tokens * topK]. expertTokensCountOrCumsumOut: int64 [experts of the range], or [expertNum, 2]
 * where expertTokensNumType is 2; not touched without expertTokensNumFlag. expandedScaleOut: fp32,
 * one for each row of expandedXOut; not touched if quantMode is 0, or -1 without scaleOptional.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingV3GetWorkspaceSize(
    const aclTensor* x, const aclTensor* expertIdx, const aclTensor* scaleOptional,
    const aclTensor* offsetOptional, int64_t activeNum, int64_t expertCapacity, int64_t expertNum,
    int64_t dropPadMode, int64_t expertTokensNumType, bool expertTokensNumFlag, int64_t quantMode,
    const aclIntArray* activeExpertRangeOptional, int64_t rowIdxType, const aclTensor* expandedXOut,
    const aclTensor* expandedRowIdxOut, const aclTensor* expertTokensCountOrCumsumOut,
    const aclTensor* expandedScaleOut, uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingV3(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
