// The tilings of library functions: how much of UB a function asks for. What else a tiling holds is
// left at zero, as the model of these functions reads none of it (language/ascendc/).
//
// Sizes are those of Atlas A2 and A3, in bytes (asc-devkit, impl/adv_api/tiling, 2026-07-30, read).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "graph/shape.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

#include "../../language/kernel_tiling/library_tilings.h"

}  // namespace optiling

namespace AscendC {

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
enum class ReducePattern : uint32_t { AR = 0, RA = 1 };

inline bool IsHalfOrFloat(uint32_t bytes) { return bytes == 2 || bytes == 4; }

// A row takes its elements in float, a block of the data type and 64 elements more.
inline uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& shape, uint32_t bytes, bool) {
    if (!IsHalfOrFloat(bytes) || shape.GetShapeSize() <= 0) {
        return 0;
    }
    return static_cast<uint32_t>(shape.Rows() * (32 / bytes + shape.Columns() + 64) * 4);
}
inline void SoftMaxTilingFunc(const ge::Shape&, uint32_t, uint32_t, optiling::SoftMaxTiling&) {}

// Half is raised to float: its rows take their elements and a block more. Basic blocks, which have
// a size of their own, are not modelled.
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& shape, uint32_t bytes,
                                            uint32_t maxBytes, bool) {
    if (!IsHalfOrFloat(bytes) || !IsHalfOrFloat(maxBytes) || shape.GetShapeSize() <= 0) {
        return 0;
    }
    const int64_t block = 32 / maxBytes;
    const int64_t row = bytes == 2 ? 2 * block + shape.Columns() + 64 : block + 64;
    return static_cast<uint32_t>(shape.Rows() * row * 4);
}
inline void SoftMaxFlashV2TilingFunc(const ge::Shape&, uint32_t, uint32_t, uint32_t,
                                     optiling::SoftMaxTiling&, bool) {}

inline void GetSigmoidMaxMinTmpSize(const ge::Shape& shape, uint32_t bytes, bool, uint32_t& most,
                                    uint32_t& least) {
    least = 256;
    most = std::max(static_cast<uint32_t>(shape.GetShapeSize()) * bytes, least);
}

// Of a long row 16 bytes for each element, and 4 for its index if that is not given. Of rows of 32:
// 8, 4 more if the smallest are wanted, 4 more for the index, and a mask.
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, int32_t inner,
                                 int32_t outer, bool, bool isInitIndex, TopKMode mode,
                                 bool isLargest, uint32_t, uint32_t& most, uint32_t& least) {
    if (mode == TopKMode::TOPK_NORMAL) {
        most = static_cast<uint32_t>(inner * (isInitIndex ? 16 : 20));
    } else {
        const int32_t each = 8 + (isLargest ? 0 : 4) + (isInitIndex ? 0 : 4);
        most = static_cast<uint32_t>(inner * outer * each + 64);
    }
    least = most;
    return true;
}
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, int32_t, int32_t, int32_t,
                           uint32_t, bool, TopKMode, bool, optiling::TopkTiling&) {
    return true;
}

inline uint32_t RoundedUp(uint32_t size, uint32_t unit) { return (size + unit - 1) / unit * unit; }

// The largest power of two up to `size`, and below it if it has others to be added to.
inline uint32_t Half(uint32_t size, bool below) {
    const uint32_t half = std::bit_floor(size);
    return half == size && below ? half / 2 : half;
}

// Rows of up to 64 elements need none. Others are halved: each row, or all rows.
inline void GetReduceSumMaxMinTmpSize(const ge::Shape& shape, ge::DataType, ReducePattern pattern,
                                      bool, bool isReuseSource, uint32_t& most, uint32_t& least) {
    const auto rows = static_cast<uint32_t>(shape.Rows());
    const auto columns = static_cast<uint32_t>(shape.Columns());
    if (isReuseSource || (pattern == ReducePattern::AR && columns <= 64)) {
        least = 0;
    } else if (pattern == ReducePattern::AR) {
        least = rows * Half(columns, rows > 1) * 4;
    } else {
        least = Half(rows, rows > 1) * RoundedUp(columns, 8) * 4;
    }
    most = least;
}

// Eight blocks for elements, and a row for each of as many if rows are no whole blocks; at most for
// all rows. Elements of one byte are raised to two.
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&,
                                      const ge::Shape& src, const ge::Shape& dst, uint32_t bytes,
                                      bool, uint32_t& most, uint32_t& least) {
    const auto taken = static_cast<uint32_t>(src.GetShapeSize());
    const auto given = static_cast<uint32_t>(dst.GetShapeSize());
    const bool raised = bytes == 1;
    const uint32_t casts = raised ? (RoundedUp(taken, 16) + RoundedUp(given, 16)) * 2 : 0;
    if (taken == given || taken == 1) {
        most = least = raised ? casts + 32 : 0;
        return;
    }
    const auto rows = static_cast<uint32_t>(dst.Rows());
    const auto columns = static_cast<uint32_t>(dst.Columns());
    const uint32_t perBlock = 32 / (raised ? 2 : bytes);
    const uint32_t row = columns % perBlock == 0 ? 0 : RoundedUp(columns, perBlock) * 32 / perBlock;
    least = casts + perBlock * (32 + row);
    most = casts + RoundedUp(rows, 8) * 32 + rows * row;
}

}  // namespace AscendC
