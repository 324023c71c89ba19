#include "lib/files/safetensors_write.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/stored_integers.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

std::int64_t element_bytes(const TensorToWrite& tensor) {
    return tensor.bytes.empty() ? bytes_of(tensor.type) : 1;
}
std::uint64_t bytes_of(const TensorToWrite& tensor) {
    return static_cast<std::uint64_t>(element_count(tensor.shape) * element_bytes(tensor));
}

// Throws Error if a number cannot be stored in the tensor's type.
void check_type(const std::string& path, const TensorToWrite& t, std::span<const float> values) {
    const auto fail = [&](float value, const char* expected) {
        throw Error(path + ": tensor \"" + t.name + "\" holds " + std::to_string(value) +
                    ", expected " + expected);
    };
    if (t.type == WeightType::f16)
        for (const float value : values)
            if (std::fabs(value) >= 65520.0f && std::isfinite(value))
                fail(value, "less than 65520, the largest F16; store it as F32 or BF16");
    if (t.type == WeightType::int8)
        for (const float value : values)
            if (!(std::fabs(value) <= 127) || value != std::nearbyint(value))
                fail(value, "whole numbers from -127 to 127; round it with a scale");
}

std::string_view dtype_of(const TensorToWrite& tensor) {
    if (!tensor.bytes.empty()) return int4_dtype;
    return tensor.type == WeightType::int8 ? int8_dtype : names_of(tensor.type).dtype;
}

// Checks the arguments before anything is written.
void check(const std::string& path, const std::vector<TensorToWrite>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const TensorToWrite& t = tensors[i];
        const auto fail = [&](const std::string& what) {
            throw Error(path + ": tensor \"" + t.name + "\" " + what);
        };
        if (find_invalid_utf8(t.name) != std::string::npos)
            throw Error(path + ": the name of a tensor is not UTF-8");
        const std::int64_t expected = element_count(t.shape),
                           got = t.bytes.empty() ? length_of(t.values) : length_of(t.bytes);
        if (!t.fill && got != expected) {
            fail("has " + std::to_string(got) + " values, expected " + std::to_string(expected) +
                 " for " + to_string(t.shape));
        }
        if (i > 0 && tensors[i - 1].name == t.name) fail("appears twice");
        check_type(path, t, t.values);
    }
}

// The length of the JSON text, then this text, padded with spaces to a multiple of 8 bytes.
std::string header_text(const std::vector<TensorToWrite>& tensors,
                        const std::map<std::string, std::string>& metadata) {
    Json header = Json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::uint64_t offset = 0;
    for (const TensorToWrite& t : tensors) {
        const std::uint64_t end = offset + bytes_of(t);
        header[t.name] = {
            {"dtype", dtype_of(t)}, {"shape", t.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = json_text(header);
    text.append((8 - text.size() % 8) % 8, ' ');
    std::string length;
    for (int byte = 0; byte < 8; ++byte)
        length += static_cast<char>(text.size() >> 8 * byte & 0xff);
    return length + text;
}

void write_values(AtomicFile& file, std::span<const float> values, WeightType type) {
    if (type == WeightType::f32) return file.write(values.data(), values.size_bytes());
    if (type == WeightType::int8) {
        const std::vector<std::int8_t> whole(values.begin(), values.end());
        return file.write(whole.data(), whole.size());
    }
    std::vector<std::uint16_t> halves(values.size());
    std::transform(values.begin(), values.end(), halves.begin(),
                   type == WeightType::f16 ? to_f16 : to_bf16);
    file.write(halves.data(), halves.size() * sizeof(std::uint16_t));
}

// Writes a tensor in pieces of a million numbers, so that a large one is not copied as a whole.
void write_tensor(AtomicFile& file, const std::string& path, const TensorToWrite& tensor) {
    if (!tensor.bytes.empty()) return file.write(tensor.bytes.data(), tensor.bytes.size());
    constexpr std::int64_t piece = 1 << 20;
    const std::int64_t total = element_count(tensor.shape);
    std::vector<float> filled;
    for (std::int64_t first = 0; first < total; first += piece) {
        const auto size = index(std::min(piece, total - first));
        if (!tensor.fill) {
            write_values(file, tensor.values.subspan(index(first), size), tensor.type);
            continue;
        }
        filled.resize(size);
        tensor.fill(first, filled);
        check_type(path, tensor, filled);
        write_values(file, filled, tensor.type);
    }
}

}  // namespace

void write_safetensors(const std::string& path, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
    std::sort(tensors.begin(), tensors.end(),
              [](const TensorToWrite& a, const TensorToWrite& b) { return a.name < b.name; });
    check(path, tensors);
    // Wider types come first, so every tensor begins at a multiple of its element's size.
    std::stable_sort(tensors.begin(), tensors.end(),
                     [](const TensorToWrite& a, const TensorToWrite& b) {
                         return element_bytes(a) > element_bytes(b);
                     });
    AtomicFile file(path);
    const std::string header = header_text(tensors, metadata);
    file.write(header.data(), header.size());
    for (const TensorToWrite& tensor : tensors) write_tensor(file, path, tensor);
    file.commit();
}

}  // namespace tbt
