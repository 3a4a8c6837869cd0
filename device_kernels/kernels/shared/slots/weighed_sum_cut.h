// The host's part of sums over slots that may have weights of a data type of their own: the UB that
// one needs, and the sizes at which it is cut otherwise.
#ifndef WEIGHED_SUM_CUT_H
#define WEIGHED_SUM_CUT_H

#include <cstdint>
#include <string>

#include "../checks/tiling_checks.h"
#include "../routing_map/probs_limit.h"
#include "../rows/row_sum_cut.h"
#include "../rows/row_sum_limits.h"

namespace weighed_sum {

constexpr int64_t kIndexBytes = 4;  // int32
constexpr int64_t kFp32 = 0;        // aclDataType
constexpr int64_t kNoProbs = -1;

// Of fp32, fp16 or bf16, or of probs that are not there.
inline int64_t BytesOf(int64_t aclDataType) {
    return aclDataType == kNoProbs ? 0 : aclDataType == kFp32 ? 4 : 2;
}

inline row_sum::Ub UbOf(int64_t bytes, int64_t aclDataType, int64_t probsBytes, int64_t topK) {
    return {bytes, BytesOf(aclDataType), topK * kIndexBytes, topK * probsBytes};
}

// Call: one with tokens, topK, hidden, dtype, probsDtype, cores and ubBytes.
template <typename Call>
row_sum::Ub UbOf(const Call& call) {
    return UbOf(call.ubBytes, call.dtype, BytesOf(call.probsDtype), call.topK);
}

template <typename Call>
tiling_checks::Reason Check(const Call& call, const char* topK) {
    const tiling_checks::Reason reason = tiling_checks::CheckTopK(topK, call.topK);
    return reason.empty() ? tiling_checks::CheckUb(
                                call.ubBytes, UbOf(call).Least(),
                                " for topK " + std::to_string(call.topK) + " in these data types")
                          : reason;
}

// Tokens are cut over `cores` blocks.
template <typename Call>
RowSumTiling Cut(const Call& call, int64_t sourceRows, int64_t cores) {
    return UbOf(call).Cut(call.tokens, call.hidden, sourceRows,
                          row_sum::CeilDiv(call.tokens, cores));
}

// By the names of row_sum_limits.h and "cores", each led by what it says of the probs.
// `mostWithout`: the most slots of a token without probs.
inline int64_t Limit(std::string name, int64_t topK, int32_t dtype, uint32_t cores,
                     uint64_t ubBytes, int64_t hidden, int64_t mostWithout) {
    const int64_t probsBytes = probs_limit::TakeProbsBytes(&name, BytesOf(dtype));
    if (name == "cores") {
        return cores;
    }
    const bool known =
        topK >= 1 && topK <= (probsBytes == 0 ? mostWithout : tiling_checks::kMostTopK);
    const row_sum::Ub ub = UbOf(static_cast<int64_t>(ubBytes), dtype, probsBytes, known ? topK : 1);
    const int64_t limit = row_sum::Limit(name, ub, cores, hidden);
    return known || limit < 0 ? limit : 0;
}

}  // namespace weighed_sum

#endif
