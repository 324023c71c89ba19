// The parts of chapter 16's program.
#pragma once

#include <string>
#include <vector>

#include "chapters/14_grammar/guided_model.hpp"
#include "chapters/16_json_schema/guide.hpp"

namespace tbt {

// 1. Finished values and what is wrong with each.
void show_validation();
// 2. An object being written: after each member, those still to come.
void show_members();
// 3. Tools: all alternatives side by side, until a member decides.
void show_alternatives();
// 4. What each kind of request becomes.
void show_requests();
// 5. A model under a request; person.json where none was made.
void show_guided(const GuideRequest& request, GuidedModel model);

// Four members in the schema's order: the places between them, and what leads from one to the next,
// as a picture.
void write_order(const std::string& file);

}  // namespace tbt
