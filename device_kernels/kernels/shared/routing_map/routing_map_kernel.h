// A walk over a routing map, tile by tile, that knows how many true places come before it: those of
// an expert are counted token by token, while the map lies token by token.
//
// A core has a range of tokens. First it counts the true places of each expert there, and leaves
// the counts in global memory. When all cores have, it is known how many places of an expert lie on
// earlier cores, and how many there are of each expert.
#ifndef ROUTING_MAP_KERNEL_H
#define ROUTING_MAP_KERNEL_H

#include "kernel_operator.h"
#include "../rows/row_share_kernel.h"
#include "../sorting/ordering_kernel.h"
#include "routing_map_tiling.h"

namespace routing_map {

using row_sum::Least;

class Walk {
protected:
    static constexpr int64_t BLOCK_BYTES = 32;

    // `counts` is room for an int32 of each expert and block of the launch.
    __aicore__ inline void Init(GM_ADDR map, GM_ADDR counts, const __gm__ RoutingMapTiling* tiling,
                                AscendC::TPipe* pipe) {
        experts_ = tiling->experts;
        tileTokens_ = tiling->tileTokens;
        tileExperts_ = tiling->tileExperts;
        block_ = AscendC::GetBlockIdx();
        blocks_ = AscendC::GetBlockNum();
        share_ = row_sum::ShareOf(tiling->tokens, block_, blocks_);
        map_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(map));
        counts_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(counts));
        const int64_t bytes = RoundedUp(tileExperts_ * sizeof(int32_t));
        pipe->InitBuffer(mapBuffer_, static_cast<uint32_t>(tileTokens_ * MapPitch(tileExperts_)));
        pipe->InitBuffer(placeBuffer_, static_cast<uint32_t>(bytes));
        pipe->InitBuffer(totalBuffer_, static_cast<uint32_t>(bytes));
        pipe->InitBuffer(countBuffer_, static_cast<uint32_t>(bytes));
    }

    __aicore__ inline static int64_t RoundedUp(int64_t bytes) {
        return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    }

    // Elements from one token of a tile to the next in UB: every row begins a block of 32 bytes.
    template <typename Element>
    __aicore__ inline static int64_t Pitch(int64_t experts) {
        return RoundedUp(experts * sizeof(Element)) / sizeof(Element);
    }

    __aicore__ inline static int64_t MapPitch(int64_t experts) { return Pitch<uint8_t>(experts); }

    // Every block of the launch calls it; afterwards each knows the counts of all.
    __aicore__ inline void CountAll() {
        for (int64_t expert = 0; expert < experts_; expert += tileExperts_) {
            CountPlaces(expert, Least(tileExperts_, experts_ - expert));
        }
        AscendC::SyncAll();
    }

    // Leaves in placeBuffer_ how many places come before this core's first one of each expert, be
    // they of the expert or of an earlier one. `before` places belong to earlier experts than
    // these; returns how many belong to these and earlier ones.
    __aicore__ inline int64_t FindPlaces(int64_t expert, int64_t experts, int64_t before) {
        AscendC::LocalTensor<int32_t> places = placeBuffer_.Get<int32_t>();
        AscendC::LocalTensor<int32_t> totals = totalBuffer_.Get<int32_t>();
        SumCounts(places, totals, expert, experts);
        for (int64_t i = 0; i < experts; ++i) {
            const uint32_t at = static_cast<uint32_t>(i);
            places.SetValue(at, static_cast<int32_t>(before + places.GetValue(at)));
            before += totals.GetValue(at);
        }
        return before;
    }

    // The places of each expert: of the cores before this one in `earlier`, of all in `totals`.
    // Each copy waits for the additions before it, and each addition for its copy: no barrier is
    // needed.
    __aicore__ inline void SumCounts(const AscendC::LocalTensor<int32_t>& earlier,
                                     const AscendC::LocalTensor<int32_t>& totals, int64_t expert,
                                     int64_t experts) {
        const int32_t count = static_cast<int32_t>(experts);
        const uint32_t bytes = static_cast<uint32_t>(experts * sizeof(int32_t));
        AscendC::LocalTensor<int32_t> counts = countBuffer_.Get<int32_t>();
        ordering::Order<AscendC::HardEvent::S_V>();
        AscendC::Duplicate(earlier, 0, count);
        AscendC::Duplicate(totals, 0, count);
        for (int64_t core = 0; core < blocks_; ++core) {
            ordering::Order<AscendC::HardEvent::V_MTE2>();
            AscendC::DataCopyPad(counts, counts_[core * experts_ + expert],
                                 AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                                 AscendC::DataCopyPadExtParams<int32_t>{});
            ordering::Order<AscendC::HardEvent::MTE2_V>();
            if (core < block_) {
                AscendC::Add(earlier, earlier, counts, count);
            }
            AscendC::Add(totals, totals, counts, count);
        }
        ordering::Order<AscendC::HardEvent::V_S>();
    }

    __aicore__ inline void LoadMap(int64_t token, int64_t tokens, int64_t expert, int64_t experts) {
        AscendC::LocalTensor<uint8_t> map = mapBuffer_.Get<uint8_t>();
        const uint32_t gap = static_cast<uint32_t>(experts_ - experts);
        const AscendC::DataCopyExtParams rows{static_cast<uint16_t>(tokens),
                                              static_cast<uint32_t>(experts), gap, 0, 0};
        ordering::Order<AscendC::HardEvent::S_MTE2>();
        AscendC::DataCopyPad(map, map_[token * experts_ + expert], rows,
                             AscendC::DataCopyPadExtParams<uint8_t>{});
        ordering::Order<AscendC::HardEvent::MTE2_S>();
    }

    __aicore__ inline int32_t CountTrue(int64_t expert, int64_t tokens, int64_t experts) {
        int32_t count = 0;
        for (int64_t token = 0; token < tokens; ++token) {
            count += IsTrue(token, expert, experts) ? 1 : 0;
        }
        return count;
    }

    // Any value but zero is true.
    __aicore__ inline bool IsTrue(int64_t token, int64_t expert, int64_t experts) {
        const int64_t at = token * MapPitch(experts) + expert;
        return mapBuffer_.Get<uint8_t>().GetValue(static_cast<uint32_t>(at)) != 0;
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC> placeBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> totalBuffer_;
    int64_t experts_;
    int64_t tileExperts_;
    int64_t tileTokens_;
    int64_t block_;
    int64_t blocks_;
    row_sum::Share share_;

private:
    // The true places of each expert of the tile in this core's tokens, for the other cores to see.
    __aicore__ inline void CountPlaces(int64_t expert, int64_t experts) {
        AscendC::LocalTensor<int32_t> counts = placeBuffer_.Get<int32_t>();
        ordering::Order<AscendC::HardEvent::MTE3_S>();
        for (int64_t i = 0; i < experts; ++i) {
            counts.SetValue(static_cast<uint32_t>(i), 0);
        }
        for (int64_t token = share_.first; token < share_.end; token += tileTokens_) {
            const int64_t tokens = Least(tileTokens_, share_.end - token);
            LoadMap(token, tokens, expert, experts);
            for (int64_t i = 0; i < experts; ++i) {
                const uint32_t at = static_cast<uint32_t>(i);
                counts.SetValue(at, counts.GetValue(at) + CountTrue(i, tokens, experts));
            }
        }
        ordering::Order<AscendC::HardEvent::S_MTE3>();
        const uint32_t bytes = static_cast<uint32_t>(experts * sizeof(int32_t));
        AscendC::DataCopyPad(counts_[block_ * experts_ + expert], counts,
                             AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});
    }

    AscendC::GlobalTensor<uint8_t> map_;
    AscendC::GlobalTensor<int32_t> counts_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> mapBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> countBuffer_;
};

}  // namespace routing_map

#endif
