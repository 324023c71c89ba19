// Our own chat templates for families of models, by name. For conversations without tools they
// write the same text as the published templates.
#pragma once

#include <span>
#include <string_view>

namespace tbt {

struct ChatFamily {
    std::string_view name, source;
};
// All families, in alphabetical order.
std::span<const ChatFamily> chat_families();

}  // namespace tbt
