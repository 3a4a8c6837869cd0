// Row numbers sorted by the token that they name: equal tokens in the order of the rows.
//
// An entry is a pair of 8 bytes: the key, minus the token as fp32, since sorting is by falling key;
// and the position, the number of the row. Runs of entries are sorted in the unified buffer (UB)
// and left in global memory; then four runs at a time become one, until one is left. All blocks
// wait for each other before each round of merges. The entries lie in one half of the scratch
// memory before a round, and in the other after it.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_SORT_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_KERNEL_SORT_H

#include "kernel_operator.h"
#include "../shared/rows/row_sum_kernel.h"
#include "../shared/sorting/ordering_kernel.h"
#include "moe_token_permute_with_routing_map_grad_tiling.h"

namespace routing_map_grad_kernel {

using row_sum::Least;

constexpr int32_t ENTRY_FLOATS = 2;
constexpr int32_t ENTRY_BYTES = 8;

class Sort {
public:
    __aicore__ inline void Init(GM_ADDR indices, GM_ADDR scratch,
                                const __gm__ RoutingMapGradSort* tiling, AscendC::TPipe* pipe) {
        entries_ = tiling->entries;
        runEntries_ = tiling->runEntries;
        mergeEntries_ = tiling->mergeEntries;
        levels_ = tiling->levels;
        block_ = AscendC::GetBlockIdx();
        blocks_ = AscendC::GetBlockNum();
        tokens_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(indices));
        auto* entries = reinterpret_cast<__gm__ float*>(scratch);
        halves_[0].SetGlobalBuffer(entries);
        halves_[1].SetGlobalBuffer(entries + entries_ * ENTRY_FLOATS);
        const int64_t sorting = runEntries_ * RUN_BYTES;
        const int64_t merging = mergeEntries_ * MERGE_BYTES;
        pipe->InitBuffer(buffer_, static_cast<uint32_t>(sorting > merging ? sorting : merging));
    }

    __aicore__ inline void Process() {
        const int64_t step = runEntries_ * blocks_;
        for (int64_t first = block_ * runEntries_; first < entries_; first += step) {
            SortRun(first, Least(runEntries_, entries_ - first));
        }
        int64_t length = runEntries_;
        for (int64_t level = 0; level < levels_; ++level) {
            AscendC::SyncAll();
            const int64_t merged = length * LISTS;
            for (int64_t first = block_ * merged; first < entries_; first += merged * blocks_) {
                MergeRuns(first, length, halves_[level % 2], halves_[(level + 1) % 2]);
            }
            length = merged;
        }
    }

private:
    static constexpr int32_t LISTS = 4;
    static constexpr int32_t RUN_BYTES = 24;    // key, position, entry and the sort's own entry
    static constexpr int32_t MERGE_BYTES = 64;  // an entry of each list, twice
    static constexpr int64_t KEYS_OF_A_BLOCK = 8;
    static constexpr int64_t SORTED_AT_ONCE = 32;
    static constexpr int32_t BEHIND_ALL = 2147483647;  // pads are sorted behind every token

    __aicore__ inline static int64_t RoundedUp(int64_t value, int64_t multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }

    // Entries of rows [first, first + count) into half 0.
    __aicore__ inline void SortRun(int64_t first, int64_t count) {
        const uint32_t padded = static_cast<uint32_t>(RoundedUp(count, SORTED_AT_ONCE));
        const uint32_t keyBytes = static_cast<uint32_t>(runEntries_ * sizeof(int32_t));
        AscendC::LocalTensor<int32_t> tokens = buffer_.GetWithOffset<int32_t>(padded, 0);
        AscendC::LocalTensor<float> keys = buffer_.GetWithOffset<float>(padded, 0);
        AscendC::LocalTensor<int32_t> rows = buffer_.GetWithOffset<int32_t>(padded, keyBytes);
        const uint32_t elements = padded * ENTRY_FLOATS;
        AscendC::LocalTensor<float> sorted = buffer_.GetWithOffset<float>(elements, 2 * keyBytes);
        AscendC::LocalTensor<float> own = buffer_.GetWithOffset<float>(elements, 4 * keyBytes);
        AscendC::PipeBarrier<PIPE_ALL>();
        LoadTokens(tokens, first, count, padded);
        AscendC::CreateVecIndex(rows, static_cast<int32_t>(first), padded);
        AscendC::Cast(keys, tokens, AscendC::RoundMode::CAST_ROUND, padded);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(keys, keys, -1.0f, static_cast<int32_t>(padded));
        AscendC::PipeBarrier<PIPE_V>();
        const int32_t repeats = static_cast<int32_t>(padded / SORTED_AT_ONCE);
        AscendC::Sort<float, true>(sorted, keys, rows.ReinterpretCast<uint32_t>(), own, repeats);
        ordering::Order<AscendC::HardEvent::V_MTE3>();
        Store(halves_[0], first, sorted, count);
    }

    // The tokens of the rows, and behind them as many pads as make whole sorts.
    __aicore__ inline void LoadTokens(const AscendC::LocalTensor<int32_t>& tokens, int64_t first,
                                      int64_t count, int64_t padded) {
        const uint32_t bytes = static_cast<uint32_t>(count * sizeof(int32_t));
        const int64_t inBlocks = RoundedUp(count, KEYS_OF_A_BLOCK);
        const AscendC::DataCopyPadExtParams<int32_t> pads{
            true, 0, static_cast<uint8_t>(inBlocks - count), BEHIND_ALL};
        AscendC::DataCopyPad(tokens, tokens_[first], AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             pads);
        if (inBlocks < padded) {
            AscendC::Duplicate(tokens[inBlocks], BEHIND_ALL,
                               static_cast<int32_t>(padded - inBlocks));
            AscendC::PipeBarrier<PIPE_V>();
        }
        ordering::Order<AscendC::HardEvent::MTE2_V>();
    }

    // Up to four runs of `length` entries from entry `first` on become one. A step takes the next
    // entries of every run into UB and merges them until one of the parts is used up.
    __aicore__ inline void MergeRuns(int64_t first, int64_t length,
                                     const AscendC::GlobalTensor<float>& from,
                                     const AscendC::GlobalTensor<float>& to) {
        int64_t next[LISTS];
        int64_t end[LISTS];
        for (int32_t list = 0; list < LISTS; ++list) {
            next[list] = Least(first + list * length, entries_);
            end[list] = Least(next[list] + length, entries_);
        }
        const int64_t last = end[LISTS - 1];
        for (int64_t entry = first; entry < last;) {
            entry += MergeStep(next, end, from, to, entry);
        }
    }

    // Returns how many entries it left in `to`, from `entry` on.
    __aicore__ inline int64_t MergeStep(int64_t* next, const int64_t* end,
                                        const AscendC::GlobalTensor<float>& from,
                                        const AscendC::GlobalTensor<float>& to, int64_t entry) {
        AscendC::LocalTensor<float> parts[LISTS];
        uint16_t counts[LISTS] = {0, 0, 0, 0};
        int32_t lists[LISTS] = {0, 0, 0, 0};
        int32_t used = 0;
        AscendC::PipeBarrier<PIPE_ALL>();
        for (int32_t list = 0; list < LISTS; ++list) {
            const int64_t count = Least(mergeEntries_, end[list] - next[list]);
            if (count > 0) {
                parts[used] = Part(used, 1);
                Load(parts[used], from, next[list], count);
                counts[used] = static_cast<uint16_t>(count);
                lists[used] = list;
                ++used;
            }
        }
        if (used == 1) {
            ordering::Order<AscendC::HardEvent::MTE2_MTE3>();
            Store(to, entry, parts[0], counts[0]);
            next[lists[0]] += counts[0];
            return counts[0];
        }
        uint16_t taken[LISTS] = {0, 0, 0, 0};
        AscendC::LocalTensor<float> merged = Part(LISTS, LISTS);
        const AscendC::MrgSortSrcList<float> sources(parts[0], parts[1], parts[used > 2 ? 2 : 0],
                                                     parts[used > 3 ? 3 : 0]);
        ordering::Order<AscendC::HardEvent::MTE2_V>();
        AscendC::MrgSort<float>(merged, sources,
                                {counts, true, static_cast<uint16_t>((1 << used) - 1), 1});
        ordering::Order<AscendC::HardEvent::V_S>();
        AscendC::GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
        int64_t written = 0;
        for (int32_t part = 0; part < used; ++part) {
            next[lists[part]] += taken[part];
            written += taken[part];
        }
        ordering::Order<AscendC::HardEvent::V_MTE3>();
        Store(to, entry, merged, written);
        return written;
    }

    // Room for `parts` parts of a merge from part `first` on.
    __aicore__ inline AscendC::LocalTensor<float> Part(int64_t first, int64_t parts) {
        const int64_t bytes = mergeEntries_ * ENTRY_BYTES;
        return buffer_.GetWithOffset<float>(
            static_cast<uint32_t>(parts * mergeEntries_ * ENTRY_FLOATS),
            static_cast<uint32_t>(first * bytes));
    }

    __aicore__ inline void Load(const AscendC::LocalTensor<float>& part,
                                const AscendC::GlobalTensor<float>& from, int64_t entry,
                                int64_t count) {
        const uint32_t bytes = static_cast<uint32_t>(count * ENTRY_BYTES);
        AscendC::DataCopyPad(part, from[entry * ENTRY_FLOATS],
                             AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                             AscendC::DataCopyPadExtParams<float>{});
    }

    __aicore__ inline void Store(const AscendC::GlobalTensor<float>& to, int64_t entry,
                                 const AscendC::LocalTensor<float>& part, int64_t count) {
        const uint32_t bytes = static_cast<uint32_t>(count * ENTRY_BYTES);
        AscendC::DataCopyPad(to[entry * ENTRY_FLOATS], part,
                             AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});
    }

    AscendC::GlobalTensor<int32_t> tokens_;
    AscendC::GlobalTensor<float> halves_[2];
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer_;
    int64_t entries_;
    int64_t runEntries_;
    int64_t mergeEntries_;
    int64_t levels_;
    int64_t block_;
    int64_t blocks_;
};

}  // namespace routing_map_grad_kernel

#endif
