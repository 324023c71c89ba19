#include "lib/model/safetensors_header.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

std::uint64_t element_bytes(const std::string& dtype) {
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
        if (!value.is_number_unsigned())
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

void read_safetensors_header(const MappedFile& file, std::map<std::string, TensorView>& tensors,
                             std::map<std::string, std::string>& metadata) {
    HeaderReader(file).read(tensors, metadata);
}

}  // namespace tbt
