#include "chapters/10_generate/tools/page.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "chapters/09_stopping/text_stream.hpp"
#include "lib/core/error.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

// The files that the page is made of, in this order.
constexpr const char* looks = "page.css";
constexpr const char* scripts[] = {
    "dom.js",     "trace.js",     "words.js",   "text.js",  "step.js", "wheel.js",
    "lattice.js", "beams.js",     "draft.js",   "guide.js", "tree.js", "grid.js",
    "passes.js",  "attention.js", "compare.js", "about.js", "main.js", "start.js"};

std::string part(const std::string& name) { return read_file(shipped_file("page/" + name)); }

// Replaces the mark in the page, which must be there, by `content`.
void fill(std::string& page, const std::string& mark, const std::string& content) {
    const std::size_t at = page.find(mark);
    if (at == std::string::npos) throw Error("data/page/page.html: has no " + mark);
    page.replace(at, mark.size(), content);
}

std::string attribute(const std::string& text) {
    std::string out;
    for (const char c : valid_text(text)) {
        if (c == '&') out += "&amp;";
        else if (c == '"') out += "&quot;";
        else if (c == '<') out += "&lt;";
        else out += c;
    }
    return out;
}

}  // namespace

DeclaredOption page_option(CommandLine line, std::string& file) {
    return line.option("--html", file, "write a page that shows how each token came about");
}

DeclaredOption trace_option(CommandLine line, std::string& file) {
    return line.option("--trace", file, "write how each token came about as JSON lines");
}

void check_files(const std::string& html, const std::string& trace, const std::string& figure) {
    const auto check = [](const char* first, const std::string& a, const char* second,
                          const std::string& b) {
        if (!a.empty() && a == b)
            throw UsageError(std::string(first) + " and " + second + ": both would write " + a +
                             "; give each a file of its own");
    };
    check("--html", html, "--trace", trace);
    check("--html", html, "--figure", figure);
    check("--trace", trace, "--figure", figure);
}

PageFile::PageFile(const std::string& page, const std::string& trace) : path_(page) {
    check_files(page, trace);
    if (!trace.empty()) trace_ = std::make_unique<AtomicFile>(trace);
    if (page.empty()) return;
    trace_page({});
    page_ = std::make_unique<AtomicFile>(page);
}

void PageFile::write(const std::string& lines) const {
    if (trace_) trace_->write(lines.data(), lines.size()), trace_->commit();
    if (!page_) return;
    const std::string page = trace_page({{path_, lines}});
    page_->write(page.data(), page.size()), page_->commit();
    std::fprintf(stderr, "%s\n", path_.c_str());
}

std::string for_script(std::string_view lines) {
    std::string out;
    for (const char c : valid_text(lines)) {
        if (c == '<') out += "\\u003c";
        else out += c;
    }
    return out;
}

std::string trace_page(const std::vector<NamedTrace>& traces) {
    std::string page = part("page.html"), script, data;
    for (const char* name : scripts) script += part(name);
    for (const NamedTrace& trace : traces)
        data += "<script type=\"application/jsonl\" class=\"trace\" data-name=\"" +
                attribute(trace.name) + "\">\n" + for_script(trace.lines) + "</script>\n";
    fill(page, "/* page.css */", part(looks));
    fill(page, "/* scripts */", script);
    fill(page, "<!-- traces -->", data);
    return page;
}

NamedTrace read_trace(const std::string& file) {
    NamedTrace trace{std::filesystem::path(file).filename().string(), read_file(file)};
    const std::string first = trace.lines.substr(0, trace.lines.find('\n'));
    const Json header = parse_json(first, file + ": its first line");
    const bool named =
        header.is_object() && header.contains("format") && header["format"].is_string();
    const std::string format = named ? header["format"].get<std::string>() : "";
    const std::string known[] = {"token-by-token trace 1", "token-by-token beams 1",
                                 "token-by-token rounds 1", "token-by-token trace 2"};
    if (std::find(std::begin(known), std::end(known), format) == std::end(known))
        throw Error(file + ": its format is '" + shown(format) +
                    "', expected 'token-by-token trace 2' or an older one; write it with --trace");
    return trace;
}

}  // namespace tbt
