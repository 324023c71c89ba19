// Memory for lists that are made once and forgotten all together: pieces of blocks, each twice as
// large as the one before. So what a step makes hardly ever asks for memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace tbt {

class Arena {
public:
    // A copy of a list, which stays where it is until clear().
    template <class T>
    std::span<const T> keep(const std::vector<T>& list) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));
        if (list.empty()) return {};
        T* const first = reinterpret_cast<T*>(take(list.size() * sizeof(T)));
        std::uninitialized_copy(list.begin(), list.end(), first);
        return {first, list.size()};
    }
    std::size_t memory() const { return held_; }
    void clear() { blocks_.clear(), left_ = held_ = 0; }

private:
    static constexpr std::size_t smallest = 4096, largest = std::size_t{1} << 20;

    std::byte* take(std::size_t bytes) {
        constexpr std::size_t align = alignof(std::max_align_t);
        bytes = (bytes + align - 1) / align * align;
        if (bytes > left_) {
            left_ = std::max(bytes, std::clamp(held_, smallest, largest));
            held_ += left_;
            blocks_.push_back(std::make_unique<std::byte[]>(left_));
            next_ = blocks_.back().get();
        }
        left_ -= bytes, next_ += bytes;
        return next_ - bytes;
    }

    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0, held_ = 0;
};

}  // namespace tbt
