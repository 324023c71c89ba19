// The parts of chapter 16's program.
#pragma once

#include <string>
#include <vector>

#include "chapters/14_grammar/guided_model.hpp"
#include "chapters/16_json_schema/guide.hpp"

namespace tbt {

// 1. Finished values, and the first fault of each.
void show_validation();
// 2. An object being written: after each member, the members that may still come.
void show_members();
// 3. Tools: all alternatives are followed until a member decides.
void show_alternatives();
// 4. The grammar that each kind of request becomes.
void show_requests();
// 5. A model under a request; under person.json if there is none.
void show_guided(const GuideRequest& request, GuidedModel model);

}  // namespace tbt
