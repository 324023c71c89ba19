// The options of a text from the members of a body, by the names of the course and of others.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/26_serving/server/api_error.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

using BodyMembers = std::vector<std::pair<std::string, OrderedJson>>;

// Each member becomes an option of the command line and is read as there, so that a name has one
// meaning and one definition. Values are texts, never names of files.
// base: what holds where a body says nothing; `known`: names that the caller reads by itself,
// for "did you mean". Throws ApiError.
TextOptions options_of(const BodyMembers& members, const TextOptions& base,
                       const std::vector<std::string>& known);

// What the generator says of an option ("--top-k: …", "top-k: …"), in the words of a body.
ApiError about_option(int status, std::string_view message);

// Whether texts are written by something else than one chain at a time: they are no part of the
// engine's batches.
bool needs_own_passes(const TextOptions& options);

}  // namespace tbt
