#include "lib/machine/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/memory.hpp"

namespace tbt {

std::string read_file(const std::string& path) {
    const OpenFile file(path);
    // available_memory() takes longer than reading a small file.
    const std::int64_t available = file.size > (1 << 20) ? available_memory() : 0;
    if (available > 0 && file.size > index(available))
        throw Error(path + ": has " + std::to_string(file.size >> 20) + " MB, and " +
                    std::to_string(available >> 20) + " MB of memory are free");
    std::string content(file.size, '\0');
    for (std::size_t done = 0; done < content.size();) {
        const ssize_t got = ::read(file.descriptor, content.data() + done, content.size() - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw Error(path + ": cannot be read" + system_reason());
        if (got == 0) throw Error(path + ": became shorter while it was read");
        done += index(got);
    }
    return content;
}

void write_file(const std::string& path, std::string_view content) {
    AtomicFile file(path);
    file.write(content.data(), content.size());
    file.commit();
}

void try_writing(const std::string& path) {
    // Whoever reads a pipe would take its closing for the end.
    if (path.empty() || std::filesystem::is_fifo(path)) return;
    AtomicFile{path};  // without commit(), nothing is left
}

void make_directory(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw Error(path + ": cannot be created as a directory (" + error.message() + ")");
}

AtomicFile::AtomicFile(const std::string& path) : path_(checked_path(path)), target_(path) {
    if (path.empty()) throw Error("a file without a name cannot be written");
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status found = fs::status(path, error);
    if (fs::is_directory(found)) throw Error(path + ": is a directory, expected a file");
    // A rename would replace /dev/stdout or a pipe by a file, so these are written to directly.
    // Where stdout is a file, what this program and others have written to it stays.
    const int standard = path == "/dev/stdout" ? 1 : path == "/dev/stderr" ? 2 : -1;
    const bool renamed = standard < 0 && (!fs::exists(found) || fs::is_regular_file(found));
    if (renamed) {
        if (const fs::path target = fs::canonical(path, error); !error)
            target_ = target.string();  // of a link
        beside_ = target_ + "." + std::to_string(::getpid()) + ".tmp";
    }
    descriptor_ = renamed         ? open_beside()
                  : standard >= 0 ? ::fcntl(standard, F_DUPFD_CLOEXEC, 0)
                                  : ::open(target_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot be written");
    // The new file may be read by those who may read the one that it replaces. (This fails where
    // files have no permissions, and then there are none to keep.)
    if (renamed && fs::exists(found))
        ::fchmod(descriptor_, static_cast<mode_t>(found.permissions()));
}

// Opens a file without a name if the system supports that (Linux with most file systems): if this
// process is killed, nothing remains. Otherwise it opens a new file beside the target. It does not
// follow a link with that name, and replaces the file of an earlier process with the same number.
int AtomicFile::open_beside() {
    unnamed_ = false;
#ifdef O_TMPFILE
    const std::filesystem::path directory = std::filesystem::path(target_).parent_path();
    const int unnamed =
        ::open(directory.empty() ? "." : directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    unnamed_ = unnamed >= 0 && ::access(own_name(unnamed).c_str(), F_OK) == 0;
    if (unnamed_) return unnamed;
    if (unnamed >= 0) ::close(unnamed);
#endif
    constexpr int fresh = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int named = ::open(beside_.c_str(), fresh, 0666);
    if (named >= 0 || errno != EEXIST) return named;
    ::unlink(beside_.c_str());
    return ::open(beside_.c_str(), fresh, 0666);
}

// The path in /proc of an open file.
std::string AtomicFile::own_name(int descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor);
}

// Gives an unnamed file the temporary name, from which it is then renamed.
void AtomicFile::link_beside() {
    const std::string own = own_name(descriptor_);
    const auto link = [&] {
        return ::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, beside_.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link()) return;
    if (errno == EEXIST) ::unlink(beside_.c_str());
    if (!link()) fail("cannot be put in place");
}

AtomicFile::~AtomicFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!beside_.empty() && !unnamed_) ::unlink(beside_.c_str());
}

void AtomicFile::fail(const char* what) const {
    throw Error(path_ + ": " + what + system_reason());
}

void AtomicFile::write(const void* data, std::size_t size) {
    const char* next = static_cast<const char*>(data);
    if (beside_.empty()) std::fflush(nullptr);  // what was printed before comes before
    while (size > 0) {
        const ssize_t written = ::write(descriptor_, next, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("cannot be written");
        next += written;
        size -= index(written);
    }
}

void AtomicFile::commit() {
    if (!beside_.empty()) {
        if (::fsync(descriptor_) != 0) fail("cannot be written");
        if (std::exchange(unnamed_, false)) link_beside();
        if (::rename(beside_.c_str(), target_.c_str()) != 0) fail("cannot be put in place");
    }
    ::close(std::exchange(descriptor_, -1));
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

std::string model_directory(std::string_view name) {
    const char* const folder = std::getenv("TBT_MODELS");
    return folder ? join_path(folder, std::string(name))
                  : shipped_file("models/" + std::string(name));
}

}  // namespace tbt
