// Events: places in a stream. Where tasks run at submission, an event is complete once recorded.

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "acl/acl.h"
#include "device.h"
#include "errors.h"
#include "stream.h"

namespace ascendsim {
namespace {

using Clock = std::chrono::steady_clock;

struct Event {
    bool recorded = false;
    Clock::time_point at;
    Mark place;
};

struct Events {
    std::mutex mutex;
    std::map<aclrtEvent, std::unique_ptr<Event>> created;
};

// Leaked: libraries call in from static destructors.
Events& TheEvents() {
    static Events* events = new Events;
    return *events;
}

aclError UnknownEvent(const char* function, const char* parameter, aclrtEvent event) {
    return Fail(ACL_ERROR_INVALID_PARAM,
                std::string(function) + ": " + parameter + " is " + Hex(event) +
                    ", which no aclrtCreateEventWithFlag returned or which was destroyed");
}

// Calls `use` with a live event, under the lock.
template <typename Use>
aclError With(const char* function, const char* parameter, aclrtEvent event, Use use) {
    Events& events = TheEvents();
    const std::lock_guard<std::mutex> lock(events.mutex);
    const auto found = events.created.find(event);
    return found == events.created.end() ? UnknownEvent(function, parameter, event)
                                         : use(*found->second);
}

aclError Create(const char* function, aclrtEvent* event) {
    if (event == nullptr) {
        return NullArgument(function, "event");
    }
    const aclError status = NeedDevice(function);
    if (status != ACL_SUCCESS) {
        return status;
    }
    auto created = std::make_unique<Event>();
    *event = created.get();
    Events& events = TheEvents();
    const std::lock_guard<std::mutex> lock(events.mutex);
    events.created[*event] = std::move(created);
    return ACL_SUCCESS;
}

aclError Recorded(const char* function, const char* parameter, aclrtEvent event,
                  Clock::time_point* at) {
    return With(function, parameter, event, [&](const Event& one) {
        *at = one.at;
        return one.recorded ? ACL_SUCCESS
                            : Fail(ACL_ERROR_INVALID_PARAM, std::string(function) + ": " +
                                                                parameter + " was never recorded");
    });
}

// Where an event stands; one that was never recorded stands behind nothing.
aclError Place(const char* function, aclrtEvent event, Mark* place) {
    return With(function, "event", event, [&](const Event& one) {
        *place = one.place;
        return ACL_SUCCESS;
    });
}

}  // namespace
}  // namespace ascendsim

using namespace ascendsim;

extern "C" {

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) {
    return Create("aclrtCreateEventWithFlag", event);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) {
    return Create("aclrtCreateEventExWithFlag", event);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    Events& events = TheEvents();
    const std::lock_guard<std::mutex> lock(events.mutex);
    return events.created.erase(event) != 0 ? ACL_SUCCESS
                                            : UnknownEvent("aclrtDestroyEvent", "event", event);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    const aclError status = NeedStream("aclrtRecordEvent", stream);
    return status != ACL_SUCCESS ? status
                                 : With("aclrtRecordEvent", "event", event, [stream](Event& one) {
                                       one = {true, Clock::now(), EndOf(stream)};
                                       return ACL_SUCCESS;
                                   });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
    const aclError status = NeedStream("aclrtResetEvent", stream);
    return status != ACL_SUCCESS ? status : With("aclrtResetEvent", "event", event, [](Event& one) {
        one = {};
        return ACL_SUCCESS;
    });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    Mark place;
    aclError status = NeedStream("aclrtStreamWaitEvent", stream);
    if (status == ACL_SUCCESS) {
        status = Place("aclrtStreamWaitEvent", event, &place);
    }
    if (status == ACL_SUCCESS) {
        Submit(stream, [place] { Reach(place); });
    }
    return status;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
    Mark place;
    const aclError status = Place("aclrtSynchronizeEvent", event, &place);
    Reach(place);
    return status;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    if (status == nullptr) {
        return NullArgument("aclrtQueryEventStatus", "status");
    }
    Mark place;
    const aclError answer = Place("aclrtQueryEventStatus", event, &place);
    *status =
        IsReached(place) ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    Approach(place);
    return answer;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
    if (status == nullptr) {
        return NullArgument("aclrtQueryEventWaitStatus", "status");
    }
    Mark place;
    const aclError answer = Place("aclrtQueryEventWaitStatus", event, &place);
    *status = IsReached(place) ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
    Approach(place);
    return answer;
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    if (ms == nullptr) {
        return NullArgument("aclrtEventElapsedTime", "ms");
    }
    Clock::time_point start;
    Clock::time_point end;
    aclError status = Recorded("aclrtEventElapsedTime", "startEvent", startEvent, &start);
    if (status == ACL_SUCCESS) {
        status = Recorded("aclrtEventElapsedTime", "endEvent", endEvent, &end);
    }
    if (status == ACL_SUCCESS) {
        *ms = std::chrono::duration<float, std::milli>(end - start).count();
    }
    return status;
}
}
