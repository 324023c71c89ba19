#include "chapters/26_serving/server/api_error.hpp"

#include "lib/machine/json_file.hpp"

namespace tbt {

std::string ApiError::json() const {
    const auto or_null = [](const std::string& text) {
        return text.empty() ? OrderedJson() : OrderedJson(text);
    };
    const char* type = status == 401   ? "authentication_error"
                       : status == 429 ? "rate_limit_error"
                       : status >= 500 ? "server_error"
                                       : "invalid_request_error";
    return json_text(OrderedJson{{"error",
                                  {{"message", what()},
                                   {"type", type},
                                   {"param", or_null(param)},
                                   {"code", or_null(code)}}}});
}

std::string in_body_words(std::string_view message) {
    std::string words;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    for (std::size_t i = 0; i < message.size(); ++i) {
        const bool name = message.substr(i).starts_with("--") && i + 2 < message.size() &&
                          is_letter(message[i + 2]) && (i == 0 || !is_letter(message[i - 1]));
        if (!name) {
            words += message[i];
            continue;
        }
        for (i += 2; i < message.size() && (is_letter(message[i]) || message[i] == '-'); ++i)
            words += message[i] == '-' ? '_' : message[i];
        --i;
    }
    return words;
}

}  // namespace tbt
