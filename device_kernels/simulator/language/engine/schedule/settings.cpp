#include "settings.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "../arithmetic/functions.h"
#include "../memory/access.h"
#include "../order/hold.h"
#include "environment.h"
#include "launch.h"

namespace ascendsim {
namespace {

constexpr const char* kLevels[] = {"none", "pipes", "scalar", "vector"};
constexpr const char* kFunctions[] = {"rounded", "high", "low", "hashed", "flushed"};

struct Settings {
    std::mutex mutex;
    SyncLevel level = SyncLevel::Vector;
    enum { Forward, Reverse, Shuffled } order = Forward;
    uint64_t seed = 0;
    Functions functions = Functions::Rounded;

    Settings() {
        if (const char* order = Variable("ASCENDSIM_BLOCK_ORDER")) {
            SetOrder(order);
        }
        if (const char* level = Variable("ASCENDSIM_SYNC_LEVEL")) {
            SetLevel(level);
        }
        if (const char* functions = Variable("ASCENDSIM_FUNCTIONS")) {
            SetFunctions(functions);
        }
    }

    bool SetOrder(const std::string& text) {
        constexpr size_t kPrefix = sizeof "shuffled:" - 1;
        if (text == "forward") {
            order = Forward;
        } else if (text == "reverse") {
            order = Reverse;
        } else if (text.compare(0, kPrefix, "shuffled:") == 0 && text.size() > kPrefix &&
                   text.find_first_not_of("0123456789", kPrefix) == std::string::npos) {
            order = Shuffled;
            seed = std::strtoull(text.c_str() + kPrefix, nullptr, 10);
        } else {
            return false;
        }
        return true;
    }

    bool SetLevel(const char* text) { return Choose(kLevels, text, level); }

    bool SetFunctions(const char* text) { return Choose(kFunctions, text, functions); }

private:
    // The enumerators of `chosen` are in the order of their names.
    template <size_t count, typename Choice>
    static bool Choose(const char* const (&names)[count], const char* text, Choice& chosen) {
        for (uint8_t index = 0; index < count; ++index) {
            if (std::strcmp(text, names[index]) == 0) {
                chosen = static_cast<Choice>(index);
                return true;
            }
        }
        return false;
    }
};

// Leaked: a program may launch kernels from its static destructors.
Settings& TheSettings() {
    static Settings* settings = new Settings;
    return *settings;
}

// SplitMix64: a good 64-bit value from each successive state, the same on every host.
uint64_t NextRandom(uint64_t& state) {
    state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

}  // namespace

SyncLevel ConfiguredSyncLevel() {
    Settings& settings = TheSettings();
    const std::lock_guard lock(settings.mutex);
    return settings.level;
}

Functions ConfiguredFunctions() {
    Settings& settings = TheSettings();
    const std::lock_guard lock(settings.mutex);
    return settings.functions;
}

std::vector<uint32_t> BlockOrder(uint32_t blocks) {
    Settings& settings = TheSettings();
    const std::lock_guard lock(settings.mutex);
    std::vector<uint32_t> order(blocks);
    std::iota(order.begin(), order.end(), 0u);
    if (settings.order == Settings::Reverse) {
        std::iota(order.rbegin(), order.rend(), 0u);
    } else if (settings.order == Settings::Shuffled) {
        uint64_t state = settings.seed;
        for (uint32_t left = blocks; left > 1; --left) {
            std::swap(order[left - 1], order[NextRandom(state) % left]);
        }
    }
    return order;
}

}  // namespace ascendsim

extern "C" int ascendsimBlockOrder(const char* order) {
    using namespace ascendsim;
    if (IsHeld(__func__)) {
        return kStatusInvalidParameter;
    }
    Settings& settings = TheSettings();
    const std::lock_guard lock(settings.mutex);
    return order != nullptr && settings.SetOrder(order) ? kStatusOk : kStatusInvalidParameter;
}

extern "C" int ascendsimSyncLevel(const char* level) {
    using namespace ascendsim;
    if (IsHeld(__func__)) {
        return kStatusInvalidParameter;
    }
    Settings& settings = TheSettings();
    const std::lock_guard lock(settings.mutex);
    return level != nullptr && settings.SetLevel(level) ? kStatusOk : kStatusInvalidParameter;
}

extern "C" int ascendsimFunctions(const char* name) {
    using namespace ascendsim;
    if (IsHeld(__func__)) {
        return kStatusInvalidParameter;
    }
    Settings& settings = TheSettings();
    const std::lock_guard lock(settings.mutex);
    return name != nullptr && settings.SetFunctions(name) ? kStatusOk : kStatusInvalidParameter;
}
