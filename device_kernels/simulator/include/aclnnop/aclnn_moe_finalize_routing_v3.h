/*
 * aclnnMoeFinalizeRoutingV3: tokens from the rows of their experts, which scales weigh, and from
 * experts without rows. Parameters and the two phases: its aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V3_H
#define ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V3_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * As aclnnMoeFinalizeRoutingV2, and beside that: xOptional: [tokens, hidden], for experts of
 * copyExpertRange and constantExpertRange. alpha1Optional, alpha2Optional, vOptional: [constant
 * experts, hidden]. Ranges: a start of 0 or more and a greater end, which is no part of it, apart
 * from each other; null: none. They need expertIdxOptional.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV3GetWorkspaceSize(
    const aclTensor* expandedX, const aclTensor* expandedRowIdx, const aclTensor* x1Optional,
    const aclTensor* x2Optional, const aclTensor* biasOptional, const aclTensor* scalesOptional,
    const aclTensor* expertIdxOptional, const aclTensor* xOptional, const aclTensor* alpha1Optional,
    const aclTensor* alpha2Optional, const aclTensor* vOptional, int64_t dropPadMode,
    const aclIntArray* zeroExpertRange, const aclIntArray* copyExpertRange,
    const aclIntArray* constantExpertRange, const aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeFinalizeRoutingV3(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
