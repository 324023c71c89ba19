// Taking a trained model over: the only way in which a model that ships is replaced.
#pragma once

#include <filesystem>
#include <string>

namespace tbt {

// Both models' figures side by side, from their recipe.json and, where both have one, report.json.
// Throws Error unless `trained` is a model that opens and has done all its steps. `shipped` need
// not exist yet.
std::string adoption_table(const std::filesystem::path& trained,
                           const std::filesystem::path& shipped);

// Puts the files of `trained`, without its checkpoint, in the place of `shipped`. The new folder is
// written completely beside the old one, then the two change names; stopped at any moment, one of
// them is there whole, and the next call goes on. Throws Error, with the old one in place.
void adopt(const std::filesystem::path& trained, const std::filesystem::path& shipped);

}  // namespace tbt
