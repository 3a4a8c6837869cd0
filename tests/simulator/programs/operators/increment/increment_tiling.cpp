#include "acl/acl_base.h"

extern "C" ACL_FUNC_VISIBILITY uint64_t incrementLargestCount() { return 64; }
