// DataCacheCleanAndInvalid: what the scalar unit's data cache holds of global memory goes back
// there, and is fetched anew when it is next read.
#pragma once

#include <cstdint>

#include "../../engine/memory/data_cache.h"
#include "../tensors/global_tensor.h"

namespace AscendC {

enum class CacheLine : uint8_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint8_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

// One line, from the tensor's first element to the end of the line of 64 bytes that holds it, or
// the whole cache.
template <typename T, CacheLine entireType>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
    if constexpr (ascendsim::kChecks) {
        if constexpr (entireType == CacheLine::SINGLE_CACHE_LINE) {
            ascendsim::CleanCacheLine(reinterpret_cast<uint64_t>(dst.GetPhyAddr()));
        } else {
            ascendsim::CleanCache();
        }
    }
}

template <typename T, CacheLine entireType, DcciDst dcciDst>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst) {
    static_assert(dcciDst == DcciDst::CACHELINE_OUT || dcciDst == DcciDst::CACHELINE_ALL,
                  "DataCacheCleanAndInvalid keeps the cache consistent with global memory only");
    DataCacheCleanAndInvalid<T, entireType>(dst);
}

}  // namespace AscendC
