// Whole files in and out: links, pipes and directories.
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/machine/files.hpp"
#include "lib/show/svg.hpp"
#include "tests/catch.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using namespace tbt::test;
namespace fs = std::filesystem;

namespace {

std::size_t entries(const std::string& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file is replaced as a whole, and a link to it stays a link", "[files]") {
    const TemporaryFolder folder;
    const std::string path = folder.write("file", "old"), link = folder.file("link");
    fs::create_symlink("file", link);
    write_file(link, "new");
    REQUIRE(fs::is_symlink(link));
    REQUIRE(read_file(path) == "new");
    REQUIRE(entries(folder.path()) == 2);
}

TEST_CASE("a file that is replaced keeps who may read it", "[files]") {
    const TemporaryFolder folder;
    const std::string path = folder.write("file", "old");
    for (const auto mode : {fs::perms(0600), fs::perms(0664)}) {
        fs::permissions(path, mode);
        write_file(path, "new");
        REQUIRE(fs::status(path).permissions() == mode);
    }
}

TEST_CASE("what is no file is written to, not replaced", "[files]") {
    const TemporaryFolder folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::string got;
    std::thread reader([&] { std::getline(std::ifstream(pipe), got); });
    write_file(pipe, "through\n");
    reader.join();
    REQUIRE(got == "through");
    REQUIRE(fs::is_fifo(pipe));
    REQUIRE(entries(folder.path()) == 1);
}

TEST_CASE("what is written to /dev/stdout stands after what the file already has", "[files]") {
    const TemporaryFolder folder;
    const std::string log = folder.write("log", "before\n");
    const pid_t child = ::fork();
    if (child == 0) {
        const bool opened = std::freopen(log.c_str(), "a", stdout) != nullptr;
        std::fputs("printed\n", stdout);
        write_file("/dev/stdout", "written\n");
        std::fputs("and more\n", stdout);
        std::fflush(stdout);
        ::_exit(opened ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(status == 0);
    REQUIRE(read_file(log) == "before\nprinted\nwritten\nand more\n");
}

TEST_CASE("to ask whether a pipe can be written does not end it for its reader", "[files]") {
    const TemporaryFolder folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    try_writing(pipe);  // opening it would wait for a reader for ever
}

TEST_CASE("a directory in the place of a file is refused, and nothing is left beside it",
          "[files]") {
    const TemporaryFolder folder;
    const std::string path = folder.file("directory");
    fs::create_directory(path);
    REQUIRE(error_of([&] { write_file(path, "x"); }) == path + ": is a directory, expected a file");
    REQUIRE(error_of([&] { write_svg(path, "a title", 10, 10, ""); }) ==
            path + ": is a directory, expected a file");
    REQUIRE(contains(
        error_of([&] { write_svg(folder.file("none/figure.svg"), "a title", 10, 10, ""); }),
        "cannot be written"));
    REQUIRE(entries(folder.path()) == 1);
}

#ifdef O_TMPFILE
TEST_CASE("a chart ends whose numbers are too large for a step between them", "[svg]") {
    const TemporaryFolder folder;
    LineChart chart;
    chart.series = {{"a", {{1e17, 1}, {1e17 + 16, 2}}}};  // 1e17 + 5 is 1e17
    write_svg(folder.file("figure.svg"), chart);
    REQUIRE(read_file(folder.file("figure.svg")).size() < 1'000'000);
}

TEST_CASE("a process that is killed while it writes leaves no file", "[files]") {
    const TemporaryFolder folder;
    const std::string path = folder.write("file", "old");
    const pid_t child = ::fork();
    if (child == 0) {
        AtomicFile file(path);
        file.write("half", 4);
        ::raise(SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(entries(folder.path()) == 1);
    REQUIRE(read_file(path) == "old");
}
#endif

TEST_CASE("a link in the place of the temporary file is not followed", "[files]") {
    const TemporaryFolder folder;
    const std::string victim = folder.write("victim", "kept"), path = folder.file("file");
    fs::create_symlink("victim", path + "." + std::to_string(::getpid()) + ".tmp");
    write_file(path, "new");
    REQUIRE(read_file(victim) == "kept");
    REQUIRE(read_file(path) == "new");
    REQUIRE(entries(folder.path()) == 2);
}

TEST_CASE("a file larger than the memory is refused by its name", "[files]") {
    const TemporaryFolder folder;
    const std::string path = folder.write("large", "");
    fs::resize_file(path, std::uintmax_t{1} << 42);
    REQUIRE_THROWS_WITH(read_file(path), Catch::Contains("large: has 4194304 MB"));
}
