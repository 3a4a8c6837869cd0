// With dropAndPad: the tokens of each expert's rows, and their probs. They are all there whatever
// the map holds, as no expert has more rows than there are tokens.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_PAD_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_PAD_H

#include "kernel_operator.h"
#include "moe_token_permute_with_routing_map_kernel_place.h"
#include "moe_token_permute_with_routing_map_tiling.h"

namespace moe_token_permute_with_routing_map_kernel {

template <typename Bits>
class Padder : private Placer<Bits> {
    using Base = Placer<Bits>;

public:
    __aicore__ inline void Init(const Tensors& tensors, const __gm__ Tiling* tiling,
                                AscendC::TPipe* pipe) {
        capacity_ = tiling->capacity;
        Base::Init(tensors, tiling, tiling->map.tileTokens, pipe);
    }

    __aicore__ inline void Process() {
        Base::CountAll();
        const LocalTensor<int32_t> selected = Base::placeBuffer_.template Get<int32_t>();
        const LocalTensor<int32_t> totals = Base::totalBuffer_.template Get<int32_t>();
        for (int64_t expert = 0; expert < experts_; expert += tileExperts_) {
            const int64_t experts = Least(tileExperts_, experts_ - expert);
            Base::SumCounts(selected, totals, expert, experts);
            for (int64_t token = share_.first; token < share_.end; token += tileTokens_) {
                PartTile(token, Least(tileTokens_, share_.end - token), expert, experts);
            }
        }
    }

private:
    using Base::experts_;
    using Base::hasProbs_;
    using Base::share_;
    using Base::tileExperts_;
    using Base::tileTokens_;

    // A run of tokens of one expert of a tile: those that it selects, or the others.
    struct Run {
        int64_t token;  // the tile's first
        int64_t tokens;
        int64_t expert;  // in the tile
        int64_t experts;
        bool isSelected;
    };

    __aicore__ inline void PartTile(int64_t token, int64_t tokens, int64_t expert,
                                    int64_t experts) {
        const LocalTensor<int32_t> totals = Base::totalBuffer_.template Get<int32_t>();
        Base::LoadTile(token, tokens, expert, experts);
        for (int64_t i = 0; i < experts; ++i) {
            const int64_t selected = Base::PlaceOf(i);
            const int64_t total = totals.GetValue(static_cast<uint32_t>(i));
            const int64_t row = (expert + i) * capacity_;
            const int64_t found =
                MoveRun({token, tokens, i, experts, true}, row + selected, row + capacity_);
            // Of the earlier tokens, those that are not selected come before.
            const int64_t rest = total + token - selected;
            if (rest < capacity_) {
                MoveRun({token, tokens, i, experts, false}, row + rest, row + capacity_);
            }
            Base::SetPlace(i, selected + found);
        }
    }

    // Rows from `row` on, as far as they are before `end`; returns how many the run has.
    __aicore__ inline int64_t MoveRun(const Run& run, int64_t row, int64_t end) {
        const LocalTensor<int32_t> named = Base::indexBuffer_.template Get<int32_t>();
        LocalTensor<Bits> values;
        if (hasProbs_) {
            values = Base::valueBuffer_.template Get<Bits>();
        }
        int64_t count = 0;
        Order<HardEvent::MTE3_S>();
        for (int64_t i = 0; i < run.tokens; ++i) {
            if (Base::IsTrue(i, run.expert, run.experts) == run.isSelected) {
                const uint32_t at = static_cast<uint32_t>(count);
                named.SetValue(at, static_cast<int32_t>(run.token + i));
                if (hasProbs_) {
                    values.SetValue(at, Base::ProbOf(i, run.expert, run.experts));
                }
                ++count;
            }
        }
        Base::Store(Base::sortedIndices_, row, end, named, count);
        if (hasProbs_) {
            Base::Store(Base::permuteProbs_, row, end, values, count);
        }
        return count;
    }

    int64_t capacity_;
};

}  // namespace moe_token_permute_with_routing_map_kernel

#endif
