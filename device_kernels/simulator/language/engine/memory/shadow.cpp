// What remembers the last accesses to each byte of a memory, by page.
#include "shadow.h"

#include <algorithm>

namespace ascendsim {
namespace {

constexpr uint32_t kKeptPages = 32768;  // the rest of a large memory is given back

}  // namespace

void Shadow::Reset(uint64_t bytes) {
    for (const uint32_t index : touched_) {
        if (index >= kKeptPages) {
            pages_[index].reset();
            continue;
        }
        pages_[index]->used = 0;
        for (List& list : pages_[index]->lists) {
            list.Clear();
        }
    }
    touched_.clear();
    pages_.resize(std::max<uint64_t>(pages_.size(), bytes / kPage + 1));
}

void Shadow::Record(Pipe pipe, Access access, uint64_t start, uint64_t end, const Seen& seen) {
    const uint32_t list = ListOf(pipe, access);
    for (uint64_t index = start / kPage; index * kPage < end; ++index) {
        if (pages_[index] == nullptr) {
            pages_[index] = std::make_unique<Page>();
        }
        Page& page = *pages_[index];
        if (page.used == 0) {
            touched_.push_back(static_cast<uint32_t>(index));
        }
        page.used |= 1u << list;
        page.lists[list].Assign(std::max(start, index * kPage), std::min(end, (index + 1) * kPage),
                                seen);
    }
}

size_t Shadow::List::Search(uint64_t start) const {
    if (intervals_.empty() || intervals_.back().end <= start) {
        return intervals_.size();
    }
    const auto found =
        std::upper_bound(intervals_.begin(), intervals_.end(), start,
                         [](uint64_t at, const Interval& interval) { return at < interval.end; });
    return static_cast<size_t>(found - intervals_.begin());
}

void Shadow::List::Assign(uint64_t start, uint64_t end, const Seen& seen) {
    const size_t first = FirstAfter(start);
    size_t behind = first;
    while (behind < intervals_.size() && intervals_[behind].start < end) {
        ++behind;
    }
    if (behind - first == 1 && intervals_[first].start == start && intervals_[first].end == end) {
        intervals_[first].seen = seen;
        return;
    }
    // What is left of the outermost ones, around the new one.
    std::array<Interval, 3> fresh;
    size_t count = 0;
    if (first < behind && intervals_[first].start < start) {
        fresh[count++] = {intervals_[first].start, start, intervals_[first].seen};
    }
    fresh[count++] = {start, end, seen};
    if (first < behind && intervals_[behind - 1].end > end) {
        fresh[count++] = {end, intervals_[behind - 1].end, intervals_[behind - 1].seen};
    }
    const auto joins = [](const Interval& left, const Interval& right) {
        return left.end == right.start && left.seen == right.seen;
    };
    if (count == 1 && first == behind && first > 0 && joins(intervals_[first - 1], fresh[0])) {
        intervals_[first - 1].end = end;
        return;
    }
    size_t kept = 0;
    for (size_t index = 0; index < count; ++index) {
        if (kept > 0 && joins(fresh[kept - 1], fresh[index])) {
            fresh[kept - 1].end = fresh[index].end;
        } else {
            fresh[kept++] = fresh[index];
        }
    }
    const size_t replaced = std::min(kept, behind - first);
    std::copy_n(fresh.begin(), replaced, intervals_.begin() + static_cast<int64_t>(first));
    if (replaced < kept) {
        intervals_.insert(intervals_.begin() + static_cast<int64_t>(first + replaced),
                          fresh.begin() + static_cast<int64_t>(replaced),
                          fresh.begin() + static_cast<int64_t>(kept));
    } else {
        intervals_.erase(intervals_.begin() + static_cast<int64_t>(first + replaced),
                         intervals_.begin() + static_cast<int64_t>(behind));
    }
}

}  // namespace ascendsim
