#include "lib/core/files.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

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

}  // namespace tbt
