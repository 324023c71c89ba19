// What a client is told when its request is not answered, in OpenAI's form.
#pragma once

#include <string>
#include <string_view>

#include "lib/core/error.hpp"

namespace tbt {

// status: of HTTP. param: the member of the body that is at fault; empty: none.
class ApiError : public Error {
public:
    ApiError(int http_status, const std::string& message, std::string at = "",
             std::string name = "")
        : Error(message), status(http_status), param(std::move(at)), code(std::move(name)) {}

    // {"error": {"message", "type", "param", "code"}}
    std::string json() const;

    int status;
    std::string param, code;
};

// Options are called "--top-k" on the command line and "top_k" in a body.
std::string in_body_words(std::string_view message);

}  // namespace tbt
