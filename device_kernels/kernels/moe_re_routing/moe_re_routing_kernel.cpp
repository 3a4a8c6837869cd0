// MoeReRouting in Ascend C: each core fills an equal share of the rows that leave.
//
// A segment, the rows of one rank for one expert, lies together before and after. So it is moved as
// bytes, whatever it holds, up to the ends of the share. Each core walks over all counts: no core
// waits for another. Rows are numbered in int32, so the lower word of an int64 count is all.
#include "kernel_operator.h"
#include "../shared/rows/address_kernel.h"
#include "../shared/sorting/ordering_kernel.h"
#include "moe_re_routing_tiling.h"

namespace {

using AscendC::GlobalTensor;
using AscendC::LocalTensor;
using AscendC::TPosition;
using gm::At;
using ordering::Least;

constexpr int32_t BUFFERS = 2;
constexpr int64_t WORD = 4;  // bytes of an int32, and of a scale

class Kernel {
public:
    __aicore__ inline void Init(GM_ADDR counts, const __gm__ MoeReRoutingTilingData* tiling,
                                AscendC::TPipe* pipe) {
        const auto tile = static_cast<uint32_t>(tiling->tileBytes);
        tiling_ = tiling;
        counts_ = At<int32_t>(counts);
        firstPlace_ = AscendC::GetBlockIdx() * tiling->rowsPerCore;
        endPlace_ = firstPlace_ + tiling->rowsPerCore;
        pipe->InitBuffer(cursorBuffer_, static_cast<uint32_t>(tiling->cursorBytes));
        pipe->InitBuffer(moved_, BUFFERS, tile);
        pipe->InitBuffer(numbers_, BUFFERS, tile);
        pipe->InitBuffer(added_, BUFFERS, tile);
        cursors_ = cursorBuffer_.Get<int32_t>();
    }

    // Segments come by rank or by expert. In one order their rows lie together before, in the other
    // after: a cursor for each line tells where the rest of it goes on.
    __aicore__ inline void Process(GM_ADDR tokens, GM_ADDR scales, GM_ADDR permuteTokens,
                                   GM_ADDR permuteScales, GM_ADDR idx) {
        const bool areRanks = tiling_->ranks <= tiling_->experts;
        const int64_t lines = areRanks ? tiling_->ranks : tiling_->experts;
        const int64_t steps = areRanks ? tiling_->experts : tiling_->ranks;
        const int64_t ofLine = areRanks ? tiling_->experts : 1;
        const int64_t ofStep = areRanks ? 1 : tiling_->experts;
        int64_t before = 0;
        for (int64_t line = 0; line < lines; ++line) {
            cursors_.SetValue(static_cast<uint32_t>(line), static_cast<int32_t>(before));
            for (int64_t step = 0; step < steps; ++step) {
                before += Count(line * ofLine + step * ofStep);
            }
        }
        before = 0;
        for (int64_t step = 0; step < steps; ++step) {
            for (int64_t line = 0; line < lines; ++line) {
                const auto at = static_cast<uint32_t>(line);
                const int64_t rows = Count(line * ofLine + step * ofStep);
                const int64_t cursor = cursors_.GetValue(at);
                const int64_t place = areRanks ? before : cursor;
                const int64_t begin = place < firstPlace_ ? firstPlace_ : place;
                const int64_t mine = Least(place + rows, endPlace_) - begin;
                if (mine > 0) {
                    const int64_t row = (areRanks ? cursor : before) + begin - place;
                    Move(tokens, row, permuteTokens, begin, mine, tiling_->rowBytes);
                    if (scales != nullptr) {
                        Move(scales, row, permuteScales, begin, mine, WORD);
                    }
                    Number(row, mine, idx + begin * WORD);
                }
                cursors_.SetValue(at, static_cast<int32_t>(cursor + rows));
                before += rows;
            }
        }
    }

    // The upper words of int64 counts are 0, and so are their sums.
    __aicore__ inline void Sum(GM_ADDR expertTokenNum) {
        const int64_t words = tiling_->experts * tiling_->countWords;
        const int64_t most = tiling_->tileBytes / WORD;
        const int64_t stride = AscendC::GetBlockNum() * most;
        for (int64_t at = AscendC::GetBlockIdx() * most; at < words; at += stride) {
            const int64_t some = Least(most, words - at);
            const auto count = static_cast<int32_t>(some);
            LocalTensor<int32_t> sums = numbers_.AllocTensor<int32_t>();
            AscendC::Duplicate(sums, 0, count);
            for (int64_t rank = 0; rank < tiling_->ranks; ++rank) {
                LocalTensor<int32_t> added = added_.AllocTensor<int32_t>();
                AscendC::DataCopyPad(added, counts_[rank * words + at], Piece(some * WORD),
                                     AscendC::DataCopyPadExtParams<int32_t>{});
                added_.EnQue(added);
                added = added_.DeQue<int32_t>();
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Add(sums, sums, added, count);
                added_.FreeTensor(added);
            }
            Write(sums, some, expertTokenNum + at * WORD);
        }
    }

private:
    __aicore__ inline static AscendC::DataCopyExtParams Piece(int64_t bytes) {
        return {1, static_cast<uint32_t>(bytes), 0, 0, 0};
    }

    __aicore__ inline int64_t Count(int64_t segment) {
        return counts_.GetValue(segment * tiling_->countWords);
    }

    // Moves `rows` rows of `width` bytes each.
    __aicore__ inline void Move(GM_ADDR from, int64_t row, GM_ADDR to, int64_t place, int64_t rows,
                                int64_t width) {
        const auto source = At<uint8_t>(from + row * width);
        const auto target = At<uint8_t>(to + place * width);
        for (int64_t at = 0; at < rows * width; at += tiling_->tileBytes) {
            const auto piece = Piece(Least(tiling_->tileBytes, rows * width - at));
            LocalTensor<uint8_t> tile = moved_.AllocTensor<uint8_t>();
            AscendC::DataCopyPad(tile, source[at], piece, AscendC::DataCopyPadExtParams<uint8_t>{});
            moved_.EnQue(tile);
            tile = moved_.DeQue<uint8_t>();
            AscendC::DataCopyPad(target[at], tile, piece);
            moved_.FreeTensor(tile);
        }
    }

    // Writes `count` ascending numbers.
    __aicore__ inline void Number(int64_t first, int64_t count, GM_ADDR to) {
        const int64_t most = tiling_->tileBytes / WORD;
        for (int64_t at = 0; at < count; at += most) {
            const int64_t some = Least(most, count - at);
            LocalTensor<int32_t> tile = numbers_.AllocTensor<int32_t>();
            // The scalar unit begins a progression.
            ordering::Order<AscendC::HardEvent::V_S>();
            AscendC::CreateVecIndex(tile, static_cast<int32_t>(first + at),
                                    static_cast<uint32_t>(some));
            Write(tile, some, to + at * WORD);
        }
    }

    // Takes a tile of `numbers_` to its place, and gives it back.
    __aicore__ inline void Write(LocalTensor<int32_t> tile, int64_t count, GM_ADDR to) {
        numbers_.EnQue(tile);
        tile = numbers_.DeQue<int32_t>();
        AscendC::DataCopyPad(At<int32_t>(to), tile, Piece(count * WORD));
        numbers_.FreeTensor(tile);
    }

    const __gm__ MoeReRoutingTilingData* tiling_;
    GlobalTensor<int32_t> counts_;
    AscendC::TBuf<TPosition::VECCALC> cursorBuffer_;
    AscendC::TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFERS> moved_;
    AscendC::TQue<TPosition::VECOUT, BUFFERS> numbers_;
    AscendC::TQue<TPosition::VECIN, BUFFERS> added_;
    LocalTensor<int32_t> cursors_;
    int64_t firstPlace_;  // of the share, in rows that leave
    int64_t endPlace_;
};

}  // namespace

extern "C" __global__ __aicore__ void moe_re_routing(GM_ADDR tokens, GM_ADDR counts, GM_ADDR scales,
                                                     GM_ADDR permuteTokens, GM_ADDR permuteScales,
                                                     GM_ADDR idx, GM_ADDR expertTokenNum,
                                                     GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    AscendC::TPipe pipe;
    Kernel kernel;
    kernel.Init(counts, reinterpret_cast<const __gm__ MoeReRoutingTilingData*>(tiling), &pipe);
    kernel.Process(tokens, scales, permuteTokens, permuteScales, idx);
    kernel.Sum(expertTokenNum);
}
