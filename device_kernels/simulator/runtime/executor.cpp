// What an aclnn program does to an executor outside the two phases. On CANN this is CANN's own.
// Interface: CANN operator library reference, common interfaces (aclDestroyAclOpExecutor).

#include "aclnn/acl_meta.h"
#include "plan.h"

extern "C" aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
    return opapi::Destroy("aclDestroyAclOpExecutor", executor);
}
