// Who touched which bytes of a memory last: per pipe and kind of access, as disjoint intervals.
//
// Intervals are exact to the byte and few, since accesses are long: their number, not the number of
// bytes, is what a check costs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "../order/clocks.h"
#include "../report/diagnostics.h"

namespace ascendsim {

// Atomic additions may meet each other in any order, but no plain access.
enum class Access : uint8_t { Read, Write, Atomic };
inline constexpr uint32_t kAccesses = 3;

constexpr bool Conflict(Access one, Access other) { return one != other || one == Access::Write; }

// One access as it is remembered. `sharer`: another block that read the bytes in the same phase.
struct Seen {
    CallSite where;
    const char* operation = "";
    uint32_t epoch = 0;
    uint32_t phase = 0;
    int32_t block = 0;
    int32_t sharer = -1;
    bool operator==(const Seen& other) const {
        return epoch == other.epoch && block == other.block && phase == other.phase &&
               sharer == other.sharer && operation == other.operation &&
               where.line() == other.where.line() && where.file_name() == other.where.file_name();
    }
};

// A remembered access that a new one conflicts with, and where they meet.
struct Meeting {
    const Seen* seen = nullptr;  // null: none
    Pipe pipe = Pipe::S;
    Access access = Access::Read;
    uint64_t start = 0;
};

class Shadow {
public:
    // Forgets all accesses, and is a memory of `bytes` from now on.
    void Reset(uint64_t bytes);

    // The first remembered access of [start, end) that conflicts with `access` and that `ordered`
    // (called with its pipe and itself) does not excuse.
    template <typename Ordered>
    Meeting Find(Access access, uint64_t start, uint64_t end, Ordered ordered) const {
        for (uint64_t index = start / kPage; index * kPage < end; ++index) {
            const Page* page = pages_[index].get();
            if (page == nullptr || page->used == 0) {
                continue;
            }
            const Meeting met = page->Find(access, start, end, ordered);
            if (met.seen != nullptr) {
                return met;
            }
        }
        return {};
    }

    // Calls `body(first, behind, seen)` for what is remembered of `pipe` and `access` there.
    template <typename Body>
    void ForEach(Pipe pipe, Access access, uint64_t start, uint64_t end, Body body) const {
        for (uint64_t index = start / kPage; index * kPage < end; ++index) {
            if (const Page* page = pages_[index].get()) {
                page->lists[ListOf(pipe, access)].AnyIn(start, end, [&](const Interval& one) {
                    body(std::max(start, one.start), std::min(end, one.end), one.seen);
                    return false;
                });
            }
        }
    }

    // Remembers that `pipe` touched [start, end), instead of what it did there before.
    void Record(Pipe pipe, Access access, uint64_t start, uint64_t end, const Seen& seen);

private:
    // Bytes: the reach of a search, and of what a new interval moves.
    static constexpr uint64_t kPage = 2048;

    static constexpr uint32_t ListOf(Pipe pipe, Access access) {
        return static_cast<uint32_t>(pipe) * kAccesses + static_cast<uint32_t>(access);
    }

    // The lists, one bit each, whose accesses conflict with `access`.
    static constexpr uint32_t ListsAgainst(Access access) {
        uint32_t found = 0;
        for (uint32_t list = 0; list < kPipes * kAccesses; ++list) {
            found |= uint32_t{Conflict(access, static_cast<Access>(list % kAccesses))} << list;
        }
        return found;
    }

    struct Interval {
        uint64_t start;
        uint64_t end;
        Seen seen;
    };

    // The intervals of one pipe and kind inside a page, in order.
    class List {
    public:
        template <typename Body>
        bool AnyIn(uint64_t start, uint64_t end, Body body) const {
            for (size_t at = FirstAfter(start);
                 at < intervals_.size() && intervals_[at].start < end; ++at) {
                if (body(intervals_[at])) {
                    return true;
                }
            }
            return false;
        }
        void Assign(uint64_t start, uint64_t end, const Seen& seen);
        void Clear() { intervals_.clear(); }

    private:
        // The first that ends after `start`: most often that of the last search, or the next one.
        size_t FirstAfter(uint64_t start) const {
            for (const size_t at : {last_, last_ + 1}) {
                if (at < intervals_.size() && start < intervals_[at].end &&
                    (at == 0 || intervals_[at - 1].end <= start)) {
                    return last_ = at;
                }
            }
            return last_ = Search(start);
        }
        size_t Search(uint64_t start) const;

        std::vector<Interval> intervals_;
        mutable size_t last_ = 0;
    };

    struct Page {
        uint32_t used = 0;  // one bit per list
        std::array<List, kPipes * kAccesses> lists;

        template <typename Ordered>
        Meeting Find(Access access, uint64_t start, uint64_t end, Ordered ordered) const {
            for (uint32_t left = used & ListsAgainst(access); left != 0; left &= left - 1) {
                const auto index = static_cast<uint32_t>(std::countr_zero(left));
                const auto pipe = static_cast<Pipe>(index / kAccesses);
                const auto other = static_cast<Access>(index % kAccesses);
                Meeting met;
                const auto meets = [&](const Interval& interval) {
                    if (ordered(pipe, interval.seen)) {
                        return false;
                    }
                    met = {&interval.seen, pipe, other,
                           interval.start > start ? interval.start : start};
                    return true;
                };
                if (lists[index].AnyIn(start, end, meets)) {
                    return met;
                }
            }
            return {};
        }
    };

    std::vector<std::unique_ptr<Page>> pages_;
    std::vector<uint32_t> touched_;  // pages with intervals
};

}  // namespace ascendsim
