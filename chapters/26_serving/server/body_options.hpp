// The options of a text from the members of a body, by the names of the course and of others.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/26_serving/server/body.hpp"

namespace tbt {

using BodyMembers = std::vector<std::pair<std::string, Json>>;

// Each member becomes an option of the command line and is read as there, so that a name has one
// meaning and one definition. Values are texts, never names of files.
//
// What does nothing here, or is neutral, is left out; `ignored` gets its name if someone might have
// expected an effect. Refused is what would change the text and cannot be done, and a name that
// looks like a slip; if `strict`, everything that does nothing.
//
// base: what holds where a body says nothing; `known`: names that the caller reads by itself,
// for "did you mean". Throws ApiError.
TextOptions options_of(BodyMembers members, const TextOptions& base,
                       const std::vector<std::string>& known, bool strict,
                       std::vector<std::string>& ignored);

// What the generator says of an option ("--top-k: …", "top-k: …"), in the words of a body.
// most: how it calls the most tokens of a text.
ApiError about_option(int status, std::string_view message, const std::string& most = "max_tokens");

// Is it one of the parameters that clients send and that change no text here?
bool has_no_effect(const std::string& name);
// Does a value say that something is not wanted: null, false, 0, "", "none", "disabled", [] or {}?
bool is_off(const Json& value);

// Parameters without effect, into `ignored`; if `strict`, throws ApiError.
void ignore(const std::vector<std::string>& names, bool strict, std::vector<std::string>& ignored);
// The same for the members of a body that nobody took. Throws ApiError on a slip for a known name,
// too.
void ignore_rest(const BodyReader& body, const std::vector<std::string>& known, bool strict,
                 std::vector<std::string>& ignored);

// Whether texts are written by something else than one chain at a time: they are no part of the
// engine's batches.
bool needs_own_passes(const TextOptions& options);

}  // namespace tbt
