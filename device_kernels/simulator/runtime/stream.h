// Streams: queues of tasks. A task runs when it is submitted, or if tasks are deferred
// (ascendsimDeferTasks), when somebody waits for its stream or for an event behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "acl/acl_base.h"

namespace ascendsim {

using Task = std::function<void()>;

/// A place in a stream: behind `tasks` tasks that were submitted to it.
struct Mark {
    aclrtStream stream = nullptr;
    uint64_t tasks = 0;
};

/// Makes the next synchronize of `stream` (null: the default stream) answer `status` with `text`.
/// The first failure stays: what follows it on a stream is its consequence.
void FailStream(aclrtStream stream, aclError status, const std::string& text);

/// 0 where the calling thread has a device and `stream` is null (the default stream) or alive;
/// else 107002 or 107003 with a text that names `function`.
aclError NeedStream(const char* function, aclrtStream stream);

/// Whether `task` was taken: not if tasks are not deferred, or the stream is unknown.
bool IsDeferred(aclrtStream stream, const Task& task);

/// Runs `task` now, or later as the stream's.
void Submit(aclrtStream stream, const Task& task);

/// The end of a stream as it is now.
Mark EndOf(aclrtStream stream);

/// Whether all tasks before the mark have run; those of a destroyed stream have.
bool IsReached(const Mark& mark);

/// Runs the tasks before the mark.
void Reach(const Mark& mark);

/// Runs one task before the mark, if there is one: who polls must not wait for ever.
void Approach(const Mark& mark);

/// Tasks that were submitted and have not run.
uint64_t PendingTasks();

}  // namespace ascendsim
