// FunctionProbe in two phases: out[i] is a function of x[i], or of x[i] and y[i].
#include <cstdio>

#include "aclrtlaunch_function_probe.h"
#include "function_probe_tiling.h"
#include "two_phase.h"

namespace {

constexpr auto kLast = static_cast<int64_t>(ProbedFunction::Reciprocal);

struct Kernel : entry::Operator<Kernel, FunctionProbeTilingData> {
    static const entry::Table& Interface() {
        static const entry::Types kFloat{{ACL_FLOAT}};
        static const entry::Table table{
            "conformance/session/function_probe.py",
            {entry::In("x", kFloat, {"elements"}), entry::In("y", kFloat, {"elements"}),
             entry::Number("function").Between(0, kLast), entry::Out("out", kFloat, {"elements"})}};
        return table;
    }

    static int32_t Cut(const entry::Call& call, Tiling* tiling, char* reason, uint64_t bytes) {
        *tiling = FunctionProbeTiling(call.Shape("x").values[0], call.Number("function"),
                                      call.machine().vectorCores, call.machine().ubBytes);
        if (tiling->tile == 0) {
            std::snprintf(reason, bytes, "the unified buffer holds no tile of operands");
            return ACLNN_ERR_INNER_TILING_ERROR;
        }
        return ACLNN_SUCCESS;
    }

    static uint32_t Start(const entry::Launch& at, const Tiling&) {
        return aclrtlaunch_function_probe(at.cores, at.stream, at["x"], at["y"], at["out"],
                                          at.tiling);
    }
};

}  // namespace

MOE_TWO_PHASE(FunctionProbe,
              (const aclTensor* x, const aclTensor* y, int64_t function, const aclTensor* out), x,
              y, function, out)
