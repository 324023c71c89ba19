// Reads and writes whole files. A file is written under a temporary name in the same directory and
// then renamed, so that no program ever sees half of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/core/files.hpp"

namespace tbt {

// The content of a file. Throws Error, such as "PATH: cannot be opened (No such file or
// directory)".
std::string read_file(const std::string& path);

// Writes a file, atomically: it has its old content or the new one, also after a crash or on a full
// disk.
void write_file(const std::string& path, std::string_view content);

// Throws Error if a file of this name cannot be written. Call it before long work whose result goes
// to the file. For "" it does nothing.
void try_writing(const std::string& path);

// Makes the directory and those above it, if they do not exist.
void make_directory(const std::string& path);

// Writes a file in pieces, atomically: its new content appears at `path` only with commit(), and
// without commit() no trace remains. (A path that is no regular file, such as /dev/stdout or a
// pipe, is written to directly.)
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

    std::string path_, target_;  // as given, and with symbolic links resolved
    std::string beside_;         // the temporary name; empty if it is written directly
    int descriptor_ = -1;
    bool unnamed_ = false;  // true: the file has no name until it is complete
};

// ---- what ships with the course ----

// The path of a file or folder of data/, which ships with the course ("models/storyteller"): in the
// working directory if it is there; else where the program's own folder leads: ../data for a
// program in build/, ../share/token-by-token for one that `make install` put into bin/.
std::string shipped_file(const std::string& name);

// The directory of a model that comes with the course (shipped_file). The environment variable
// TBT_MODELS replaces the folder that has them all.
std::string model_directory(std::string_view name);

}  // namespace tbt
