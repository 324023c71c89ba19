// The judge's table, as people read it and as programs do.
#pragma once

#include <string>

#include "chapters/19_training/report/report.hpp"

namespace tbt {

std::string report_text(const Report& report);

// {"model", "corpus", "seconds", "rows": [{"what", "figure", "value", "goal", "met"}], "genres"};
// a value that could not be measured, or a goal that nobody set, is null.
std::string report_json(const Report& report, const std::string& model, const std::string& corpus,
                        double seconds);

}  // namespace tbt
