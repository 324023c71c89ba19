#include "exercises/learn/course.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "lib/core/error.hpp"

namespace tbt::learn {

std::string Exercise::number() const { return name.substr(0, name.find('_', name.find('_') + 1)); }

std::string folder() {
    const char* other = std::getenv("EXERCISES");
    return other && *other ? other : "exercises";
}

std::string file_of(const Exercise& exercise) { return folder() + "/" + exercise.name + ".hpp"; }

std::string section_of(const std::string& lesson) {
    std::ifstream in(lesson);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("## ")) return line.substr(3);
    return "";
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// Names of exercises have letters, digits and underscores only, so no quoting is needed.
std::vector<std::string> ask(const std::string& command, const std::string& argument) {
    const std::string line =
        "sh exercises/exercise.sh " + command + " " + argument + " 2>&1 </dev/null";
    std::FILE* pipe = popen(line.c_str(), "r");
    if (!pipe) throw Error("learn: cannot start sh");
    std::string text;
    char part[4096];
    while (const std::size_t n = std::fread(part, 1, sizeof part, pipe)) text.append(part, n);
    pclose(pipe);
    return lines_of(text);
}

std::vector<Exercise> list_exercises() {
    std::vector<Exercise> all;
    for (const std::string& line : ask("list", "")) {
        std::istringstream in(line);
        Exercise e;
        std::string how, hints;
        std::getline(in, e.name, '\t'), std::getline(in, how, '\t'), std::getline(in, hints, '\t');
        std::getline(in, e.lesson, '\t'), std::getline(in, e.title);
        if (e.title.empty()) continue;
        e.passed = how == "passed";
        e.hints = std::atoi(hints.c_str());
        all.push_back(e);
    }
    if (all.empty()) throw Error("learn: there are no exercises here; start it with `make learn`");
    return all;
}

bool not_written(const Exercise& exercise) {
    std::ifstream in(file_of(exercise));
    for (std::string line; std::getline(in, line);)
        if (line.find("throw NotWritten") != std::string::npos) return true;
    return false;
}

}  // namespace tbt::learn
