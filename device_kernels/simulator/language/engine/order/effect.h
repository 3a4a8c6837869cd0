// What an instruction does when its pipe comes to it: a body that is called once, and moved until
// then.
//
// Unlike std::function it holds what most instructions capture without memory of its own: thousands
// wait in a launch.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace ascendsim {

class Effect {
public:
    Effect() {}
    template <typename Body>
        requires(!std::is_same_v<Body, Effect>)
    Effect(Body body) {
        if constexpr (sizeof(Body) <= kInside && alignof(Body) <= alignof(std::max_align_t)) {
            new (inside_) Body(std::move(body));
            act_ = &Act<Body>;
        } else {
            *this = Effect([kept = std::make_unique<Body>(std::move(body))] { (*kept)(); });
        }
    }
    Effect(Effect&& other) noexcept { Take(other); }
    Effect& operator=(Effect&& other) noexcept {
        Drop();
        Take(other);
        return *this;
    }
    ~Effect() { Drop(); }

    void operator()() { act_(Deed::Call, inside_, nullptr); }

    void Drop() {
        if (act_ != nullptr) {
            std::exchange(act_, nullptr)(Deed::Drop, inside_, nullptr);
        }
    }

private:
    static constexpr size_t kInside = 160;
    enum class Deed { Call, Move, Drop };

    template <typename Body>
    static void Act(Deed deed, std::byte* mine, std::byte* other) {
        Body& body = *std::launder(reinterpret_cast<Body*>(mine));
        if (deed == Deed::Call) {
            body();
            return;
        }
        if (deed == Deed::Move) {
            new (other) Body(std::move(body));
        }
        body.~Body();
    }

    void Take(Effect& other) {
        act_ = std::exchange(other.act_, nullptr);
        if (act_ != nullptr) {
            act_(Deed::Move, other.inside_, inside_);
        }
    }

    void (*act_)(Deed deed, std::byte* mine, std::byte* other) = nullptr;
    alignas(std::max_align_t) std::byte inside_[kInside];
};

}  // namespace ascendsim
