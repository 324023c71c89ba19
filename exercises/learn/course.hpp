// The exercises as exercises/exercise.sh tells them: make learn has no list, state or check of its
// own.
#pragma once

#include <string>
#include <vector>

namespace tbt::learn {

struct Exercise {
    std::string name;  // 03_1_explorer
    bool passed = false;
    int hints = 0;       // that were read
    std::string lesson;  // the lesson's file
    std::string title;

    std::string number() const;  // 03_1
};

// The folder of the learner's files, exercises unless the environment has EXERCISES.
std::string folder();
std::string file_of(const Exercise& exercise);

// All exercises in the order of the course. Throws Error when there are none.
std::vector<Exercise> list_exercises();

// What `exercise.sh COMMAND ARGUMENT` prints, by lines.
std::vector<std::string> ask(const std::string& command, const std::string& argument);

// Whether the file still has a marked place where nothing is written.
bool not_written(const Exercise& exercise);

// The first section of a page: "The idea".
std::string section_of(const std::string& lesson);

// The text's lines.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace tbt::learn
