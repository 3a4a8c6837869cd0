/*
 * aclnnMoeInitRoutingV2Grad: the gradient of the routing's token expansion.
 * Parameters: the operator's README; order and the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_INIT_ROUTING_V2_GRAD_H
#define ACLNNOP_ACLNN_MOE_INIT_ROUTING_V2_GRAD_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * gradExpandedX: [rows, hidden], or [experts, capacity, hidden] in drop-pad mode.
 * expandedRowIdx: int32 [tokens * topK], token-major. out: [tokens, hidden], as gradExpandedX.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingV2GradGetWorkspaceSize(
    const aclTensor* gradExpandedX, const aclTensor* expandedRowIdx, int64_t topK,
    int64_t dropPadMode, int64_t activeNum, const aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeInitRoutingV2Grad(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
