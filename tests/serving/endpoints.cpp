// Every endpoint, and every way to ask it wrongly.
#include "tests/catch.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "chapters/23_text_generator/languages.hpp"
#include "lib/machine/files.hpp"
#include "tests/serving/client.hpp"

using namespace tbt;
using test::Client;
using test::HttpAnswer;

namespace {

const test::Served& server() { return test::shared_server(); }

constexpr const char* completions = "/v1/completions";
constexpr const char* chats = "/v1/chat/completions";

// The pieces of a stream joined, by the choice that they are of.
std::string joined(const HttpAnswer& answer, int choice = 0) {
    std::string text;
    for (const test::Event& event : test::events_of(answer.body)) {
        const Json data = json_value(event.data);
        if (!data.is_object()) continue;
        for (const Json& c : data["choices"]) {
            if (c["index"] != choice) continue;
            if (c.contains("text")) text += c["text"].get<std::string>();
            else if (c["delta"].contains("content"))
                text += c["delta"]["content"].get<std::string>();
        }
    }
    return text;
}

}  // namespace

TEST_CASE("a completion is the text that the generator writes, and says what it took",
          "[serving]") {
    const HttpAnswer answer = server().post(
        completions, R"({"model":"storyteller","prompt":"Once upon a time","max_tokens":20})");
    REQUIRE(answer.status == 200);
    const Json json = answer.json();
    TextOptions options;
    options.max_new_tokens = 20;
    TextGenerator alone(shipped_model("storyteller").string());
    REQUIRE(json["choices"][0]["text"] == alone.generate("Once upon a time", options)[0].text);
    REQUIRE(json["choices"][0]["finish_reason"] == "length");
    REQUIRE(json["usage"]["prompt_tokens"] == 4);
    REQUIRE(json["usage"]["completion_tokens"] == 20);
    REQUIRE(json["usage"]["total_tokens"] == 24);
    REQUIRE(json["usage"]["prompt_tokens_details"]["cached_tokens"].is_number());
    REQUIRE(json["object"] == "text_completion");
    REQUIRE(json["model"] == "storyteller");
    REQUIRE(test::contains(json["system_fingerprint"], "storyteller-"));
    REQUIRE(!answer.header("X-Request-Id").empty());
}

TEST_CASE("a prompt may be a text, ids, a list of texts or a list of lists of ids", "[serving]") {
    const Json ids = server().post("/tokenize", R"({"content":"Once upon a time"})").json();
    const auto texts = [](const std::string& prompt) {
        Json list = Json::array();
        const HttpAnswer answer =
            server().post(completions, R"({"max_tokens":8,"seed":3,"prompt":)" + prompt + "}");
        CAPTURE(answer.body);
        REQUIRE(answer.status == 200);
        const Json json = answer.json();
        for (const Json& choice : json["choices"]) list.push_back(choice["text"]);
        return list;
    };
    const std::string tokens = json_text(ids["tokens"]);
    const Json one = texts(R"("Once upon a time")");
    REQUIRE(one.size() == 1);
    REQUIRE(texts(tokens) == one);
    const Json two = texts(R"(["Once upon a time","The weather today is"])");
    REQUIRE(two.size() == 2);
    REQUIRE(two[0] == one[0]);
    REQUIRE(texts("[" + tokens + "," + tokens + "]") == Json::array({one[0], one[0]}));
}

TEST_CASE("n texts, echo, best_of and logprobs of a completion", "[serving]") {
    const Json three =
        server()
            .post(completions,
                  R"({"prompt":"The weather today is","n":3,"max_tokens":6,"echo":true,
                "logprobs":2})")
            .json();
    REQUIRE(three["choices"].size() == 3);
    REQUIRE(three["choices"][0]["text"] != three["choices"][1]["text"]);
    const Json& lp = three["choices"][2]["logprobs"];
    std::string text;
    for (const Json& token : lp["tokens"]) text += token.get<std::string>();
    REQUIRE(text == three["choices"][2]["text"]);
    REQUIRE(lp["token_logprobs"][0].is_null());
    REQUIRE(lp["top_logprobs"].back().size() == 2);
    REQUIRE(lp["text_offset"].back() ==
            text.size() - lp["tokens"].back().get<std::string>().size());
    const Json best =
        server()
            .post(completions,
                  R"({"prompt":"The weather today is","best_of":3,"max_tokens":6,"logprobs":0})")
            .json();
    REQUIRE(best["choices"].size() == 1);
    double likeliest = -1e9;
    std::string its_text;
    for (const Json& choice : three["choices"]) {
        double sum = 0;
        const Json& all = choice["logprobs"]["token_logprobs"];
        for (std::size_t i = 4; i < all.size(); ++i) sum += all[i].get<double>();
        if (sum / 6 > likeliest) {
            likeliest = sum / 6;
            its_text = choice["text"].get<std::string>().substr(20);
        }
    }
    REQUIRE(best["choices"][0]["text"] == its_text);
}

TEST_CASE("a chat answers in the form that the model learnt, stopped where the user would speak",
          "[serving]") {
    const std::string body =
        R"({"messages":[{"role":"user","content":[{"type":"text","text":"who are you?"}]}],
        "seed":1)";
    const Json json = server().post(chats, body + "}").json();
    CAPTURE(json.dump());
    const Json& choice = json["choices"][0];
    REQUIRE(json["object"] == "chat.completion");
    REQUIRE(choice["message"]["role"] == "assistant");
    REQUIRE(choice["finish_reason"] == "stop");
    // What `make chat` says.
    TextGenerator alone(shipped_model("storyteller").string());
    TextOptions options;
    options.seed = 1, options.temperature = 0.4;
    Conversation conversation = alone.conversation(options);
    REQUIRE(choice["message"]["content"] ==
            trimmed(alone.answer(conversation.ask("who are you?"), options).text));
    const HttpAnswer stream =
        server().post(chats, body + R"(,"stream":true,"stream_options":{"include_usage":true}})");
    REQUIRE(stream.header("Content-Type") == "text/event-stream");
    REQUIRE(joined(stream) == choice["message"]["content"]);
    const std::vector<test::Event> events = test::events_of(stream.body);
    REQUIRE(json_value(events[0].data)["choices"][0]["delta"]["role"] == "assistant");
    REQUIRE(events.back().data == "[DONE]");
    const Json usage = json_value(events[events.size() - 2].data)["usage"];
    REQUIRE(usage["total_tokens"] == json["usage"]["total_tokens"]);
    // A prompt that was read before is known, but for its last token.
    REQUIRE(usage["prompt_tokens_details"]["cached_tokens"] ==
            usage["prompt_tokens"].get<int>() - 1);
    REQUIRE(json_value(events[events.size() - 3].data)["choices"][0]["finish_reason"] == "stop");
}

TEST_CASE("a stream that broke goes on after the last event that its client has", "[serving]") {
    for (const std::string body :
         {R"({"prompt":"Once upon a time","max_tokens":24,"stream":true})",
          R"({"prompt":"Once upon a time","max_tokens":9,"n":2,"stream":true})"}) {
        const HttpAnswer whole = server().post(completions, body);
        const std::vector<test::Event> events = test::events_of(whole.body);
        for (std::size_t have = 0; have + 1 < events.size(); ++have) {
            std::string before;
            HttpAnswer first;
            for (std::size_t i = 0; i <= have; ++i)
                first.body += "data: " + events[i].data + "\n\n";
            const HttpAnswer rest = server().ask("POST", completions, body,
                                                 "Last-Event-ID: " + events[have].id + "\r\n");
            for (const int choice : {0, 1})
                REQUIRE(joined(first, choice) + joined(rest, choice) == joined(whole, choice));
        }
    }
    const HttpAnswer bad = server().ask("POST", completions, R"({"prompt":"a","stream":true})",
                                        "Last-Event-ID: x\r\n");
    REQUIRE(bad.status == 400);
}

TEST_CASE("an answer keeps to a schema, a grammar, a regex or a choice", "[serving]") {
    const auto content = [](const std::string& more) {
        const HttpAnswer answer = server().post(
            chats, R"({"messages":[{"role":"user","content":"A person:"}],)" + more + "}");
        CAPTURE(answer.body);
        REQUIRE(answer.status == 200);
        return answer.json()["choices"][0]["message"]["content"].get<std::string>();
    };
    const Json person = json_value(content(
        R"("response_format":{"type":"json_schema","json_schema":{"name":"p","strict":true,"schema":
        {"type":"object","properties":{"name":{"type":"string","maxLength":8},
        "age":{"type":"integer"}},
        "required":["name","age"],"additionalProperties":false}}})"));
    REQUIRE(person["name"].is_string());
    REQUIRE(person["age"].is_number_integer());
    // strict refuses what cannot be kept to; 282.000 is an integer, and nobody writes one so.
    for (int seed = 0; seed < 20; ++seed)
        REQUIRE_FALSE(test::contains(
            content(
                R"("response_format":{"type":"json_schema","json_schema":{"name":"p","strict":true,
                "schema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],
                "additionalProperties":false}}},"temperature":1.2,"max_tokens":60,"seed":)" +
                std::to_string(seed)),
            "."));
    REQUIRE(json_value(content(R"("response_format":{"type":"json_object"},"max_tokens":80)"))
                .is_object());
    REQUIRE(content(R"("grammar":"root ::= \"yes\" | \"no\"")").size() <= 3);
    REQUIRE(content(R"("guided_regex":"[a-c]{3}")").find_first_not_of("abc") == std::string::npos);
    const std::string choice = content(R"("choice":["sunny","rainy"])");
    REQUIRE((choice == "sunny" || choice == "rainy"));
}

TEST_CASE("a tool that must be called is called with arguments of its schema", "[serving]") {
    const std::string ask =
        R"({"messages":[{"role":"user","content":"weather in Elmford?"}],"tools":[
        {"type":"function","function":{"name":"get_weather","parameters":{"type":"object",
        "properties":{"city":{"type":"string","maxLength":12}},"required":["city"]}}},
        {"type":"function","function":{"name":"stop"}}],"tool_choice":)";
    const Json json =
        server()
            .post(chats, ask + R"({"type":"function","function":{"name":"get_weather"}}})")
            .json();
    CAPTURE(json.dump());
    const Json& choice = json["choices"][0];
    REQUIRE(choice["finish_reason"] == "tool_calls");
    REQUIRE(choice["message"]["content"].is_null());
    const Json& call = choice["message"]["tool_calls"][0];
    REQUIRE(call["type"] == "function");
    REQUIRE(call["function"]["name"] == "get_weather");
    REQUIRE(json_value(call["function"]["arguments"].get<std::string>())["city"].is_string());
    const HttpAnswer stream = server().post(chats, ask + R"("required","stream":true})");
    bool called = false;
    for (const test::Event& event : test::events_of(stream.body)) {
        const Json data = json_value(event.data);
        if (!data.is_object()) continue;
        called = called || data["choices"][0]["delta"].contains("tool_calls");
    }
    REQUIRE(called);
    const Json free = server().post(chats, ask + R"("none"})").json();
    REQUIRE(free["choices"][0]["message"]["content"].is_string());
    REQUIRE(server().post(chats, ask + R"("auto","max_tokens":5})").status == 200);
}

TEST_CASE("chat log-probabilities come with the tokens, whole and in a stream", "[serving]") {
    const std::string body =
        R"({"messages":[{"role":"user","content":"hi"}],"logprobs":true,"top_logprobs":2,
        "max_tokens":6)";
    const Json whole = server().post(chats, body + "}").json();
    const Json& content = whole["choices"][0]["logprobs"]["content"];
    REQUIRE(content.size() == whole["usage"]["completion_tokens"]);
    REQUIRE(content[0]["top_logprobs"].size() == 2);
    REQUIRE(content[0]["bytes"].size() == content[0]["token"].get<std::string>().size());
    Json streamed = Json::array();
    const HttpAnswer stream = server().post(chats, body + R"(,"stream":true})");
    for (const test::Event& event : test::events_of(stream.body)) {
        const Json data = json_value(event.data);
        if (!data.is_object() || data["choices"][0]["logprobs"].is_null()) continue;
        for (const Json& token : data["choices"][0]["logprobs"]["content"])
            streamed.push_back(token);
    }
    REQUIRE(streamed == content);
}

TEST_CASE("searches, guidance and contrast are served beside the batches", "[serving]") {
    TextGenerator alone(shipped_model("storyteller").string());
    TextOptions beams;
    beams.num_beams = 3, beams.samples = 2, beams.max_new_tokens = 12;
    const Json json =
        server()
            .post(completions,
                  R"({"prompt":"The weather today is","num_beams":3,"n":2,"max_tokens":12})")
            .json();
    const auto texts = alone.generate("The weather today is", beams);
    REQUIRE(json["choices"][0]["text"] == texts[0].text);
    REQUIRE(json["choices"][1]["text"] == texts[1].text);
    TextOptions guided;
    guided.guidance_scale = 1.5, guided.max_new_tokens = 10;
    const std::string ask =
        R"({"prompt":"The weather today is","guidance_scale":1.5,"max_tokens":10)";
    const std::string text = alone.generate("The weather today is", guided)[0].text;
    REQUIRE(server().post(completions, ask + "}").json()["choices"][0]["text"] == text);
    REQUIRE(joined(server().post(completions, ask + R"(,"stream":true})")) == text);
}

TEST_CASE("models, health, metrics, tokens and the page", "[serving]") {
    const Json models = server().ask("GET", "/v1/models").json();
    REQUIRE(models["data"][0]["id"] == "storyteller");
    REQUIRE(server().ask("GET", "/v1/models/storyteller").json() == models["data"][0]);
    REQUIRE(server().ask("GET", "/v1/models/gpt-9").status == 404);
    REQUIRE(server().ask("GET", "/health").json()["status"] == "ok");
    REQUIRE(server().metric("tbt_generated_tokens_total") >= 0);
    const Json tokens = server().post("/tokenize", R"({"content":"Once upon a time"})").json();
    REQUIRE(tokens["count"] == tokens["tokens"].size());
    REQUIRE(server()
                .post("/detokenize", R"({"tokens":)" + json_text(tokens["tokens"]) + "}")
                .json()["content"] == "Once upon a time");
    const HttpAnswer page = server().ask("GET", "/");
    REQUIRE(page.status == 200);
    REQUIRE(test::contains(page.header("Content-Type"), "text/html"));
    REQUIRE(test::contains(page.header("Content-Security-Policy"), "default-src 'none'"));
    for (const char* outside : {"http://", "https://", "src=", "innerHTML", "@import"})
        REQUIRE_FALSE(test::contains(page.body, outside));
}

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

TEST_CASE("a key is asked for, and only the page and the health go without", "[serving]") {
    ServerSettings settings;
    settings.api_key = "secret";
    settings.cors_origin = "https://example.com";
    const test::Served keyed(settings);
    REQUIRE(keyed.ask("GET", "/health").status == 200);
    REQUIRE(keyed.ask("GET", "/").status == 200);
    for (const char* key : {"", "Authorization: Bearer wrong\r\n", "Authorization: secret\r\n",
                            "Authorization: Bearer secret2\r\n", "Authorization: Bearer\r\n"}) {
        CAPTURE(key);
        for (const char* path : {"/v1/models", "/metrics", "/nowhere"}) {
            const HttpAnswer answer = keyed.ask("GET", path, "", key);
            REQUIRE(answer.status == 401);
            REQUIRE(answer.json()["error"]["code"] == "invalid_api_key");
        }
    }
    const HttpAnswer right = keyed.ask("GET", "/v1/models", "", "Authorization: Bearer secret\r\n");
    REQUIRE(right.status == 200);
    REQUIRE(right.header("Access-Control-Allow-Origin") == "https://example.com");
    REQUIRE(keyed.ask("OPTIONS", "/v1/models").status == 204);
    REQUIRE(same_key("", ""));
    REQUIRE_FALSE(same_key("secretsecret", "secret"));
    REQUIRE_FALSE(same_key("", "secret"));
}

TEST_CASE("a log has a line for each request, and no word of what was asked", "[serving]") {
    const test::TemporaryFolder folder;
    const int log = open(folder.file("log").c_str(), O_WRONLY | O_CREAT, 0600), before = dup(2);
    dup2(log, 2);
    {
        const test::Served loud({}, true);
        loud.post(completions, R"({"prompt":"Tulip","max_tokens":1,"stop":"Tulip"})");
        loud.post(completions, R"({"prompt":"a","tulip":1})");
        loud.post(completions, R"({"prompt":"a","regex":"Tulip(","max_tokens":1})");
        loud.post(completions, R"({"prompt":"a","max_tokens":60,"json_schema":
            {"type":"object","properties":{"tulip":{"type":"integer"}},"x-tulip":1}})");
        loud.post(chats, R"({"messages":[{"role":"user","content":"Tulip"}],"max_tokens":1})");
        loud.ask("GET", "/Tulip");
        loud.ask("GET", "/metrics");  // programs ask for this again and again
    }
    dup2(before, 2);
    close(before), close(log);
    std::string said = read_file(folder.file("log"));
    CAPTURE(said);
    REQUIRE(std::count(said.begin(), said.end(), '\n') == 6);
    for (char& c : said) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    REQUIRE_FALSE(test::contains(said, "tulip"));
}

TEST_CASE("a server that others can reach wants a key", "[serving]") {
    ServerSettings s;
    s.host = "0.0.0.0";
    REQUIRE(test::contains(test::error_of([&] { complete(s); }), "--no-key"));
    s.no_key = true;
    REQUIRE(test::error_of([&] { complete(s); }).empty());
    s.api_key = "x";
    REQUIRE_THROWS_AS(complete(s), UsageError);
    for (const char* own : {"127.0.0.1", "localhost", "::1"}) {
        ServerSettings local;
        local.host = own;
        REQUIRE(test::error_of([&] { complete(local); }).empty());
    }
    s = {};
    s.max_batch_tokens = 8, s.max_running = 16;
    REQUIRE_THROWS_AS(complete(s), UsageError);
    s = {};
    s.cache_memory = 1;
    s.port = 0;
    Service service(s);
    REQUIRE(test::contains(test::error_of([&] { service.open(); }), "--cache-memory 1"));
}

TEST_CASE("compiled guides are kept while they are used, and forgotten after", "[serving]") {
    const Model model = load_model(shipped_model("storyteller"));
    Languages languages(model.tokenizer);
    GuideRequest guide;
    REQUIRE(languages.get(guide) == nullptr);
    guide.regex = "held";
    const auto held = languages.get(guide);
    REQUIRE(languages.get(guide) == held);
    std::weak_ptr<CompiledGrammar> first;
    for (std::size_t i = 0; i <= Languages::most; ++i) {
        GuideRequest other;
        other.regex = "a{" + std::to_string(i + 1) + "}";
        const auto language = languages.get(other);
        if (i == 0) first = language;
    }
    REQUIRE(first.expired());
    REQUIRE(languages.get(guide) == held);
}
