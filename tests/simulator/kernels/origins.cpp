// Kernels that use what nobody wrote: the diagnostic says where they have it from.
#include "test_kernel.h"

using namespace AscendC;

namespace {

// 64 floats in UB, filled from byte 64 of a workspace on.
struct Filled {
    TPipe pipe;
    TBuf<> buffer;
    LocalTensor<float> tensor;
    explicit Filled(GM_ADDR workspace) {
        pipe.InitBuffer(buffer, 512);
        tensor = buffer.Get<float>();
        DataCopy(tensor, Global<float>(workspace)[16], 64);  // origin
        PipeBarrier<PIPE_ALL>();
    }
};

}  // namespace

TEST_KERNEL(stores_bytes_of_a_workspace) {
    Filled filled(second);
    DataCopy(Global<float>(result), filled.tensor[8], 16);
}

TEST_KERNEL(stores_what_it_computed_from_a_workspace) {
    Filled filled(second);
    Adds(filled.tensor[64], filled.tensor, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(Global<float>(result), filled.tensor[64], 64);
}

TEST_KERNEL(reads_a_scalar_that_came_from_a_workspace) {
    Filled filled(second);
    filled.tensor.GetValue(2);
}

TEST_KERNEL(reads_a_scalar_of_a_workspace) { Global<float>(second).GetValue(2); }

// The bytes that came from the workspace are overwritten; then the padding of a tail lies there.
TEST_KERNEL(stores_padding_where_a_workspace_was) {
    Filled filled(second);
    Duplicate(filled.tensor, 0.0f, 64);
    PipeBarrier<PIPE_ALL>();
    const DataCopyExtParams copy{1, 20, 0, 0, 0};
    const DataCopyPadExtParams<float> pad{false, 0, 3, 0.0f};
    DataCopyPad(filled.tensor, Global<float>(first), copy, pad);
    PipeBarrier<PIPE_ALL>();
    DataCopy(Global<float>(result), filled.tensor, 8);
}

// Reads at offset Param(0) + 2^32 Param(1), in bytes.
TEST_KERNEL(reads_at_an_offset) {
    const uint64_t low = static_cast<uint32_t>(Param(params, 0));
    const uint64_t high = static_cast<uint32_t>(Param(params, 1));
    Global<int8_t>(first)[high << 32 | low].GetValue(0);
}
