// Plans that were changed on the way, as a recipe and a checkpoint have them.
#pragma once

#include <vector>

#include "chapters/19_training/training.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

OrderedJson earlier_plans_json(const std::vector<EarlierPlan>& plans);
// Throws Json::exception where it is no list of plans, Error with `file` where a step does not fit.
std::vector<EarlierPlan> earlier_plans_of(const Json& list, const std::string& file);

}  // namespace tbt
