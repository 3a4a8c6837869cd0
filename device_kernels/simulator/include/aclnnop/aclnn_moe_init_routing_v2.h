/*
 * aclnnMoeInitRoutingV2: tokens in the order of their experts, at ranks or at rows of experts.
 * Parameters: the operator's README; order and the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_INIT_ROUTING_V2_H
#define ACLNNOP_ACLNN_MOE_INIT_ROUTING_V2_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * x: [tokens, hidden]. expertIdx: int32 [tokens, topK]. expandedXOut: as x, [rows, hidden], or
 * [expertNum, expertCapacity, hidden] where dropPadModeOptional is 1. expandedRowIdxOut: int32
 * [tokens * topK]. Optional outputs: int32 [expertNum], or null where no flag asks for them.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingV2GetWorkspaceSize(
    const aclTensor* x, const aclTensor* expertIdx, int64_t activeNumOptional,
    int64_t expertCapacityOptional, int64_t expertNumOptional, int64_t dropPadModeOptional,
    int64_t expertTokensCountOrCumsumFlagOptional, bool expertTokensBeforeCapacityFlagOptional,
    const aclTensor* expandedXOut, const aclTensor* expandedRowIdxOut,
    const aclTensor* expertTokensCountOrCumsumOutOptional,
    const aclTensor* expertTokensBeforeCapacityOutOptional, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingV2(void* workspace, uint64_t workspaceSize,
                                                      aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
