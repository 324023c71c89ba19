// --html: traces and their viewer as one page that needs nothing else, no server and no network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tbt {

// A trace of any chapter: JSON lines.
struct NamedTrace {
    std::string name, lines;
};

// The page of one trace, or of two side by side. What is wrong within them the page says itself.
// Throws Error where data/page, its parts, is not found.
std::string trace_page(const std::vector<NamedTrace>& traces);

// A trace from a file, for --compare. It may be cut off, but must begin like one that the viewer
// reads. Throws Error.
NamedTrace read_trace(const std::string& file);

// Lines of JSON as they may stand in a script element: no "<", valid UTF-8.
std::string for_script(std::string_view lines);

}  // namespace tbt
