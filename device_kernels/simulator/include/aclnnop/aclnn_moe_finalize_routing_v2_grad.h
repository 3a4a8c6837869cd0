/*
 * aclnnMoeFinalizeRoutingV2Grad: gradients of the experts' rows and of the scales that weighed
 * them. Parameters: the operator's README; the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_GRAD_H
#define ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V2_GRAD_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * gradY: [tokens, hidden]. expandedRowIdx: int32 [tokens * topK], token-major; an index that is
 * negative, or not below the number of rows, names none. expandedXOptional: [rows, hidden], where
 * dropPadMode is 1 [expertNum, expertCapacity, hidden]; needed with scales. scalesOptional:
 * [tokens, topK]; null: topK is 1, and rows are copied. expertIdxOptional: int32 [tokens, topK];
 * needed with a bias. biasOptional: [experts, hidden]. dropPadMode: 0 or 1. activeNum: dropPadMode
 * 0; the rows, where it is above 0 and below tokens * topK, which are the rows else. expertNum,
 * expertCapacity: dropPadMode 1; their product is the rows. gradExpandedXOut: as expandedXOptional;
 * where dropPadMode is 0, rows that no index names are not written. gradScalesOut: as
 * scalesOptional; without scales it may be null, and is not written. All but the indices have one
 * data type.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV2GradGetWorkspaceSize(
    const aclTensor* gradY, const aclTensor* expandedRowIdx, const aclTensor* expandedXOptional,
    const aclTensor* scalesOptional, const aclTensor* expertIdxOptional,
    const aclTensor* biasOptional, int64_t dropPadMode, int64_t activeNum, int64_t expertNum,
    int64_t expertCapacity, const aclTensor* gradExpandedXOut, const aclTensor* gradScalesOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV2Grad(void* workspace,
                                                              uint64_t workspaceSize,
                                                              aclOpExecutor* executor,
                                                              aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
