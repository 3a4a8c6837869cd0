// Instructions that took effect before one that they depend on, in another schedule than `program`.
//
// What an instruction touches is known when it is issued. When it takes effect, an instruction that
// was issued before it, touches the same bytes and has not taken effect shows that nothing orders
// the two. The clocks are not asked: this is what a schedule has done.
#pragma once

#include <cstdint>
#include <string>

#include "../memory/access.h"
#include "../memory/few.h"

namespace ascendsim {

// Bytes at addresses of the host, of UB or of global memory.
struct Touched {
    Access access;
    uint64_t start;
    uint64_t end;
};

// Whether two ranges have a byte in common.
template <typename One, typename Other>
bool Meet(const One& one, const Other& other) {
    return one.start < other.end && other.start < one.end;
}

// What most instructions touch: two operands that are read, one that is written, and one more.
using TouchedBytes = Few<Touched, 4>;

// An instruction that has been issued: its place in the program, and what it touches.
struct Footprint {
    Doer doer{"", "", {}};
    uint64_t number = 0;
    TouchedBytes touched;
};

// Whether `late`, which has not taken effect, should have done so before `early`; then it is told,
// the first time in a launch. `schedule` is its name.
bool TellEarly(const Footprint& early, const Footprint& late, const std::string& schedule);

}  // namespace ascendsim
