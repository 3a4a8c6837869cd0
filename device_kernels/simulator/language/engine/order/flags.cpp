#include "flags.h"

#include <bit>

#include "../schedule/core.h"
#include "trace.h"

namespace ascendsim {
namespace {

// In the order of AscendC::HardEvent; the waiting pipe's name is the part after the last '_'.
constexpr const char* kNames[kHardEvents] = {
    "MTE2_V", "V_MTE2", "MTE3_V", "V_MTE3", "V_V",    "MTE2_MTE3", "MTE3_MTE2",
    "S_V",    "V_S",    "S_MTE2", "MTE2_S", "S_MTE3", "MTE3_S",
};

// The two pipes of a HardEvent's name.
constexpr Pipe SourceOf(uint32_t event) { return PipeOf(kNames[event]); }
constexpr Pipe WaiterOf(uint32_t event) {
    const char* name = kNames[event];
    while (*name++ != '_') {
    }
    return PipeOf(name);
}

constexpr uint8_t Bit(int32_t id) { return static_cast<uint8_t>(1u << id); }

Flags::Flag& FlagOf(uint32_t event, int32_t id, const char* operation, CallSite where) {
    if (id < 0 || id >= static_cast<int32_t>(kEventIds)) {
        Stop(Code::ArgumentRange, {where}, "%s<%s> with event id %d, ids are 0 to 7", operation,
             kNames[event], id);
    }
    return CurrentCore().flags.flags[event][static_cast<uint32_t>(id)];
}

// Under a TPipe an id is one that it has named: of a fixed one it knows nothing.
void RemarkFixedId(uint32_t event, int32_t id, CallSite where) {
    const Core& core = CurrentCore();
    if (!core.pipes.empty() && (core.flags.named[event] & Bit(id)) == 0) {
        Remark(Code::EventFixed, {where, kNames[event]},
               "flag %s %d is set, and no TPipe has named this id for %s", kNames[event], id,
               kNames[event]);
    }
}

}  // namespace

void SetFlag(uint32_t event, int32_t id, CallSite where) {
    NoteCall("SetFlag", where);
    Flags::Flag& flag = FlagOf(event, id, "SetFlag", where);
    RemarkFixedId(event, id, where);
    if (flag.set) {
        Concern(Code::FlagSetTwice, {where, kNames[event]},
                "flag %s %d is set again, line %u set it and nobody has waited for it",
                kNames[event], id, flag.setAt.line());
    }
    ++flag.set;
    flag.setAt = where;
    if constexpr (kChecks) {
        Core& core = CurrentCore();
        flag.told = core.clocks.Release(SourceOf(event));
        core.chains[event][static_cast<uint32_t>(id)] = core.work.Signal(SourceOf(event));
        if (core.pipelines.Queues()) {
            flag.place = core.pipelines.Signal(SourceOf(event));
        }
        if (Tracing()) {
            TraceFlag("set", SourceOf(event), WaiterOf(event), id);
        }
    }
}

void WaitFlag(uint32_t event, int32_t id, CallSite where) {
    NoteCall("WaitFlag", where);
    Flags::Flag& flag = FlagOf(event, id, "WaitFlag", where);
    if (!flag.set) {
        Stop(Code::FlagWithoutSet, {where, kNames[event]}, "flag %s %d was never set",
             kNames[event], id);
    }
    --flag.set;
    if constexpr (kChecks) {
        Core& core = CurrentCore();
        core.clocks.Acquire(WaiterOf(event), flag.told);
        core.work.Await(WaiterOf(event), core.chains[event][static_cast<uint32_t>(id)]);
        if (core.pipelines.Queues()) {
            core.pipelines.Await(WaiterOf(event), SourceOf(event), flag.place);
        }
        if (Tracing()) {
            TraceFlag("wait", SourceOf(event), WaiterOf(event), id);
        }
    }
}

void OrderInside(Pipe source, Pipe waiter) {
    constexpr int32_t kOwn = -1;
    Core& core = CurrentCore();
    core.clocks.Acquire(waiter, core.clocks.Release(source));
    core.work.Await(waiter, core.work.Signal(source));
    if (core.pipelines.Queues()) {
        core.pipelines.Await(waiter, source, core.pipelines.Signal(source));
    }
    if (Tracing()) {
        TraceFlag("set", source, waiter, kOwn);
        TraceFlag("wait", source, waiter, kOwn);
    }
}

void RequireNoFlagSet() {
    const Flags& flags = CurrentCore().flags;
    for (uint32_t event = 0; event < kHardEvents; ++event) {
        for (uint32_t id = 0; id < kEventIds; ++id) {
            const Flags::Flag& flag = flags.flags[event][id];
            if (flag.set) {
                Stop(Code::FlagLeftSet, {flag.setAt, kNames[event]},
                     "flag %s %u is still set at the end of the kernel", kNames[event], id);
            }
        }
    }
}

int8_t EventIds::Fetch(uint32_t event, CallSite where) const {
    const auto id = static_cast<int8_t>(std::countr_one(reserved_[event]));
    if (id == static_cast<int8_t>(kEventIds)) {
        Stop(Code::EventExhausted, {where, kNames[event]}, "all 8 ids of %s are reserved",
             kNames[event]);
    }
    CurrentCore().flags.named[event] |= Bit(id);
    return id;
}

int8_t EventIds::Allocate(uint32_t event, CallSite where) {
    const int8_t id = Fetch(event, where);
    reserved_[event] |= Bit(id);
    return id;
}

void EventIds::Release(uint32_t event, int32_t id, CallSite where) {
    if (id < 0 || id >= static_cast<int32_t>(kEventIds) || (reserved_[event] & Bit(id)) == 0) {
        Stop(Code::ArgumentRange, {where, kNames[event]},
             "ReleaseEventID<%s> of id %d, which AllocEventID has not given out", kNames[event],
             id);
    }
    if ((raised_[event] & Bit(id)) != 0) {
        Stop(Code::ArgumentRange, {where, kNames[event]},
             "ReleaseEventID<%s> of id %d, which a queue has reserved", kNames[event], id);
    }
    reserved_[event] &= static_cast<uint8_t>(~Bit(id));
}

int8_t EventIds::Raise(uint32_t event, CallSite where) {
    const int8_t id = Allocate(event, where);
    SetFlag(event, id, where);
    raised_[event] |= Bit(id);
    return id;
}

void EventIds::Lower(uint32_t event, int8_t id, CallSite where) {
    WaitFlag(event, id, where);
    raised_[event] &= static_cast<uint8_t>(~Bit(id));
    Release(event, id, where);
}

void EventIds::TakeDownQueueFlags() {
    Flags& flags = CurrentCore().flags;
    for (uint32_t event = 0; event < kHardEvents; ++event) {
        for (uint32_t id = 0; id < kEventIds; ++id) {
            if ((raised_[event] & Bit(static_cast<int32_t>(id))) != 0) {
                flags.flags[event][id].set = 0;
            }
        }
    }
    *this = {};
}

}  // namespace ascendsim
