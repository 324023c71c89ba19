#include "lib/core/files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

std::string system_reason() { return std::string(" (") + std::strerror(errno) + ")"; }

const std::string& checked_path(const std::string& path) {
    if (path.find('\0') != std::string::npos)
        throw Error(path.substr(0, path.find('\0')) + ": the name of a file contains a zero byte");
    return path;
}

bool file_exists(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0;
}

std::string join_path(const std::string& directory, const std::string& name) {
    checked_path(directory), checked_path(name);
    return directory.empty() || directory.back() == '/' ? directory + name : directory + "/" + name;
}

// The folder of the running program; "" if the system does not say.
static std::string program_folder() {
    std::string path(4096, '\0');
#ifdef __APPLE__
    std::uint32_t size = static_cast<std::uint32_t>(path.size());
    if (::_NSGetExecutablePath(path.data(), &size) != 0) return "";
    path.resize(path.find('\0'));
#else
    const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
    path.resize(length < 0 ? 0 : index(length));
#endif
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string shipped_file(const std::string& name) {
    const std::string here = join_path("data", name);
    if (file_exists(here)) return here;
    const std::string folder = program_folder();
    const std::string parent = folder.substr(0, folder.rfind('/') + 1);
    for (const char* const data : {"data", "share/token-by-token"})
        if (const std::string there = join_path(parent + data, name);
            !parent.empty() && file_exists(there))
            return there;
    return here;
}

OpenFile::OpenFile(const std::string& path)
    : descriptor(::open(checked_path(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor < 0) throw Error(path + ": cannot be opened" + system_reason());
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor);
        throw Error(path +
                    ": is not a regular file (a directory, a pipe or a device), expected one");
    }
    size = index(status.st_size);
}

OpenFile::~OpenFile() { ::close(descriptor); }

MappedFile::MappedFile(const std::string& path) : path_(path) {
    const OpenFile file(path);
    if (file.size == 0) return;
    void* memory = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.descriptor, 0);
    if (memory == MAP_FAILED)
        throw Error(path + ": cannot be mapped into memory" + system_reason());
    data_ = static_cast<const std::byte*>(memory);
    size_ = file.size;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
    if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::forget(std::span<const std::byte> part) const {
    const auto page = index(::sysconf(_SC_PAGESIZE));
    if (part.data() < data_ || part.data() + part.size() > data_ + size_) return;
    const auto offset = index(part.data() - data_);
    const std::size_t first = (offset + page - 1) / page * page,
                      end = (offset + part.size()) / page * page;
    if (first < end) ::madvise(const_cast<std::byte*>(data_ + first), end - first, MADV_DONTNEED);
}

// ---- JSON ----
namespace {

using Kind = JsonValue::Kind;

constexpr int deepest = 64;

// Recursive descent: one function for each kind of value, which begins at its first character.
class Parser {
public:
    Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    JsonValue whole_text() {
        if (const std::size_t bad = find_invalid_utf8(text_); bad != std::string_view::npos)
            at_ = bad, fail("is not valid UTF-8");
        if (text_.starts_with("\ufeff")) at_ = 3;
        JsonValue result = value(0);
        if (peek() != '\0' || at_ < text_.size()) fail("expected the end of the text");
        return result;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + ": byte " + std::to_string(at_ + 1) + " of the JSON text: " + what);
    }

    // The next character that is not white space; 0 at the end.
    char peek() {
        while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) < 4) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) fail(std::string("expected ") + c);
    }

    JsonValue value(int depth) {
        if (depth > deepest) throw Error(name_ + ": is nested more than 64 deep");
        JsonValue v;
        switch (peek()) {
            case '{':
                v.kind = Kind::object;
                members(v, depth);
                break;
            case '[':
                v.kind = Kind::array;
                elements(v, depth);
                break;
            case '"':
                v.kind = Kind::string;
                v.text = string();
                break;
            case 'n':
                word("null");
                break;
            case 't':
            case 'f':
                v.kind = Kind::boolean;
                v.flag = text_[at_] == 't';
                word(v.flag ? "true" : "false");
                break;
            default:
                v.kind = Kind::number;
                number(v);
        }
        return v;
    }

    void word(std::string_view expected) {
        if (!text_.substr(at_).starts_with(expected)) fail("expected a value");
        at_ += expected.size();
    }

    void elements(JsonValue& list, int depth) {
        expect('[');
        if (take(']')) return;
        do list.items.push_back(value(depth + 1));
        while (take(','));
        expect(']');
    }

    void members(JsonValue& object, int depth) {
        expect('{');
        if (take('}')) return;
        do {
            if (peek() != '"') fail("expected a key in quotes");
            object.keys.push_back(string());
            expect(':');
            object.items.push_back(value(depth + 1));
        } while (take(','));
        expect('}');
        std::vector<std::string_view> sorted(object.keys.begin(), object.keys.end());
        std::sort(sorted.begin(), sorted.end());
        const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice != sorted.end())
            throw Error(name_ + ": the key \"" + shown(*twice) + "\" appears twice");
    }

    // -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
    void number(JsonValue& v) {
        const std::size_t begin = at_;
        const auto next = [&] { return at_ < text_.size() ? text_[at_] : '\0'; };
        const auto digits = [&] {
            if (next() < '0' || next() > '9') fail("expected a value");
            while (next() >= '0' && next() <= '9') ++at_;
        };
        if (next() == '-') ++at_;
        if (next() == '0') ++at_;
        else digits();
        if (next() == '.') ++at_, digits();
        if (next() == 'e' || next() == 'E') {
            ++at_;
            if (next() == '+' || next() == '-') ++at_;
            digits();
        }
        v.text = text_.substr(begin, at_ - begin);
        v.number = std::strtod(v.text.c_str(), nullptr);
        if (!std::isfinite(v.number)) fail("the number " + v.text + " is too large");
    }

    std::string string() {
        expect('"');
        std::string result;
        for (;; ++at_) {
            // Everything up to the next character that means something is copied at once.
            std::size_t end = at_;
            while (end < text_.size() && text_[end] != '"' && text_[end] != '\\' &&
                   static_cast<unsigned char>(text_[end]) >= 0x20)
                ++end;
            result += text_.substr(at_, end - at_);
            at_ = end;
            if (at_ == text_.size()) fail("a string without its end");
            if (text_[at_] == '"') break;
            if (text_[at_] != '\\') fail("a control character in a string");
            escape(result);
        }
        ++at_;
        return result;
    }

    // From the backslash to the last character of an escape.
    void escape(std::string& result) {
        constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        const char letter = ++at_ < text_.size() ? text_[at_] : '\0';
        const std::size_t simple = letters.find(letter);
        if (simple != std::string_view::npos) {
            result += meant[simple];
            return;
        }
        if (letter != 'u') fail("an unknown escape in a string");
        std::int32_t c = four_digits();
        if (c >= 0xd800 && c < 0xdc00 && text_.substr(at_ + 1).starts_with("\\u")) {
            at_ += 2;
            const std::int32_t low = four_digits();
            if (low < 0xdc00 || low > 0xdfff) fail("half of a surrogate pair");
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        }
        if (c >= 0xd800 && c < 0xe000) fail("half of a surrogate pair");
        append_utf8(result, c);
    }

    // The digits after \u, at whose last one this ends.
    std::int32_t four_digits() {
        std::int32_t c = 0;
        const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), c, 16);
        if (error != std::errc{} || end != digits.data() + 4 || c < 0 || digits[0] == '-')
            fail("expected four hexadecimal digits");
        at_ += 4;
        return c;
    }

    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
    const auto found = std::find(keys.begin(), keys.end(), key);
    return found == keys.end() ? nullptr : &items[index(found - keys.begin())];
}

std::optional<std::int64_t> JsonValue::integer() const {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    if (kind != Kind::number) return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

JsonValue JsonValue::parse(std::string_view text, const std::string& name) {
    return Parser(text, name).whole_text();
}

JsonValue JsonValue::read(const std::string& path) { return parse(MappedFile(path).text(), path); }

std::string kind_of(const JsonValue& value) {
    switch (value.kind) {
        case Kind::null:
            return "null";
        case Kind::boolean:
            return value.flag ? "true" : "false";
        case Kind::number:
            return (value.integer() ? "the integer " : "the number ") + shown(value.text);
        case Kind::string:
            return "the string \"" + shown(value.text) + "\"";
        case Kind::array:
            return "a list";
        case Kind::object:
            break;
    }
    return "an object";
}

}  // namespace tbt
