// What a user of the simulator may choose about the checks of later launches, besides the machine.
#pragma once

#include <cstdint>
#include <vector>

namespace ascendsim {

// The order in which the blocks of a launch run, as ascendsimBlockOrder or ASCENDSIM_BLOCK_ORDER
// says: a permutation of 0 to blocks - 1.
std::vector<uint32_t> BlockOrder(uint32_t blocks);

}  // namespace ascendsim
