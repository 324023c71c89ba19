#include "chapters/19_training/report/report_table.hpp"

#include <cmath>
#include <cstdio>

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {
namespace {

// Pads a text to a width in columns of the screen, not in bytes.
std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::size_t taken = index(columns(text));
    const std::string space(taken < width ? width - taken : 0, ' ');
    return right ? space + text : text + space;
}

std::string goal_text(const ReportRow& row) {
    if (std::isnan(row.goal)) return "";
    char text[32];
    std::snprintf(text, sizeof text, "%s%.4g", row.small ? "≤ " : "≥ ", row.goal);
    return text;
}

OrderedJson number(double value) { return std::isnan(value) ? OrderedJson() : OrderedJson(value); }

}  // namespace

std::string report_text(const Report& report) {
    std::string table =
        padded("", 56, false) + padded("figure", 24, true) + padded("wanted", 10, true) + "\n";
    for (const ReportRow& row : report.rows) {
        const bool judged = !std::isnan(row.goal) && !std::isnan(row.value);
        table += padded(row.what, 56, false) + padded(row.figure, 24, true) +
                 padded(goal_text(row), 10, true) + (judged ? row.met() ? "  ✓" : "  ✗" : "") +
                 "\n";
    }
    return table + "\n" + validation_table(report.genres, report.total);
}

std::string report_json(const Report& report, const std::string& model, const std::string& corpus,
                        double seconds) {
    OrderedJson json = {{"model", model}, {"corpus", corpus}, {"seconds", std::round(seconds)}};
    json["rows"] = OrderedJson::array();
    for (const ReportRow& row : report.rows) {
        const bool judged = !std::isnan(row.goal) && !std::isnan(row.value);
        json["rows"].push_back({{"what", row.what},
                                {"figure", row.figure},
                                {"value", number(row.value)},
                                {"goal", number(row.goal)},
                                {"met", judged ? OrderedJson(row.met()) : OrderedJson()}});
    }
    json["genres"] = OrderedJson::object();
    for (const GenreResult& r : report.genres) {
        if (r.documents == 0) continue;
        json["genres"][r.genre] = {{"model", number(r.bits_per_byte())},
                                   {"floor", number(r.floor())},
                                   {"documents", r.documents}};
    }
    return json_text(json, 2) + "\n";
}

}  // namespace tbt
