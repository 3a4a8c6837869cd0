// A list of values that are few most often: it has memory of its own only beyond that.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace ascendsim {

template <typename T, size_t kFew>
class Few {
public:
    Few() = default;
    Few(std::initializer_list<T> values) {
        for (const T& value : values) {
            push_back(value);
        }
    }
    Few(const Few& other) : more_(other.more_), size_(other.size_) { Copy(other); }
    Few(Few&& other) noexcept : more_(std::move(other.more_)), size_(other.size_) { Copy(other); }
    Few& operator=(const Few& other) { return *this = Few(other); }
    Few& operator=(Few&& other) noexcept {
        more_ = std::move(other.more_);
        size_ = other.size_;
        Copy(other);
        return *this;
    }

    void push_back(const T& value) {
        if (size_ < kFew) {
            few_[size_] = value;
        } else {
            if (size_ == kFew) {
                more_.assign(few_.begin(), few_.end());
            }
            more_.push_back(value);
        }
        ++size_;
    }

    bool Empty() const { return size_ == 0; }
    const T* begin() const { return size_ > kFew ? more_.data() : few_.data(); }
    const T* end() const { return begin() + size_; }

private:
    void Copy(const Few& other) {
        std::copy_n(other.few_.begin(), std::min(size_, kFew), few_.begin());
    }

    std::array<T, kFew> few_;
    std::vector<T> more_;  // all of them, if they are more
    size_t size_ = 0;
};

}  // namespace ascendsim
