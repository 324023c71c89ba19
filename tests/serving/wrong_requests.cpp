// Every way to ask an endpoint wrongly.
#include "tests/catch.hpp"

#include <string>
#include <vector>

#include "tests/serving/client.hpp"

using namespace tbt;
using test::Client;
using test::HttpAnswer;

namespace {

const test::Served& server() { return test::shared_server(); }

constexpr const char* completions = "/v1/completions";
constexpr const char* chats = "/v1/chat/completions";

}  // namespace

TEST_CASE("what is asked for wrongly is refused in OpenAI's form, and says what to do",
          "[serving]") {
    struct Wrong {
        const char* path;
        std::string body;
        int status;
        const char* message;
    };
    const std::string prompt = R"({"prompt":"a",)",
                      hi = R"({"messages":[{"role":"user","content":"hi"}],)";
    const std::vector<Wrong> all = {
        {completions, "{", 400, "body: "},
        {completions, "[1]", 400, "expected a JSON object"},
        {completions, "{}", 400, "prompt: expected one"},
        {completions, std::string(200, '[') + std::string(200, ']'), 400, "body: "},
        {completions, "{\"prompt\":\"\xff\"}", 400, "UTF-8"},
        {completions, R"({"prompt":7})", 400, "prompt: expected a string"},
        {completions, R"({"prompt":[]})", 400, "prompt: expected a string"},
        {completions, R"({"prompt":[4096000]})", 400, "is not a token"},
        {completions, R"({"prompt":[-1]})", 400, "is not a token"},
        {completions, R"({"prompt":[1.5]})", 400, "is not a token"},
        {completions, R"({"prompt":[[]]})", 400, "no tokens"},
        {completions, prompt + R"("temprature":1})", 400, "did you mean temperature?"},
        {completions, prompt + R"("max_token":1})", 400, "did you mean max_tokens?"},
        {completions, prompt + R"("max_tokens":-5})", 400, "max_tokens: got -5"},
        {completions, prompt + R"("max_tokens":1.5})", 400, "at most nine digits"},
        {completions, prompt + R"("temperature":-1})", 400, "temperature"},
        {completions, prompt + R"("temperature":"hot"})", 400, "temperature"},
        {completions, prompt + R"("temperature":true})", 400, "expected a value"},
        {completions, prompt + R"("greedy":1})", 400, "expected true or false"},
        {completions, prompt + R"("top_k":{"a":1}})", 400, "top_k: expected a value"},
        {completions, prompt + R"("greedy":true,"temperature":0.7})", 400,
         "greedy and temperature 0.7"},
        {completions, prompt + R"("n":0})", 400, "n: expected a whole number from 1"},
        {completions, prompt + R"("n":1000})", 400, "from 1 to 128"},
        {completions, prompt + R"("seed":-1})", 400, "seed: expected a number from 0"},
        {completions, prompt + R"("seed":"-1"})", 400, "seed: expected a number from 0"},
        {completions, prompt + R"("stream":"yes"})", 400, "stream: expected true or false"},
        {completions, prompt + R"("suffix":"b"})", 400, "does not fill gaps"},
        {completions, prompt + R"("max_tokens":100000})", 400, "context"},
        {completions, prompt + R"("model":"gpt-9"})", 404, "this server has storyteller"},
        {completions, prompt + R"("logit_bias":{"x":1}})", 400, "logit_bias"},
        {completions, prompt + R"("logit_bias":{"1":"x"}})", 400, "logit_bias"},
        {completions, prompt + R"("best_of":2,"n":3})", 400, "best_of"},
        {completions, prompt + R"("best_of":2,"stream":true})", 400, "best_of"},
        {completions, prompt + R"("json_schema":"data/schemas/person.json"})", 400, "json_schema"},
        {completions, prompt + R"("grammar":"/etc/passwd"})", 400, "the rules themselves"},
        {completions, prompt + R"("grammar":"root ::= ("})", 422, "grammar"},
        {completions, prompt + R"("regex":"("})", 422, "regex"},
        {completions, prompt + R"("regex":"a{40}","max_tokens":3})", 422, "tokens"},
        {completions, prompt + R"("assistant_model":"/tmp"})", 400, "assistant_model"},
        {completions, prompt + R"("contrast_model":"/tmp"})", 400, "contrast_model"},
        {completions, prompt + R"("medusa_heads":"/tmp","medusa":true})", 400, "no other files"},
        {completions, prompt + R"("infill":"x"})", 400, "left to right"},
        {completions, prompt + R"("model_path":"/tmp"})", 400, "no such parameter"},
        {completions, prompt + R"("html":"/tmp/x"})", 400, "no such parameter"},
        {completions, prompt + R"("threads":64})", 400, "no such parameter"},
        {completions, prompt + R"("prompt_file":"/etc/passwd"})", 400, "no such parameter"},
        {completions, prompt + R"("--html":"/tmp/x"})", 400, "no such parameter"},
        {chats, "{}", 400, "messages: expected a list"},
        {chats, R"({"messages":[]})", 400, "at least one"},
        {chats, R"({"messages":[{"role":"king","content":"x"}]})", 400, "messages[0].role"},
        {chats, R"({"messages":[{"role":"user"}]})", 400, "messages[0].content"},
        {chats, R"({"messages":[{"role":"user","content":[{"type":"image_url"}]}]})", 400,
         "parts of type text"},
        {chats, hi + R"("top_logprobs":3})", 400, "logprobs: true"},
        {chats, hi + R"("response_format":{"type":"xml"}})", 400, "response_format.type"},
        {chats, hi + R"("response_format":{"type":"json_schema","json_schema":{"schema":3}}})", 400,
         "schema"},
        {chats,
         hi + R"("response_format":{"type":"json_schema","json_schema":{"schema":{"type":"x"}}}})",
         422, "type"},
        {chats, hi + R"("tool_choice":"required"})", 400, "no tools"},
        {chats, hi + R"("tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":"b"})",
         400, "tool_choice"},
        {"/tokenize", "{}", 400, "prompt: expected a text"},
        {"/detokenize", R"({"tokens":[99999999]})", 400, "is not a token"},
        {"/v1/embeddings", "{}", 404, "there is no /v1/embeddings"},
        {"/health", "{}", 405, "expected GET"},
    };
    for (const Wrong& w : all) {
        const HttpAnswer answer = server().post(w.path, w.body);
        CAPTURE(w.path, w.body.substr(0, 100), answer.body);
        CHECK(answer.status == w.status);
        const Json error = answer.json()["error"];
        REQUIRE(error.is_object());
        CHECK(test::contains(error["message"], w.message));
        if (!test::contains(w.body, "--")) CHECK_FALSE(test::contains(error["message"], "--"));
        CHECK_FALSE(test::contains(error["message"], "help"));
        CHECK(error["type"] == "invalid_request_error");
        CHECK((error.contains("param") && error.contains("code")));
    }
    Client typeless(server().port());
    typeless.send("POST /tokenize HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}");
    const HttpAnswer no_type = typeless.answer();
    REQUIRE(no_type.status == 415);
    REQUIRE(test::contains(no_type.body, "application/json, got none"));
    REQUIRE(server().post(completions, prompt + R"("max_tokens":-5})").json()["error"]["param"] ==
            "max_tokens");
    REQUIRE(server().ask("DELETE", "/v1/models").status == 405);
}
