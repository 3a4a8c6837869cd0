// A stable ascending argsort of integers on the vector cores, for the kernels of this family.
//
// Keys become fp32 by rounding to the nearest even, which is exact up to 2^24 in magnitude and
// keeps the order of all others but that neighbours become equal: the result is that of a stable
// argsort of the fp32 keys. Sorting instructions put the largest score first, so scores are the
// negated keys. Equal scores keep their order in a run and in a merge, where the earlier list goes
// first.
#ifndef STABLE_SORT_KERNEL_H
#define STABLE_SORT_KERNEL_H

#include "kernel_operator.h"
#include "ordering_kernel.h"
#include "stable_sort_tiling.h"

namespace stable_sort {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPadExtParams;
using AscendC::GlobalTensor;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::RoundMode;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;

constexpr int64_t LISTS = 4;         // that one MrgSort takes
constexpr int64_t SORTED_KEYS = 32;  // that Sort32 takes
constexpr int64_t PAIR_FLOATS = 2;   // a pair is a score and a position, 4 bytes each
constexpr int64_t PAIR_BYTES = 8;
constexpr float LAST_SCORE = -3.0e38f;  // below the score of any 64-bit key

using ordering::Least;
using ordering::Order;
using ordering::RoundUp;

// One of the lists that a core merges.
struct List {
    int64_t next;  // the first pair that is not merged yet
    int64_t end;
    int64_t slot;   // its part of the buffer of tiles
    int64_t count;  // pairs there
    bool isLoaded;
};

class Sorter {
public:
    // `first` and `second` are room for a list of all pairs each; unused where there is one run.
    __aicore__ inline void Init(const __gm__ StableSortTilingData* tiling, GM_ADDR first,
                                GM_ADDR second, TPipe* pipe) {
        TakeCut(tiling);
        first_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(first));
        second_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(second));
        // The first merges have fewer groups than there are runs: nobody joins later.
        if (AscendC::GetBlockIdx() < runs_) {
            InitBuffers(pipe);
        }
    }

    // For a block that sorts alone: there is one run.
    __aicore__ inline void InitAlone(const __gm__ StableSortTilingData* tiling, TPipe* pipe) {
        TakeCut(tiling);
        InitBuffers(pipe);
    }

    // order[r] is the position of the key of rank r. Every block of the launch calls it, and what
    // it wrote is there for all of them when it returns.
    template <typename Key>
    __aicore__ inline void ArgSort(const GlobalTensor<Key>& keys,
                                   const GlobalTensor<int32_t>& order) {
        order_ = order;
        for (int64_t run = AscendC::GetBlockIdx(); run < runs_; run += AscendC::GetBlockNum()) {
            SortRun(keys, run);
        }
        AscendC::SyncAll();
        GlobalTensor<float> from = first_;
        GlobalTensor<float> to = second_;
        int64_t listKeys = runKeys_;
        for (int64_t lists = runs_; lists > 1; lists = (lists + LISTS - 1) / LISTS) {
            const int64_t groupKeys = LISTS * listKeys;
            for (int64_t begin = AscendC::GetBlockIdx() * groupKeys; begin < keys_;
                 begin += AscendC::GetBlockNum() * groupKeys) {
                MergeLists(from, to, begin, listKeys, lists <= LISTS);
            }
            AscendC::SyncAll();
            const GlobalTensor<float> merged = to;
            to = from;
            from = merged;
            listKeys = groupKeys;
        }
    }

    // The same with a value for each key in place of its position, and with the keys in their
    // order.
    __aicore__ inline void SortPairs(const GlobalTensor<int32_t>& keys,
                                     const GlobalTensor<int32_t>& values,
                                     const GlobalTensor<int32_t>& sortedKeys,
                                     const GlobalTensor<int32_t>& sortedValues) {
        values_ = values;
        sortedKeys_ = sortedKeys;
        hasValues_ = true;
        ArgSort(keys, sortedValues);
        hasValues_ = false;
    }

    // An argsort by one block, which waits for no other: what it wrote is there for its own copies.
    template <typename Key>
    __aicore__ inline void ArgSortAlone(const GlobalTensor<Key>& keys,
                                        const GlobalTensor<int32_t>& order) {
        order_ = order;
        SortRun(keys, 0);
    }

private:
    __aicore__ inline void TakeCut(const __gm__ StableSortTilingData* tiling) {
        keys_ = tiling->keys;
        runKeys_ = tiling->runKeys;
        runs_ = tiling->runs;
        tileKeys_ = tiling->tileKeys;
    }

    __aicore__ inline void InitBuffers(TPipe* pipe) {
        const uint32_t bytes = static_cast<uint32_t>(LISTS * tileKeys_ * PAIR_BYTES);
        pipe->InitBuffer(inBuffer_, bytes);
        pipe->InitBuffer(workBuffer_, bytes);
        pipe->InitBuffer(outBuffer_, bytes);
    }

    // Step 1: a run of keys becomes sorted pairs, or their positions where it is the only one.
    template <typename Key>
    __aicore__ inline void SortRun(const GlobalTensor<Key>& keys, int64_t run) {
        const int64_t begin = run * runKeys_;
        const int64_t count = Least(runKeys_, keys_ - begin);
        const int64_t padded = RoundUp(count, SORTED_KEYS);
        const bool isOnly = runs_ == 1;
        // The pairs move between two buffers, and have to end in the right one.
        LocalTensor<float> pairs = isOnly ? Work() : Out();
        LocalTensor<float> other = isOnly ? Out() : Work();
        for (int64_t length = SORTED_KEYS; length < padded; length *= LISTS) {
            Swap(pairs, other);
        }
        const LocalTensor<Key> raw = inBuffer_.Get<Key>();
        const LocalTensor<float> scores = other;
        const LocalTensor<int32_t> positions = other.ReinterpretCast<int32_t>()[padded];
        AscendC::DataCopyPad(
            raw, keys[begin],
            DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(Key)), 0, 0, 0},
            DataCopyPadExtParams<Key>{});
        const LocalTensor<int32_t> values = inBuffer_.Get<int32_t>()[padded];  // behind the keys
        if (hasValues_) {
            AscendC::DataCopyPad(
                values, values_[begin],
                DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(int32_t)), 0, 0, 0},
                DataCopyPadExtParams<int32_t>{});
        }
        AscendC::Duplicate(scores[padded - SORTED_KEYS], LAST_SCORE,
                           static_cast<int32_t>(SORTED_KEYS));
        // The scalar unit begins a progression.
        Order<HardEvent::V_S>();
        AscendC::ArithProgression(positions, static_cast<int32_t>(begin), 1,
                                  static_cast<int32_t>(padded));
        AscendC::PipeBarrier<PIPE_V>();
        Order<HardEvent::MTE2_V>();
        AscendC::Cast(scores, raw, RoundMode::CAST_RINT, static_cast<uint32_t>(count));
        if (hasValues_) {
            AscendC::Adds(positions, values, 0, static_cast<int32_t>(count));
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(scores, scores, -1.0f, static_cast<int32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Sort32(pairs, scores, positions.ReinterpretCast<uint32_t>(),
                        static_cast<int32_t>(padded / SORTED_KEYS));
        for (int64_t length = SORTED_KEYS; length < padded; length *= LISTS) {
            Swap(pairs, other);
            AscendC::PipeBarrier<PIPE_V>();
            MergeInUb(pairs, other, padded, length);
        }
        AscendC::PipeBarrier<PIPE_V>();
        Store(pairs, count, first_, begin, isOnly);
        Order<HardEvent::V_MTE2>();
    }

    // Each four neighbouring lists of `length` pairs become one; at the end there may be fewer, and
    // the last list may be shorter.
    __aicore__ inline void MergeInUb(const LocalTensor<float>& to, const LocalTensor<float>& from,
                                     int64_t pairs, int64_t length) {
        const int64_t whole = pairs / (LISTS * length);
        const int64_t rest = pairs - whole * LISTS * length;
        if (whole > 0) {
            MergeNeighbours(to, from, length, LISTS * length, whole);
        }
        const int64_t done = (pairs - rest) * PAIR_FLOATS;
        if (rest > length) {
            MergeNeighbours(to[done], from[done], length, rest, 1);
        } else if (rest > 0) {
            AscendC::DataCopy(to[done], from[done], static_cast<uint32_t>(rest * PAIR_FLOATS));
        }
    }

    // `pairs` pairs, in lists of `length` but for the last, become one; so many times.
    __aicore__ inline void MergeNeighbours(const LocalTensor<float>& to,
                                           const LocalTensor<float>& from, int64_t length,
                                           int64_t pairs, int64_t times) {
        uint16_t counts[LISTS] = {0, 0, 0, 0};
        uint32_t taken[LISTS];
        LocalTensor<float> sources[LISTS] = {from, from, from, from};
        uint16_t lists = 0;
        for (int64_t begin = 0; begin < pairs; begin += length) {
            sources[lists] = from[begin * PAIR_FLOATS];
            counts[lists] = static_cast<uint16_t>(Least(length, pairs - begin));
            ++lists;
        }
        AscendC::MrgSort<float>(to, {sources[0], sources[1], sources[2], sources[3]}, counts, taken,
                                static_cast<uint16_t>((1 << lists) - 1),
                                static_cast<int32_t>(times));
    }

    // Step 2: up to four lists of `listKeys` pairs from `begin` on become one. Of the last merge of
    // all, the positions are the result.
    __aicore__ inline void MergeLists(const GlobalTensor<float>& from,
                                      const GlobalTensor<float>& to, int64_t begin,
                                      int64_t listKeys, bool isLast) {
        List lists[LISTS];
        int64_t left = 0;
        for (int64_t start = begin; left < LISTS && start < keys_; start += listKeys) {
            lists[left] = {start, Least(start + listKeys, keys_), left, 0, false};
            ++left;
        }
        int64_t written = begin;
        while (left > 1) {
            const LocalTensor<float> merged = isLast ? Work() : Out();
            const int64_t pairs = MergeTiles(merged, from, lists, left);
            AscendC::PipeBarrier<PIPE_V>();
            Store(merged, pairs, to, written, isLast);
            Order<HardEvent::V_MTE2>();
            written += pairs;
            left = DropEnded(lists, left);
        }
        MoveRest(from, to, lists[0], written, isLast);
    }

    // Merges until the tile of some list ends; returns the number of merged pairs. What is left of
    // a tile that lost pairs is loaded again, as operands begin on 32 bytes.
    __aicore__ inline int64_t MergeTiles(const LocalTensor<float>& merged,
                                         const GlobalTensor<float>& from, List* lists,
                                         int64_t left) {
        for (int64_t list = 0; list < left; ++list) {
            if (!lists[list].isLoaded) {
                lists[list].count = Least(tileKeys_, lists[list].end - lists[list].next);
                Load(Tile(lists[list]), from, lists[list].next, lists[list].count);
            }
        }
        Order<HardEvent::MTE2_V>();
        uint16_t counts[LISTS] = {0, 0, 0, 0};
        uint16_t taken[LISTS] = {0, 0, 0, 0};
        LocalTensor<float> sources[LISTS] = {merged, merged, merged, merged};
        for (int64_t list = 0; list < left; ++list) {
            sources[list] = Tile(lists[list]);
            counts[list] = static_cast<uint16_t>(lists[list].count);
        }
        AscendC::MrgSort<float>(merged, {sources[0], sources[1], sources[2], sources[3]},
                                {counts, true, static_cast<uint16_t>((1 << left) - 1), 1});
        Order<HardEvent::V_S>();
        AscendC::GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);
        int64_t pairs = 0;
        for (int64_t list = 0; list < left; ++list) {
            lists[list].next += taken[list];
            lists[list].isLoaded = taken[list] == 0;
            pairs += taken[list];
        }
        return pairs;
    }

    // The lists that still have pairs, in their order; returns how many.
    __aicore__ inline int64_t DropEnded(List* lists, int64_t count) {
        int64_t left = 0;
        for (int64_t list = 0; list < count; ++list) {
            if (lists[list].next < lists[list].end) {
                lists[left] = lists[list];
                ++left;
            }
        }
        return left;
    }

    // The rest of one list, which nothing is left to merge with.
    __aicore__ inline void MoveRest(const GlobalTensor<float>& from, const GlobalTensor<float>& to,
                                    const List& list, int64_t written, bool isLast) {
        const int64_t most = LISTS * tileKeys_;
        const LocalTensor<float> pairs = inBuffer_.Get<float>();
        for (int64_t next = list.next; next < list.end; next += most) {
            const int64_t count = Least(most, list.end - next);
            Load(pairs, from, next, count);
            Order<HardEvent::MTE2_V>();
            Store(pairs, count, to, written + (next - list.next), isLast);
            Order<HardEvent::V_MTE2>();
        }
    }

    __aicore__ inline void Load(const LocalTensor<float>& pairs, const GlobalTensor<float>& from,
                                int64_t first, int64_t count) {
        AscendC::DataCopyPad(
            pairs, from[first * PAIR_FLOATS],
            DataCopyExtParams{1, static_cast<uint32_t>(count * PAIR_BYTES), 0, 0, 0},
            DataCopyPadExtParams<float>{});
    }

    // Stores `count` pairs as they are, or their positions in the result, from `first` on. `pairs`
    // must not be in the out buffer where positions are taken. The copy comes after all that the
    // vector pipe was given or told of, and before what it is given next.
    __aicore__ inline void Store(const LocalTensor<float>& pairs, int64_t count,
                                 const GlobalTensor<float>& to, int64_t first, bool asPositions) {
        if (asPositions) {
            const int64_t padded = RoundUp(count, SORTED_KEYS);
            const LocalTensor<uint32_t> positions = outBuffer_.Get<uint32_t>();
            AscendC::Extract(Out()[padded], positions, pairs,
                             static_cast<int32_t>(padded / SORTED_KEYS));
            if (hasValues_) {
                StoreKeys(Out()[padded], count, first);
            }
            Order<HardEvent::V_MTE3>();
            AscendC::DataCopyPad(
                order_[first], positions.ReinterpretCast<int32_t>(),
                DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(int32_t)), 0, 0, 0});
        } else {
            Order<HardEvent::V_MTE3>();
            AscendC::DataCopyPad(
                to[first * PAIR_FLOATS], pairs,
                DataCopyExtParams{1, static_cast<uint32_t>(count * PAIR_BYTES), 0, 0, 0});
        }
        Order<HardEvent::MTE3_V>();
    }

    // Of what Extract leaves beside positions: scores, which become keys again.
    __aicore__ inline void StoreKeys(const LocalTensor<float>& negated, int64_t count,
                                     int64_t first) {
        const LocalTensor<int32_t> keys = negated.ReinterpretCast<int32_t>();
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(negated, negated, -1.0f, static_cast<int32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Cast(keys, negated, RoundMode::CAST_RINT, static_cast<uint32_t>(count));
        Order<HardEvent::V_MTE3>();
        AscendC::DataCopyPad(
            sortedKeys_[first], keys,
            DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(int32_t)), 0, 0, 0});
    }

    __aicore__ inline static void Swap(LocalTensor<float>& one, LocalTensor<float>& other) {
        const LocalTensor<float> kept = one;
        one = other;
        other = kept;
    }

    __aicore__ inline LocalTensor<float> Work() { return workBuffer_.Get<float>(); }
    __aicore__ inline LocalTensor<float> Out() { return outBuffer_.Get<float>(); }
    __aicore__ inline LocalTensor<float> Tile(const List& list) {
        return inBuffer_.Get<float>()[list.slot * tileKeys_ * PAIR_FLOATS];
    }

    GlobalTensor<float> first_;
    GlobalTensor<float> second_;
    GlobalTensor<int32_t> order_;
    GlobalTensor<int32_t> values_;
    GlobalTensor<int32_t> sortedKeys_;
    TBuf<TPosition::VECCALC> inBuffer_;
    TBuf<TPosition::VECCALC> workBuffer_;
    TBuf<TPosition::VECCALC> outBuffer_;

    bool hasValues_ = false;
    int64_t keys_;
    int64_t runKeys_;
    int64_t runs_;
    int64_t tileKeys_;
};

}  // namespace stable_sort

#endif
