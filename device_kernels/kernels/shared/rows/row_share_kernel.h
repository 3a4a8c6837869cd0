// The part of a number of items that falls to each block of a launch.
#ifndef ROW_SHARE_KERNEL_H
#define ROW_SHARE_KERNEL_H

#include "kernel_operator.h"

namespace row_sum {

__aicore__ inline int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }

// The part of `count` items that falls to a block: the first `count % blocks` blocks take one more
// than the others.
struct Share {
    int64_t first;
    int64_t end;
};

__aicore__ inline Share ShareOf(int64_t count, int64_t block, int64_t blocks) {
    const int64_t each = count / blocks;
    const int64_t rest = count % blocks;
    const int64_t first = block * each + Least(block, rest);
    return {first, first + each + (block < rest ? 1 : 0)};
}

__aicore__ inline Share OwnShare(int64_t count) {
    return ShareOf(count, AscendC::GetBlockIdx(), AscendC::GetBlockNum());
}

}  // namespace row_sum

#endif
