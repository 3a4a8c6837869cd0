// The tiling key of a launch: which branch of an operator's kernel its tiling has chosen.
#pragma once

#include <cstdint>

namespace ascendsim {

// The key of the running launch; 0 where none was named.
uint64_t TilingKey();

// Forgets the key, as the launch that it was named for has ended.
void EndTilingKey();

}  // namespace ascendsim
