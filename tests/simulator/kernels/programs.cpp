// Small whole kernels: blocks, flags, pipes, and a gather with a sum.
#include "test_kernel.h"

using namespace AscendC;

TEST_KERNEL(empty) {}

// Every block writes its index and the number of blocks.
TEST_KERNEL(block_indices) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<int32_t> both = buffer.Get<int32_t>();
    both.SetValue(0, static_cast<int32_t>(GetBlockIdx()));
    both.SetValue(1, static_cast<int32_t>(GetBlockNum()));
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(Global<int32_t>(result)[2 * GetBlockIdx()], both, DataCopyExtParams{1, 8, 0, 0, 0});
}

// Row t of the result is the sum of rows second[t * k .. t * k + k) of the first input, fp32
// inside. params: tokens, k, hidden.
TEST_KERNEL(gather_sum) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const int32_t tokens = Param(params, 0);
    const int32_t k = Param(params, 1);
    const auto hidden = static_cast<uint32_t>(Param(params, 2));
    const uint32_t padded = AlignUp(hidden, 16);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> rows;
    TQue<TPosition::VECOUT, 1> sums;
    TBuf<TPosition::VECCALC> work;
    pipe.InitBuffer(rows, 2, padded * sizeof(half));
    pipe.InitBuffer(sums, 2, padded * sizeof(half));
    pipe.InitBuffer(work, 2 * padded * sizeof(float));
    const LocalTensor<float> sum = work.Get<float>(padded);
    const LocalTensor<float> row = work.GetWithOffset<float>(padded, padded * sizeof(float));
    const DataCopyExtParams copy{1, hidden * sizeof(half), 0, 0, 0};
    for (int64_t token = GetBlockIdx(); token < tokens; token += GetBlockNum()) {
        Duplicate(sum, 0.0f, hidden);
        PipeBarrier<PIPE_V>();
        for (int32_t slot = 0; slot < k; ++slot) {
            const int32_t index = Global<int32_t>(second).GetValue(token * k + slot);
            LocalTensor<half> gathered = rows.AllocTensor<half>();
            DataCopyPad(gathered, Global<half>(first)[index * hidden], copy,
                        DataCopyPadExtParams<half>{false, 0, 0, half(0)});
            rows.EnQue(gathered);
            gathered = rows.DeQue<half>();
            Cast(row, gathered, RoundMode::CAST_NONE, hidden);
            PipeBarrier<PIPE_V>();
            Add(sum, sum, row, hidden);
            PipeBarrier<PIPE_V>();
            rows.FreeTensor(gathered);
        }
        LocalTensor<half> rounded = sums.AllocTensor<half>();
        Cast(rounded, sum, RoundMode::CAST_RINT, hidden);
        PipeBarrier<PIPE_V>();
        sums.EnQue(rounded);
        rounded = sums.DeQue<half>();
        DataCopyPad(Global<half>(result)[token * hidden], rounded, copy);
        sums.FreeTensor(rounded);
    }
}

// One buffer ordered by flags, with a reserved and with a fetched id, and TQueBind straight
// through. params: the count of floats, a multiple of 8.
TEST_KERNEL(copy_through) {
    const int32_t count = Param(params, 0);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> through;
    TBuf<> buffer;
    pipe.InitBuffer(through, 1, count * sizeof(float));
    pipe.InitBuffer(buffer, count * sizeof(float));

    LocalTensor<float> bound = through.AllocTensor<float>();
    DataCopy(bound, Global<float>(first), count);
    through.EnQue(bound);
    bound = through.DeQue<float>();
    DataCopy(Global<float>(result), bound, count);
    through.FreeTensor(bound);

    const LocalTensor<float> owned = buffer.Get<float>();
    DataCopy(owned, Global<float>(second), count);
    const event_t fetched = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_MTE3));
    SetFlag<HardEvent::MTE2_MTE3>(fetched);
    WaitFlag<HardEvent::MTE2_MTE3>(fetched);
    const TEventID reserved = pipe.AllocEventID<HardEvent::MTE3_S>();
    DataCopy(Global<float>(result)[count], owned, count);
    SetFlag<HardEvent::MTE3_S>(reserved);
    WaitFlag<HardEvent::MTE3_S>(reserved);
    pipe.ReleaseEventID<HardEvent::MTE3_S>(reserved);
}

// The ids that a TPipe hands out: fetched twice, then reserved twice, released, reserved again.
TEST_KERNEL(event_ids) {
    TPipe pipe;
    const auto out = Global<int32_t>(result);
    out.SetValue(0, pipe.FetchEventID<HardEvent::V_S>());
    out.SetValue(1, pipe.FetchEventID<HardEvent::V_S>());
    out.SetValue(2, pipe.AllocEventID<HardEvent::V_S>());
    out.SetValue(3, pipe.AllocEventID<HardEvent::V_S>());
    pipe.ReleaseEventID<HardEvent::V_S>(0);
    out.SetValue(4, pipe.AllocEventID<HardEvent::V_S>());
    out.SetValue(5, pipe.FetchEventID<HardEvent::S_V>());
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(out);
}

// A TPipe that is destroyed again takes nothing from the one that follows it: both have a queue
// with the same flags.
TEST_KERNEL(destroy_twice) {
    TPipe earlier;
    TPipe later;
    TQue<TPosition::VECIN, 1> one;
    TQue<TPosition::VECIN, 1> other;
    earlier.InitBuffer(one, 1, 32);
    LocalTensor<float> early = one.AllocTensor<float>();
    one.FreeTensor(early);
    earlier.Destroy();
    later.InitBuffer(other, 1, 32);
    LocalTensor<float> late = other.AllocTensor<float>();
    other.FreeTensor(late);
    earlier.Destroy();
    other.AllocTensor<float>();
}

// Views of one buffer: a ReinterpretCast, an offset, their sizes, their addresses.
TEST_KERNEL(views) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 100);
    const LocalTensor<int32_t> words = buffer.Get<int32_t>();
    words.SetValue(3, 0x12345678);
    const auto out = Global<int32_t>(result);
    out.SetValue(0, words.ReinterpretCast<uint16_t>()[6].GetValue(1));
    out.SetValue(1, static_cast<int32_t>(words.GetSize()));
    out.SetValue(2, static_cast<int32_t>(words[8].ReinterpretCast<uint8_t>().GetSize()));
    out.SetValue(3, static_cast<int32_t>(words.GetPhyAddr(5) - words.GetPhyAddr()));
    GlobalTensor<int32_t> sized;
    sized.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(result), 10);
    out.SetValue(4, static_cast<int32_t>(sized[4].GetSize()));
    out.SetValue(5, static_cast<int32_t>(sized[4].GetPhyAddr() - sized.GetPhyAddr()));
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(out);
}

// A large addition without copies, for the clock. params: the count per Add, the rounds.
TEST_KERNEL(add_rounds) {
    const int32_t count = Param(params, 0);
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 3 * count * sizeof(float));
    const LocalTensor<float> all = buffer.Get<float>();
    Duplicate(all, 1.0f, 3 * count);
    for (int32_t round = 0; round < Param(params, 1); ++round) {
        Add(all, all[count], all[2 * count], count);
    }
}

// A kernel that is launched directly has all of its workspace.
TEST_KERNEL(direct_workspace) {
    Global<int32_t>(result).SetValue(0, static_cast<int32_t>(GetUserWorkspace(second) - second));
}

namespace {

const __gm__ int32_t kTable[256] = {7, 11, 13, 17, 19, 23, 29, 31};
int32_t counters[8] = {1, 2, 3, 4, 5, 6, 7, 8};

__aicore__ void CopyEight(const __gm__ int32_t* from, GM_ADDR result) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<int32_t> eight = buffer.Get<int32_t>();
    GlobalTensor<int32_t> table;
    table.SetGlobalBuffer(const_cast<__gm__ int32_t*>(from), 8);
    DataCopyPad(eight, table, DataCopyExtParams{1, 32, 0, 0, 0},
                DataCopyPadExtParams<int32_t>{false, 0, 0, 0});
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(Global<int32_t>(result), eight, DataCopyExtParams{1, 32, 0, 0, 0});
}

}  // namespace

// Copies the beginning of a table that is loaded with the kernel.
TEST_KERNEL(constant_table) { CopyEight(kTable, result); }

// Copies a variable of the host's, which is no constant table.
TEST_KERNEL(variable_of_the_library) {
    counters[0] += 1;  // or it would be a constant
    CopyEight(counters, result);
}

// Writes into a constant table.
TEST_KERNEL(written_table) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<int32_t> eight = buffer.Get<int32_t>();
    Duplicate(eight, 1, 8);
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<int32_t> table;
    table.SetGlobalBuffer(const_cast<__gm__ int32_t*>(kTable), 8);
    DataCopyPad(table, eight, DataCopyExtParams{1, 32, 0, 0, 0});
}
