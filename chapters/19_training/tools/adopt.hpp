// Replaces a model that comes with the course by a newly trained one. There is no other way to do
// this.
#pragma once

#include <filesystem>
#include <string>

namespace tbt {

// A table of both models' figures, from their recipe.json and, if both have one, report.json.
// Throws Error unless `trained` can be loaded and has done all its training steps. `shipped` need
// not exist yet.
std::string adoption_table(const std::filesystem::path& trained,
                           const std::filesystem::path& shipped);

// Replaces `shipped` by the files of `trained`, without its checkpoint. The new folder is written
// completely beside the old one; then the two are renamed. If the program is stopped at any moment,
// one of them is complete, and the next call continues. If it throws Error, the old one is in
// place.
void adopt(const std::filesystem::path& trained, std::filesystem::path shipped);

}  // namespace tbt
