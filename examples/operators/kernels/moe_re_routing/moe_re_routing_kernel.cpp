// MoeReRouting in Ascend C: each core fills an equal share of the rows that leave.
//
// A segment, the rows of one rank for one expert, lies together before and after. So it is moved as
// bytes, whatever it holds, up to the ends of the share. Each core adds the counts up itself: no
// core waits for another. Rows are numbered in int32, so the lower word of an int64 count is all.
#include "kernel_operator.h"
#include "moe_re_routing_tiling.h"

namespace {

using AscendC::LocalTensor;
using AscendC::TPosition;

constexpr int32_t BUFFERS = 2;
constexpr int64_t WORD = 4;  // bytes of an int32, and of a scale

class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR counts, const __gm__ MoeReRoutingTilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = tiling;
        counts_ = At<int32_t>(counts);
        pipe->InitBuffer(bytes_, BUFFERS, static_cast<uint32_t>(tiling->tileBytes));
        pipe->InitBuffer(numbers_, BUFFERS, static_cast<uint32_t>(tiling->tileBytes));
    }

    __aicore__ inline void Process(GM_ADDR tokens, GM_ADDR scales, GM_ADDR permuteTokens,
                                   GM_ADDR permuteScales, GM_ADDR idx, GM_ADDR expertTokenNum) {
        const int64_t core = AscendC::GetBlockIdx();
        const int64_t firstPlace = core * tiling_->rowsPerCore;
        const int64_t endPlace = firstPlace + tiling_->rowsPerCore;
        int64_t place = 0;
        for (int64_t expert = 0; expert < tiling_->experts; ++expert) {
            const int64_t before = place;
            for (int64_t rank = 0; rank < tiling_->ranks; ++rank) {
                const int64_t segment = rank * tiling_->experts + expert;
                const int64_t begin = place < firstPlace ? firstPlace : place;
                const int64_t rows = Least(place + Count(segment), endPlace) - begin;
                if (rows > 0) {
                    const int64_t row = RowsBefore(segment) + begin - place;
                    Move(tokens, row, permuteTokens, begin, rows, tiling_->rowBytes);
                    if (scales != nullptr) {
                        Move(scales, row, permuteScales, begin, rows, WORD);
                    }
                    Number(row, rows, idx + begin * WORD);
                }
                place += Count(segment);
            }
            if (expert % AscendC::GetBlockNum() == core) {
                GM_ADDR sum = expertTokenNum + expert * tiling_->countWords * WORD;
                Number(place - before, 1, sum);
                if (tiling_->countWords > 1) {
                    Number(0, 1, sum + WORD);
                }
            }
        }
    }

private:
    template <typename T>
    __aicore__ inline static AscendC::GlobalTensor<T> At(GM_ADDR address) {
        AscendC::GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address));
        return tensor;
    }

    __aicore__ inline static int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

    __aicore__ inline static AscendC::DataCopyExtParams Piece(int64_t bytes) {
        return {1, static_cast<uint32_t>(bytes), 0, 0, 0};
    }

    __aicore__ inline int64_t Count(int64_t segment) {
        return counts_.GetValue(segment * tiling_->countWords);
    }

    // The segments of one expert come in order, so that the sum goes on from the last one.
    __aicore__ inline int64_t RowsBefore(int64_t segment) {
        if (segment < segments_) {
            segments_ = 0;
            rowsBefore_ = 0;
        }
        for (; segments_ < segment; ++segments_) {
            rowsBefore_ += Count(segments_);
        }
        return rowsBefore_;
    }

    // Moves `rows` rows of `width` bytes each.
    __aicore__ inline void Move(GM_ADDR from, int64_t row, GM_ADDR to, int64_t place, int64_t rows,
                                int64_t width) {
        const auto source = At<uint8_t>(from + row * width);
        const auto target = At<uint8_t>(to + place * width);
        for (int64_t at = 0; at < rows * width; at += tiling_->tileBytes) {
            const auto piece = Piece(Least(tiling_->tileBytes, rows * width - at));
            LocalTensor<uint8_t> tile = bytes_.AllocTensor<uint8_t>();
            AscendC::DataCopyPad(tile, source[at], piece, AscendC::DataCopyPadExtParams<uint8_t>{});
            bytes_.EnQue(tile);
            tile = bytes_.DeQue<uint8_t>();
            AscendC::DataCopyPad(target[at], tile, piece);
            bytes_.FreeTensor(tile);
        }
    }

    // Writes `count` ascending numbers as int32.
    __aicore__ inline void Number(int64_t first, int64_t count, GM_ADDR to) {
        const int64_t most = tiling_->tileBytes / WORD;
        for (int64_t at = 0; at < count; at += most) {
            const int64_t some = Least(most, count - at);
            LocalTensor<int32_t> tile = numbers_.AllocTensor<int32_t>();
            AscendC::CreateVecIndex(tile, static_cast<int32_t>(first + at),
                                    static_cast<uint32_t>(some));
            numbers_.EnQue(tile);
            tile = numbers_.DeQue<int32_t>();
            AscendC::DataCopyPad(At<int32_t>(to)[at], tile, Piece(some * WORD));
            numbers_.FreeTensor(tile);
        }
    }

    const __gm__ MoeReRoutingTilingData* tiling_;
    AscendC::GlobalTensor<int32_t> counts_;
    AscendC::TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFERS> bytes_;
    AscendC::TQue<TPosition::VECOUT, BUFFERS> numbers_;
    int64_t segments_ = 0;    // whose rows are summed
    int64_t rowsBefore_ = 0;  // their sum
};

}  // namespace

extern "C" __global__ __aicore__ void moe_re_routing(GM_ADDR tokens, GM_ADDR counts, GM_ADDR scales,
                                                     GM_ADDR permuteTokens, GM_ADDR permuteScales,
                                                     GM_ADDR permuteIdx, GM_ADDR expertTokenNum,
                                                     GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    Kernel kernel;
    kernel.Init(counts, reinterpret_cast<const __gm__ MoeReRoutingTilingData*>(tiling), &pipe);
    kernel.Process(tokens, scales, permuteTokens, permuteScales, permuteIdx, expertTokenNum);
}
