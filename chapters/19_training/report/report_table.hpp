// Formats the report as a table for people and as JSON for programs.
#pragma once

#include <string>

#include "chapters/19_training/report/report.hpp"

namespace tbt {

std::string report_text(const Report& report);

// {"model", "corpus", "seconds", "rows": [{"what", "figure", "value", "goal", "met"}], "genres"};
// A value that could not be measured, or a goal that is not set, is null.
std::string report_json(const Report& report, const std::string& model, const std::string& corpus,
                        double seconds);

}  // namespace tbt
