// The option --html: writes traces and their viewer as one page, which needs no server or network.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

// Declares --html FILE, and --trace FILE for programs whose trace is what that page shows.
DeclaredOption page_option(CommandLine line, std::string& file);
DeclaredOption trace_option(CommandLine line, std::string& file);

// Throws UsageError if two of these options name one file; empty: not given.
void check_files(const std::string& html, const std::string& trace, const std::string& figure = "");

// The files of --html and --trace. They are opened before the text is generated, so that a wrong
// name is reported at once. Throws Error, also if data/page, with the page's parts, is not found.
class PageFile {
public:
    explicit PageFile(const std::string& page, const std::string& trace = "");  // empty: no file
    bool wanted() const { return page_ || trace_; }
    // Writes a trace and its page, and prints the page's name on stderr. lines: JSON lines.
    void write(const std::string& lines) const;

private:
    std::string path_;
    std::unique_ptr<AtomicFile> page_, trace_;
};

// A trace of any chapter (JSON lines), with a name.
struct NamedTrace {
    std::string name, lines;
};

// The page of one trace, or of two side by side. Faults within a trace are shown by the page.
// Throws Error if data/page, which has the page's parts, is not found.
std::string trace_page(const std::vector<NamedTrace>& traces);

// Reads a trace from a file, for --compare. It may be incomplete. Throws Error unless it begins
// like a trace that the viewer can read.
NamedTrace read_trace(const std::string& file);

// Makes JSON lines safe for a script element: without "<", and valid UTF-8.
std::string for_script(std::string_view lines);

}  // namespace tbt
