// A set of bytes as disjoint ranges in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ascendsim {

// Bytes of a memory, first to behind the last.
struct Bytes {
    uint64_t start;
    uint64_t end;
};

class Ranges {
public:
    void Clear() { ranges_.clear(); }

    void Add(uint64_t start, uint64_t end) {
        // What it meets or touches becomes part of it.
        auto first = std::lower_bound(ranges_.begin(), ranges_.end(), start,
                                      [](const Bytes& one, uint64_t at) { return one.end < at; });
        auto behind = first;
        while (behind != ranges_.end() && behind->start <= end) {
            start = std::min(start, behind->start);
            end = std::max(end, behind->end);
            ++behind;
        }
        if (first == behind) {
            ranges_.insert(first, {start, end});
        } else {
            *first = {start, end};
            ranges_.erase(first + 1, behind);
        }
    }

    void Remove(uint64_t start, uint64_t end) {
        auto first = FirstAfter(start);
        if (first == ranges_.end() || first->start >= end) {
            return;
        }
        if (first->start < start) {
            const Bytes whole = *first;
            first->end = start;
            ++first;
            if (whole.end > end) {
                ranges_.insert(first, {end, whole.end});
                return;
            }
        }
        auto behind = first;
        while (behind != ranges_.end() && behind->end <= end) {
            ++behind;
        }
        if (behind != ranges_.end() && behind->start < end) {
            behind->start = end;
        }
        ranges_.erase(first, behind);
    }

    // The part in [start, end), range by range.
    template <typename Body>
    void ForEachIn(uint64_t start, uint64_t end, Body body) const {
        for (auto one = FirstAfter(start); one != ranges_.end() && one->start < end; ++one) {
            body(Bytes{std::max(start, one->start), std::min(end, one->end)});
        }
    }

    bool Meets(uint64_t start, uint64_t end) const {
        const auto one = FirstAfter(start);
        return one != ranges_.end() && one->start < end;
    }

private:
    std::vector<Bytes>::const_iterator FirstAfter(uint64_t start) const {
        return std::upper_bound(ranges_.begin(), ranges_.end(), start,
                                [](uint64_t at, const Bytes& one) { return at < one.end; });
    }
    std::vector<Bytes>::iterator FirstAfter(uint64_t start) {
        return std::upper_bound(ranges_.begin(), ranges_.end(), start,
                                [](uint64_t at, const Bytes& one) { return at < one.end; });
    }

    std::vector<Bytes> ranges_;
};

}  // namespace ascendsim
