// --html: traces and their viewer as one page that needs nothing else, no server and no network.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

// --html FILE, and --trace FILE of programs whose trace is what that page shows
DeclaredOption page_option(CommandLine line, std::string& file);
DeclaredOption trace_option(CommandLine line, std::string& file);

// The files of --html and --trace: opened before anything is written, so that a wrong name is no
// surprise at the end. Throws Error; also where data/page, the page's parts, is not found.
class PageFile {
public:
    explicit PageFile(const std::string& page, const std::string& trace = "");  // empty: none
    bool wanted() const { return page_ || trace_; }
    // A trace, and its page. The page's name goes to stderr, since it is no text.
    void write(const std::string& lines) const;

private:
    std::string path_;
    std::unique_ptr<AtomicFile> page_, trace_;
};

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
