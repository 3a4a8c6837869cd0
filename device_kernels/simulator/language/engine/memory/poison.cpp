#include "poison.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace ascendsim {
namespace {

constexpr uint64_t kWord = 0xFFFF, kIndex = 0xFFFFFFFF;

// A number as so many times a pattern, and some more that is less than that: an index times the
// bytes of a row, and a place in the row.
struct Made {
    uint64_t pattern;
    uint64_t times;
    uint64_t plus;
};

// Multiples in arithmetic that wraps: every small one, and larger powers of two.
template <typename Body>
void ForEachMultiple(Body body) {
    for (uint64_t times = 1; times <= 64; ++times) {
        body(times);
    }
    for (uint64_t times = 128; times <= 1 << 14; times *= 2) {
        body(times);
    }
}

// `number` in arithmetic of 32 bits.
std::optional<Made> NarrowMultipleOf(uint64_t number, uint64_t pattern) {
    std::optional<Made> found;
    ForEachMultiple([&](uint64_t times) {
        const uint64_t plus = (number - times * pattern) & kIndex;
        if (!found && plus < times) {
            found = Made{pattern, times, plus};
        }
    });
    return found;
}

// An index of 32 bits, signed or not, times anything by which it is still told from other numbers,
// in arithmetic of 64 bits.
std::optional<Made> WideMultipleOf(uint64_t number, uint64_t pattern) {
    const bool negative = static_cast<int64_t>(number) < 0;
    const uint64_t step = negative ? (~pattern + 1) & kIndex : pattern;
    const uint64_t size = negative ? ~number + 1 : number;
    const uint64_t times = negative ? (size + step - 1) / step : size / step;
    const uint64_t plus = negative ? times * step - size : size % step;
    const bool possible = !negative || pattern > kIndex / 2;
    if (!possible || times == 0 || times > step / 256 || plus >= times) {
        return std::nullopt;
    }
    return Made{pattern, times, plus};
}

bool IsGuard(uint64_t word) {
    const uint64_t size = word & 0x7FFF;
    return size >= kLeastGuard && size <= kMostGuard && size % 2 == 1;
}

std::optional<Made> MultipleOfGuard(uint64_t number) {
    std::optional<Made> found;
    ForEachMultiple([&](uint64_t times) {
        const uint64_t index = number / times;
        if (!found && index <= kIndex && IsGuard(index & kWord) && IsGuard(index >> 16)) {
            found = Made{index, times, number % times};
        }
    });
    return found;
}

std::optional<Made> MultipleOfWord(uint64_t number, uint16_t word) {
    const uint64_t index = word * uint64_t{0x10001};
    const bool narrow = number <= kIndex || number > ~(kIndex / 2);
    std::optional<Made> found = WideMultipleOf(number, index);
    if (!found && narrow) {
        found = NarrowMultipleOf(number, index);
    }
    for (uint64_t times = 1; !found && times <= 8; times *= 2) {
        if (number == times * word) {
            found = Made{word, times, 0};
        }
    }
    return found;
}

std::string Told(const std::string& number, const Made& made, const char* where) {
    char text[128];
    const auto pattern = static_cast<unsigned long long>(made.pattern);
    std::snprintf(text, sizeof text, "0x%llx", pattern);
    std::string told = "; " + number + " is ";
    if (made.times != 1) {
        told += std::to_string(made.times) + " times ";
    }
    told += text;
    if (made.plus != 0) {
        told += " and " + std::to_string(made.plus) + " more";
    }
    return told + ", the pattern of " + where;
}

// The fewest times that a pattern is there: -1703963 is once that of UB, before it is 13 times
// another.
std::optional<Made> Recognised(uint64_t number, const char*& where) {
    std::optional<Made> found = MultipleOfGuard(number);
    where = kGuardWhere;
    for (const PoisonPattern& one : kPoisonPatterns) {
        const auto made = MultipleOfWord(number, one.word);
        if (made && (!found || made->times < found->times)) {
            found = made;
            where = one.where;
        }
    }
    return found;
}

std::string PoisonOf(const std::string& number) {
    const bool negative = number[0] == '-';
    const uint64_t size = std::strtoull(number.c_str() + (negative ? 1 : 0), nullptr, 10);
    const char* where = "";
    const auto made = Recognised(negative ? ~size + 1 : size, where);
    return made ? Told(number, *made, where) : "";
}

}  // namespace

bool IsPoison(uint64_t number) {
    const char* where = "";
    return Recognised(number, where).has_value();
}

std::string PoisonIn(const std::string& message) {
    const auto isDigit = [&](size_t at) {
        return at < message.size() && std::isdigit(static_cast<unsigned char>(message[at])) != 0;
    };
    const auto joins = [&](size_t at) {  // a digit there belongs to a name or an address
        const auto before = static_cast<unsigned char>(at > 0 ? message[at - 1] : ' ');
        return std::isalnum(before) != 0 || before == '_';
    };
    for (size_t at = 0; at < message.size(); ++at) {
        const size_t first = message[at] == '-' ? at + 1 : at;
        if (joins(at) || !isDigit(first)) {
            continue;
        }
        size_t behind = first;
        while (isDigit(behind)) {
            ++behind;
        }
        if (std::string told = PoisonOf(message.substr(at, behind - at)); !told.empty()) {
            return told;
        }
        at = behind - 1;
    }
    return "";
}

}  // namespace ascendsim
