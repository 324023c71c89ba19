// What a model's generation_config.json asks for, as transformers reads it: defaults for every
// option that was not given.
#pragma once

#include <functional>
#include <string>

#include "chapters/10_generate/options/options.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

// The file of a model directory; an empty object where there is none. Throws Error when it is no
// JSON object.
Json read_generation_config(const std::string& directory);

// One of its members. Throws Error naming file and key unless it is a T; false: not there, or null.
template <class T>
bool read_member(const Json& config, const std::string& directory, const char* key, T& value);

// Fills what was not given. The cuts are left alone where the most probable token is always taken,
// and the whole of the sampling where a preset is named. "do_sample": true brings transformers' own
// defaults (temperature 1, top-k 50), "do_sample": false greedy decoding where no option draws.
// What would change a text and is not known here is named on stderr.
// A search draws nothing unless it is asked to, here or there: no cuts then.
// Throws Error on a value of another kind.
void use_generation_config(GenerateOptions& options, bool searches = false);

}  // namespace tbt
