// Every way to ask an endpoint wrongly.
#include "tests/catch.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "chapters/23_text_generator/aliases.hpp"
#include "chapters/23_text_generator/command_line.hpp"
#include "lib/machine/command_line.hpp"
#include "tests/serving/asked.hpp"

using namespace tbt;
using namespace tbt::test;

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
        {completions, R"({"prompt":[[]]})", 400, "got an empty list"},
        {completions, prompt + R"("temprature":1})", 400, "did you mean temperature?"},
        {completions, prompt + R"("max_token":1})", 400, "did you mean max_tokens?"},
        {completions, prompt + R"("max_tokens":-5})", 400, "max_tokens: got -5"},
        {completions, prompt + R"("max_tokens":1.5})", 400, "max_tokens: expected a whole number"},
        {completions, prompt + R"("temperature":-1})", 400, "temperature"},
        {completions, prompt + R"("temperature":"hot"})", 400, "temperature"},
        {completions, prompt + R"("top_p":2})", 400, "top_p: got 2"},
        {completions, prompt + R"("repeat_penalty":-1})", 400, "repetition_penalty: got -1"},
        {completions, prompt + R"("repeat_penalty":1.1,"repeat_last_n":-7})", 400,
         "repeat_last_n: got '-7'"},
        {completions, prompt + R"("repeat_last_n":64,"temperature":"x"})", 400, "temperature: got"},
        {completions, prompt + R"("escape":true,"max_tokens":-5})", 400, "max_tokens: got -5"},
        {completions, prompt + R"("temperature":true})", 400, "expected a number"},
        {completions, prompt + R"("greedy":1})", 400, "expected true or false"},
        {completions, prompt + R"("top_k":{"a":1}})", 400, "top_k: expected a value"},
        {completions, prompt + R"("greedy":true,"temperature":0.7})", 400,
         "greedy and temperature 0.7"},
        {completions, prompt + R"("n":0})", 400, "n: expected a whole number from 1"},
        {completions, prompt + R"("n":1000})", 400, "from 1 to 128"},
        {completions, prompt + R"("seed":"-1"})", 400, "seed: expected a number from 0"},
        {completions, prompt + R"("seed":18446744073709551616})", 400, "seed: expected a number"},
        {completions, prompt + R"("stream":"yes"})", 400, "stream: expected true or false"},
        {completions, prompt + R"("suffix":"b"})", 400, "does not fill gaps"},
        {completions, prompt + R"("logit_bias":{"x":1}})", 400, "logit_bias"},
        {completions, prompt + R"("logit_bias":{"1":"x"}})", 400, "logit_bias"},
        {completions, prompt + R"("num_beams":1000})", 400, "expected at most 16"},
        {completions, prompt + R"("modalities":["audio"]})", 400, "modalities"},
        {completions, prompt + R"("skip_special_tokens":false})", 400, "cannot do that"},
        {completions, prompt + R"("allowed_token_ids":[1]})", 400, "cannot do that"},
        {completions, R"({"prompt":")" + std::string(3000, 'a') + R"("})", 400, "leave no room"},
        {completions, prompt + R"("best_of":2,"stream":true})", 400, "best_of"},
        {completions, prompt + R"("json_schema":"data/schemas/person.json"})", 400, "json_schema"},
        {completions, prompt + R"("grammar":"/etc/passwd"})", 400, "the rules themselves"},
        {completions, prompt + R"("grammar_file":"/etc/passwd"})", 400, "the rules themselves"},
        {completions, prompt + R"("json_schema_file":"data/schemas/person.json"})", 400,
         "a JSON Schema"},
        {completions, prompt + R"("tools":"data/schemas/tools.json"})", 400, "a list of functions"},
        {completions, prompt + R"("grammar":"root ::= ("})", 422, "grammar"},
        {completions, prompt + R"("regex":"("})", 422, "regex"},
        // A constraint that says nothing was taken for none.
        {completions, prompt + R"("guided_choice":[]})", 400, "guided_choice: expected texts"},
        {completions, prompt + R"("choice":["a",""]})", 400, "choice: expected texts"},
        {completions, prompt + R"("guided_choice":""})", 400, "guided_choice: it is empty"},
        {completions, prompt + R"("guided_regex":""})", 400, "guided_regex: it is empty"},
        {completions, prompt + R"("integer":""})", 400, "integer: it is empty"},
        {completions, prompt + R"("structured_outputs":{"choice":[]}})", 400, "choice: expected"},
        {completions, prompt + R"("structured_outputs":{"regex":""}})", 400,
         "structured_outputs.regex: it is empty"},
        {completions, prompt + R"("structured_outputs":{"regexp":"a"}})", 400,
         "regexp: there is no such parameter; did you mean regex?"},
        // A number that would be rounded, whether the schema is an object or a text.
        {completions, prompt + R"("guided_json":{"const":123456789012345678901234}})", 422,
         "'123456789012345678901234' has more digits than a double holds"},
        {completions, prompt + R"("guided_json":"{\"const\":123456789012345678901234}"})", 422,
         "'123456789012345678901234' has more digits than a double holds"},
        {chats, hi + R"("response_format":{"type":"json_schema","json_schema":{"schema":
         {"minimum":123456789012345678901234}}}})",
         422, "response_format: '123456789012345678901234' has more digits"},
        {completions, prompt + R"("assistant_model":"/tmp"})", 400, "assistant_model"},
        {completions, prompt + R"("contrast_model":"/tmp"})", 400, "contrast_model"},
        {completions, prompt + R"("medusa_heads":"/tmp","medusa":true})", 400, "no other files"},
        {completions, prompt + R"("infill":"x"})", 400, "left to right"},
        {chats, "{}", 400, "messages: expected a list"},
        {chats, R"({"messages":[]})", 400, "at least one"},
        {chats, R"({"messages":[{"role":"king","content":"x"}]})", 400, "messages[0].role"},
        {chats, R"({"messages":[{"role":"user"}]})", 400, "messages[0].content"},
        {chats, R"({"messages":[{"role":"user","content":[{"type":"image_url"}]}]})", 400,
         "reads no pictures"},
        {chats, hi + R"("top_logprobs":3})", 400, "logprobs: true"},
        {chats, hi + R"("logprobs":true,"top_logprobs":21})", 400, "from 0 to 20"},
        {chats, hi + R"("response_format":{"type":"xml"}})", 400, "response_format.type"},
        {chats, hi + R"("response_format":{"type":"json_schema","json_schema":{"schema":3}}})", 400,
         "schema"},
        {chats,
         hi + R"("response_format":{"type":"json_schema","json_schema":{"schema":{"type":"x"}}}})",
         422, "type"},
        {chats, hi + R"("tool_choice":"required"})", 400, "no tools"},
        {chats, hi + R"("tools":{}})", 400, "tools: expected a list"},
        {chats, hi + R"("tools":[1]})", 400, "a function that has a name"},
        {chats, hi + R"("tools":[{"type":"function","function":{}}]})", 400, "that has a name"},
        {chats, hi + R"("tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":"b"})",
         400, "tool_choice"},
        {"/tokenize", "{}", 400, "prompt: expected a text"},
        {"/detokenize", R"({"tokens":[99999999]})", 400, "is not a token"},
        {"/v1/embeddings", "{}", 400, "input: expected"},
        {"/v1/embeddings", R"({"input":"a","dimensions":99999})", 400, "dimensions"},
        {"/v1/embeddings", json_text(Json{{"input", std::vector(2049, std::vector(1, 7))}}), 400,
         "2049 inputs, expected at most 2048"},
        {"/v1/responses", "{}", 400, "input: expected"},
        {"/v1/responses", R"({"input":"a","previous_response_id":"resp_x"})", 400,
         "keeps the last"},
        {"/v1/responses", R"({"input":"a","tools":[{"type":"web_search"}]})", 400, "function only"},
        {completions, R"({"prompt":["a","b"],"n":100})", 400,
         "prompt, n, best_of: 200 texts in one request, expected at most 128"},
        {"/v1/embeddings", R"({"input":"a","encoding_format":"hex"})", 400,
         "encoding_format: expected float or base64"},
        {chats,
         R"({"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"Well,"}],
             "num_beams":2,"add_generation_prompt":false,"continue_final_message":true})",
         400, "messages: an answer goes on without beams, guidance or another model only"},
        {completions, prompt + R"("logit_bias":[[1]]})", 400, "logit_bias: expected pairs"},
        {completions, prompt + R"("temprature":0})", 400, "did you mean temperature?"},
        {"/completion", prompt + R"("image_data":[{"data":"x","id":1}]})", 400, "cannot do that"},
        {"/completion", prompt + R"("lora":[{"id":0,"scale":1}]})", 400, "cannot do that"},
        {"/v1/embeddings", R"({"input":"a","dimension":8})", 400, "did you mean dimensions?"},
        {"/v1/nowhere", "{}", 404, "there is no /v1/nowhere"},
        {"/health", "{}", 405, "expected GET"},
    };
    for (const Wrong& w : all) {
        const HttpAnswer answer = server().post(w.path, w.body);
        CAPTURE(w.path, w.body.substr(0, 100), answer.body);
        CHECK(answer.status == w.status);
        const Json error = answer.json()["error"];
        REQUIRE(error.is_object());
        CHECK(contains(error["message"], w.message));
        if (!contains(w.body, "--")) CHECK_FALSE(contains(error["message"], "--"));
        CHECK_FALSE(contains(error["message"], "help"));
        CHECK(error["type"] == "invalid_request_error");
        CHECK((error.contains("param") && error.contains("code")));
    }
    // Another site's page may send a form, which a browser says in Origin; curl -d calls JSON one.
    const auto typed = [](const std::string& headers) {
        Client client(server().port());
        client.send("POST /detokenize HTTP/1.1\r\nHost: localhost\r\n" + headers +
                    "Content-Length: 13\r\n\r\n{\"tokens\":[]}");
        return client.answer();
    };
    const std::string form = "Content-Type: application/x-www-form-urlencoded\r\n";
    const HttpAnswer of_a_page = typed("Origin: https://example.com\r\n" + form);
    REQUIRE(of_a_page.status == 415);
    REQUIRE(contains(of_a_page.body, "application/json, got application/x-www-form"));
    REQUIRE(contains(typed("Origin: null\r\n").body, "application/json, got none"));
    REQUIRE(typed(form).status == 200);
    REQUIRE(typed("").status == 200);
    for (const char* name : {"max_tokens", "top_p", "repetition_penalty"})
        REQUIRE(
            server().post(completions, prompt + "\"" + name + "\":-5}").json()["error"]["param"] ==
            name);
    REQUIRE(server().ask("DELETE", "/v1/models").status == 405);
}

TEST_CASE("an error names what the client sent, in the words of its interface", "[serving]") {
    struct Wrong {
        const char* path;
        std::string body;
        const char* message;
    };
    const std::string no_role = R"({"role":"king","content":"x"})";
    const std::vector<Wrong> all = {
        {"/v1/responses", R"({"input":[]})", "input: expected a list of at least one"},
        {"/v1/responses",
         R"({"instructions":"kind","input":[{"role":"user","content":"x"},{"type":"reasoning"},)" +
             no_role + "]}",
         "input[2].role: expected"},
        {"/v1/responses", R"({"instructions":3,"input":"a"})", "instructions.content: expected"},
        {"/v1/responses",
         R"({"input":"a","text":{"format":{"type":"json_schema","name":"p","schema":3}}})",
         "text.format.schema: expected"},
        {"/v1/responses", R"({"input":"a","text":{"format":{"type":"xml"}}})", "text.format.type"},
        {"/v1/responses",
         R"({"input":"a","text":{"format":{"type":"json_schema","schema":{"type":"x"}}}})",
         "text.format"},
        {"/v1/messages", R"({"max_tokens":1,"system":"be kind","messages":[)" + no_role + "]}",
         "messages[0].role: expected"},
        {"/v1/messages",
         R"({"max_tokens":1,"stop_sequences":3,"messages":[{"role":"user","content":"x"}]})",
         "stop_sequences: expected"},
        {"/v1/messages",
         R"({"max_tokens":1,"output_config":{"format":{"type":"json_schema","schema":3}},
             "messages":[{"role":"user","content":"x"}]})",
         "output_config.format.schema: expected"},
        {"/v1/messages",
         R"({"tools":[{"type":"web_search_20250305","name":"web_search"}],
             "messages":[{"role":"user","content":"x"}]})",
         "tools: this server has no tool of type web_search_20250305"},
        {"/api/generate", R"({"prompt":"a","format":{"type":"x"}})", "format: "}};
    for (const Wrong& w : all) {
        const HttpAnswer answer = server().post(w.path, w.body);
        const Json error = answer.json()["error"];
        const std::string message = error.is_string() ? error.text() : error["message"].text();
        CAPTURE(w.path, w.body, message);
        CHECK((answer.status == 400 || answer.status == 422));
        CHECK(message.starts_with(w.message));
        if (error.is_object() && error.contains("param"))
            CHECK(message.starts_with(error["param"].text()));
    }
}

TEST_CASE("a parameter by any of its names is the command line's option", "[serving]") {
    const auto text = [](const std::string& more) {
        const Json json = ask(completions, R"({"prompt":"a","max_tokens":20)" + more + "}");
        return json["choices"][0]["text"].get<std::string>();
    };
    REQUIRE(text(R"(,"repeat_penalty":1.5)") == text(R"(,"repetition_penalty":1.5)"));
    REQUIRE(text(R"(,"repetition_penalty":1.5,"repeat_last_n":64)") ==
            text(R"(,"repetition_penalty":1.5,"penalty_scope":"last-64")"));
    REQUIRE(text(R"(,"repetition_penalty":9,"repeat_last_n":2)") ==
            text(R"(,"repetition_penalty":9,"penalty_scope":"last-2")"));
    REQUIRE(text(R"(,"repetition_penalty":9,"repeat_last_n":2)") !=
            text(R"(,"repetition_penalty":9,"repeat_last_n":20)"));
    REQUIRE(text(R"(,"typ_p":0.2)") == text(R"(,"typical_p":0.2)"));
    REQUIRE(text(R"(,"typ_p":0.2)") != text(""));
    REQUIRE(text(R"(,"escape":true)") == text(""));
    REQUIRE(text(R"(,"seed":18446744073709551615)") != text(R"(,"seed":9223372036854775808)"));
}

TEST_CASE("every parameter is answered or refused, whatever its value", "[serving]") {
    std::vector<std::string> names;
    Settings settings;
    read_command_line({}, [&](OptionTable& app) {
        add_text_options(app, settings);
        for (const DeclaredOption& option : CommandLine(app).options())
            names.push_back(option.name());
    });
    for (const Alias& alias : aliases()) names.emplace_back(alias.typed);
    REQUIRE(names.size() > 100);
    for (std::string name : names) {
        name.erase(0, name.find_first_not_of('-'));
        std::replace(name.begin(), name.end(), '-', '_');
        for (const char* value : {"true", "-1", "\"x\"", "[]", "{}", "[\"a\",2]"}) {
            const HttpAnswer answer =
                server().post(completions, R"({"prompt":"a","max_tokens":1,"temperature":-1,")" +
                                               name + "\":" + value + "}");
            CAPTURE(name, value, answer.body);
            REQUIRE((answer.status == 400 || answer.status == 422));
            REQUIRE_FALSE(contains(answer.body, "cannot be opened"));
        }
    }
}

// Each new member is compared with all others: a body of 1 MB would take half a minute.
TEST_CASE("an object with very many members is refused at once", "[serving]") {
    for (const bool inside : {false, true}) {
        std::string body = R"({"prompt":"a")";
        if (inside) body += R"(,"json_schema":{"properties":{"":0)";
        for (int i = 0; i < 60000; ++i) body += ",\"" + std::to_string(i) + "\":1";
        body += inside ? "}}}" : "}";
        const auto begin = std::chrono::steady_clock::now();
        const HttpAnswer answer = server().post(completions, body);
        REQUIRE(answer.status == 400);
        REQUIRE(contains(answer.body, "more than 4096 members"));
        REQUIRE(std::chrono::steady_clock::now() - begin < std::chrono::seconds(4));
    }
}

TEST_CASE("an error has the code that programs look at", "[serving]") {
    const auto error = [](const char* path, const std::string& body) {
        return server().post(path, body).json()["error"];
    };
    const auto of = [&](const char* path, const std::string& body) {
        const Json e = error(path, body);
        return e["code"].is_string() ? e["code"].get<std::string>() : "none";
    };
    CHECK(of(completions, "{") == "invalid_json");
    CHECK(of(completions, R"({"prompt":"a","temprature":1})") == "unknown_parameter");
    CHECK(of(completions, R"({"prompt":"a","skip_special_tokens":false})") ==
          "unsupported_parameter");
    CHECK(of(completions, R"({"prompt":")" + std::string(3000, 'a') + R"("})") ==
          "context_length_exceeded");
    CHECK(of(chats, R"({"messages":[{"role":"user","content":")" + std::string(3000, 'a') +
                        R"("}]})") == "context_length_exceeded");
    CHECK(of("/v1/responses", R"({"input":"a","previous_response_id":"resp_x"})") ==
          "previous_response_not_found");
    CHECK(server().ask("GET", "/v1/models/gpt-9").json()["error"]["code"] == "model_not_found");
    CHECK(of(completions, R"({"prompt":"a","top_p":2})") == "none");
    // And the parameter that it is about.
    CHECK(error(completions, R"({"prompt":"a","temprature":1})")["param"] == "temprature");
    CHECK(error(completions, R"({"prompt":")" + std::string(3000, 'a') + R"("})")["param"] ==
          "prompt");
    CHECK(error(completions, "{}")["param"] == "prompt");
    CHECK(error(chats, "{}")["param"] == "messages");
    CHECK(error(completions, "{")["param"].is_null());
}
