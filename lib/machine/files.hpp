// Whole files in and out. What goes out is written beside its place and renamed,
// so that nobody ever sees half of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tbt {

// Whether there is something of that name, a link that leads nowhere too.
bool file_exists(const std::string& path);

// "DIRECTORY/NAME". Throws Error where a zero byte would end it early.
std::string join_path(const std::string& directory, const std::string& name);

// Throws Error "PATH: cannot be opened (No such file or directory)".
std::string read_file(const std::string& path);

// Atomic: the file has its old content or the new one, also after a crash or on a full disk.
void write_file(const std::string& path, std::string_view content);

// Throws Error where a file of this name could not be written, before the work that it is for.
// "": nothing is tried.
void try_writing(const std::string& path);

// Makes the directory and those above it; none of them need be missing.
void make_directory(const std::string& path);

// The same in pieces: nothing is seen at `path` before commit();
// without it, nothing is left behind. (What is not a file, such as /dev/stdout or a pipe,
// is written to at once.)
class AtomicFile {
public:
    explicit AtomicFile(const std::string& path);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    void write(const void* data, std::size_t size);
    void commit();

private:
    [[noreturn]] void fail(const char* what) const;
    int open_beside();
    void link_beside();
    static std::string own_name(int descriptor);

    std::string path_, target_;  // as named, and where its links lead
    std::string beside_;         // the name from which it is renamed; empty: written in place
    int descriptor_ = -1;
    bool unnamed_ = false;  // it gets that name only when it is complete
};

// A file mapped into memory, read only: the system loads the pages that are touched.
class MappedFile {
public:
    explicit MappedFile(const std::string& path);
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&&) = delete;
    ~MappedFile();

    const std::string& path() const { return path_; }
    std::span<const std::byte> bytes() const { return {data_, size_}; }
    // The pages that lie wholly in this part are not needed in memory any more;
    // read again, they come back.
    void forget(std::span<const std::byte> part) const;

private:
    std::string path_;
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tbt
