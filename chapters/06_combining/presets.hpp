// Presets: named settings. The first two are from the parameter guides of the tutorials, the others
// from the measurements of chapter 24.
#pragma once

#include <string_view>
#include <vector>

#include "chapters/06_combining/dialects.hpp"

namespace tbt {

struct Preset {
    std::string_view name, good_for;
    SamplingOptions options;
};

const std::vector<Preset>& presets();

const Preset& preset_named(std::string_view name);

}  // namespace tbt
