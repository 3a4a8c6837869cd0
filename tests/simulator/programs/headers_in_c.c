#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_moe_init_routing_v2.h"
#include "aclnnop/aclnn_moe_init_routing_v2_grad.h"
#include "aclnnop/aclnn_moe_token_permute.h"
#include "aclnnop/aclnn_moe_token_permute_with_ep.h"
#include "ascendsim.h"

int main(void) { return sizeof(aclCANNPackageVersion) == 512 && ACL_BF16 == 27 ? 0 : 1; }
