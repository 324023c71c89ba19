#include "lib/core/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
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
    constexpr std::pair<std::uint64_t, std::string_view> sizes[] = {
        {1, " BOOL U8 I8 F8_E4M3 F8_E5M2 F8_E8M0 "},
        {2, " I16 U16 F16 BF16 "},
        {4, " I32 U32 F32 "},
        {8, " I64 U64 F64 C64 "}};
    std::string name = " ";
    name.append(dtype).append(" ");
    for (const auto& [size, names] : sizes)
        if (names.find(name) != std::string_view::npos) return size;
    return 0;
}

// Reads the header of one file.
class Header {
public:
    explicit Header(const MappedFile& file) : file_(file), name_(file.path() + ": header") {}

    void read(std::map<std::string, StoredTensor>& tensors,
              std::map<std::string, std::string>& metadata) {
        for (JsonReader::Member& m : parse()) {
            if (m.key != "__metadata__") read_tensor(m.key, m.value);
            else read_metadata(m.value, metadata);
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

    std::vector<JsonReader::Member> parse() {
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
        JsonReader reader(text, name_);
        std::vector<JsonReader::Member> tensors = reader.members();
        reader.end();
        return tensors;
    }

    void read_metadata(JsonReader& entry, std::map<std::string, std::string>& metadata) const {
        if (entry.peek() != '{')
            fail("__metadata__ is " + entry.kind() + ", expected an object of strings");
        for (auto& [key, value] : entry.members()) {
            if (value.peek() != '"')
                fail("__metadata__: \"" + shown(key) + "\" is " + value.kind() +
                     ", expected a string");
            metadata[key] = value.string();
        }
    }

    // The member `key`, which is a string or a list.
    JsonReader member(const std::string& name, const std::vector<JsonReader::Member>& entry,
                      const char* key, char first) const {
        for (auto [k, value] : entry) {
            if (k != key) continue;
            if (value.peek() == first) return value;
            fail(name, std::string(key) + " is " + value.kind() + ", expected " +
                           (first == '"' ? "a string" : "a list"));
        }
        fail(name, std::string("has no ") + key);
    }

    std::vector<std::uint64_t> sizes(const std::string& name,
                                     const std::vector<JsonReader::Member>& entry,
                                     const char* key) const {
        std::vector<std::uint64_t> sizes;
        JsonReader list = member(name, entry, key, '[');
        list.array([&] {
            const JsonReader v = list.skip();
            const auto n = v.integer(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
            if (!n)
                fail(name, std::string(key) + " holds " + v.kind() + ", expected integers from 0");
            sizes.push_back(*n);
        });
        return sizes;
    }

    void read_tensor(const std::string& name, JsonReader& value) {
        if (value.peek() != '{') fail(name, "is " + value.kind() + ", expected an object");
        const std::vector<JsonReader::Member> entry = value.members();
        StoredTensor t{member(name, entry, "dtype", '"').string(), {}, {}, file_.path()};
        std::uint64_t size = element_size(t.dtype);
        if (size == 0)
            fail(name, "dtype \"" + shown(t.dtype) + "\" is unknown, expected F32, F16, BF16, …");
        bool is_empty = false;
        for (const std::uint64_t n : sizes(name, entry, "shape")) {
            // The product without the zeros must be at most 2^62, so nothing overflows.
            if (n > 0 && size > (std::uint64_t{1} << 62) / n)
                fail(name, "shape is too large, its bytes exceed 2^62");
            if (n > 0) size *= n;
            is_empty = is_empty || n == 0;
            t.shape.push_back(static_cast<std::int64_t>(n));
        }
        if (is_empty) size = 0;
        const std::vector<std::uint64_t> offsets = sizes(name, entry, "data_offsets");
        if (offsets.size() != 2) fail(name, "data_offsets is not a list of two numbers");
        const std::uint64_t begin = offsets[0], end = offsets[1];
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
    const std::string name_;
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
    const MappedFile file(index_path);
    JsonReader reader(file.text(), index_path);
    std::vector<JsonReader::Member> map;
    if (reader.peek() == '{')
        for (auto& [key, value] : reader.members())
            if (key == "weight_map" && value.peek() == '{') map = value.members();
    if (map.empty()) throw Error(index_path + ": has no object \"weight_map\"");
    reader.end();
    std::map<std::string, std::string> file_of;
    std::set<std::string> names;
    for (auto& [tensor, value] : map) {
        const std::string name = value.peek() == '"' ? JsonReader(value).string() : "";
        if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
            throw Error(index_path + ": tensor \"" + shown(tensor) + "\" is in " + value.kind() +
                        ", expected a file name");
        names.insert(file_of[tensor] = name);
    }
    for (const std::string& name : names) {
        const std::string path = join_path(directory_, name);
        if (!file_exists(path))
            throw Error(path + ": is missing, one of the " + std::to_string(names.size()) +
                        " files that model.safetensors.index.json names; fetch them all");
        add_file(path);
    }
    for (const auto& [tensor, name] : file_of) {
        const auto found = tensors_.find(tensor);
        const std::string expected = join_path(directory_, name);
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
    const std::size_t size = f32 ? 4 : 2, numbers = tensor.bytes.size() / size;
    if (begin < 0 || index(begin) > numbers || values.size() > numbers - index(begin))
        throw Error(tensor.file + ": a tensor of shape " + to_string(tensor.shape) +
                    " has no numbers " + std::to_string(begin) + " to " +
                    std::to_string(begin + length_of(values)));
    const std::byte* from = tensor.bytes.data() + index(begin) * size;
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
