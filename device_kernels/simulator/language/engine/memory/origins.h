// Where undefined bytes of UB came from, where a copy brought them from a workspace.
#pragma once

#include <cstdint>
#include <vector>

#include "../report/call_site.h"
#include "ranges.h"

namespace ascendsim {

// The copy that brought bytes, the first of which lay at `offset` of `region`; `computed`: what it
// brought was computed with.
struct Origin {
    const char* operation;
    CallSite where;
    const char* region;
    uint64_t offset;
    bool computed = false;
};

class Origins {
public:
    void Clear() { parts_.clear(); }

    // The bytes are of this origin from now on. Many are kept, not all.
    void Add(Bytes bytes, const Origin& origin) { Put({bytes, true, origin}); }

    // The bytes are of another origin from now on, which is not known.
    void Forget(Bytes bytes) {
        if (!parts_.empty()) {
            Put({bytes, false, {}});
        }
    }

    // The origin of a byte, with its own offset; false: it is not known.
    bool Find(uint64_t at, Origin& origin) const {
        for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
            if (at < part->bytes.start || at >= part->bytes.end) {
                continue;
            }
            origin = part->origin;
            origin.offset += origin.computed ? 0 : at - part->bytes.start;
            return part->known;
        }
        return false;
    }

private:
    static constexpr size_t kMost = 256;

    struct Part {
        Bytes bytes;
        bool known;
        Origin origin;
    };

    void Put(const Part& part) {
        std::erase_if(parts_, [&](const Part& other) {
            return part.bytes.start <= other.bytes.start && other.bytes.end <= part.bytes.end;
        });
        if (parts_.size() == kMost) {
            parts_.erase(parts_.begin());
        }
        parts_.push_back(part);
    }

    std::vector<Part> parts_;  // later ones hide earlier ones
};

}  // namespace ascendsim
