// The body of a request, an object of JSON, and what a client is told that is not answered.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"

namespace tbt {

// A refusal in OpenAI's form. status: of HTTP. param: the member of the body that is at fault;
// empty: none.
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

// An object, well-formed and at most 64 levels deep. Throws ApiError.
Json read_body(const std::string& body);
// Ids of tokens. Throws ApiError on what is none.
std::vector<int> read_ids(const Json& list, const std::string& name, int vocab_size);

// The member of an object; null where there is none.
const Json& member(const Json& json, const char* name);
// The same of a member that is a text.
std::string text_or(const Json& json, const char* name, const std::string& otherwise);

// The members of an object, taken one after the other; what is left is not known. Each function
// throws ApiError 400 on a value of another kind. null is as if it were not there.
class BodyReader {
public:
    // object must outlive it; `name` is where it is in the body.
    explicit BodyReader(const Json& object, std::string name = "");

    const Json* take(const std::string& name);
    void give_back(const std::string& name) { taken_.erase(name); }
    bool flag(const std::string& name, bool otherwise = false);
    std::optional<std::string> text(const std::string& name);
    int integer(const std::string& name, int otherwise, int least, int most);
    // What nobody took.
    std::vector<std::pair<std::string, Json>> rest() const;
    void refuse_rest() const;
    [[noreturn]] void fail(const std::string& name, const std::string& why) const;

private:
    const Json* object_;
    std::string name_;
    std::set<std::string> taken_;
};

}  // namespace tbt
