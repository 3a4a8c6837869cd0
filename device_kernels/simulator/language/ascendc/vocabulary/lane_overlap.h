// Which operands of the mask, repeat and stride form may share bytes of UB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "repeat.h"

namespace ascendsim {

// One operand as bytes of UB: where lane l of repeat r lies.
struct LaneOperand {
    uint64_t address;
    uint32_t elementBytes;
    LaneLayout layout;
    uint64_t Start(uint32_t repeat, uint32_t lane) const {
        return address + uint64_t{layout.Offset(repeat, lane)} * elementBytes;
    }
};

// Whether the lanes of `dst` and `src` are the same bytes, and no repeat meets another one's: or
// all repeats are one, which accumulates.
inline bool Coincide(const LaneOperand& dst, const LaneOperand& src) {
    const LaneLayout& one = dst.layout;
    const LaneLayout& other = src.layout;
    const bool same = dst.address == src.address && dst.elementBytes == src.elementBytes &&
                      one.blockStride == other.blockStride &&
                      one.repeatStride == other.repeatStride;
    return same && (one.repeatStride == 0 || (one.blockStride == 1 && one.repeatStride >= 8));
}

// Whether a write reaches what is still to be read: an earlier repeat's write, or in the same
// repeat that of another lane (of an earlier lane where the element sizes differ: a result may
// shrink towards the start or widen from behind).
inline bool WritesBeforeItReads(const LaneOperand& dst, const LaneOperand& src, const Lanes& lanes,
                                uint64_t dstBytes) {
    struct Write {
        int32_t repeat = -1;
        uint32_t lane = 0;
    };
    std::vector<Write> written(dstBytes);
    const auto anyRead = [&](uint32_t repeat, uint32_t lane, auto clashes) {
        const uint64_t start = src.Start(repeat, lane);
        for (uint64_t at = start; at < start + src.elementBytes; ++at) {
            if (at >= dst.address && at - dst.address < dstBytes &&
                clashes(written[at - dst.address])) {
                return true;
            }
        }
        return false;
    };
    bool found = false;
    for (uint32_t repeat = 0; repeat < lanes.Repeats() && !found; ++repeat) {
        const auto now = static_cast<int32_t>(repeat);
        lanes.ForEachOf(repeat, [&](uint32_t lane) {
            found = found ||
                    anyRead(repeat, lane, [](const Write& write) { return write.repeat >= 0; });
        });
        lanes.ForEachOf(repeat, [&](uint32_t lane) {
            const uint64_t start = dst.Start(repeat, lane) - dst.address;
            std::fill_n(written.begin() + static_cast<int64_t>(start), dst.elementBytes,
                        Write{now, lane});
        });
        lanes.ForEachOf(repeat, [&](uint32_t lane) {
            found = found || anyRead(repeat, lane, [&](const Write& write) {
                        const bool wrong = dst.elementBytes == src.elementBytes ? write.lane != lane
                                                                                : write.lane < lane;
                        return write.repeat == now && wrong;
                    });
        });
    }
    return found;
}

template <typename Dst, typename Src>
void CheckLaneOverlap(const AscendC::LocalTensor<Dst>& dst, const LaneLayout& to,
                      const AscendC::LocalTensor<Src>& src, const LaneLayout& from,
                      const Lanes& lanes, const VectorCall& call) {
    if constexpr (!kChecks) {
        return;
    }
    const LaneOperand target{dst.UbAddress(), sizeof(Dst), to};
    const LaneOperand source{src.UbAddress(), sizeof(Src), from};
    const uint64_t targetBytes = lanes.Extent(to) * sizeof(Dst);
    const uint64_t sourceBytes = lanes.Extent(from) * sizeof(Src);
    const bool disjoint = target.address + targetBytes <= source.address ||
                          source.address + sourceBytes <= target.address;
    if (disjoint || Coincide(target, source) ||
        !WritesBeforeItReads(target, source, lanes, targetBytes)) {
        return;
    }
    Stop(Code::OperandOverlap, {call.where, "V", target.address},
         "%s writes lanes in UB [%llu, %llu) that it still has to read from [%llu, %llu)",
         call.name, static_cast<unsigned long long>(target.address),
         static_cast<unsigned long long>(target.address + targetBytes),
         static_cast<unsigned long long>(source.address),
         static_cast<unsigned long long>(source.address + sourceBytes));
}

}  // namespace ascendsim
