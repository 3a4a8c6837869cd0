// The smallest kernels that misuse a queue, a flag or an event id.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// One queue of two buffers, alive as long as the frame.
struct Frame {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    Frame() { pipe.InitBuffer(queue, 2, 32); }
};

}  // namespace

TEST_MISTAKE(dequeues_an_empty_queue) {
    Frame frame;
    if constexpr (right) {
        frame.queue.EnQue(frame.queue.AllocTensor<float>());
    }
    frame.queue.DeQue<float>();  // expect: queue-empty
}

TEST_MISTAKE(allocates_a_third_of_two_buffers) {
    Frame frame;
    auto tensor = frame.queue.AllocTensor<float>();
    frame.queue.AllocTensor<float>();
    if constexpr (right) {
        frame.queue.FreeTensor(tensor);
    }
    frame.queue.AllocTensor<float>();  // expect: queue-full
}

TEST_KERNEL(enqueues_beyond_the_depth) {
    Frame frame;
    frame.queue.EnQue(frame.queue.AllocTensor<float>());
    const auto second_tensor = frame.queue.AllocTensor<float>();
    frame.queue.EnQue(second_tensor);  // expect: queue-full
}

TEST_KERNEL(enqueues_twice) {
    Frame frame;
    const auto tensor = frame.queue.AllocTensor<float>();
    frame.queue.EnQue(tensor);
    frame.queue.EnQue(tensor);  // expect: queue-state
}

TEST_KERNEL(enqueues_nothing) {
    Frame frame;
    frame.queue.EnQue(LocalTensor<float>());  // expect: queue-state
}

TEST_MISTAKE(frees_twice) {
    Frame frame;
    auto tensor = frame.queue.AllocTensor<float>();
    if constexpr (!right) {
        frame.queue.FreeTensor(tensor);
    }
    frame.queue.FreeTensor(tensor);  // expect: queue-state
}

TEST_KERNEL(frees_what_is_enqueued) {
    Frame frame;
    auto tensor = frame.queue.AllocTensor<float>();
    frame.queue.EnQue(tensor);
    frame.queue.FreeTensor(tensor);  // expect: queue-state
}

TEST_KERNEL(frees_a_tensor_of_another_queue) {
    Frame frame;
    TQue<TPosition::VECOUT, 1> other;
    frame.pipe.InitBuffer(other, 1, 32);
    auto tensor = frame.queue.AllocTensor<float>();
    other.FreeTensor(tensor);  // expect: queue-state
}

TEST_KERNEL(enqueues_a_tensor_of_a_buffer) {
    Frame frame;
    TBuf<> buffer;
    frame.pipe.InitBuffer(buffer, 32);
    frame.queue.EnQue(buffer.Get<float>());  // expect: queue-state
}

TEST_KERNEL(uses_a_tensor_after_freeing_it) {
    Frame frame;
    auto tensor = frame.queue.AllocTensor<float>();
    frame.queue.FreeTensor(tensor);
    tensor.GetValue(0);  // expect: queue-state
}

TEST_KERNEL(uses_a_queue_without_buffers) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    queue.AllocTensor<float>();  // expect: queue-state
}

TEST_KERNEL(uses_a_queue_of_a_destroyed_pipe) {
    Frame frame;
    frame.pipe.Destroy();
    frame.queue.AllocTensor<float>();  // expect: pipe-state
}

TEST_KERNEL(uses_a_tensor_that_is_none) {
    LocalTensor<float> nothing;
    nothing.GetValue(0);  // expect: queue-state
}

TEST_KERNEL(uses_a_tensor_before_dequeuing_it) {
    Frame frame;
    const auto tensor = frame.queue.AllocTensor<float>();
    frame.queue.EnQue(tensor);
    Adds(tensor, tensor, 1.0f, 8);  // expect: queue-state
}

TEST_KERNEL(leaves_a_tensor_enqueued) {
    Frame frame;
    const auto tensor = frame.queue.AllocTensor<float>();
    frame.queue.EnQue(tensor);  // expect: flag-left-set
}

TEST_KERNEL(frees_a_stale_tensor) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    auto stale = queue.AllocTensor<float>();
    queue.FreeTensor(stale);
    queue.AllocTensor<float>();
    queue.FreeTensor(stale);  // expect: queue-state
}

TEST_KERNEL(uses_a_stale_tensor) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 64);
    auto stale = queue.AllocTensor<float>()[8];
    queue.FreeTensor(stale);
    queue.AllocTensor<float>();
    stale.GetValue(0);  // expect: queue-state
}

TEST_KERNEL(initialises_a_queue_with_a_tensor_out) {
    Frame frame;
    frame.queue.AllocTensor<float>();
    frame.pipe.InitBuffer(frame.queue, 1, 32);  // expect: queue-state
}

TEST_MISTAKE(sets_a_flag_twice) {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
    if constexpr (right) {
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
    }
    SetFlag<HardEvent::MTE2_V>(EVENT_ID3);  // expect: flag-set-twice
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

TEST_KERNEL(fetches_an_id_that_a_queue_then_takes) {
    Frame frame;
    const auto fetched = frame.pipe.FetchEventID(HardEvent::MTE2_V);
    SetFlag<HardEvent::MTE2_V>(fetched);
    frame.queue.EnQue(frame.queue.AllocTensor<float>());  // expect: flag-set-twice
}

TEST_MISTAKE(sets_a_flag_of_a_fixed_id) {
    TPipe pipe;
    const int32_t id = right ? pipe.FetchEventID<HardEvent::MTE2_V>() : 0;
    SetFlag<HardEvent::MTE2_V>(id);  // expect: event-fixed
    WaitFlag<HardEvent::MTE2_V>(id);
}

// An id that was named for one event says nothing of another one.
TEST_KERNEL(sets_a_flag_by_the_id_of_another_event) {
    TPipe pipe;
    const auto id = pipe.FetchEventID<HardEvent::MTE2_V>();
    SetFlag<HardEvent::V_MTE2>(id);  // expect: event-fixed
    WaitFlag<HardEvent::V_MTE2>(id);
}

TEST_MISTAKE(waits_for_a_flag_that_nobody_sets) {
    if constexpr (right) {
        SetFlag<HardEvent::V_S>(EVENT_ID0);
    }
    WaitFlag<HardEvent::V_S>(EVENT_ID0);  // expect: flag-without-set
}

TEST_MISTAKE(leaves_a_flag_set) {
    SetFlag<HardEvent::S_MTE3>(EVENT_ID7);  // expect: flag-left-set
    if constexpr (right) {
        WaitFlag<HardEvent::S_MTE3>(EVENT_ID7);
    }
}

TEST_KERNEL(sets_flag_8) {
    SetFlag<HardEvent::S_V>(8);  // expect: argument-range
}

TEST_MISTAKE(reserves_9_ids) {
    TPipe pipe;
    for (int index = 0; index < (right ? 8 : 9); ++index) {
        pipe.AllocEventID<HardEvent::S_V>();  // expect: event-exhausted
    }
}

TEST_KERNEL(releases_an_id_that_is_free) {
    TPipe pipe;
    pipe.ReleaseEventID<HardEvent::S_V>(0);  // expect: argument-range
}

TEST_KERNEL(releases_an_id_of_a_queue) {
    Frame frame;
    frame.queue.EnQue(frame.queue.AllocTensor<float>());
    frame.pipe.ReleaseEventID<HardEvent::MTE2_V>(EVENT_ID0);  // expect: argument-range
}

// The third of four blocks fails.
TEST_KERNEL(fails_in_block_2) {
    const auto own = Global<int32_t>(result)[16 * GetBlockIdx()];
    own.SetValue(0, 1);
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(own);
    if (GetBlockIdx() == 2) {
        WaitFlag<HardEvent::V_S>(EVENT_ID0);
    }
}
