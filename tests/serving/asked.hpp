// What tests ask of a server and expect to get, and what its streams say.
#pragma once

#include <string>

#include "tests/catch.hpp"
#include "tests/serving/client.hpp"

namespace tbt::test {

inline constexpr const char *completions = "/v1/completions", *chats = "/v1/chat/completions";

inline const Served& server() { return shared_server(); }

inline HttpAnswer asked(const Served& served, const std::string& path, const std::string& body,
                        int status = 200) {
    const HttpAnswer answer = served.post(path, body);
    CAPTURE(path, body, answer.body);
    REQUIRE(answer.status == status);
    return answer;
}
inline HttpAnswer asked(const std::string& path, const std::string& body, int status = 200) {
    return asked(server(), path, body, status);
}

inline Json ask(const Served& served, const std::string& path, const std::string& body) {
    return asked(served, path, body).json();
}
inline Json ask(const std::string& path, const std::string& body, int status = 200) {
    return asked(path, body, status).json();
}

// The pieces of a stream of completions or of a chat joined, by the choice that they are of.
inline std::string joined(const HttpAnswer& answer, int choice = 0) {
    std::string text;
    for (const Json& part : parts_of(answer)) {
        if (!part.is_object()) continue;  // [DONE]
        for (const Json& c : part["choices"]) {
            if (c["index"] != choice) continue;
            if (c.contains("text")) text += c["text"].get<std::string>();
            else if (c["delta"].contains("content"))
                text += c["delta"]["content"].get<std::string>();
        }
    }
    return text;
}

}  // namespace tbt::test
