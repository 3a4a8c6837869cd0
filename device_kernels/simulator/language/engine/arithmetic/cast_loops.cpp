#include <cstdint>

#include "../../ascendc/arithmetic/cast.h"

namespace ascendsim {
namespace {

template <typename Dst, typename Src>
bool Converted(Dst* to, const Src* from, uint32_t count, RoundMode mode) {
    return WithMode<Dst, Src>(mode, [&]<RoundMode known>() {
        ForEachElement(count, [to, from](uint32_t i) { to[i] = Convert<Dst, known>(from[i]); });
    });
}

}  // namespace

#define ASCENDSIM_CONVERT_ALL(Dst, Src, modes)                                  \
    bool ConvertAll(Dst* to, const Src* from, uint32_t count, RoundMode mode) { \
        return Converted(to, from, count, mode);                                \
    }
ASCENDSIM_CASTS(ASCENDSIM_CONVERT_ALL)

}  // namespace ascendsim
