// For tests: a folder that goes away again, a variable of the environment, the message of an error,
// teams of a fixed size.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "lib/core/error.hpp"
#include "lib/machine/threads.hpp"

namespace tbt::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "tbt-test-XXXXXX").string();
        if (!mkdtemp(pattern.data())) throw Error("cannot make a temporary folder " + pattern);
        path_ = pattern;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    // Quicker than write_file, which waits for the disk.
    std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(file(name), std::ios::binary) << content;
        return file(name);
    }

private:
    std::string path_;
};

// A variable of the environment, set (or not, if null) for as long as this lives.
struct Environment {
    const char* name;
    std::string before;
    bool was_set;
    Environment(const char* variable, const char* value) : name(variable) {
        const char* old = std::getenv(name);
        was_set = old != nullptr;
        before = old ? old : "";
        value ? setenv(name, value, 1) : unsetenv(name);
    }
    ~Environment() { was_set ? setenv(name, before.c_str(), 1) : unsetenv(name); }
};

// Anything that can be called, for the time of one call: a function that takes it is compiled
// once, and not for each call.
class Action {
public:
    template <class F>
    Action(const F& f)
        : called_(&f), call_([](const void* called) { (*static_cast<const F*>(called))(); }) {}
    void operator()() const { call_(called_); }

private:
    const void* called_;
    void (*call_)(const void*);
};

// What action() complains about: "" when it throws nothing, a note when the message has
// more than one line.
inline std::string error_of(Action action) {
    try {
        action();
    } catch (const Error& error) {
        const std::string message = error.what();
        return message.find('\n') == std::string::npos ? message : "more than one line: " + message;
    }
    return "";
}

// Teams of exactly as many threads as asked for, whatever else the machine has to do.
struct FullTeams {
    FullTeams() { let_teams_shrink(false); }
    ~FullTeams() { let_teams_shrink(true); }
};

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace tbt::test
