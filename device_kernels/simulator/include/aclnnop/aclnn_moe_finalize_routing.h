/*
 * aclnnMoeFinalizeRouting: tokens from the rows of their experts, which scales weigh.
 * Parameters and the two phases: the operator's aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_H
#define ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * expandedX: [tokens * topK, hidden]. x1, x2Optional: [tokens, hidden]. bias: [experts, hidden],
 * at least topK of them. scales: [tokens, topK]. All of these have the data type of expandedX.
 * expandedRowIdx: int32 [tokens * topK], slot-major. expandedExpertIdx: int32 [tokens, topK].
 * out: [tokens, hidden], as expandedX.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingGetWorkspaceSize(
    const aclTensor* expandedX, const aclTensor* x1, const aclTensor* x2Optional,
    const aclTensor* bias, const aclTensor* scales, const aclTensor* expandedRowIdx,
    const aclTensor* expandedExpertIdx, const aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRouting(void* workspace, uint64_t workspaceSize,
                                                        aclOpExecutor* executor,
                                                        aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
