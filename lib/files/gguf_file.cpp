#include "lib/files/gguf_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is little-endian here");

// The types of values, as numbered in the format.
enum ValueType : std::uint32_t {
    u8_value,
    i8_value,
    u16_value,
    i16_value,
    u32_value,
    i32_value,
    f32_value,
    bool_value,
    text_value,
    list_value,
    u64_value,
    i64_value,
    f64_value
};

// Reads the header from its first byte to its last. Each step checks that the file is long enough.
class GgufReader {
public:
    explicit GgufReader(const MappedFile& file) : file_(file), bytes_(file.bytes()) {}

    GgufHeader read() {
        if (bytes_.size() < 4 || std::memcmp(bytes_.data(), "GGUF", 4) != 0)
            fail("does not begin with GGUF, expected a GGUF file or a model's directory");
        at_ = 4;
        where_ = "the header";
        const auto version = take<std::uint32_t>();
        if (version != 2 && version != 3)
            fail("is of version " + std::to_string(version) +
                 " of GGUF, expected 2 or 3, little-endian");
        // A tensor takes at least 24 bytes, a value 13.
        const std::uint64_t tensors = counted("tensors", 24), values = counted("values", 13);
        for (std::uint64_t i = 0; i < values; ++i) read_value();
        for (std::uint64_t i = 0; i < tensors; ++i) read_tensor();
        place_tensors();
        return std::move(out_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(file_.path() + ": " + what);
    }
    std::size_t left() const { return bytes_.size() - at_; }

    template <class T>
    T take() {
        if (left() < sizeof(T)) fail(where_ + " is cut off, the file ends before it does");
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    std::uint64_t counted(const std::string& what, std::uint64_t least_bytes) {
        const auto n = take<std::uint64_t>();
        if (n > left() / least_bytes)
            fail(where_ + " says that " + std::to_string(n) + " " + what + " follow, but only " +
                 std::to_string(left()) + " bytes do");
        return n;
    }
    std::string_view text() {
        const std::uint64_t size = counted("bytes of text", 1);
        const std::string_view found(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
        at_ += size;
        return found;
    }

    template <class T>
    std::int64_t whole() {
        const T value = take<T>();
        if (!std::in_range<std::int64_t>(value))
            fail(where_ + " is " + std::to_string(value) + ", expected at most 2^63 - 1");
        return static_cast<std::int64_t>(value);
    }
    bool flag() {
        const auto value = take<std::uint8_t>();
        if (value > 1) fail(where_ + " is " + std::to_string(value) + ", expected 0 or 1 (a bool)");
        return value == 1;
    }

    GgufHeader::Value scalar(std::uint32_t type) {
        switch (type) {
            case u8_value:
                return whole<std::uint8_t>();
            case i8_value:
                return whole<std::int8_t>();
            case u16_value:
                return whole<std::uint16_t>();
            case i16_value:
                return whole<std::int16_t>();
            case u32_value:
                return whole<std::uint32_t>();
            case i32_value:
                return whole<std::int32_t>();
            case u64_value:
                return whole<std::uint64_t>();
            case i64_value:
                return whole<std::int64_t>();
            case f32_value:
                return static_cast<double>(take<float>());
            case f64_value:
                return take<double>();
            case bool_value:
                return flag();
            case text_value:
                return text();
            default:
                fail(where_ + " has a value of type " + std::to_string(type) +
                     ", expected 0 to 12, and no list of lists");
        }
    }

    GgufHeader::Value list() {
        const auto type = take<std::uint32_t>();
        if (type == text_value) {
            std::vector<std::string_view> texts(counted("texts", 8));
            for (std::string_view& t : texts) t = text();
            return texts;
        }
        constexpr std::uint64_t bytes_of_type[] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 8, 8, 8, 8};
        std::vector<double> numbers(
            counted("numbers", type < std::size(bytes_of_type) ? bytes_of_type[type] : 8));
        for (double& number : numbers)
            std::visit(
                [&](const auto& value) {
                    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
                        number = static_cast<double>(value);
                },
                scalar(type));
        return numbers;
    }

    void read_value() {
        where_ = "a key";
        const std::string key(text());
        where_ = "value \"" + shown(key) + "\"";
        const auto type = take<std::uint32_t>();
        GgufHeader::Value value = type == list_value ? list() : scalar(type);
        if (!out_.values.emplace(key, std::move(value)).second) fail(where_ + " is given twice");
    }

    void read_tensor() {
        where_ = "the name of a tensor";
        const std::string name(text());
        where_ = "tensor \"" + shown(name) + "\"";
        const auto dimensions = take<std::uint32_t>();
        if (dimensions < 1 || dimensions > 4)
            fail(where_ + " has " + std::to_string(dimensions) + " dimensions, expected 1 to 4");
        Shape shape(dimensions);
        std::int64_t size = 1;
        constexpr std::int64_t most = std::int64_t{1} << 50;
        for (std::size_t i = dimensions; i-- > 0;) {
            shape[i] = whole<std::uint64_t>();
            if (shape[i] < 1 || shape[i] > most / size)
                fail(where_ + " has a dimension of " + std::to_string(shape[i]) +
                     ", expected 1 or more, and at most 2^50 numbers");
            size *= shape[i];
        }
        const auto number = take<std::uint32_t>();
        const GgufBlock* block = gguf_block(number);
        if (!block || !block->is_known())
            fail(where_ + " is of " + (block ? block->name : "type " + std::to_string(number)) +
                 ", expected F32, F16, BF16, Q4_0 to Q8_0, Q2_K to Q6_K, IQ4_NL, IQ4_XS or MXFP4; "
                 "take the model in one of these");
        if (shape.back() % block->numbers != 0)
            fail(where_ + " has rows of " + std::to_string(shape.back()) +
                 " numbers, expected whole blocks of " + std::to_string(block->numbers));
        const auto offset = take<std::uint64_t>();
        const auto size_bytes = static_cast<std::uint64_t>(size / block->numbers * block->bytes);
        placed_.push_back({name, offset, size_bytes});
        if (!out_.tensors.emplace(name, GgufHeader::TensorEntry{block, shape, {}}).second)
            fail(where_ + " is given twice");
    }

    void place_tensors() {
        std::int64_t alignment = 32;
        if (const auto found = out_.values.find("general.alignment"); found != out_.values.end()) {
            const auto* number = std::get_if<std::int64_t>(&found->second);
            alignment = number ? *number : 0;
        }
        if (alignment < 1 || alignment > 1 << 20 || !std::has_single_bit(index(alignment)))
            fail("general.alignment is " + std::to_string(alignment) +
                 ", expected a power of two up to 2^20");
        const std::size_t unit = index(alignment), begin = (at_ + unit - 1) / unit * unit;
        const std::size_t size = begin < bytes_.size() ? bytes_.size() - begin : 0;
        for (const Placed& p : placed_) {
            where_ = "tensor \"" + shown(p.name) + "\"";
            if (p.offset % unit != 0)
                fail(where_ + " begins at " + std::to_string(p.offset) +
                     ", expected a multiple of " + std::to_string(unit));
            if (p.offset > size || p.bytes > size - p.offset)
                fail(where_ + " needs " + std::to_string(p.bytes) + " bytes from " +
                     std::to_string(p.offset) + " on, but there are " + std::to_string(size) +
                     "; was the file cut off?");
            out_.tensors.find(p.name)->second.bytes = bytes_.subspan(begin + p.offset, p.bytes);
        }
    }

    struct Placed {
        std::string name;
        std::uint64_t offset, bytes;
    };
    const MappedFile& file_;
    GgufHeader out_;
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    std::string where_;  // what is being read, for messages
    std::vector<Placed> placed_;
};

}  // namespace

GgufFile::GgufFile(const std::string& path)
    : files_{std::make_shared<const MappedFile>(path)}, header_(GgufReader(*files_[0]).read()) {
    if (const std::int64_t parts = integer_or("split.count", 1); parts > 1) add_parts(path, parts);
}

// Opens all parts of a file that was split, whose names end in -00001-of-00003.gguf. The first has
// the values.
void GgufFile::add_parts(const std::string& path, std::int64_t count) {
    constexpr std::size_t end_size = sizeof "-00001-of-00003.gguf" - 1;
    const auto part = [&](std::int64_t number) {
        char end[32] = {};
        std::snprintf(end, sizeof end, "-%05d-of-%05d.gguf", to_int(number), to_int(count));
        return path.substr(0, path.size() - std::min(path.size(), end_size)) + end;
    };
    const std::int64_t own = integer_or("split.no", -1);
    if (count > 9999 || own < 0 || own >= count || part(own + 1) != path)
        fail("is one of " + std::to_string(count) +
             " parts by its split.count and split.no, expected a name that ends like " +
             "-00001-of-00003.gguf");
    files_.clear();
    header_ = {};
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string name = part(i + 1);
        if (!file_exists(name))
            throw Error(name + ": is missing, one of the " + std::to_string(count) +
                        " parts of this model; fetch them all");
        files_.push_back(std::make_shared<const MappedFile>(name));
        GgufHeader header = GgufReader(*files_.back()).read();
        for (auto& [tensor, entry] : header.tensors)
            if (!header_.tensors.emplace(tensor, std::move(entry)).second)
                throw Error(name + ": tensor \"" + shown(tensor) + "\" is in another part too");
        if (i == 0) header_.values = std::move(header.values);
    }
    const std::int64_t tensors = integer_or("split.tensors.count", -1);
    if (tensors >= 0 && tensors != std::ssize(header_.tensors))
        fail("has " + std::to_string(header_.tensors.size()) + " tensors in its parts, expected " +
             std::to_string(tensors) + " as split.tensors.count says");
}

void GgufFile::fail(const std::string& what) const { throw Error(path() + ": " + what); }

const GgufFile::TensorEntry& GgufFile::expect(const std::string& name, const Shape& shape) const {
    const auto found = header_.tensors.find(name);
    if (found == header_.tensors.end())
        fail("has no tensor \"" + name + "\" of shape " + to_string(shape));
    if (found->second.shape != shape)
        fail("tensor \"" + name + "\" has shape " + to_string(found->second.shape) + ", expected " +
             to_string(shape));
    return found->second;
}

void GgufFile::forget(const TensorEntry& entry) const {
    for (const auto& file : files_) file->forget(entry.bytes);
}

std::int64_t GgufFile::bytes_in_memory() const {
    std::int64_t bytes = 0;
    for (const auto& [name, tensor] : tensors())
        bytes += length_of(tensor.bytes) / tensor.block->bytes * tensor.block->bytes_in_memory();
    return bytes;
}

Tensor GgufFile::read(const std::string& name, const Shape& shape) const {
    const TensorEntry& entry = expect(name, shape);
    const GgufBlock& block = *entry.block;
    Tensor tensor(shape);
    run_team(default_threads(), [&](const Worker& worker) {
        const Range mine = worker.share(tensor.size() / block.numbers);
        for (std::int64_t b = mine.begin; b < mine.end; ++b)
            block.widen(entry.bytes.data() + b * block.bytes, tensor.data() + b * block.numbers);
    });
    forget(entry);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        if (!std::isfinite(tensor.data()[i]))
            fail("tensor \"" + name + "\": number " + std::to_string(i) +
                 " is not finite, expected finite weights");
    return tensor;
}

// ---- values -------------------------------------------------------------------------------------
const GgufFile::Value* GgufFile::find(std::string_view key) const {
    const auto found = header_.values.find(key);
    return found == header_.values.end() ? nullptr : &found->second;
}

namespace {

// The value of a key, or null if there is none. Throws Error if it has another type.
template <class T>
const T* value_of(const GgufFile& file, std::string_view key, const char* expected) {
    const GgufFile::Value* value = file.find(key);
    const T* typed = value ? std::get_if<T>(value) : nullptr;
    if (value && !typed)
        file.fail("value \"" + std::string(key) + "\" is of another type, expected " + expected);
    return typed;
}

}  // namespace

std::string GgufFile::text_or(std::string_view key, std::string_view otherwise) const {
    const auto* text = value_of<std::string_view>(*this, key, "a text");
    return std::string(text ? *text : otherwise);
}
bool GgufFile::flag_or(std::string_view key, bool otherwise) const {
    const bool* flag = value_of<bool>(*this, key, "true or false");
    return flag ? *flag : otherwise;
}
std::int64_t GgufFile::integer_or(std::string_view key, std::int64_t otherwise) const {
    const auto* number = value_of<std::int64_t>(*this, key, "an integer");
    return number ? *number : otherwise;
}
const std::vector<std::string_view>& GgufFile::texts(std::string_view key) const {
    const auto* list = value_of<std::vector<std::string_view>>(*this, key, "a list of texts");
    if (!list) fail("has no value \"" + std::string(key) + "\", expected a list of texts");
    return *list;
}
std::vector<double> GgufFile::numbers(std::string_view key) const {
    const auto* list = value_of<std::vector<double>>(*this, key, "a list of numbers");
    return list ? *list : std::vector<double>{};
}

}  // namespace tbt
