// Every output row is the sum of the source rows that name its token, in the order of the entries,
// from +0.0 on. Entries are sorted by token, so that those of a token lie side by side: each has a
// token, a row, and the factor of its row.
#ifndef SORTED_SUM_KERNEL_H
#define SORTED_SUM_KERNEL_H

#include "kernel_operator.h"
#include "../sorting/ordering_kernel.h"
#include "row_sum_kernel.h"

namespace row_sum {

// A batch of RowSumTiling is so many entries in the unified buffer (UB). `Entries` brings them
// there (Load), and tells of the one at a place there TokenAt, RowAt and FactorAt.
template <typename T, typename Entries>
class SortedSum {
public:
    // `entries` is ready but for its part of UB, where it has Room for a batch.
    __aicore__ inline void Init(GM_ADDR source, GM_ADDR output, const __gm__ RowSumTiling* tiling,
                                AscendC::TPipe* pipe, const Entries& entries) {
        hidden_ = tiling->hidden;
        count_ = tiling->sourceRows;
        tileColumns_ = tiling->tileColumns;
        batch_ = tiling->batch;
        share_ = ShareOf(tiling->tokens, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
        entries_ = entries;
        rows_.Init(source, output, tiling, pipe);
        entries_.Room(batch_, pipe);
    }

    __aicore__ inline void Process() {
        int64_t first = FirstEntryFrom(share_.first);
        for (int64_t token = share_.first; token < share_.end; ++token) {
            int64_t end = first;
            while (end < count_ && entries_.TokenAt(PlaceOf(end)) == token) {
                ++end;
            }
            for (int64_t column = 0; column < hidden_; column += tileColumns_) {
                const int64_t columns = Least(tileColumns_, hidden_ - column);
                rows_.StartAtZero(columns);
                for (int64_t entry = first; entry < end; ++entry) {
                    const uint32_t place = PlaceOf(entry);
                    rows_.AddRow(entries_.RowAt(place), column, columns, entries_.FactorAt(place));
                }
                rows_.Store(token, column, columns);
            }
            first = end;
        }
    }

private:
    // The first entry of a token that is not below `token`, by halving.
    __aicore__ inline int64_t FirstEntryFrom(int64_t token) {
        int64_t below = 0;
        int64_t end = count_;
        while (below < end) {
            const int64_t middle = below + (end - below) / 2;
            Load(middle, 1);
            if (entries_.TokenAt(0) < token) {
                below = middle + 1;
            } else {
                end = middle;
            }
        }
        return below;
    }

    // Where an entry lies in the window, which moves to it if need be.
    __aicore__ inline uint32_t PlaceOf(int64_t entry) {
        if (entry < windowFirst_ || entry >= windowEnd_) {
            Load(entry, Least(batch_, count_ - entry));
        }
        return static_cast<uint32_t>(entry - windowFirst_);
    }

    __aicore__ inline void Load(int64_t entry, int64_t count) {
        ordering::Order<AscendC::HardEvent::S_MTE2>();
        entries_.Load(entry, count);
        ordering::Order<AscendC::HardEvent::MTE2_S>();
        windowFirst_ = entry;
        windowEnd_ = entry + count;
    }

    Entries entries_;
    RowSum<T> rows_;
    int64_t hidden_;
    int64_t count_;
    int64_t tileColumns_;
    int64_t batch_;
    int64_t windowFirst_ = 0;
    int64_t windowEnd_ = 0;
    Share share_;
};

}  // namespace row_sum

#endif
