#include "chapters/26_serving/server/translated.hpp"

#include <cstdlib>

#include "chapters/26_serving/server/body_options.hpp"
#include "lib/json/json.hpp"

namespace tbt {

std::string TranslatedRequest::name_of(const std::string& ours) const {
    const std::string list = "messages[";
    if (ours.starts_with(list)) {
        const std::size_t number = std::strtoul(ours.c_str() + list.size(), nullptr, 10);
        if (number < places.size()) return places[number] + ours.substr(ours.find(']') + 1);
    }
    for (const auto& [from, to] : names)
        if (ours.starts_with(from) && (ours.size() == from.size() || ours[from.size()] == '.'))
            return to + ours.substr(from.size());
    return ours;
}

ApiError TranslatedRequest::about(const ApiError& error) const {
    const std::string name = name_of(error.param);
    std::string message = error.what();
    if (message.starts_with(error.param)) message.replace(0, error.param.size(), name);
    return ApiError(error.status, message, name, error.code);
}

Json members_besides(const Json& body, const std::set<std::string>& read,
                     const std::set<std::string>& without_effect, TranslatedRequest& request) {
    Json rest = Json::object();
    for (const auto& [name, value] : body.items())
        if (without_effect.contains(name)) {
            if (!is_off(value)) request.ignored.push_back(name);
        } else if (!read.contains(name)) {
            rest[name] = value;
        }
    return rest;
}

}  // namespace tbt
