#include "lib/files/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/json.hpp"
#include "lib/core/math.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/stored_integers.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/kernels/weight_type.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// Bytes of one element; 0 for an unknown type.
static std::uint64_t element_bytes(const std::string& dtype) {
    static const std::map<std::string, std::uint64_t> sizes = {
        {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1},
        {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},     {"U32", 4},
        {"F32", 4},  {"I64", 8}, {"U64", 8}, {"F64", 8},     {"C64", 8}};
    const auto entry = sizes.find(dtype);
    return entry == sizes.end() ? 0 : entry->second;
}

namespace {

constexpr std::uint64_t length_bytes = 8, max_header_bytes = 100'000'000;

class HeaderReader {
public:
    explicit HeaderReader(const MappedFile& file) : file_(file) {}

    // Adds the tensors and the metadata of this file to the two maps. Throws Error if the header
    // breaks the format, or if a tensor is in `tensors` already: one line with the file, the tensor
    // and what was expected.
    void read(std::map<std::string, TensorView>& tensors,
              std::map<std::string, std::string>& metadata) {
        const Json header = parse_header();
        for (const auto& [name, entry] : header.items()) {
            if (name == "__metadata__") {
                read_metadata(entry, metadata);
            } else {
                read_tensor(name, entry);
            }
        }
        check_coverage();
        for (const Placed& p : placed_) {
            if (!tensors.emplace(p.name, p.view).second)
                fail("the tensor \"" + shown(p.name) + "\" is in another file too");
        }
    }

private:
    struct Placed {
        std::string name;
        std::uint64_t begin, end;
        TensorView view;
    };

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(file_.path() + ": " + what);
    }
    [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
        fail("tensor \"" + shown(tensor) + "\": " + what);
    }

    Json parse_header() {
        const auto bytes = file_.bytes();
        if (bytes.size() < length_bytes) {
            fail("has " + std::to_string(bytes.size()) +
                 " bytes, expected at least 8 (the length of the header)");
        }
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data(), length_bytes);
        if (length > max_header_bytes) {
            fail("the header has " + std::to_string(length) + " bytes, expected at most " +
                 std::to_string(max_header_bytes) + "; is this a safetensors file?");
        }
        if (length > bytes.size() - length_bytes) {
            fail("the header has " + std::to_string(length) + " bytes, but only " +
                 std::to_string(bytes.size() - length_bytes) + " follow; was the file cut off?");
        }
        data_ = bytes.subspan(length_bytes + length);
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + length_bytes,
                                    length);
        if (!text.starts_with('{'))
            fail("the header does not begin with {, expected a JSON object");
        return parse_json(text, file_.path() + ": header");
    }

    void read_metadata(const Json& entry, std::map<std::string, std::string>& metadata) const {
        if (!entry.is_object())
            fail("__metadata__ is " + kind_of(entry) + ", expected an object of strings");
        for (const auto& [key, value] : entry.items()) {
            if (!value.is_string())
                fail("__metadata__: \"" + shown(key) + "\" is " + kind_of(value) +
                     ", expected a string");
            metadata[key] = value.get<std::string>();
        }
    }

    const Json& member(const std::string& name, const Json& entry, const char* key) const {
        const auto found = entry.find(key);
        if (found == entry.end()) fail(name, std::string("has no ") + key);
        return *found;
    }

    std::uint64_t unsigned_from(const std::string& name, const char* key, const Json& value) const {
        if (!is_integer(value, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()))
            fail(name,
                 std::string(key) + " holds " + kind_of(value) + ", expected integers from 0");
        return value.get<std::uint64_t>();
    }

    void read_tensor(const std::string& name, const Json& entry) {
        if (!entry.is_object()) fail(name, "is " + kind_of(entry) + ", expected an object");
        const Json& dtype = member(name, entry, "dtype");
        const Json& shape = member(name, entry, "shape");
        const Json& offsets = member(name, entry, "data_offsets");
        if (!dtype.is_string()) fail(name, "dtype is " + kind_of(dtype) + ", expected a string");
        if (!shape.is_array()) fail(name, "shape is " + kind_of(shape) + ", expected a list");
        if (!offsets.is_array() || offsets.size() != 2)
            fail(name, "data_offsets is not a list of two numbers");

        TensorView view{dtype.get<std::string>(), {}, {}, file_.path()};
        std::uint64_t size = element_bytes(view.dtype);
        if (size == 0)
            fail(name,
                 "dtype \"" + shown(view.dtype) + "\" is unknown, expected F32, F16, BF16, …");
        bool is_empty = false;
        for (const Json& d : shape) {
            // The product without the zeros must be at most 2^62, so nothing overflows. A tensor
            // with a 0 in its shape has no elements.
            const std::uint64_t n = unsigned_from(name, "shape", d);
            constexpr std::uint64_t most = std::uint64_t{1} << 62;
            if (n > most || (n > 0 && size > most / n))
                fail(name, "shape is too large, its bytes exceed 2^62");
            if (n > 0) size *= n;
            is_empty = is_empty || n == 0;
            view.shape.push_back(static_cast<std::int64_t>(n));
        }
        if (is_empty) size = 0;

        const std::uint64_t begin = unsigned_from(name, "data_offsets", offsets[0]);
        const std::uint64_t end = unsigned_from(name, "data_offsets", offsets[1]);
        const std::string range =
            "data_offsets " + std::to_string(begin) + " to " + std::to_string(end);
        if (begin > end) fail(name, range + " are reversed");
        if (end > data_.size())
            fail(name, range + " end after the file's " + std::to_string(data_.size()) +
                           " bytes of data");
        if (end - begin != size) {
            fail(name, range + " hold " + std::to_string(end - begin) + " bytes, expected " +
                           std::to_string(size) + " for " + to_string(view.shape) + " of " +
                           view.dtype);
        }
        view.bytes = data_.subspan(begin, size);
        placed_.push_back({name, begin, end, std::move(view)});
    }

    // Throws Error unless every byte of the data belongs to exactly one tensor.
    void check_coverage() {
        std::sort(placed_.begin(), placed_.end(), [](const Placed& a, const Placed& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
        });
        std::uint64_t covered = 0;
        for (const Placed& p : placed_) {
            const std::string places =
                std::to_string(p.begin) + ", expected " + std::to_string(covered);
            if (p.begin < covered) fail(p.name, "overlaps another tensor: begins at " + places);
            if (p.begin > covered) fail(p.name, "leaves a gap before it: begins at " + places);
            covered = p.end;
        }
        if (covered != data_.size()) {
            fail("the tensors end at byte " + std::to_string(covered) +
                 " of the data, but there are " + std::to_string(data_.size()) +
                 " (trailing bytes)");
        }
    }

    const MappedFile& file_;
    std::span<const std::byte> data_;
    std::vector<Placed> placed_;
};

}  // namespace

namespace {

static_assert(std::endian::native == std::endian::little,
              "safetensors are little-endian, and so must be this machine");

template <class Widen>
void widen_all(std::span<const std::byte> bytes, std::span<float> values, Widen to_float) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint16_t stored;  // copied, since the data may be unaligned
        std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
        values[i] = to_float(stored);
    }
}

}  // namespace

// ---- reading ------------------------------------------------------------------------------------
void Safetensors::add_file(const std::string& path) {
    files_.push_back(std::make_shared<const MappedFile>(path));
    HeaderReader(*files_.back()).read(tensors_, metadata_);
}

Safetensors Safetensors::open(const std::string& path) {
    Safetensors result;
    result.name_ = path;
    result.add_file(path);
    return result;
}

Safetensors Safetensors::open_directory(const std::string& directory) {
    const std::string single = join_path(directory, "model.safetensors"),
                      index = single + ".index.json";
    Safetensors result;
    result.name_ = directory;
    if (file_exists(single)) {
        result.add_file(single);
    } else if (file_exists(index)) {
        result.add_shards(index, directory);
    } else {
        for (const std::string name : {"pytorch_model.bin", "pytorch_model.bin.index.json"})
            if (file_exists(join_path(directory, name)))
                throw Error(directory + ": has only " + name +
                            ", expected model.safetensors; save the model again as safetensors");
        throw Error(directory + ": has no model.safetensors and no model.safetensors.index.json");
    }
    return result;
}

void Safetensors::add_shards(const std::string& index_path, const std::string& directory) {
    const Json index = read_json(index_path);
    const auto map = index.is_object() ? index.find("weight_map") : index.end();
    if (map == index.end() || !map->is_object())
        throw Error(index_path + ": has no object \"weight_map\"");
    std::set<std::string> names;
    for (const auto& [tensor, file] : map->items()) {
        const std::string name = file.is_string() ? file.get<std::string>() : "";
        if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..") {
            throw Error(index_path + ": tensor \"" + shown(tensor) + "\" is in " + kind_of(file) +
                        ", expected a file name");
        }
        names.insert(name);
    }
    for (const std::string& name : names) {
        const std::string path = join_path(directory, name);
        if (!file_exists(path))
            throw Error(path + ": is missing, one of the " + std::to_string(names.size()) +
                        " files that model.safetensors.index.json names; fetch them all");
        add_file(path);
    }
    for (const auto& [tensor, file] : map->items()) {
        const TensorView* view = find(tensor);
        const std::string expected = join_path(directory, file.get<std::string>());
        if (!view || view->file != expected)
            throw Error(expected + ": has no tensor \"" + shown(tensor) + "\", as the index says");
    }
}

const TensorView* Safetensors::find(const std::string& name) const {
    const auto entry = tensors_.find(name);
    return entry == tensors_.end() ? nullptr : &entry->second;
}

const TensorView& Safetensors::expect(const std::string& name, const Shape& shape) const {
    const TensorView* view = find(name);
    if (!view) throw Error(name_ + ": has no tensor \"" + name + "\" of shape " + to_string(shape));
    if (view->shape != shape) {
        throw Error(view->file + ": tensor \"" + name + "\" has shape " + to_string(view->shape) +
                    ", expected " + to_string(shape));
    }
    return *view;
}

Tensor Safetensors::read(const std::string& name, const Shape& shape) const {
    const TensorView& view = expect(name, shape);
    Tensor tensor(shape);
    widen(view, name, tensor.values());
    forget(view);
    return tensor;
}

std::string Safetensors::on_file(const std::string& name) const {
    const std::string prefixed = "transformer." + name;
    return !find(name) && find(prefixed) ? prefixed : name;
}

namespace {

// A weight that is NaN or infinite would make the logits NaN, so it is reported now, with its name.
void check_finite(const std::string& file, const std::string& name, const Tensor& tensor) {
    const float* w = tensor.data();
    const auto broken =
        std::find_if_not(w, w + tensor.size(), [](float x) { return std::isfinite(x); });
    if (broken == w + tensor.size()) return;
    throw Error(file + ": tensor \"" + name + "\": number " + std::to_string(broken - w) + " is " +
                short_number(static_cast<double>(*broken)) +
                ", expected finite weights; was the training broken off by an overflow?");
}

}  // namespace

std::string Safetensors::hash() const {
    Hash hash;
    for (const auto& [name, tensor] : tensors_) hash.add(name).add(tensor.bytes);
    return hash.text();
}

bool Safetensors::in_4_bits(const std::string& name) const {
    return !find(on_file(name)) && find(codes_name(name));
}

std::optional<Int4Codes> Safetensors::stored_int4(const std::string& name,
                                                  const Shape& shape) const {
    if (!in_4_bits(name)) return std::nullopt;
    return read_int4(*this, name, shape);
}

std::optional<Int8Codes> Safetensors::stored_int8(const std::string& name,
                                                  const Shape& shape) const {
    const std::string stored = on_file(name);
    if (in_4_bits(name) || scaled_by_rows(stored)) return std::nullopt;
    const TensorView& view = expect(stored, shape);
    if (view.dtype != int8_dtype) return std::nullopt;
    Int8Codes codes{0, 0, {}, read(scale_name(stored), {scale_count(stored, shape)})};
    codes.q = read_int8(view, stored, codes.scales);
    codes.rows = shape[0], codes.columns = shape[1];
    return codes;
}

std::shared_ptr<const MappedFile> Safetensors::file_of(const std::string& name) const {
    const TensorView* view = find(on_file(name));
    for (const auto& file : files_)
        if (view && file->path() == view->file) return file;
    return nullptr;
}

Tensor Safetensors::read_weight(const std::string& name, const Shape& shape) const {
    if (const std::optional<Int4Codes> codes = stored_int4(name, shape)) {
        Tensor tensor(shape);
        restore_int4(*codes, tensor.values());
        forget_weight(name);
        return tensor;
    }
    const std::string stored = on_file(name);
    if (const TensorView& view = expect(stored, shape); view.dtype == int8_dtype) {
        const Tensor scales = read(scale_name(stored), {scale_count(stored, shape)});
        Tensor tensor(shape);
        restore_int8(view, stored, scales, tensor.values());
        forget(view);
        return tensor;
    }
    Tensor tensor = read(stored, shape);
    check_finite(find(stored)->file, stored, tensor);
    return tensor;
}

std::optional<StoredView> Safetensors::stored_weight(const std::string& name,
                                                     const Shape& shape) const {
    if (in_4_bits(name)) return std::nullopt;
    const TensorView& view = expect(on_file(name), shape);
    const std::optional<WeightType> type = weight_type_named(view.dtype);
    if (!type || shape.size() != 2 ||
        length_of(view.bytes) != element_count(shape) * bytes_of(*type) ||
        reinterpret_cast<std::uintptr_t>(view.bytes.data()) % index(bytes_of(*type)) != 0)
        return std::nullopt;
    return StoredView(view.bytes.data(), *type, shape[0], shape[1]);
}

void Safetensors::forget(const TensorView& view) const {
    for (const auto& file : files_) file->forget(view.bytes);
}

void Safetensors::forget_weight(const std::string& name) const {
    if (const TensorView* view = find(in_4_bits(name) ? codes_name(name) : on_file(name)))
        forget(*view);
}

void Safetensors::check_weight(const std::string& name, const Shape& shape) const {
    if (in_4_bits(name)) {
        const Int4Names names = int4_names(name, shape);
        expect(names.codes, names.codes_shape);
        expect(names.multipliers, names.multipliers_shape);
        expect(names.units, names.units_shape);
        return;
    }
    const std::string stored = on_file(name);
    if (expect(stored, shape).dtype == int8_dtype)
        expect(scale_name(stored), {scale_count(stored, shape)});
}

void widen(const TensorView& view, const std::string& name, std::span<float> values) {
    const std::uint64_t size = element_bytes(view.dtype);
    if (size == 0 || view.bytes.size() / size != values.size()) {
        throw Error(view.file + ": tensor \"" + name + "\" has shape " + to_string(view.shape) +
                    ", expected " + std::to_string(values.size()) + " elements");
    }
    const std::optional<WeightType> type = weight_type_named(view.dtype);
    if (!type) {
        throw Error(view.file + ": tensor \"" + name + "\" is of " + view.dtype +
                    ", expected F32, F16 or BF16");
    }
    if (type == WeightType::f16) return widen_all(view.bytes, values, from_f16);
    if (type == WeightType::bf16) return widen_all(view.bytes, values, from_bf16);
    if (!values.empty()) std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
}

}  // namespace tbt
