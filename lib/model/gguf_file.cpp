#include "lib/model/gguf_file.hpp"

#include <cmath>
#include <cstring>

#include "lib/core/error.hpp"
#include "lib/core/half.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

GgufFile::GgufFile(const std::string& path)
    : file_(std::make_shared<const MappedFile>(path)), header_(read_gguf_header(*file_)) {}

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

namespace {

std::uint16_t u16_at(const std::byte* p) {
    std::uint16_t n;
    std::memcpy(&n, p, sizeof n);
    return n;
}

// Converts one block to 32 floats. It has a 16-bit scale, then 32 numbers. In q4_0, byte i of 16
// has number i in its low and number i + 16 in its high 4 bits, each with 8 added.
void restore_block(GgufType type, const std::byte* block, float* out) {
    const float scale = from_f16(u16_at(block));
    for (int i = 0; i < 32; ++i) {
        const int byte = std::to_integer<int>(block[2 + (type == GgufType::q8_0 ? i : i % 16)]);
        const int q = type == GgufType::q8_0 ? static_cast<std::int8_t>(byte)
                                             : (i < 16 ? byte & 15 : byte >> 4) - 8;
        out[i] = scale * static_cast<float>(q);
    }
}

}  // namespace

Tensor GgufFile::read(const std::string& name, const Shape& shape) const {
    const TensorEntry& entry = expect(name, shape);
    const GgufBlock block = gguf_block(entry.type);
    Tensor tensor(shape);
    run_team(default_threads(), [&](const Worker& worker) {
        const Range mine = worker.share(tensor.size() / block.numbers);
        for (std::int64_t b = mine.begin; b < mine.end; ++b) {
            const std::byte* from = entry.bytes.data() + b * block.bytes;
            float* to = tensor.data() + b * block.numbers;
            if (entry.type == GgufType::f32) std::memcpy(to, from, sizeof(float));
            else if (entry.type == GgufType::f16) *to = from_f16(u16_at(from));
            else if (entry.type == GgufType::bf16) *to = from_bf16(u16_at(from));
            else restore_block(entry.type, from, to);
        }
    });
    file_->forget(entry.bytes);
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
