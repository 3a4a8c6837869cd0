#include "tiling_key.h"

#include "launch.h"

namespace ascendsim {
namespace {

// A launch runs in the thread that named its key.
thread_local uint64_t tilingKey = 0;

}  // namespace

uint64_t TilingKey() { return tilingKey; }

void EndTilingKey() { tilingKey = 0; }

}  // namespace ascendsim

extern "C" void ascendsimTilingKey(uint64_t key) { ascendsim::tilingKey = key; }
