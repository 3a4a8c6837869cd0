/*
 * aclnnMoeGatingTopKSoftmax: the k best experts of each row by their softmax. Parameters and their
 * order: the operator's aclnn document.
 */
#ifndef ACLNNOP_ACLNN_MOE_GATING_TOP_K_SOFTMAX_H
#define ACLNNOP_ACLNN_MOE_GATING_TOP_K_SOFTMAX_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * x: [rows, experts] or [batches, rows, experts]. finishedOptional: bool of the shape of x without
 * experts; null: no row is finished. k: 1 to 1024, at most as many as experts. yOut: x's shape with
 * k in place of experts. expertIdxOut: int32, likewise; a finished row has the number of experts
 * everywhere. rowIdxOut: int32, likewise; r + j * (all rows) for place j of row r.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeGatingTopKSoftmaxGetWorkspaceSize(
    const aclTensor* x, const aclTensor* finishedOptional, int64_t k, const aclTensor* yOut,
    const aclTensor* expertIdxOut, const aclTensor* rowIdxOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeGatingTopKSoftmax(void* workspace, uint64_t workspaceSize,
                                                          aclOpExecutor* executor,
                                                          aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
