// Values into the places where the routing map is true, zeros elsewhere: the n-th value goes to the
// n-th true place, counted expert by expert and within an expert token by token, while the output
// and the map lie token by token.
//
// A core has a range of tokens. First it counts the true places of each expert there, and leaves
// the counts in global memory. When all cores have, the value that its first place of an expert
// takes is known: all places of earlier experts come before it, and those of this expert on earlier
// cores. The values of one expert in one tile lie side by side.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_MASK_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_MASK_H

#include "../shared/row_sum_kernel.h"
#include "kernel_operator.h"
#include "moe_token_permute_with_routing_map_grad_tiling.h"

namespace routing_map_grad_kernel {

using row_sum::Least;

// `Bits` is the unsigned integer of an element's size: values are moved, never computed with.
template <typename Bits>
class MaskedScatter {
public:
    __aicore__ inline void Init(GM_ADDR values, GM_ADDR map, GM_ADDR output, GM_ADDR scratch,
                                const __gm__ RoutingMapGradMask* tiling, AscendC::TPipe* pipe) {
        experts_ = tiling->experts;
        tileTokens_ = tiling->tileTokens;
        tileExperts_ = tiling->tileExperts;
        block_ = AscendC::GetBlockIdx();
        blocks_ = AscendC::GetBlockNum();
        share_ = row_sum::ShareOf(tiling->tokens, block_, blocks_);
        values_.SetGlobalBuffer(reinterpret_cast<__gm__ Bits*>(values));
        map_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(map));
        output_.SetGlobalBuffer(reinterpret_cast<__gm__ Bits*>(output));
        counts_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(scratch));
        const int64_t counts = RoundedUp(tileExperts_ * sizeof(int32_t));
        pipe->InitBuffer(mapBuffer_, static_cast<uint32_t>(tileTokens_ * MapPitch(tileExperts_)));
        const int64_t elements = tileTokens_ * OutputPitch(tileExperts_);
        pipe->InitBuffer(outputBuffer_, static_cast<uint32_t>(elements * sizeof(Bits)));
        pipe->InitBuffer(valueBuffer_, static_cast<uint32_t>(tileTokens_ * sizeof(Bits)));
        pipe->InitBuffer(placeBuffer_, static_cast<uint32_t>(counts));
        pipe->InitBuffer(totalBuffer_, static_cast<uint32_t>(counts));
        pipe->InitBuffer(countBuffer_, static_cast<uint32_t>(counts));
    }

    __aicore__ inline void Process() {
        for (int64_t expert = 0; expert < experts_; expert += tileExperts_) {
            CountPlaces(expert, Least(tileExperts_, experts_ - expert));
        }
        AscendC::SyncAll();
        int64_t before = 0;
        for (int64_t expert = 0; expert < experts_; expert += tileExperts_) {
            const int64_t experts = Least(tileExperts_, experts_ - expert);
            before = FindPlaces(expert, experts, before);
            for (int64_t token = share_.first; token < share_.end; token += tileTokens_) {
                FillTile(token, Least(tileTokens_, share_.end - token), expert, experts);
            }
        }
    }

private:
    static constexpr int64_t BLOCK_BYTES = 32;

    __aicore__ inline static int64_t RoundedUp(int64_t bytes) {
        return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    }

    // Elements from one token of a tile to the next in UB: every row begins a block of 32 bytes.
    __aicore__ inline static int64_t MapPitch(int64_t experts) { return RoundedUp(experts); }

    __aicore__ inline static int64_t OutputPitch(int64_t experts) {
        return RoundedUp(experts * sizeof(Bits)) / sizeof(Bits);
    }

    // The true places of each expert of the tile in this core's tokens, for the other cores to see.
    __aicore__ inline void CountPlaces(int64_t expert, int64_t experts) {
        AscendC::LocalTensor<int32_t> counts = placeBuffer_.template Get<int32_t>();
        AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_S>(EVENT_ID0);
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
        AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(EVENT_ID0);
        const uint32_t bytes = static_cast<uint32_t>(experts * sizeof(int32_t));
        AscendC::DataCopyPad(counts_[block_ * experts_ + expert], counts,
                             AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});
    }

    // Leaves the place of this core's first value of each expert in placeBuffer_. `before` values
    // belong to earlier experts; returns how many belong to these and earlier ones.
    __aicore__ inline int64_t FindPlaces(int64_t expert, int64_t experts, int64_t before) {
        AscendC::LocalTensor<int32_t> places = placeBuffer_.template Get<int32_t>();
        AscendC::LocalTensor<int32_t> totals = totalBuffer_.template Get<int32_t>();
        SumCounts(places, totals, expert, experts);
        for (int64_t i = 0; i < experts; ++i) {
            const uint32_t at = static_cast<uint32_t>(i);
            places.SetValue(at, static_cast<int32_t>(before + places.GetValue(at)));
            before += totals.GetValue(at);
        }
        return before;
    }

    // The counts of each expert: of the cores before this one in `earlier`, of all in `totals`.
    // Each copy waits for the additions before it, and each addition for its copy: no barrier is
    // needed.
    __aicore__ inline void SumCounts(const AscendC::LocalTensor<int32_t>& earlier,
                                     const AscendC::LocalTensor<int32_t>& totals, int64_t expert,
                                     int64_t experts) {
        const int32_t count = static_cast<int32_t>(experts);
        const uint32_t bytes = static_cast<uint32_t>(experts * sizeof(int32_t));
        AscendC::LocalTensor<int32_t> counts = countBuffer_.template Get<int32_t>();
        AscendC::SetFlag<AscendC::HardEvent::S_V>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::S_V>(EVENT_ID0);
        AscendC::Duplicate(earlier, 0, count);
        AscendC::Duplicate(totals, 0, count);
        for (int64_t core = 0; core < blocks_; ++core) {
            AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(EVENT_ID0);
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(EVENT_ID0);
            AscendC::DataCopyPad(counts, counts_[core * experts_ + expert],
                                 AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                                 AscendC::DataCopyPadExtParams<int32_t>{});
            AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
            AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
            if (core < block_) {
                AscendC::Add(earlier, earlier, counts, count);
            }
            AscendC::Add(totals, totals, counts, count);
        }
        AscendC::SetFlag<AscendC::HardEvent::V_S>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(EVENT_ID0);
    }

    __aicore__ inline void FillTile(int64_t token, int64_t tokens, int64_t expert,
                                    int64_t experts) {
        AscendC::LocalTensor<Bits> output = outputBuffer_.template Get<Bits>();
        AscendC::LocalTensor<int32_t> places = placeBuffer_.template Get<int32_t>();
        LoadMap(token, tokens, expert, experts);
        AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(EVENT_ID0);
        AscendC::Duplicate(output, static_cast<Bits>(0),
                           static_cast<int32_t>(tokens * OutputPitch(experts)));
        AscendC::SetFlag<AscendC::HardEvent::V_S>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(EVENT_ID0);
        for (int64_t i = 0; i < experts; ++i) {
            const int32_t count = CountTrue(i, tokens, experts);
            if (count > 0) {
                const uint32_t at = static_cast<uint32_t>(i);
                const int32_t place = places.GetValue(at);
                PlaceValues(place, count, i, tokens, experts);
                places.SetValue(at, place + count);
            }
        }
        AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(EVENT_ID0);
        const uint32_t bytes = static_cast<uint32_t>(experts * sizeof(Bits));
        const uint32_t gap = static_cast<uint32_t>((experts_ - experts) * sizeof(Bits));
        AscendC::DataCopyPad(
            output_[token * experts_ + expert], output,
            AscendC::DataCopyExtParams{static_cast<uint16_t>(tokens), bytes, 0, gap, 0});
    }

    // `count` values from `place` on into the true places of one expert of the tile.
    __aicore__ inline void PlaceValues(int64_t place, int64_t count, int64_t expert, int64_t tokens,
                                       int64_t experts) {
        AscendC::LocalTensor<Bits> values = valueBuffer_.template Get<Bits>();
        AscendC::LocalTensor<Bits> output = outputBuffer_.template Get<Bits>();
        const uint32_t bytes = static_cast<uint32_t>(count * sizeof(Bits));
        AscendC::SetFlag<AscendC::HardEvent::S_MTE2>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE2>(EVENT_ID0);
        AscendC::DataCopyPad(values, values_[place], AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<Bits>{});
        AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(EVENT_ID0);
        uint32_t value = 0;
        for (int64_t token = 0; token < tokens; ++token) {
            if (IsTrue(token, expert, experts)) {
                const int64_t at = token * OutputPitch(experts) + expert;
                output.SetValue(static_cast<uint32_t>(at), values.GetValue(value));
                ++value;
            }
        }
    }

    __aicore__ inline void LoadMap(int64_t token, int64_t tokens, int64_t expert, int64_t experts) {
        AscendC::LocalTensor<uint8_t> map = mapBuffer_.template Get<uint8_t>();
        const uint32_t gap = static_cast<uint32_t>(experts_ - experts);
        const AscendC::DataCopyExtParams rows{static_cast<uint16_t>(tokens),
                                              static_cast<uint32_t>(experts), gap, 0, 0};
        AscendC::SetFlag<AscendC::HardEvent::S_MTE2>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::S_MTE2>(EVENT_ID0);
        AscendC::DataCopyPad(map, map_[token * experts_ + expert], rows,
                             AscendC::DataCopyPadExtParams<uint8_t>{});
        AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(EVENT_ID0);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(EVENT_ID0);
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
        return mapBuffer_.template Get<uint8_t>().GetValue(static_cast<uint32_t>(at)) != 0;
    }

    AscendC::GlobalTensor<Bits> values_;
    AscendC::GlobalTensor<uint8_t> map_;
    AscendC::GlobalTensor<Bits> output_;
    AscendC::GlobalTensor<int32_t> counts_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> mapBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> outputBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> valueBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> placeBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> totalBuffer_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> countBuffer_;
    int64_t experts_;
    int64_t tileTokens_;
    int64_t tileExperts_;
    int64_t block_;
    int64_t blocks_;
    row_sum::Share share_;
};

}  // namespace routing_map_grad_kernel

#endif
