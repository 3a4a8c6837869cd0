// InRange in two phases, as aclnn and as kernel entry.
#include "aclrtlaunch_in_range.h"
#include "in_range_tiling.h"
#include "two_phase.h"

namespace {

struct Kernel : entry::Operator<Kernel, InRangeTilingData> {
    static const entry::Table& Interface() {
        static const entry::Table table{
            "InRange document",
            {entry::In("x", {{ACL_FLOAT}}, {"row"}), entry::Real("low").Within(-1, 1),
             entry::Number("times"), entry::Real("high"), entry::Number("inverted"),
             entry::Out("y", entry::kInt32, {"row"})},
            entry::Stage::INTERFACE,
            {entry::AtMost("row", 512)}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char*, uint64_t) {
        *tiling = {static_cast<float>(call.Real("low")),
                   static_cast<float>(call.Real("high")),
                   static_cast<int32_t>(call.Number("times")),
                   static_cast<int32_t>(call.Number("inverted")),
                   call.Size("row"),
                   1};
        return ACLNN_SUCCESS;
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_in_range(at.cores, at.stream, at["x"], at["y"], at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(InRange,
              (const aclTensor* x, double low, int64_t times, double high, bool inverted,
               const aclTensor* y),
              x, low, times, high, inverted, y)
