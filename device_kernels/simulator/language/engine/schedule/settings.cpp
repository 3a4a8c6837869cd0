#include "settings.h"

#include <cstdlib>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "../arithmetic/functions.h"
#include "../memory/access.h"
#include "../order/hold.h"
#include "../order/pipelines.h"
#include "environment.h"
#include "launch.h"
#include "random.h"

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
    PipeSchedule pipes;

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
        if (const char* pipes = Variable("ASCENDSIM_PIPES")) {
            SetPipes(pipes);
        }
    }

    bool SetOrder(const std::string& text) {
        if (text == "forward") {
            order = Forward;
        } else if (text == "reverse") {
            order = Reverse;
        } else if (ReadSeed(text, "shuffled:", seed)) {
            order = Shuffled;
        } else {
            return false;
        }
        return true;
    }

    bool SetPipes(const std::string& text) {
        uint64_t number = 0;
        if (text == "program") {
            pipes = {Schedule::Program};
        } else if (text == "late") {
            pipes = {Schedule::Late};
        } else if (ReadSeed(text, "random:", number)) {
            pipes = {Schedule::Random, number};
        } else {
            return false;
        }
        return true;
    }

    bool SetLevel(const std::string& text) { return Choose(kLevels, text, level); }

    bool SetFunctions(const std::string& text) { return Choose(kFunctions, text, functions); }

private:
    // The decimal number behind a prefix.
    static bool ReadSeed(const std::string& text, const std::string& prefix, uint64_t& seed) {
        if (text.compare(0, prefix.size(), prefix) != 0 || text.size() == prefix.size() ||
            text.find_first_not_of("0123456789", prefix.size()) != std::string::npos) {
            return false;
        }
        seed = std::strtoull(text.c_str() + prefix.size(), nullptr, 10);
        return true;
    }

    // The enumerators of `chosen` are in the order of their names.
    template <size_t count, typename Choice>
    static bool Choose(const char* const (&names)[count], const std::string& text, Choice& chosen) {
        for (uint8_t index = 0; index < count; ++index) {
            if (text == names[index]) {
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

// What a caller chooses by a text, unless the settings are held. Returns a status.
int Set(const char* function, const char* text, bool (Settings::*choose)(const std::string&)) {
    if (IsHeld(function)) {
        return kStatusInvalidParameter;
    }
    Settings& settings = TheSettings();
    const std::lock_guard lock(settings.mutex);
    return text != nullptr && (settings.*choose)(text) ? kStatusOk : kStatusInvalidParameter;
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

PipeSchedule ConfiguredPipes() {
    Settings& settings = TheSettings();
    const std::lock_guard lock(settings.mutex);
    return settings.pipes;
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
    return ascendsim::Set("ascendsimBlockOrder", order, &ascendsim::Settings::SetOrder);
}

extern "C" int ascendsimSyncLevel(const char* level) {
    return ascendsim::Set("ascendsimSyncLevel", level, &ascendsim::Settings::SetLevel);
}

extern "C" int ascendsimFunctions(const char* name) {
    return ascendsim::Set("ascendsimFunctions", name, &ascendsim::Settings::SetFunctions);
}

extern "C" int ascendsimPipes(const char* schedule) {
    return ascendsim::Set("ascendsimPipes", schedule, &ascendsim::Settings::SetPipes);
}
