// Chat templates by the names of those who use them: texts of our own, which write what the
// published templates write for conversations without tools.
#pragma once

#include <span>
#include <string_view>

namespace tbt {

struct ChatFamily {
    std::string_view name, source;
};
// In alphabetical order.
std::span<const ChatFamily> chat_families();

}  // namespace tbt
