// The scalar unit's data caches: which lines of global memory the cores hold, and what in them has
// yet to go back.
//
// A scalar access goes through the cache of its core, line by line; copies do not, and no core sees
// another's cache. Values are not kept apart here: an access that would meet an old one is an
// error. Lines leave a cache when the kernel says so; that they may leave earlier helps nobody.
#pragma once

#include <cstdint>

#include "access.h"
#include "global_memory.h"

namespace ascendsim {

inline constexpr uint64_t kCacheLine = 64;  // bytes

// All caches are empty: a launch begins.
void EmptyCaches();

// Whether any core holds, or held, a line since then: if not, a copy has nothing to meet.
bool CachesInUse();

// Judges and remembers an access of a writable region, which its pipe and its block may make.
// `name` is the region's; `seen` is the access as others will know it.
void DeclareCached(const RegionShadow& region, const char* name, uint64_t address, uint64_t bytes,
                   Access access, const Doer& doer, const Seen& seen);

// The running block's scalar unit writes back and forgets: the line of `address` from there on, or
// all that it holds.
void CleanCacheLine(uint64_t address);
void CleanCache();

// Tells of the bytes that the running block has not written back, as its kernel ends.
void RemarkDirtyLines();

}  // namespace ascendsim
