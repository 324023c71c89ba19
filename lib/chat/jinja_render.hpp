// Runs a parsed Jinja template.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/chat/jinja_parse.hpp"

namespace tbt::jinja {

// The text that a template writes with these variables. `now` is the time of strftime_now(), in
// seconds since 1970; without it the function does not exist. Throws Error "line N: …", also if the
// template calls raise_exception or takes too much work.
MarkedText rendered(const Body& body, std::vector<std::pair<std::string, Value>> variables,
                    std::optional<std::int64_t> now = std::nullopt);

}  // namespace tbt::jinja
