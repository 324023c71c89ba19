#include "lib/core/tensor.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

std::string to_string(const Shape& shape) {
    constexpr std::size_t shown = 8;  // more dimensions would not fit on a line
    std::string text = "(";
    for (std::size_t i = 0; i < std::min(shape.size(), shown); ++i) {
        text += (i ? ", " : "") + std::to_string(shape[i]);
    }
    if (shape.size() > shown) text += ", … " + std::to_string(shape.size()) + " dimensions";
    return text + ")";
}

std::int64_t element_count(const Shape& shape) {
    std::int64_t n = 1;
    constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / 64;
    for (const std::int64_t d : shape)
        if (d < 0) throw Error("tensor: shape " + to_string(shape) + " has a negative dimension");
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    for (const std::int64_t d : shape) {
        if (n > limit / d) throw Error("tensor: shape " + to_string(shape) + " is too large");
        n *= d;
    }
    return n;
}

namespace {

std::atomic<std::int64_t> allocated{0}, peak{0};

void count_bytes(std::int64_t bytes) {
    const std::int64_t now = allocated += bytes;
    for (std::int64_t previous = peak;
         previous < now && !peak.compare_exchange_weak(previous, now);) {
    }
}

}  // namespace

std::int64_t tensor_bytes() { return allocated; }
std::int64_t peak_tensor_bytes() { return peak; }
void reset_peak_tensor_bytes() { peak = allocated.load(); }

void AlignedDelete::operator()(float* p) const {
    if (mapped) munmap(p, bytes);
    else if (!shared) std::free(p);
    count_bytes(-static_cast<std::int64_t>(bytes));
}

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

Error out_of_memory(std::size_t bytes) {
    return Error("out of memory: " + std::to_string(bytes >> 20) +
                 " MiB asked for; use a smaller model, context or batch");
}

std::size_t bytes_of(std::int64_t n) {
    if (n < 0) throw Error("out of memory: " + std::to_string(n) + " floats asked for");
    const std::size_t bytes = index(std::max<std::int64_t>(n, 1)) * sizeof(float);
    if (n > std::numeric_limits<std::int64_t>::max() / 8) throw out_of_memory(bytes);
    return bytes;
}

#ifdef __linux__
constexpr bool has_huge_pages = true;
void ask_for_huge_pages(void* p, std::size_t bytes) {
    if (bytes >= 2 * huge_page) madvise(p, bytes, MADV_HUGEPAGE);
}
#else
constexpr bool has_huge_pages = false;
void ask_for_huge_pages(void*, std::size_t) {}
#endif

void* aligned_memory(std::size_t bytes) {
    void* p = nullptr;
    if (posix_memalign(&p, bytes >= 2 * huge_page ? huge_page : 64, bytes) != 0)
        throw out_of_memory(bytes);
    ask_for_huge_pages(p, bytes);
    return p;
}

std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

AlignedFloats owned(void* p, const AlignedDelete& how) {
    count_bytes(static_cast<std::int64_t>(how.bytes));
    return AlignedFloats(static_cast<float*>(p), how);
}

}  // namespace

AlignedFloats allocate_floats(std::int64_t n) {
    const std::size_t bytes = whole_lines(bytes_of(n));
    return owned(aligned_memory(bytes), {bytes});
}

AlignedFloats allocate_zeros(std::int64_t n) {
    const std::size_t bytes = bytes_of(n);
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw out_of_memory(bytes);
    ask_for_huge_pages(p, bytes);
    return owned(p, {bytes, true});
}

AlignedFloats allocate_weights(std::int64_t n) {
    constexpr std::size_t small = std::size_t{1} << 17, usual = std::size_t{64} << 20;
    static std::mutex mutex;
    static std::weak_ptr<void> memory;  // of earlier blocks; the first `used` bytes are theirs
    static std::size_t size = 0, used = 0;
    const std::size_t bytes = whole_lines(bytes_of(n));
    if (!has_huge_pages || bytes < small) return allocate_floats(n);
    const std::lock_guard lock(mutex);
    std::shared_ptr<void> shared = memory.lock();
    if (!shared || bytes > size - used) {
        size = std::max(usual, bytes), used = 0;
        memory = shared = std::shared_ptr<void>(aligned_memory(size), std::free);
    }
    used += bytes;
    return owned(static_cast<std::byte*>(shared.get()) + used - bytes, {bytes, false, shared});
}

Tensor::Tensor(Shape shape)
    : shape_(std::move(shape)), size_(element_count(shape_)), data_(allocate_floats(size_)) {
    fill(0.0f);
}

Tensor::Tensor(Shape shape, std::span<const float> values)
    : shape_(std::move(shape)), size_(element_count(shape_)), data_(allocate_floats(size_)) {
    if (length_of(values) != size_) {
        throw Error("tensor: " + std::to_string(values.size()) + " values for shape " +
                    to_string(shape_));
    }
    std::copy(values.begin(), values.end(), data());
}

Tensor::Tensor(const Tensor& other) : shape_(other.shape_), size_(other.size_) {
    if (other.data_) {
        data_ = allocate_floats(size_);
        std::copy_n(other.data(), size_, data());
    }
}

Tensor& Tensor::operator=(const Tensor& other) {
    if (this != &other) *this = Tensor(other);
    return *this;
}

Tensor::Tensor(Tensor&& other) noexcept { *this = std::move(other); }

Tensor& Tensor::operator=(Tensor&& other) noexcept {
    if (this == &other) return *this;
    shape_ = std::exchange(other.shape_, {});
    size_ = std::exchange(other.size_, 0);
    data_ = std::move(other.data_);
    return *this;
}

std::int64_t Tensor::dim(std::size_t axis) const {
    if (axis >= shape_.size())
        throw Error("tensor: axis " + std::to_string(axis) + " of shape " + to_string(shape_) +
                    ", which has " + std::to_string(shape_.size()));
    return shape_[axis];
}

std::span<float> Tensor::row(std::int64_t r) {
    const std::int64_t width = dim(0) ? size_ / dim(0) : 0;
    if (r < 0 || r >= dim(0))
        throw Error("tensor: row " + std::to_string(r) + " of shape " + to_string(shape_));
    return values().subspan(index(r * width), index(width));
}

std::span<const float> Tensor::row(std::int64_t r) const {
    return const_cast<Tensor*>(this)->row(r);
}

void Tensor::fill(float value) { std::fill_n(data(), size_, value); }

void check_shape(const char* who, const char* name, const Shape& got, const Shape& expected) {
    if (got != expected) {
        throw Error(std::string(who) + ": " + name + " has shape " + to_string(got) +
                    ", expected " + to_string(expected));
    }
}

}  // namespace tbt
