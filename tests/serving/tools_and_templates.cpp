// Calls of tools in what a model writes, and a model with a chat template of its own.
#include "tests/catch.hpp"

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "tests/serving/asked.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

// The storyteller, asked by another template.
const Served& templated() {
    static const TemporaryFolder folder;
    static const Served served = [] {
        for (const auto& file : std::filesystem::directory_iterator(shipped_model("storyteller")))
            std::filesystem::create_symlink(std::filesystem::absolute(file.path()),
                                            folder.file(file.path().filename().string()));
        folder.write("chat_template.jinja", R"({% if tools %}tools: {{ tools | tojson }}
{% endif %}{% for m in messages %}{{ m.role }}: {{ m.content }}{% if m.tool_calls %}
{% for call in m.tool_calls %}call: {{ call.function.arguments | tojson }}{% endfor %}{% endif %}
{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}{% if enable_thinking is defined -%}
{{ '' if enable_thinking else ' no thoughts' }}{% endif %}{% if reasoning_effort is defined -%}
{{ ' effort ' ~ reasoning_effort }}{% endif %})");
        ServerSettings settings = with_seed(0);
        settings.model.model = folder.path();
        settings.name = "storyteller";
        return Served(settings);
    }();
    return served;
}

const std::string tools =
    R"("tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object",
    "properties":{"place":{"type":"string"}}}}}])";

// An answer of this text, in a request that may call a tool.
std::string written(const std::string& text, const std::string& its_tools = tools) {
    return R"({"messages":[{"role":"user","content":"look"}],"input":"look","max_tokens":200,)" +
           its_tools + R"(,"guided_choice":[)" + json_text(text) + "]";
}

const std::string call_a = R"({"name": "look", "arguments": {"place": "a"}})",
                  call_b = R"({"name": "look", "parameters": {"place": "b"}})";

const std::string call_to_marks =
    R"({"name": "look", "arguments": {"place": "a </tool_call> b <tool_call>"}})";
const std::string nobody = R"({"name": "Bob", "arguments": {"place": "a"}})";

std::string marked(const std::string& call) { return "<tool_call>\n" + call + "\n</tool_call>"; }

struct Written {
    std::string text, content;
    std::vector<std::string> places;
};
const std::vector<Written>& answers() {
    static const std::vector<Written> all = {
        {call_a, "", {"a"}},
        {call_b, "", {"b"}},
        {marked(call_a), "", {"a"}},
        {"<think>\nWhere?\n</think>\n\n" + marked(call_b), "<think>\nWhere?\n</think>", {"b"}},
        {"<think>a <tool_call> is due</think>" + marked(call_a),
         "<think>a <tool_call> is due</think>",
         {"a"}},
        {"I look. " + marked(call_a) + "\n" + marked(call_b), "I look.", {"a", "b"}},
        {"I look. <tool_call>" + call_a, "I look.", {"a"}},  // its end is a token that is not shown
        {"I look. <tool_call>nowhere</tool_call>", "I look. <tool_call>nowhere</tool_call>", {}},
        {marked(call_to_marks), "", {"a </tool_call> b <tool_call>"}},
        {"<think>not " + marked(call_a) + "</think>No.",
         "<think>not " + marked(call_a) + "</think>No.",
         {}},
        {nobody, nobody, {}}};  // no tool has this name
    return all;
}

std::string place_of(const Json& arguments) {
    return (arguments.is_string() ? json_value(arguments.text()) : arguments)["place"];
}

}  // namespace

TEST_CASE("calls of tools are found wherever they are in an answer, whole and in a stream",
          "[serving]") {
    for (const Written& w : answers()) {
        const Json choice = ask(chats, written(w.text) + "}")["choices"][0];
        CAPTURE(w.text, json_text(choice));
        const Json& message = choice["message"];
        CHECK(choice["finish_reason"] == (w.places.empty() ? "stop" : "tool_calls"));
        CHECK(message["content"] == (w.content.empty() ? Json() : Json(w.content)));
        CHECK(message.contains("tool_calls") == !w.places.empty());
        if (w.places.empty()) continue;
        CHECK(message["tool_calls"].size() == w.places.size());
        std::string content, places;
        for (const Json& event :
             parts_of(server().post(chats, written(w.text) + R"(,"stream":true})"))) {
            if (!event.is_object()) continue;
            const Json& delta = event["choices"][0]["delta"];
            content += delta.value("content", "");
            if (!delta.contains("tool_calls")) continue;
            for (std::size_t i = 0; i < w.places.size(); ++i) {
                const Json &now = delta["tool_calls"][i], &then = message["tool_calls"][i];
                CHECK(now["index"] == i);
                CHECK(now["function"] == then["function"]);
                CHECK(place_of(now["function"]["arguments"]) == w.places[i]);
                places += now["function"]["name"].text();
            }
        }
        CHECK(content == w.content);
        CHECK(places.size() == 4 * w.places.size());
    }
}

TEST_CASE("one call is enough for who asks for no more", "[serving]") {
    const std::string two = marked(call_a) + marked(call_b);
    for (const auto& [more, calls] : {std::pair{"}", 2U}, {R"(,"parallel_tool_calls":false})", 1U}})
        CHECK(ask(chats, written(two) + more)["choices"][0]["message"]["tool_calls"].size() ==
              calls);
}

TEST_CASE("numbers are rounded outside of a form, and many odd names are one short line",
          "[serving]") {
    const std::string body = written("yes") + R"(,"temperature":0.70000000000000000001)";
    CHECK(server().post(chats, body + "}").status == 200);
    CHECK(server()
              .post(chats,
                    body + R"(,"response_format":{"type":"json_schema","json_schema":{"schema":)"
                           R"({"maximum":1.00000000000000000001}}}})")
              .status == 422);
    std::string odd = body + R"(,"cache_prompt":false)";
    for (int i = 0; i < 2000; ++i) odd += ",\"no_such_thing_" + std::to_string(i) + "\":1";
    const HttpAnswer answer = server().post(chats, odd + "}");
    REQUIRE(answer.status == 200);
    CHECK(answer.header("X-Ignored").size() < 1200);
    CHECK(answer.header("X-Ignored").find("cache_prompt") == std::string::npos);
}

TEST_CASE("calls of tools are found in the forms of responses, messages and Ollama", "[serving]") {
    const std::string of_responses = R"("tools":[{"type":"function","name":"look"}])",
                      of_messages = R"("tools":[{"name":"look","input_schema":{}}])";
    for (const Written& w : answers()) {
        CAPTURE(w.text);
        const std::size_t texts = w.content.empty() ? 0 : 1;
        const Json output = ask("/v1/responses", written(w.text, of_responses) + "}")["output"];
        const Json blocks = ask("/v1/messages", written(w.text, of_messages) + "}")["content"];
        Json message =
            ask("/api/chat", R"({"messages":[{"role":"user","content":"look"}],"stream":false,)" +
                                 tools + R"(,"options":{"guided_choice":[)" + json_text(w.text) +
                                 "]}}")["message"];
        if (!message.contains("tool_calls")) message["tool_calls"] = Json::array();
        CAPTURE(json_text(output), json_text(blocks), json_text(message));
        REQUIRE(output.size() == texts + w.places.size());
        REQUIRE(blocks.size() == texts + w.places.size());
        REQUIRE(message["tool_calls"].size() == w.places.size());
        CHECK(message["content"] == w.content);
        if (texts > 0) CHECK(output[0]["content"][0]["text"] == w.content);
        if (texts > 0) CHECK(blocks[0]["text"] == w.content);
        for (std::size_t i = 0; i < w.places.size(); ++i) {
            CHECK(place_of(output[texts + i]["arguments"]) == w.places[i]);
            CHECK(place_of(blocks[texts + i]["input"]) == w.places[i]);
            CHECK(place_of(message["tool_calls"][i]["function"]["arguments"]) == w.places[i]);
        }
        // The events, put together.
        Json items = Json::array(), last;
        for (const Json& event : parts_of(server().post(
                 "/v1/responses", written(w.text, of_responses) + R"(,"stream":true})"))) {
            if (event["type"] == "response.output_item.done") items.push_back(event["item"]);
            last = event;
        }
        CHECK(items == last["response"]["output"]);
        CHECK(items.size() == output.size());
        std::vector<std::string> parts;
        for (const Json& event : parts_of(server().post(
                 "/v1/messages", written(w.text, of_messages) + R"(,"stream":true})"))) {
            if (event["type"] == "content_block_start") parts.emplace_back();
            if (event["type"] != "content_block_delta") continue;
            CHECK(event["index"].get<std::size_t>() + 1 == parts.size());
            parts.back() += event["delta"].value("text", "");
            parts.back() += event["delta"].value("partial_json", "");
        }
        REQUIRE(parts.size() == blocks.size());
        for (std::size_t i = 0; i < parts.size(); ++i)
            CHECK(parts[i] == (i < texts ? w.content : json_text(blocks[i]["input"])));
    }
}

TEST_CASE("responses: each item of an answer with several is sent again by its id", "[serving]") {
    const Json output =
        ask("/v1/responses", written("I look. " + marked(call_a) + marked(call_b),
                                     R"("tools":[{"type":"function","name":"look"}])") +
                                 "}")["output"];
    REQUIRE(output.size() == 3);
    const auto tokens = [](const Json& item) {
        return ask("/v1/responses",
                   R"({"max_output_tokens":1,"input":[{"role":"user","content":"x"},)" +
                       json_text(item) + "]}")["usage"]["input_tokens"]
            .get<int>();
    };
    for (const Json& item : output.elements())
        CHECK(tokens({{"type", "item_reference"}, {"id", item["id"]}}) == tokens(item));
    CHECK(tokens(output[0]) != tokens(output[1]));
}

TEST_CASE("the arguments of earlier calls come to a template as an object, however they were sent",
          "[serving]") {
    const auto prompt = [](const Served& served, const std::string& arguments) {
        const std::string body = R"({"messages":[{"role":"user","content":"look"},
            {"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":
            {"name":"f","arguments":)" +
                                 arguments +
                                 R"(}}]},{"role":"tool","tool_call_id":"c","content":"3"}]})";
        return ask(served, "/apply-template", body)["prompt"].text();
    };
    for (const Served* served : {&templated(), &server()})
        CHECK(prompt(*served, R"("{\"a\": 1}")") == prompt(*served, R"({"a":1})"));
    CHECK(contains(prompt(templated(), R"({"a":1})"), "call: {\"a\": 1}"));
    CHECK(contains(prompt(templated(), R"("")"), "call: {}"));
    CHECK(
        contains(prompt(server(), R"({"a":1})"), R"(Assistant: {"name":"f","arguments":{"a":1}})"));
    const HttpAnswer wrong = server().post(chats,
                                           R"({"messages":[{"role":"assistant","content":"",
        "tool_calls":[{"function":{"name":"f","arguments":3}}]},{"role":"user","content":"x"}]})");
    CHECK(wrong.status == 400);
}

TEST_CASE("the text of a template and its ids are those of the answer's prompt", "[serving]") {
    for (const std::string more :
         {"}", R"(,"chat_template_kwargs":{"enable_thinking":false}})",
          R"(,"reasoning_effort":"high"})", R"(,"continue_final_message":true})"}) {
        const std::string body =
            R"({"messages":[{"role":"user","content":"hi"},
                {"role":"assistant","content":"Well"}],)" +
            tools + more;
        CAPTURE(body);
        const std::string text = ask(templated(), "/apply-template", body)["prompt"].text();
        const Json ids = ask(templated(), "/tokenize", body);
        CHECK(ask(templated(), "/detokenize",
                  json_text(Json{{"tokens", ids["tokens"]}}))["content"] == text);
        CHECK(contains(text, R"(tools: [{"type": "function", "function": {"name": "look")"));
        CHECK(contains(text, "no thoughts") == contains(more, "thinking"));
        CHECK(contains(text, "effort high") == contains(more, "effort"));
        CHECK(text.ends_with("Well") == contains(more, "continue"));
        CHECK(ask(templated(), chats,
                  body.substr(0, body.size() - 1) +
                      R"(,"max_tokens":1})")["usage"]["prompt_tokens"] == ids["count"]);
    }
}

TEST_CASE("thoughts are asked for in the words of each interface", "[serving]") {
    const std::string hi = R"("messages":[{"role":"user","content":"hi"}])";
    const auto count = [](const std::string& path, const std::string& body, const char* name) {
        const Json answer = ask(templated(), path, "{" + body + "}");
        return (answer.contains("usage") ? answer["usage"][name] : answer[name]).get<int>();
    };
    const auto ollama = [&](const std::string& think) {
        return count("/api/chat", hi + R"(,"stream":false,"options":{"num_predict":1})" + think,
                     "prompt_eval_count");
    };
    const auto responses = [&](const std::string& reasoning) {
        return count("/v1/responses", R"("input":"hi","max_output_tokens":1)" + reasoning,
                     "input_tokens");
    };
    const auto messages = [&](const std::string& more) {
        return count("/v1/messages/count_tokens", hi + more, "input_tokens");
    };
    const int usual = ollama("");
    CHECK(ollama(R"(,"think":true)") == usual);
    const int without = ollama(R"(,"think":false)"), much = ollama(R"(,"think":"high")");
    CHECK(without > usual);
    CHECK(much > usual);
    CHECK(responses("") == usual);
    CHECK(responses(R"(,"reasoning":{"effort":"high"})") == much);
    CHECK(messages("") == usual);
    CHECK(messages(R"(,"thinking":{"type":"disabled"})") == without);
    CHECK(messages(R"(,"output_config":{"effort":"high"})") == much);
    CHECK(templated().post("/api/generate", R"({"prompt":"a","template":"x"})").status == 400);
    // A model without a template of its own cannot.
    for (const auto& [path, body, name] :
         {std::tuple("/api/chat", hi + R"(,"think":false)", "think"),
          std::tuple("/v1/responses", std::string(R"("input":"a","reasoning":{"effort":"low"})"),
                     "reasoning.effort"),
          std::tuple(chats, hi + R"(,"reasoning_effort":"low")", "reasoning_effort")}) {
        const HttpAnswer answer = server().post(path, "{" + body + R"(,"max_tokens":1})");
        CAPTURE(path, answer.body, answer.headers);
        CHECK(answer.status == 200);
        CHECK(contains(answer.header("X-Ignored"), name));
    }
}

TEST_CASE("tokens are counted before they are too many, with the answer that goes on, and at once",
          "[serving]") {
    const auto count = [](const std::string& body) {
        return ask("/v1/messages/count_tokens", body)["input_tokens"].get<int>();
    };
    std::string many;
    for (int i = 0; i < 2000; ++i) many += " x";
    const std::string too_long = R"({"messages":[{"role":"user","content":")" + many + R"("}]})";
    CHECK(count(too_long) > 1000);
    CHECK(ask("/tokenize", too_long)["count"] == count(too_long));
    CHECK(server().post(chats, too_long).status == 400);
    const std::string prefill = R"({"max_tokens":1,"messages":[{"role":"user","content":"hi"},
        {"role":"assistant","content":"Well, I am")";
    const Json usage = ask("/v1/messages", prefill + "}]}")["usage"];
    CHECK(count(prefill + "}]}") ==
          usage["input_tokens"].get<int>() + usage["cache_read_input_tokens"].get<int>());
    CHECK(ask("/tokenize", prefill + R"(,"prefix":true}]})")["count"] == count(prefill + "}]}"));
    // What the answer is held to is not compiled for this: here it could not be.
    CHECK(count(R"({"messages":[{"role":"user","content":"hi"}],"output_config":{"format":
        {"type":"json_schema","schema":{"type":"x"}}}})") > 3);
    CHECK(Served(settings_with([](auto& s) { s.strict_model = true; }))
              .post("/v1/messages/count_tokens",
                    R"({"model":"gpt-9","messages":[{"role":"user","content":"hi"}]})")
              .status == 404);
}
