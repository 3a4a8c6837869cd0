/*
 * aclnnMoeFinalizeRoutingV2: tokens from the rows of their experts, which scales weigh.
 * Parameters: the operator's README; the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_H
#define ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * expandedX: [rows, hidden], or in dropPadMode 1 and 3 [experts, capacity, hidden]. expandedRowIdx:
 * int32 [tokens * topK], in dropPadMode 0 and 1 slot-major, in 2 and 3 token-major; in 1 and 3 a -1
 * marks a dropped slot, of which the bias alone counts. x1Optional, x2Optional: [tokens, hidden];
 * the second needs the first. biasOptional: [experts, hidden], needs expertIdxOptional.
 * scalesOptional: [tokens, topK], of the data type of expandedX, or of fp32 beside bf16; null: topK
 * is 1. expertIdxOptional: int32 [tokens, topK]. out: [tokens, hidden], as expandedX.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV2GetWorkspaceSize(
    const aclTensor* expandedX, const aclTensor* expandedRowIdx, const aclTensor* x1Optional,
    const aclTensor* x2Optional, const aclTensor* biasOptional, const aclTensor* scalesOptional,
    const aclTensor* expertIdxOptional, int64_t dropPadMode, const aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV2(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
