// An arena allocator for lists that are made once and freed all together. It hands out pieces of
// large blocks, so a step of a recognizer rarely allocates memory.
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
    // Copies a list; the copy keeps its address until clear().
    template <class T>
    std::span<const T> keep(const std::vector<T>& list) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));
        if (list.empty()) return {};
        T* const first = reinterpret_cast<T*>(take(list.size() * sizeof(T)));
        std::uninitialized_copy(list.begin(), list.end(), first);
        return {first, list.size()};
    }
    std::size_t memory() const { return held_; }  // in bytes
    void clear() { blocks_.clear(), left_ = held_ = 0; }

private:
    // Block sizes in bytes. A new block is as large as all blocks so far, within these limits.
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
