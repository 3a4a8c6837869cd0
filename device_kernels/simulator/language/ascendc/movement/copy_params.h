// The parameter structs of DataCopy and DataCopyPad.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "../../engine/report/diagnostics.h"

namespace ascendsim {

// A number that remembers the line it was written on: operators take no second argument.
struct PlacedNumber {
    template <std::integral Integer>
    PlacedNumber(Integer number, CallSite where = CallSite::current())
        : value(static_cast<int64_t>(number)), where(where) {}
    int64_t value;
    CallSite where;
};

// A field of an instruction: it keeps the low bits of what is put in, as hardware does, and remarks
// on it at the line that lost the rest.
template <std::unsigned_integral Storage>
class Field {
public:
    Field() = default;
    template <std::integral Integer>
    Field(Integer value, CallSite where = CallSite::current())
        : value_(static_cast<Storage>(value)) {
        if (static_cast<uint64_t>(value) > std::numeric_limits<Storage>::max()) {
            Remark(Code::FieldTruncated, {where, "", 0}, "%llu becomes %llu in a field of %d bits",
                   static_cast<unsigned long long>(value), static_cast<unsigned long long>(value_),
                   std::numeric_limits<Storage>::digits);
        }
    }
    operator Storage() const { return value_; }

    Field& operator+=(PlacedNumber other) { return Become(value_ + other.value, other.where); }
    Field& operator-=(PlacedNumber other) { return Become(value_ - other.value, other.where); }
    Field& operator*=(PlacedNumber other) { return Become(value_ * other.value, other.where); }
    Field& operator/=(PlacedNumber other) { return Become(value_ / other.value, other.where); }

private:
    Field& Become(int64_t value, CallSite where) { return *this = Field(value, where); }

    Storage value_ = 0;
};

}  // namespace ascendsim

namespace AscendC {

// The structs have the constructors of the interface, none or all of the values: an initialiser
// that the device's compiler refuses is refused here.

// DataCopy: length and strides in units of 32 bytes. DataCopyPad: length in bytes, the GM-side
// stride in bytes, the UB-side stride in units of 32 bytes. Strides run from end to start.
struct DataCopyParams {
    DataCopyParams() = default;
    DataCopyParams(ascendsim::Field<uint16_t> blockCount, ascendsim::Field<uint16_t> blockLen,
                   ascendsim::Field<uint16_t> srcStride, ascendsim::Field<uint16_t> dstStride)
        : blockCount(blockCount), blockLen(blockLen), srcStride(srcStride), dstStride(dstStride) {}

    ascendsim::Field<uint16_t> blockCount = 1;
    ascendsim::Field<uint16_t> blockLen = 0;
    ascendsim::Field<uint16_t> srcStride = 0;
    ascendsim::Field<uint16_t> dstStride = 0;
};

// As DataCopyParams for DataCopyPad, with lengths and strides of 32 bits.
struct DataCopyExtParams {
    DataCopyExtParams() = default;
    DataCopyExtParams(ascendsim::Field<uint16_t> blockCount, ascendsim::Field<uint32_t> blockLen,
                      ascendsim::Field<uint32_t> srcStride, ascendsim::Field<uint32_t> dstStride,
                      ascendsim::Field<uint32_t> rsv)
        : blockCount(blockCount),
          blockLen(blockLen),
          srcStride(srcStride),
          dstStride(dstStride),
          rsv(rsv) {}

    ascendsim::Field<uint16_t> blockCount = 1;
    ascendsim::Field<uint32_t> blockLen = 0;
    ascendsim::Field<uint32_t> srcStride = 0;
    ascendsim::Field<uint32_t> dstStride = 0;
    ascendsim::Field<uint32_t> rsv = 0;
};

// Elements put before and after each block in UB; they hold paddingValue if isPad, else anything.
struct DataCopyPadParams {
    DataCopyPadParams() = default;
    DataCopyPadParams(bool isPad, ascendsim::Field<uint8_t> leftPadding,
                      ascendsim::Field<uint8_t> rightPadding, uint64_t paddingValue)
        : isPad(isPad),
          leftPadding(leftPadding),
          rightPadding(rightPadding),
          paddingValue(paddingValue) {}

    bool isPad = false;
    ascendsim::Field<uint8_t> leftPadding = 0;
    ascendsim::Field<uint8_t> rightPadding = 0;
    uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
    DataCopyPadExtParams() = default;
    // Any number is taken as the padding value, as a literal 0 is on the device for every T.
    template <typename Value>
    DataCopyPadExtParams(bool isPad, ascendsim::Field<uint8_t> leftPadding,
                         ascendsim::Field<uint8_t> rightPadding, Value paddingValue)
        : isPad(isPad),
          leftPadding(leftPadding),
          rightPadding(rightPadding),
          paddingValue(static_cast<T>(paddingValue)) {}

    bool isPad = false;
    ascendsim::Field<uint8_t> leftPadding = 0;
    ascendsim::Field<uint8_t> rightPadding = 0;
    T paddingValue{};
};
// Without a dtype of its own it has that of its padding value.
template <typename T>
DataCopyPadExtParams(bool, ascendsim::Field<uint8_t>, ascendsim::Field<uint8_t>, T)
    -> DataCopyPadExtParams<T>;

}  // namespace AscendC
