// A request of another interface as one of completions or chat completions.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chapters/26_serving/server/answer.hpp"

namespace tbt {

// A body, and how it is answered.
struct TranslatedRequest {
    std::string body = {};
    AnswerForm form = {};
    std::vector<std::string> ignored = {};  // the client's members without effect
    // What the client calls the members of this body that were renamed, {"stop", "stop_sequences"},
    // and each of its messages.
    std::vector<std::pair<std::string, std::string>> names = {};
    std::vector<std::string> places = {};

    std::string name_of(const std::string& ours) const;
    // An error about this body, by the client's names.
    ApiError about(const ApiError& error) const;
};

// The members that are not `read` by a translation: they keep their names. Those in
// `without_effect` go to request.ignored instead, unless their value says that they are off.
Json members_besides(const Json& body, const std::set<std::string>& read,
                     const std::set<std::string>& without_effect, TranslatedRequest& request);

}  // namespace tbt
