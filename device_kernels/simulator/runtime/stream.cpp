#include "stream.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "acl/acl.h"
#include "ascendsim.h"
#include "device.h"
#include "engine/order/hold.h"
#include "engine/schedule/launch.h"
#include "errors.h"
#include "faults.h"

namespace ascendsim {
namespace {

struct Failure {
    aclError status = ACL_SUCCESS;
    std::string text;
};

struct Stream {
    Failure failure;
    std::deque<Task> pending;
    uint64_t submitted = 0;
    uint64_t done = 0;
};

std::atomic<bool> isDeferring{false};

struct Streams {
    std::mutex mutex;
    // Held while a task runs, which may wait for another stream's: one runs at a time.
    std::recursive_mutex running;
    Stream standard;  // the device's own, named by a null handle
    std::map<aclrtStream, std::unique_ptr<Stream>> created;

    Stream* Find(aclrtStream handle) {
        if (handle == nullptr) {
            return &standard;
        }
        const auto found = created.find(handle);
        return found == created.end() ? nullptr : found->second.get();
    }
};

// Leaked: libraries call in from static destructors.
Streams& TheStreams() {
    static Streams* streams = new Streams;
    return *streams;
}

Failure Take(Stream& stream) {
    Failure failure;
    std::swap(failure, stream.failure);
    return failure;
}

aclError UnknownStream(const char* function, aclrtStream stream) {
    return Fail(ACL_ERROR_RT_STREAM_CONTEXT,
                std::string(function) + ": stream is " + Hex(stream) +
                    ", which no aclrtCreateStream returned or which was destroyed");
}

}  // namespace

bool IsDeferred(aclrtStream handle, const Task& task) {
    if (!isDeferring) {
        return false;
    }
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    Stream* stream = streams.Find(handle);
    if (stream == nullptr) {
        return false;
    }
    stream->pending.push_back(task);
    ++stream->submitted;
    return true;
}

void Submit(aclrtStream stream, const Task& task) {
    if (!IsDeferred(stream, task)) {
        task();
    }
}

Mark EndOf(aclrtStream handle) {
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    const Stream* stream = streams.Find(handle);
    return {handle, stream == nullptr ? 0 : stream->submitted};
}

bool IsReached(const Mark& mark) {
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    const Stream* stream = streams.Find(mark.stream);
    return stream == nullptr || stream->done >= mark.tasks;
}

void Reach(const Mark& mark) {
    while (!IsReached(mark)) {
        Approach(mark);
    }
}

void Approach(const Mark& mark) {
    Streams& streams = TheStreams();
    const std::lock_guard<std::recursive_mutex> runs(streams.running);
    Task task;
    {
        const std::lock_guard<std::mutex> lock(streams.mutex);
        Stream* stream = streams.Find(mark.stream);
        if (stream == nullptr || stream->done >= mark.tasks || stream->pending.empty()) {
            return;
        }
        task = std::move(stream->pending.front());
        stream->pending.pop_front();
    }
    task();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    if (Stream* stream = streams.Find(mark.stream); stream != nullptr) {
        ++stream->done;
    }
}

uint64_t PendingTasks() {
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    uint64_t count = streams.standard.pending.size();
    for (const auto& [handle, stream] : streams.created) {
        count += stream->pending.size();
    }
    return count;
}

namespace {

// At load: a launch does not need aclInit.
[[maybe_unused]] const bool registered = [] {
    RegisterSubmitLaunch(&IsDeferred);
    return true;
}();

// Every stream that is there.
std::vector<aclrtStream> Handles() {
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    std::vector<aclrtStream> handles{nullptr};
    for (const auto& [handle, stream] : streams.created) {
        handles.push_back(handle);
    }
    return handles;
}

}  // namespace

void FailStream(aclrtStream handle, aclError status, const std::string& text) {
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    Stream* stream = streams.Find(handle);
    Failure& failure = stream == nullptr ? streams.standard.failure : stream->failure;
    if (failure.status == ACL_SUCCESS) {
        failure = {status, text};
    }
}

aclError NeedStream(const char* function, aclrtStream handle) {
    const aclError status = NeedDevice(function);
    if (status != ACL_SUCCESS) {
        return status;
    }
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    return streams.Find(handle) == nullptr ? UnknownStream(function, handle) : ACL_SUCCESS;
}

}  // namespace ascendsim

using namespace ascendsim;

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
    if (stream == nullptr) {
        return NullArgument("aclrtCreateStream", "stream");
    }
    aclError status = NeedDevice("aclrtCreateStream");
    if (status == ACL_SUCCESS) {
        status = Injected("aclrtCreateStream");
    }
    if (status != ACL_SUCCESS) {
        return status;
    }
    auto created = std::make_unique<Stream>();
    *stream = created.get();
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    streams.created[*stream] = std::move(created);
    return ACL_SUCCESS;
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
    return aclrtCreateStream(stream);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) {
    return aclrtSynchronizeStream(stream);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t) { return aclrtSynchronizeDevice(); }

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    if (status == nullptr) {
        return NullArgument("aclrtStreamQuery", "status");
    }
    const Mark end = EndOf(stream);
    *status = IsReached(end) ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    Approach(end);
    return NeedStream("aclrtStreamQuery", stream);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType,
                             aclrtStream stream) {
    if (fn == nullptr) {
        return NullArgument("aclrtLaunchCallback", "fn");
    }
    const aclError status = NeedStream("aclrtLaunchCallback", stream);
    if (status == ACL_SUCCESS) {
        Submit(stream, [fn, userData] { fn(userData); });
    }
    return status;
}

aclError aclrtSubscribeReport(uint64_t, aclrtStream stream) {
    return NeedStream("aclrtSubscribeReport", stream);
}

aclError aclrtUnSubscribeReport(uint64_t, aclrtStream stream) {
    return NeedStream("aclrtUnSubscribeReport", stream);
}

aclError aclrtProcessReport(int32_t) { return ACL_SUCCESS; }

aclError aclrtDestroyStream(aclrtStream stream) {
    if (stream == nullptr) {
        return NullArgument("aclrtDestroyStream", "stream");
    }
    if (const aclError fault = Injected("aclrtDestroyStream"); fault != ACL_SUCCESS) {
        return fault;
    }
    Reach(EndOf(stream));
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    Stream* found = streams.Find(stream);
    if (found == nullptr) {
        return UnknownStream("aclrtDestroyStream", stream);
    }
    const Failure failure = Take(*found);
    streams.created.erase(stream);
    if (failure.status != ACL_SUCCESS) {
        // Nobody can wait for it any more: the text is all that is left of the failure.
        Fail(failure.status, failure.text);
    }
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeStream(aclrtStream handle) {
    if (const aclError fault = Injected("aclrtSynchronizeStream"); fault != ACL_SUCCESS) {
        return fault;
    }
    Reach(EndOf(handle));
    Failure failure;
    {
        Streams& streams = TheStreams();
        const std::lock_guard<std::mutex> lock(streams.mutex);
        Stream* stream = streams.Find(handle);
        if (stream == nullptr) {
            return UnknownStream("aclrtSynchronizeStream", handle);
        }
        failure = Take(*stream);
    }
    return failure.status == ACL_SUCCESS ? ACL_SUCCESS : Fail(failure.status, failure.text);
}

aclError aclrtSynchronizeDevice() {
    aclError status = NeedDevice("aclrtSynchronizeDevice");
    if (status == ACL_SUCCESS) {
        status = Injected("aclrtSynchronizeDevice");
    }
    if (status != ACL_SUCCESS) {
        return status;
    }
    for (const aclrtStream handle : Handles()) {
        Reach(EndOf(handle));
    }
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    const auto report = [&status](Stream& stream) {
        const Failure failure = Take(stream);
        if (failure.status != ACL_SUCCESS) {
            status = Fail(failure.status, failure.text);
        }
    };
    report(streams.standard);
    for (auto& [handle, stream] : streams.created) {
        report(*stream);
    }
    return status;
}
int ascendsimDeferTasks(int deferred) {
    if (IsHeld(__func__)) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    Streams& streams = TheStreams();
    const std::lock_guard<std::mutex> lock(streams.mutex);
    isDeferring = deferred != 0;
    const auto forget = [](Stream& stream) {
        stream.done += stream.pending.size();
        stream.pending.clear();
        stream.failure = {};
    };
    forget(streams.standard);
    for (auto& [handle, stream] : streams.created) {
        forget(*stream);
    }
    return ACL_SUCCESS;
}
}
