#include "acl/acl_base.h"
#include "aclrtlaunch_increment.h"

extern "C" ACL_FUNC_VISIBILITY uint32_t aclnnIncrement(void* input, void* output, void* count,
                                                       aclrtStream stream) {
    return aclrtlaunch_increment(1, stream, input, output, count);
}
