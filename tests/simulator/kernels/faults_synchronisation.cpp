// The smallest kernels that leave two accesses of one core unordered; each line that meets an
// earlier access says so. `if constexpr (right)` holds what the mistake leaves out.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// Two tensors of 64 floats in UB that no queue orders, zeroed, alive as long as the frame.
struct Frame {
    TPipe pipe;
    TBuf<> buffer;
    TBuf<> other_buffer;
    LocalTensor<float> tensor;
    LocalTensor<float> other;
    Frame() {
        pipe.InitBuffer(buffer, 256);
        pipe.InitBuffer(other_buffer, 256);
        tensor = buffer.Get<float>();
        other = other_buffer.Get<float>();
        Duplicate(tensor, 0.0f, 64);
        Duplicate(other, 0.0f, 64);
        PipeBarrier<PIPE_ALL>();
    }
};

template <HardEvent event>
void Order() {
    const auto id = GetTPipePtr()->FetchEventID(event);
    SetFlag<event>(id);
    WaitFlag<event>(id);
}

}  // namespace

TEST_MISTAKE(adds_before_the_copy_has_arrived) {
    Frame frame;
    DataCopy(frame.tensor, Global<float>(first), 64);
    if constexpr (right) {
        Order<HardEvent::MTE2_V>();
    }
    Adds(frame.other, frame.tensor, 1.0f, 64);  // expect: sync-missing
}

TEST_MISTAKE(copies_a_sum_out_before_it_is_there) {
    Frame frame;
    Adds(frame.other, frame.tensor, 1.0f, 64);
    if constexpr (right) {
        Order<HardEvent::V_MTE3>();
    }
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.other, 64);  // expect: sync-missing
    }
}

TEST_MISTAKE(copies_in_over_what_is_still_added) {
    Frame frame;
    Adds(frame.other, frame.tensor, 1.0f, 64);
    if constexpr (right) {
        Order<HardEvent::V_MTE2>();
    }
    DataCopy(frame.tensor, Global<float>(first), 64);  // expect: sync-missing
}

TEST_MISTAKE(computes_over_what_is_still_copied_out) {
    Frame frame;
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.tensor, 64);
    }
    if constexpr (right) {
        Order<HardEvent::MTE3_V>();
    }
    Duplicate(frame.tensor, 1.0f, 64);  // expect: sync-missing
}

TEST_MISTAKE(copies_through_without_order) {
    Frame frame;
    DataCopy(frame.tensor, Global<float>(first), 64);
    if constexpr (right) {
        Order<HardEvent::MTE2_MTE3>();
    }
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.tensor, 64);  // expect: sync-missing
    }
}

TEST_MISTAKE(sets_its_flag_too_early) {
    Frame frame;
    const auto id = frame.pipe.FetchEventID<HardEvent::MTE2_V>();
    if constexpr (!right) {
        SetFlag<HardEvent::MTE2_V>(id);
    }
    DataCopy(frame.tensor, Global<float>(first), 64);
    if constexpr (right) {
        SetFlag<HardEvent::MTE2_V>(id);
    }
    WaitFlag<HardEvent::MTE2_V>(id);
    Adds(frame.other, frame.tensor, 1.0f, 64);  // expect: sync-missing
}

TEST_MISTAKE(waits_too_late) {
    Frame frame;
    const auto id = frame.pipe.FetchEventID<HardEvent::MTE2_V>();
    DataCopy(frame.tensor, Global<float>(first), 64);
    SetFlag<HardEvent::MTE2_V>(id);
    if constexpr (right) {
        WaitFlag<HardEvent::MTE2_V>(id);
    }
    Adds(frame.other, frame.tensor, 1.0f, 64);  // expect: sync-missing
    if constexpr (!right) {
        WaitFlag<HardEvent::MTE2_V>(id);
    }
}

TEST_MISTAKE(takes_a_barrier_of_one_pipe_for_order_between_two) {
    Frame frame;
    DataCopy(frame.tensor, Global<float>(first), 64);
    if constexpr (right) {
        PipeBarrier<PIPE_ALL>();
    } else {
        PipeBarrier<PIPE_V>();
    }
    Adds(frame.other, frame.tensor, 1.0f, 64);  // expect: sync-missing
}

// A queue of VECOUT orders MTE3 after V; what it is used for here needs V after MTE2.
TEST_MISTAKE(copies_into_a_queue_that_orders_other_pipes) {
    Frame frame;
    constexpr TPosition position = right ? TPosition::VECIN : TPosition::VECOUT;
    TQue<position, 1> queue;
    frame.pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor = queue.template AllocTensor<float>();
    DataCopy(tensor, Global<float>(first), 64);
    queue.EnQue(tensor);
    tensor = queue.template DeQue<float>();
    Adds(frame.other, tensor, 1.0f, 64);  // expect: sync-missing
    queue.FreeTensor(tensor);
}

TEST_MISTAKE(copies_a_result_out_that_was_not_enqueued) {
    Frame frame;
    TQue<TPosition::VECOUT, 1> queue;
    frame.pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    Adds(tensor, frame.tensor, 1.0f, 64);
    if constexpr (right) {
        queue.EnQue(tensor);
        tensor = queue.DeQue<float>();
    }
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), tensor, 64);  // expect: sync-missing
    }
    queue.FreeTensor(tensor);
}

TEST_MISTAKE(reads_back_what_is_still_copied_out) {
    Frame frame;
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.tensor, 64);
        if constexpr (right) {
            Order<HardEvent::MTE3_MTE2>();
        }
        DataCopy(frame.other, Global<float>(result), 64);  // expect: sync-missing
    }
}

TEST_MISTAKE(reads_a_scalar_before_the_sum_is_there) {
    Frame frame;
    Adds(frame.other, frame.tensor, 1.0f, 64);
    if constexpr (right) {
        Order<HardEvent::V_S>();
    }
    frame.other.GetValue(0);  // expect: sync-scalar
}

// The queue orders V after MTE2: the scalar unit waits for neither.
TEST_MISTAKE(reads_a_scalar_of_a_tensor_that_its_queue_orders) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    DataCopy(tensor, Global<float>(first), 64);
    queue.EnQue(tensor);
    tensor = queue.DeQue<float>();
    if constexpr (right) {
        Order<HardEvent::MTE2_S>();
    }
    tensor.GetValue(0);  // expect: sync-scalar
    queue.FreeTensor(tensor);
}

TEST_MISTAKE(copies_a_scalar_out_before_it_is_written) {
    Frame frame;
    frame.tensor.SetValue(0, 1.0f);
    if constexpr (right) {
        Order<HardEvent::S_MTE3>();
    }
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.tensor, 64);  // expect: sync-scalar
    }
}

TEST_MISTAKE(computes_with_a_scalar_before_it_is_written) {
    Frame frame;
    frame.tensor.SetValue(0, 1.0f);
    if constexpr (right) {
        Order<HardEvent::S_V>();
    }
    Adds(frame.other, frame.tensor, 1.0f, 64);  // expect: sync-scalar
}

TEST_MISTAKE(writes_a_scalar_that_is_still_copied_out) {
    Frame frame;
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.tensor, 64);
    }
    if constexpr (right) {
        Order<HardEvent::MTE3_S>();
    }
    frame.tensor.SetValue(0, 1.0f);  // expect: sync-scalar
}

TEST_MISTAKE(adds_to_a_sum_that_is_not_there) {
    Frame frame;
    Adds(frame.other, frame.tensor, 1.0f, 64);
    if constexpr (right) {
        PipeBarrier<PIPE_V>();
    }
    Adds(frame.tensor, frame.other, 1.0f, 64);  // expect: barrier-missing
}

TEST_MISTAKE(computes_over_an_operand_still_in_use) {
    Frame frame;
    Adds(frame.other, frame.tensor, 1.0f, 64);
    if constexpr (right) {
        PipeBarrier<PIPE_V>();
    }
    Duplicate(frame.tensor, 1.0f, 64);  // expect: barrier-missing
}

// The blocks of the first repeat stride leave gaps, of which the last is filled too early.
TEST_MISTAKE(meets_one_block_of_a_strided_operand) {
    Frame frame;
    const uint64_t mask = 32;
    Adds(frame.other, frame.tensor, 1.0f, mask, 1, UnaryRepeatParams{2, 2, 8, 8});
    if constexpr (right) {
        Duplicate(frame.other[56], 1.0f, 8);
    } else {
        Duplicate(frame.other[48], 1.0f, 8);  // expect: barrier-missing
    }
}

TEST_MISTAKE(copies_out_twice_to_one_place) {
    Frame frame;
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.tensor, 64);
        if constexpr (right) {
            PipeBarrier<PIPE_MTE3>();
        }
        DataCopy(Global<float>(result)[32], frame.other, 64);  // expect: barrier-missing
    }
}

TEST_MISTAKE(copies_in_twice_to_one_place) {
    Frame frame;
    DataCopy(frame.tensor, Global<float>(first), 64);
    if constexpr (right) {
        PipeBarrier<PIPE_MTE2>();
    }
    DataCopy(frame.tensor, Global<float>(second), 8);  // expect: barrier-missing
}

// The scalar unit writes the first block of a progression.
TEST_MISTAKE(numbers_elements_before_they_are_added) {
    Frame frame;
    Adds(frame.other, frame.tensor, 1.0f, 64);
    PipeBarrier<PIPE_V>();
    if constexpr (right) {
        Order<HardEvent::V_S>();
    }
    ArithProgression(frame.tensor, 0.0f, 1.0f, 64);  // expect: sync-scalar
}

TEST_MISTAKE(numbers_a_block_that_a_copy_still_reads) {
    Frame frame;
    if (GetBlockIdx() == 0) {
        DataCopy(Global<float>(result), frame.tensor, 64);
    }
    Order<HardEvent::MTE3_V>();
    if constexpr (right) {
        Order<HardEvent::V_S>();
    }
    CreateVecIndex(frame.tensor, 0.0f, 64);  // expect: sync-scalar
}

// Of a block or less the scalar unit waits for V by itself.
TEST_MISTAKE(numbers_less_than_a_block_beside_a_copy) {
    Frame frame;
    DataCopyPad(frame.tensor, Global<float>(first), {1, 32, 0, 0, 0}, {});
    if constexpr (right) {
        Order<HardEvent::MTE2_V>();
    }
    ArithProgression(frame.tensor, 0.0f, 1.0f, 8);  // expect: sync-scalar
}

TEST_MISTAKE(asks_for_counts_before_the_merge_has_ended) {
    Frame frame;
    const uint16_t lengths[4] = {8, 8, 0, 0};
    uint16_t taken[4];
    const MrgSortSrcList lists(frame.tensor, frame.tensor[16], frame.tensor, frame.tensor);
    MrgSort<float>(frame.other, lists, {lengths, true, 3, 1});
    if constexpr (right) {
        Order<HardEvent::V_S>();
    }
    GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);  // expect: sync-scalar
}
