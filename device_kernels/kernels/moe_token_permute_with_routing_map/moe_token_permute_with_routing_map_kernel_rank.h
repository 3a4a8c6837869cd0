// Without dropAndPad: the rank of each token's copies, expert by expert, and the probs by rank.
//
// Every row of the map must have topK true places. The kernel asserts it, and where assertions are
// off it writes within its outputs all the same.
#ifndef MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_RANK_H
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KERNEL_RANK_H

#include "kernel_operator.h"
#include "moe_token_permute_with_routing_map_kernel_place.h"
#include "moe_token_permute_with_routing_map_tiling.h"

namespace moe_token_permute_with_routing_map_kernel {

template <typename Bits>
class Ranker : private Placer<Bits> {
    using Base = Placer<Bits>;

public:
    __aicore__ inline void Init(const Tensors& tensors, const __gm__ Tiling* tiling,
                                AscendC::TPipe* pipe) {
        topK_ = tiling->slots.topK;
        const int64_t ranks = Least(topK_, tiling->map.tileExperts);
        Base::Init(tensors, tiling, tiling->map.tileTokens * ranks, pipe);
        found_.SetGlobalBuffer(
            reinterpret_cast<__gm__ int32_t*>(tensors.workspace + tiling->foundOffset));
        pipe->InitBuffer(foundBuffer_, static_cast<uint32_t>(Base::BLOCK_BYTES));
    }

    __aicore__ inline void Process() {
        Base::CountAll();
        int64_t before = 0;
        for (int64_t expert = 0; expert < experts_; expert += tileExperts_) {
            const int64_t experts = Least(tileExperts_, experts_ - expert);
            before = Base::FindPlaces(expert, experts, before);
            for (int64_t token = share_.first; token < share_.end; token += tileTokens_) {
                RankTile(token, Least(tileTokens_, share_.end - token), expert, experts);
            }
        }
    }

private:
    using Base::experts_;
    using Base::hasProbs_;
    using Base::rows_;
    using Base::share_;
    using Base::tileExperts_;
    using Base::tileTokens_;

    __aicore__ inline void RankTile(int64_t token, int64_t tokens, int64_t expert,
                                    int64_t experts) {
        // A tile of some experts is one of a single token.
        const int64_t before = expert > 0 ? FoundBefore(token) : 0;
        Base::LoadTile(token, tokens, expert, experts);
        if (hasProbs_) {
            for (int64_t i = 0; i < experts; ++i) {
                MoveProbs(i, tokens, experts);
            }
        }
        Order<HardEvent::MTE3_S>();
        int64_t found = 0;
        for (int64_t t = 0; t < tokens; ++t) {
            found = RankToken(t, t * topK_, before, experts);
            ASSERT(expert + experts < experts_ || found == topK_);
        }
        const int64_t slots = tokens == 1 ? found - before : tokens * topK_;
        Base::Store(Base::sortedIndices_, token * topK_ + before, (token + tokens) * topK_,
                    Base::indexBuffer_.template Get<int32_t>(), slots);
        if (expert + experts < experts_) {
            KeepFound(token, found);
        }
    }

    // Ranks of one token's true places in a tile, from element `first` of the buffer on; `found` of
    // its places are in earlier tiles. Returns how many it has so far.
    __aicore__ inline int64_t RankToken(int64_t token, int64_t first, int64_t found,
                                        int64_t experts) {
        const LocalTensor<int32_t> ranks = Base::indexBuffer_.template Get<int32_t>();
        for (int64_t i = 0; i < experts; ++i) {
            if (Base::IsTrue(token, i, experts)) {
                const int64_t rank = Base::PlaceOf(i);
                const bool isExpected = found < topK_ && rank < rows_;
                ASSERT(isExpected);
                if (isExpected) {
                    ranks.SetValue(static_cast<uint32_t>(first), static_cast<int32_t>(rank));
                    ++first;
                    ++found;
                }
                Base::SetPlace(i, rank + 1);
            }
        }
        return found;
    }

    // The probs of one expert's true places in a tile, which lie side by side in the output.
    __aicore__ inline void MoveProbs(int64_t expert, int64_t tokens, int64_t experts) {
        const LocalTensor<Bits> values = Base::valueBuffer_.template Get<Bits>();
        int64_t count = 0;
        Order<HardEvent::MTE3_S>();
        for (int64_t token = 0; token < tokens; ++token) {
            if (Base::IsTrue(token, expert, experts)) {
                values.SetValue(static_cast<uint32_t>(count), Base::ProbOf(token, expert, experts));
                ++count;
            }
        }
        Base::Store(Base::permuteProbs_, Base::PlaceOf(expert), rows_, values, count);
    }

    // How many true places a token has among the experts of earlier tiles.
    __aicore__ inline int64_t FoundBefore(int64_t token) {
        const LocalTensor<int32_t> found = foundBuffer_.template Get<int32_t>();
        Order<HardEvent::S_MTE2>();
        Order<HardEvent::MTE3_MTE2>();
        AscendC::DataCopyPad(found, found_[token], DataCopyExtParams{1, sizeof(int32_t), 0, 0, 0},
                             DataCopyPadExtParams<int32_t>{});
        Order<HardEvent::MTE2_S>();
        return found.GetValue(0);
    }

    __aicore__ inline void KeepFound(int64_t token, int64_t count) {
        const LocalTensor<int32_t> found = foundBuffer_.template Get<int32_t>();
        Order<HardEvent::MTE3_S>();
        found.SetValue(0, static_cast<int32_t>(count));
        Base::Store(found_, token, token + 1, found, 1);
    }

    GlobalTensor<int32_t> found_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> foundBuffer_;
    int64_t topK_;
};

}  // namespace moe_token_permute_with_routing_map_kernel

#endif
