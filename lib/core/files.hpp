// Files: their paths, mapped into memory, or opened to be read.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tbt {

// Does anything have this name? A link to a missing file counts, too.
bool file_exists(const std::string& path);

// "DIRECTORY/NAME". Throws Error if one of them has a zero byte, which would end the name early.
std::string join_path(const std::string& directory, const std::string& name);

// The path. Throws Error if it has a zero byte: the system would end the name there and open
// another file.
const std::string& checked_path(const std::string& path);

// " (No such file or directory)": why the last call of the system failed.
std::string system_reason();

// An open regular file and its size; the destructor closes it. Opening does not wait for a pipe
// that nobody writes to. Throws Error: "PATH: cannot be opened (No such file or directory)", ….
struct OpenFile {
    explicit OpenFile(const std::string& path);
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile();

    int descriptor;
    std::size_t size = 0;
};

// A file mapped into memory, read only: the system loads a page when it is first read. Throws Error
// if the file cannot be mapped.
class MappedFile {
public:
    explicit MappedFile(const std::string& path);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&&) = delete;
    ~MappedFile();

    const std::string& path() const { return path_; }
    std::span<const std::byte> bytes() const { return {data_, size_}; }
    std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
    // Tells the system that the pages which lie wholly in this part are not needed in memory any
    // more. They are loaded again when they are read.
    void forget(std::span<const std::byte> part) const;

private:
    std::string path_;
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tbt
