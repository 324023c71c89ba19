#include "lib/core/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/files.hpp"
#include "lib/core/index.hpp"
#include "lib/core/json.hpp"
#include "lib/core/math.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

namespace {

static_assert(std::endian::native == std::endian::little,
              "safetensors are little-endian, and so must be this machine");

// The bytes of one number; 0 for an unknown type.
std::uint64_t element_size(std::string_view dtype) {
    constexpr std::string_view names =
        "BOOL1 U81 I81 I162 U162 F162 BF162 I324 U324 F324 I648 "
        "U648 F648 F8_E4M31 F8_E5M21 F8_E8M01 C648 ";
    for (std::size_t i = 0; i < names.size();) {
        const std::size_t end = names.find(' ', i);
        if (names.substr(i, end - i - 1) == dtype) return index(names[end - 1] - '0');
        i = end + 1;
    }
    return 0;
}

// Reads the header of one file.
class Header {
public:
    explicit Header(const MappedFile& file) : file_(file) {}

    void read(std::map<std::string, StoredTensor>& tensors,
              std::map<std::string, std::string>& metadata) {
        const Json header = parse();
        for (const auto& [name, entry] : header.items()) {
            if (name != "__metadata__") read_tensor(name, entry);
            else read_metadata(entry, metadata);
        }
        check_coverage();
        for (Placed& p : placed_) {
            if (!tensors.emplace(p.name, std::move(p.tensor)).second)
                fail("the tensor \"" + shown(p.name) + "\" is in another file too");
        }
    }

private:
    struct Placed {
        std::string name;
        std::uint64_t begin, end;
        StoredTensor tensor;
    };

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(file_.path() + ": " + what);
    }
    [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
        fail("tensor \"" + shown(tensor) + "\": " + what);
    }

    Json parse() {
        constexpr std::uint64_t length_bytes = 8, most = 100'000'000;
        const auto bytes = file_.bytes();
        if (bytes.size() < length_bytes)
            fail("has " + std::to_string(bytes.size()) +
                 " bytes, expected at least 8 (the length of the header)");
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data(), length_bytes);
        if (length > most)
            fail("the header has " + std::to_string(length) + " bytes, expected at most " +
                 std::to_string(most) + "; is this a safetensors file?");
        if (length > bytes.size() - length_bytes)
            fail("the header has " + std::to_string(length) + " bytes, but only " +
                 std::to_string(bytes.size() - length_bytes) + " follow; was the file cut off?");
        data_ = bytes.subspan(length_bytes + length);
        const std::string_view text = file_.text().substr(length_bytes, length);
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
            metadata[key] = value.text();
        }
    }

    // The member `key`, which is a string or a list, as `like` is.
    const Json& member(const std::string& name, const Json& entry, const char* key,
                       const Json& like) const {
        const auto found = entry.find(key);
        if (found == entry.end()) fail(name, std::string("has no ") + key);
        if (found->type_name() != like.type_name())
            fail(name, std::string(key) + " is " + kind_of(*found) + ", expected " +
                           (like.is_string() ? "a string" : "a list"));
        return *found;
    }

    std::uint64_t size_from(const std::string& name, const char* key, const Json& v) const {
        if (!is_integer(v, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()))
            fail(name, std::string(key) + " holds " + kind_of(v) + ", expected integers from 0");
        return v.get<std::uint64_t>();
    }

    void read_tensor(const std::string& name, const Json& entry) {
        if (!entry.is_object()) fail(name, "is " + kind_of(entry) + ", expected an object");
        StoredTensor t{member(name, entry, "dtype", "").text(), {}, {}, file_.path()};
        std::uint64_t size = element_size(t.dtype);
        if (size == 0)
            fail(name, "dtype \"" + shown(t.dtype) + "\" is unknown, expected F32, F16, BF16, …");
        bool is_empty = false;
        for (const Json& d : member(name, entry, "shape", Json::array())) {
            // The product without the zeros must be at most 2^62, so nothing overflows.
            const std::uint64_t n = size_from(name, "shape", d);
            if (n > 0 && size > (std::uint64_t{1} << 62) / n)
                fail(name, "shape is too large, its bytes exceed 2^62");
            if (n > 0) size *= n;
            is_empty = is_empty || n == 0;
            t.shape.push_back(static_cast<std::int64_t>(n));
        }
        if (is_empty) size = 0;
        const Json& offsets = member(name, entry, "data_offsets", Json::array());
        if (offsets.size() != 2) fail(name, "data_offsets is not a list of two numbers");
        const std::uint64_t begin = size_from(name, "data_offsets", offsets[0]),
                            end = size_from(name, "data_offsets", offsets[1]);
        const std::string range =
            "data_offsets " + std::to_string(begin) + " to " + std::to_string(end);
        if (begin > end) fail(name, range + " are reversed");
        if (end > data_.size())
            fail(name, range + " end after the file's " + std::to_string(data_.size()) +
                           " bytes of data");
        if (end - begin != size)
            fail(name, range + " hold " + std::to_string(end - begin) + " bytes, expected " +
                           std::to_string(size) + " for " + to_string(t.shape) + " of " + t.dtype);
        t.bytes = data_.subspan(begin, size);
        placed_.push_back({name, begin, end, std::move(t)});
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
        if (covered != data_.size())
            fail("the tensors end at byte " + std::to_string(covered) +
                 " of the data, but there are " + std::to_string(data_.size()) +
                 " (trailing bytes)");
    }

    const MappedFile& file_;
    std::span<const std::byte> data_;
    std::vector<Placed> placed_;
};

}  // namespace

StoredWeights StoredWeights::open(const std::string& directory) {
    const std::string single = join_path(directory, "model.safetensors");
    StoredWeights result;
    result.directory_ = directory;
    if (file_exists(single)) {
        result.add_file(single);
    } else if (file_exists(single + ".index.json")) {
        result.add_shards(single + ".index.json");
    } else {
        for (const std::string name : {"pytorch_model.bin", "pytorch_model.bin.index.json"})
            if (file_exists(join_path(directory, name)))
                throw Error(directory + ": has only " + name +
                            ", expected model.safetensors; save the model again as safetensors");
        throw Error(directory + ": has no model.safetensors and no model.safetensors.index.json");
    }
    return result;
}

void StoredWeights::add_file(const std::string& path) {
    files_.push_back(std::make_shared<const MappedFile>(path));
    Header(*files_.back()).read(tensors_, metadata_);
}

StoredWeights StoredWeights::open_file(const std::string& path) {
    StoredWeights result;
    result.directory_ = path;
    result.add_file(path);
    return result;
}

void StoredWeights::add_shards(const std::string& index_path) {
    const Json index = read_json(index_path);
    const auto map = index.find("weight_map");
    if (map == index.end() || !map->is_object())
        throw Error(index_path + ": has no object \"weight_map\"");
    std::set<std::string> names;
    for (const auto& [tensor, file] : map->items()) {
        const std::string name = file.is_string() ? file.text() : "";
        if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
            throw Error(index_path + ": tensor \"" + shown(tensor) + "\" is in " + kind_of(file) +
                        ", expected a file name");
        names.insert(name);
    }
    for (const std::string& name : names) {
        const std::string path = join_path(directory_, name);
        if (!file_exists(path))
            throw Error(path + ": is missing, one of the " + std::to_string(names.size()) +
                        " files that model.safetensors.index.json names; fetch them all");
        add_file(path);
    }
    for (const auto& [tensor, file] : map->items()) {
        const auto found = tensors_.find(tensor);
        const std::string expected = join_path(directory_, file.text());
        if (found == tensors_.end() || found->second.file != expected)
            throw Error(expected + ": has no tensor \"" + shown(tensor) + "\", as the index says");
    }
}

const StoredTensor* StoredWeights::find(const std::string& name) const {
    auto entry = tensors_.find(name);
    if (entry == tensors_.end()) entry = tensors_.find("transformer." + name);
    return entry == tensors_.end() ? nullptr : &entry->second;
}

const StoredTensor& StoredWeights::expect(const std::string& name, const Shape& shape) const {
    const StoredTensor* const tensor = find(name);
    if (!tensor)
        throw Error(directory_ + ": has no tensor \"" + name + "\" of shape " + to_string(shape));
    if (tensor->shape != shape)
        throw Error(tensor->file + ": tensor \"" + name + "\" has shape " +
                    to_string(tensor->shape) + ", expected " + to_string(shape));
    return *tensor;
}

Tensor StoredWeights::read(const std::string& name, const Shape& shape) const {
    const StoredTensor& stored = expect(name, shape);
    Tensor tensor(shape);
    widen(stored, 0, tensor.values());
    // A weight that is NaN or infinite would make the logits NaN, so it is reported now.
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
        const float w = tensor.data()[i];
        if (std::isfinite(w)) continue;
        throw Error(stored.file + ": tensor \"" + name + "\": number " + std::to_string(i) +
                    " is " +
                    (std::isnan(w) ? "NaN"
                     : w > 0       ? "infinity"
                                   : "-infinity") +
                    ", expected finite weights; was the training broken off by an overflow?");
    }
    return tensor;
}

void widen(const StoredTensor& tensor, std::int64_t begin, std::span<float> values) {
    const bool f32 = tensor.dtype == "F32", f16 = tensor.dtype == "F16";
    if (!f32 && !f16 && tensor.dtype != "BF16")
        throw Error(tensor.file + ": a tensor of " + tensor.dtype + ", expected F32, F16 or BF16");
    const std::size_t size = f32 ? 4 : 2, first = index(begin) * size;
    if (begin < 0 || first + values.size() * size > tensor.bytes.size())
        throw Error(tensor.file + ": a tensor of shape " + to_string(tensor.shape) +
                    " has no numbers " + std::to_string(begin) + " to " +
                    std::to_string(begin + length_of(values)));
    const std::byte* from = tensor.bytes.data() + first;
    if (f32) {
        if (!values.empty()) std::memcpy(values.data(), from, values.size() * size);
        return;
    }
    for (float& value : values) {
        std::uint16_t stored;  // copied, since the data may be unaligned
        std::memcpy(&stored, from, size);
        value = f16 ? from_f16(stored) : from_bf16(stored);
        from += size;
    }
}

}  // namespace tbt
