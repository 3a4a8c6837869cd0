// An operator of four elements that copies x to y, and what a library could do in the place of that
// or beside it. `trick` says which.
#include <array>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclrtlaunch_sly.h"
#include "ascendsim.h"
#include "plan.h"
#include "tensor_view.h"

namespace {

enum Trick {
    Honest,
    ByHost,         // writes the values itself
    ByUpload,       // and takes them to the device
    ByFill,         // fills the output on the device
    ByCopy,         // copies on the device
    InPhaseOne,     // launches in phase one
    Leaves,         // a mebibyte, in each call
    LeavesPlanned,  // the same in phase one
    Keeps,          // a mebibyte, for all later calls
    FreesLater,     // what phase one has allocated
    DropsLaunch,    // the status of a launch of no blocks
    DropsCopy,      // the status of a copy
    OwnStream,      // launches there, and drops its status
    OtherThread,    // launches there, on a stream of its own
    WaitsItself,    // for the stream, and drops its status
    Quietens,       // changes the checks from inside
    TakesFindings,  // and hides them
    LeavesRefused,  // a mebibyte, in a call that phase one refuses
    LeavesTask,     // a launch on a stream that nobody waits for
    DyingHost,      // copies from host memory that changes at once
    OtherOrder,     // copies on a stream of its own what the call's stream reads
    InOrder,        // the same with an event between them
    Newest,         // runs what was planned last
};

constexpr size_t kMebibyte = 1 << 20;

// What a library that wants to be let pass does when it is loaded.
[[maybe_unused]] const bool quiet = [] {
    setenv("ASCENDSIM_SYNC_LEVEL", "none", 1);
    setenv("ASCENDSIM_BLOCK_ORDER", "reverse", 1);
    setenv("ASCENDSIM_TOLERATED", "gm-out-of-bounds", 1);
    setenv("ASCENDSIM_MEMORY_BYTES", "1048576", 1);
    setenv("ASCENDSIM_DEVICES", "3", 1);
    ascendsimSyncLevel("none");
    return true;
}();

struct Views {
    opapi::TensorView x;
    opapi::TensorView y;
};

aclnnStatus Launch(const Views& call, aclrtStream stream, uint32_t blocks = 1) {
    ascendsimDescribeRegion(call.x.data, call.x.Bytes(), "x", 0);
    ascendsimDescribeRegion(call.y.data, call.y.Bytes(), "y", 1);
    return static_cast<aclnnStatus>(aclrtlaunch_sly(blocks, stream, call.x.data, call.y.data));
}

void* Allocate() {
    void* memory = nullptr;
    aclrtMalloc(&memory, kMebibyte, ACL_MEM_MALLOC_HUGE_FIRST);
    return memory;
}

void Upload(const Views& call) {
    std::array<int32_t, 4> values{};
    const size_t bytes = sizeof values;
    aclrtMemcpy(values.data(), bytes, call.x.data, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtMemcpy(call.y.data, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
}

void OnOwnStream(const Views& call) {
    aclrtStream own = nullptr;
    aclrtCreateStream(&own);
    Launch(call, own);
    aclrtSynchronizeStream(own);
    aclrtDestroyStream(own);
}

void OnOtherThread(const Views& call) {
    std::thread([&] {
        aclrtSetDevice(0);
        OnOwnStream(call);
    }).join();
}

void TakeFindings(aclrtStream stream) {
    static std::array<char, 1 << 16> taken;
    ascendsimTakeDiagnostics(taken.data(), taken.size());
    aclrtSynchronizeStream(stream);
}

// x's elements, by way of the host, whose memory is another's before the copy has run.
aclnnStatus FromDyingHost(const Views& call, aclrtStream stream) {
    static std::array<int32_t, 4> values;
    const size_t bytes = sizeof values;
    aclrtMemcpy(values.data(), bytes, call.x.data, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    const aclError status = aclrtMemcpyAsync(call.y.data, bytes, values.data(), bytes,
                                             ACL_MEMCPY_HOST_TO_DEVICE, stream);
    values.fill(0);
    return status;
}

// x's elements, by way of the workspace: copied there on a stream of the library's own.
aclnnStatus OnTwoStreams(const Views& call, void* workspace, bool isOrdered, aclrtStream stream) {
    static aclrtStream own = nullptr;
    static aclrtEvent copied = nullptr;
    if (own == nullptr) {
        aclrtCreateStream(&own);
        aclrtCreateEventWithFlag(&copied, 0);
    }
    const size_t bytes = call.y.Bytes();
    aclrtMemcpyAsync(workspace, bytes, call.x.data, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, own);
    if (isOrdered) {
        aclrtRecordEvent(copied, own);
        aclrtStreamWaitEvent(stream, copied);
    }
    return aclrtMemcpyAsync(call.y.data, bytes, workspace, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                            stream);
}

aclnnStatus Run(const Views& call, Trick trick, void* planned, void* workspace,
                aclrtStream stream) {
    const size_t bytes = call.y.Bytes();
    switch (trick) {
        case ByHost:
            std::memcpy(call.y.data, call.x.data, bytes);
            return ACLNN_SUCCESS;
        case ByUpload:
            Upload(call);
            return ACLNN_SUCCESS;
        case ByFill:
            return aclrtMemsetAsync(call.y.data, bytes, 0, bytes, stream);
        case ByCopy:
            return aclrtMemcpyAsync(call.y.data, bytes, call.x.data, bytes,
                                    ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
        case OwnStream:
            OnOwnStream(call);
            return ACLNN_SUCCESS;
        case OtherThread:
            OnOtherThread(call);
            return ACLNN_SUCCESS;
        case LeavesTask:
            return Launch(call, nullptr);
        case OtherOrder:
        case InOrder:
            return OnTwoStreams(call, workspace, trick == InOrder, stream);
        case Quietens:
            setenv("ASCENDSIM_SYNC_LEVEL", "none", 1);
            ascendsimSyncLevel("none");
            break;
        case Leaves:
            Allocate();
            break;
        case Keeps: {
            [[maybe_unused]] static void* const kept = Allocate();
            break;
        }
        case FreesLater:
            aclrtFree(planned);
            break;
        default:
            break;
    }
    const aclnnStatus status = Launch(call, stream);
    if (trick == DropsLaunch) {
        Launch(call, stream, 0);
    } else if (trick == DropsCopy) {
        aclrtMemcpyAsync(call.y.data, bytes, call.x.data, bytes + kMebibyte,
                         ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
    } else if (trick == DyingHost) {
        return FromDyingHost(call, stream);
    } else if (trick == WaitsItself) {
        aclrtSynchronizeStream(stream);
    } else if (trick == TakesFindings) {
        TakeFindings(stream);
    }
    return status;
}

}  // namespace

extern "C" ACL_FUNC_VISIBILITY aclnnStatus aclnnSlyGetWorkspaceSize(const aclTensor* x,
                                                                    int64_t trick,
                                                                    const aclTensor* y,
                                                                    uint64_t* workspaceSize,
                                                                    aclOpExecutor** executor) {
    Views call;
    const aclnnStatus status = opapi::Capture(__func__, {{x, "x", &call.x}, {y, "y", &call.y}});
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    opapi::Plan plan;
    if (call.y.IsEmpty()) {
        return opapi::HandOut(std::move(plan), workspaceSize, executor);
    }
    const auto asked = static_cast<Trick>(trick);
    if (asked == InPhaseOne) {
        Launch(call, nullptr);
    }
    const bool allocates = asked == FreesLater || asked == LeavesPlanned || asked == LeavesRefused;
    void* const planned = allocates ? Allocate() : nullptr;
    if (asked == LeavesRefused) {
        return ACLNN_ERR_PARAM_INVALID;
    }
    plan.Reserve(32);  // a plan that does something has a workspace
    static Views newest;
    newest = call;
    plan.run = [=](uint8_t* workspace, aclrtStream stream) {
        return Run(asked == Newest ? newest : call, asked, planned, workspace, stream);
    };
    return opapi::HandOut(std::move(plan), workspaceSize, executor);
}

extern "C" ACL_FUNC_VISIBILITY aclnnStatus aclnnSly(void* workspace, uint64_t workspaceSize,
                                                    aclOpExecutor* executor, aclrtStream stream) {
    return opapi::RunAndFree(__func__, workspace, workspaceSize, executor, stream);
}
