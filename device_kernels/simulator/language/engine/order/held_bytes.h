// Bytes of UB that instructions have written and that no other pipe sees yet.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "early.h"

namespace ascendsim {

// Bytes, and who wrote them.
struct Held {
    Touched touched;
    size_t first;  // among the bytes of all parts
    Doer doer;
    uint64_t number;

    Footprint AsFootprint() const { return {doer, number, {touched}}; }
};

class HeldBytes {
public:
    const std::vector<Held>& Parts() const { return parts_; }
    void Clear() {
        parts_.clear();
        bytes_.clear();
    }

    // Keeps `from`, which is what `writer` has written or is about to write there.
    void Add(const Touched& there, const uint8_t* from, const Doer& writer, uint64_t number) {
        parts_.push_back({there, bytes_.size(), writer, number});
        bytes_.insert(bytes_.end(), from, from + (there.end - there.start));
    }

    // Whether an instruction that touches these bytes writes some of it.
    bool WrittenBy(const TouchedBytes& touched) const {
        return std::any_of(touched.begin(), touched.end(), [&](const Touched& one) {
            return one.access == Access::Write &&
                   std::any_of(parts_.begin(), parts_.end(),
                               [&](const Held& part) { return Meet(one, part.touched); });
        });
    }

    // Puts into `bytes`, which stand for those from `start` on, what is kept of them.
    void ReadInto(uint8_t* bytes, uint64_t start, uint64_t count) const {
        for (const Held& part : parts_) {
            for (uint64_t at = std::max(start, part.touched.start);
                 at < std::min(start + count, part.touched.end); ++at) {
                bytes[at - start] = bytes_[part.first + at - part.touched.start];
            }
        }
    }

    // Writes all of it to where it belongs, in the order in which it was added.
    void Show() const {
        for (const Held& part : parts_) {
            std::copy_n(bytes_.begin() + static_cast<int64_t>(part.first),
                        part.touched.end - part.touched.start,
                        reinterpret_cast<uint8_t*>(part.touched.start));
        }
    }

private:
    std::vector<Held> parts_;
    std::vector<uint8_t> bytes_;
};

}  // namespace ascendsim
