// A chat template at work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/chat/jinja_syntax.hpp"

namespace tbt::jinja {

// What a template writes with these variables. now: the time that strftime_now() tells, in seconds
// since 1970; without it there is no such function. Throws Error "line N: …", also where the
// template itself refuses (raise_exception), and where it takes too much work.
MarkedText rendered(const Body& body, std::vector<std::pair<std::string, Value>> variables,
                    std::optional<std::int64_t> now = std::nullopt);

}  // namespace tbt::jinja
