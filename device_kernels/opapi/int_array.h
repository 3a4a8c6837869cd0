// An attribute that is an array of integers, captured by value.
#pragma once

#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"

namespace opapi {

struct IntArray {
    bool isPresent = false;
    std::vector<int64_t> values;
};

/// Reads an optional array; a null one is absent. 361001, with a text, where its values cannot be
/// told: CANN has no public function for them.
aclnnStatus CaptureIntArray(const char* function, const aclIntArray* array, const char* name,
                            IntArray* captured);

}  // namespace opapi
