// Converts the earlier plans of a training run (training.hpp) to and from JSON, for recipes and
// checkpoints.
#pragma once

#include <vector>

#include "chapters/19_training/training.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

OrderedJson earlier_plans_json(const std::vector<EarlierPlan>& plans);
// Throws Json::exception if `list` is not a list of plans, and Error with `file` if a step does not
// fit.
std::vector<EarlierPlan> earlier_plans_of(const Json& list, const std::string& file);

}  // namespace tbt
