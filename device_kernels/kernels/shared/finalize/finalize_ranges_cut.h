// Host side of FinalizeRangesTiling: whether ranges of special experts can be, and the cut.
#ifndef FINALIZE_RANGES_CUT_H
#define FINALIZE_RANGES_CUT_H

#include <cstdint>
#include <string>

#include "finalize_cut.h"

namespace finalize {

using tiling_checks::Broken;
using tiling_checks::Reason;

// The experts [start, end) of one kind, and what the interface calls them; 0 and 0: none.
struct Experts {
    const char* name;
    int64_t start;
    int64_t end;

    Experts(const char* given, const FinalizeRange& range)
        : name(given),
          start(range.values == nullptr ? 0 : range.values[0]),
          end(range.values == nullptr ? 0 : range.values[1]) {}

    std::string Text() const {
        return "[" + std::to_string(start) + ", " + std::to_string(end) + "]";
    }
};

struct Ranges {
    Experts zero;
    Experts copy;
    Experts constant;

    explicit Ranges(const FinalizeRangesCall& call)
        : zero("zeroExpertRange", call.zeroExperts),
          copy("copyExpertRange", call.copyExperts),
          constant("constantExpertRange", call.constantExperts) {}
};

inline bool HasRanges(const FinalizeRangesCall& call) {
    return call.zeroExperts.values != nullptr || call.copyExperts.values != nullptr ||
           call.constantExperts.values != nullptr;
}

inline Ub RangedUbOf(const FinalizeRangesCall& call) {
    Ub ub = UbOf(call);
    ub.hasRanges = HasRanges(call);
    return ub;
}

inline Reason CheckOne(const FinalizeRangesCall& call, const Experts& one) {
    if (one.start < 0 || one.end <= one.start) {
        return Broken(one.name, one.Text(), "a start of 0 or more, and a greater end");
    }
    if (call.hasExpertIdx == 0) {
        return Broken("expertIdxOptional", "null",
                      std::string("a tensor if ") + one.name + " is given");
    }
    if (call.biasRows > 0 && one.end > call.biasRows) {
        return Broken(std::string("the end of ") + one.name, one.end,
                      "at most dim 0 of biasOptional, " + std::to_string(call.biasRows));
    }
    return {};
}

inline Reason CheckApart(const Experts& one, const Experts& other) {
    if (one.end <= other.start || other.end <= one.start) {
        return {};
    }
    return Broken(one.name, one.Text(),
                  std::string("apart from ") + other.name + ", " + other.Text());
}

inline Reason CheckRanges(const FinalizeRangesCall& call) {
    const Ranges all(call);
    for (const auto& [range, experts] :
         {std::pair{&call.zeroExperts, &all.zero}, std::pair{&call.copyExperts, &all.copy},
          std::pair{&call.constantExperts, &all.constant}}) {
        const Reason reason = range->values == nullptr ? Reason() : CheckOne(call, *experts);
        if (!reason.empty()) {
            return reason;
        }
    }
    for (const auto& [one, other] :
         {std::pair{&all.copy, &all.zero}, std::pair{&all.constant, &all.zero},
          std::pair{&all.constant, &all.copy}}) {
        const Reason reason = CheckApart(*one, *other);
        if (!reason.empty()) {
            return reason;
        }
    }
    const int64_t constants = all.constant.end - all.constant.start;
    return constants == 0 || call.constantRows == constants
               ? Reason()
               : Broken(
                     "dim 0 of alpha1Optional", call.constantRows,
                     "the number of experts in constantExpertRange, " + std::to_string(constants));
}

// What a tiling answers, and its cut.
inline int32_t RangedTiling(const FinalizeRangesCall& call, FinalizeRangesTiling* tiling,
                            const char* source, char* reason, uint64_t reasonBytes) {
    const Ub ub = RangedUbOf(call);
    Reason wrong = CheckRanges(call);
    wrong = wrong.empty() ? Check(ub) : wrong;
    const int32_t status = tiling_checks::Answer(wrong, source, reason, reasonBytes);
    if (status == tiling_checks::kAccepted) {
        const Ranges all(call);
        *tiling = {Cut(call, ub),  ub.hasRanges ? 1 : 0, all.zero.start,     all.zero.end,
                   all.copy.start, all.copy.end,         all.constant.start, all.constant.end};
    }
    return status;
}

}  // namespace finalize

#endif
