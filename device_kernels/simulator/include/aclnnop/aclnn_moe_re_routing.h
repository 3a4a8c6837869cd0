/*
 * aclnnMoeReRouting: rows that came rank by rank are laid expert by expert. Parameters: the
 * operator's README; their order: its definition, as interfaces are made from one.
 */
#ifndef ACLNNOP_ACLNN_MOE_RE_ROUTING_H
#define ACLNNOP_ACLNN_MOE_RE_ROUTING_H

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1: checks the call, gives the bytes of device workspace it needs and its executor.
 * tokens: int8, fp16 or bf16 [rows, hidden], at most 16384 columns. expertTokenNumPerRank: how many
 * rows came from a rank for an expert, int32 or int64 [ranks, experts]. perTokenScalesOptional: a
 * number of each row, fp32 [rows], or null. expertTokenNumType: 1, counts. idxType: 0, gather.
 * permuteTokensOut: the rows by expert, then by rank, of tokens' data type and shape.
 * permutePerTokenScalesOut: likewise, fp32 [rows]; not written without scales. permuteTokenIdxOut:
 * where each row lay before, int32 [rows]. expertTokenNumOut: the rows of each expert, of the
 * counts' data type [experts].
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeReRoutingGetWorkspaceSize(
    const aclTensor* tokens, const aclTensor* expertTokenNumPerRank,
    const aclTensor* perTokenScalesOptional, int64_t expertTokenNumType, int64_t idxType,
    const aclTensor* permuteTokensOut, const aclTensor* permutePerTokenScalesOut,
    const aclTensor* permuteTokenIdxOut, const aclTensor* expertTokenNumOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

/* Phase 2: submits the call to the stream; the executor is used up. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeReRouting(void* workspace, uint64_t workspaceSize,
                                                  aclOpExecutor* executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
