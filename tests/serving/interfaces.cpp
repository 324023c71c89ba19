// The interfaces beside chat completions and completions: each text is that of /v1 with the same
// options, whole and in a stream.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/serving/asked.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

const std::string hi = R"("messages":[{"role":"user","content":"who are you?"}],"seed":5)";

std::string chat_text() {
    return ask(chats, "{" + hi + R"(,"max_tokens":20})")["choices"][0]["message"]["content"];
}

const std::string function_parameters = R"({"type":"object","required":["city"],
    "properties":{"city":{"type":"string","maxLength":8}}})";

}  // namespace

TEST_CASE("responses: a text, its events, and the next request that goes on", "[serving]") {
    const std::string asking = R"({"input":"who are you?","seed":5,"max_output_tokens":20)";
    const Json whole = ask("/v1/responses", asking + "}");
    REQUIRE(whole["object"] == "response");
    REQUIRE(whole["output"][0]["content"][0]["text"] == chat_text());
    REQUIRE(whole["usage"]["output_tokens"].get<int>() > 0);
    std::string text, types;
    Json last;
    int number = 0;
    for (const Json& event : parts_of(asked("/v1/responses", asking + R"(,"stream":true})"))) {
        REQUIRE(event["sequence_number"] == number++);
        types += event["type"].get<std::string>() + "\n";
        if (event["type"] == "response.output_text.delta") text += event["delta"];
        last = event;
    }
    REQUIRE(text == chat_text());
    REQUIRE(
        types.starts_with("response.created\nresponse.in_progress\nresponse.output_item.added\n"
                          "response.content_part.added\nresponse.output_text.delta\n"));
    REQUIRE(last["response"]["output"][0]["content"] == whole["output"][0]["content"]);
    const Json next = ask("/v1/responses", R"({"input":"and now?","seed":5,"max_output_tokens":9,
        "previous_response_id":)" + json_text(whole["id"]) +
                                               "}");
    const Json same =
        ask(chats,
            R"({"seed":5,"max_tokens":9,"messages":[{"role":"user","content":"who are you?"},
        {"role":"assistant","content":)" +
                json_text(whole["output"][0]["content"][0]["text"]) +
                R"(},{"role":"user","content":"and now?"}]})");
    REQUIRE(next["output"][0]["content"][0]["text"] == same["choices"][0]["message"]["content"]);
    const Json object =
        ask("/v1/responses", R"({"input":"a person","max_output_tokens":60,"text":{"format":
        {"type":"json_schema","name":"p","strict":true,"schema":{"type":"object","properties":
        {"age":{"type":"integer"}},"required":["age"],"additionalProperties":false}}}})");
    REQUIRE(json_value(object["output"][0]["content"][0]["text"].get<std::string>())["age"]
                .is_number());
}

TEST_CASE("responses: an answer that is cut off says so, and how it was drawn", "[serving]") {
    const Json cut = ask("/v1/responses", R"({"input":"who are you?","max_output_tokens":2})");
    CHECK(cut["status"] == "incomplete");
    CHECK(cut["output"][0]["status"] == "incomplete");
    CHECK(cut["temperature"] == 0.4);
    CHECK(cut["top_p"] == 0.9);
    const Json other = ask("/v1/responses", R"({"input":"a","max_output_tokens":1,"temperature":0.7,
        "top_p":1})");
    CHECK(other["temperature"] == 0.7);
    CHECK(other["top_p"] == 1);
    for (const Json& event :
         parts_of(asked("/v1/responses", R"({"input":"a","max_output_tokens":2,"stream":true})")))
        if (event["type"] == "response.output_item.done")
            CHECK(event["item"]["status"] == "incomplete");
}

TEST_CASE("responses: a tool is called, whole and in a stream", "[serving]") {
    const std::string asking = R"({"input":[{"role":"user","content":[{"type":"input_text",
        "text":"weather?"}]}],"seed":1,"tool_choice":"required","tools":[{"type":"function",
        "name":"weather","strict":true,"parameters":)" +
                               function_parameters + "}]";
    const Json call = ask("/v1/responses", asking + "}")["output"][0];
    REQUIRE(call["type"] == "function_call");
    REQUIRE(call["name"] == "weather");
    std::string arguments;
    int number = 0;
    for (const Json& event : parts_of(asked("/v1/responses", asking + R"(,"stream":true})"))) {
        REQUIRE(event["sequence_number"] == number++);
        if (event["type"] == "response.function_call_arguments.delta") arguments += event["delta"];
    }
    REQUIRE(arguments == call["arguments"]);
    const auto next = [&](const Json& item) {
        return ask("/v1/responses",
                   R"({"max_output_tokens":5,"input":[{"role":"user","content":"weather?"},)" +
                       json_text(item) + R"(,{"type":"function_call_output","call_id":)" +
                       json_text(call["call_id"]) + R"(,"output":"sunny"}]})");
    };
    const Json reference = {{"type", "item_reference"}, {"id", call["id"]}};
    REQUIRE(next(reference)["output"][0]["content"] == next(call)["output"][0]["content"]);
    REQUIRE(next(reference)["usage"]["input_tokens"] == next(call)["usage"]["input_tokens"]);
}

TEST_CASE("responses: an earlier answer is sent again by its id alone", "[serving]") {
    const Json said =
        ask("/v1/responses", R"({"input":"who are you?","max_output_tokens":20})")["output"][0];
    const auto next = [](const std::string& items) {
        return server().post("/v1/responses", R"({"max_output_tokens":9,"input":[)" + items +
                                                  R"(,{"role":"user","content":"and now?"}]})");
    };
    const std::string known = R"({"type":"item_reference","id":)" + json_text(said["id"]) + "}";
    const Json by_id = next(known).json(), whole = next(json_text(said)).json();
    REQUIRE(by_id["usage"]["input_tokens"] == whole["usage"]["input_tokens"]);
    REQUIRE(by_id["output"][0]["content"] == whole["output"][0]["content"]);
    const HttpAnswer unknown = next(R"({"type":"item_reference","id":"msg_x"})");
    REQUIRE(unknown.status == 404);
    REQUIRE(unknown.json()["error"]["param"] == "input");
    REQUIRE(next(known + "," + known).status ==
            400);  // else a megabyte of them would be a terabyte
}

TEST_CASE("a client's X-Request-Id comes back, and is the id of no object", "[serving]") {
    const auto traced = [](const std::string& path, const std::string& body) {
        const HttpAnswer answer = server().ask("POST", path, body, "X-Request-Id: trace-1\r\n");
        CAPTURE(answer.body);
        REQUIRE(answer.status == 200);
        REQUIRE(answer.header("X-Request-Id") == "trace-1");
        return answer.json();
    };
    const std::string turn = R"({"input":"and now?","max_output_tokens":5)";
    Json last = traced("/v1/responses", turn + "}");
    for (int i = 0; i < 2; ++i) {
        const Json next = traced(
            "/v1/responses", turn + R"(,"previous_response_id":)" + json_text(last["id"]) + "}");
        REQUIRE(next["id"] != last["id"]);
        REQUIRE(next["usage"]["input_tokens"].get<int>() >
                last["usage"]["input_tokens"].get<int>());
        last = next;
    }
    const std::string call = "{" + hi + R"(,"tool_choice":"required","tools":[{"type":"function",
        "function":{"name":"f"}}]})";
    const Json one = traced(chats, call), two = traced(chats, call);
    REQUIRE(one["id"] != two["id"]);
    REQUIRE(one["choices"][0]["message"]["tool_calls"][0]["id"] !=
            two["choices"][0]["message"]["tool_calls"][0]["id"]);
}

TEST_CASE("Anthropic's messages: blocks, tools, events, tokens and errors", "[serving]") {
    const std::string asking = "{" + hi + R"(,"max_tokens":20)";
    const Json whole = ask("/v1/messages", asking + "}");
    REQUIRE(whole["type"] == "message");
    REQUIRE(whole["content"][0]["text"] == chat_text());
    std::string text;
    std::vector<Json> events = parts_of(asked("/v1/messages", asking + R"(,"stream":true})"));
    for (const Json& event : events)
        if (event["type"] == "content_block_delta") text += event["delta"]["text"];
    REQUIRE(text == chat_text());
    REQUIRE(events.front()["message"]["role"] == "assistant");
    REQUIRE(events.back()["type"] == "message_stop");
    REQUIRE(events[events.size() - 2]["delta"]["stop_reason"] == whole["stop_reason"]);
    const std::string tool = R"({"max_tokens":60,"messages":[{"role":"user","content":"weather?"}],
        "tool_choice":{"type":"tool","name":"weather"},"tools":[{"name":"weather",
        "input_schema":)" + function_parameters +
                             "}]}";
    const Json call = ask("/v1/messages", tool);
    REQUIRE(call["stop_reason"] == "tool_use");
    REQUIRE(call["content"][0]["input"]["city"].is_string());
    asked("/v1/messages",
          R"({"max_tokens":5,"system":[{"type":"text","text":"be kind"}],
        "messages":[{"role":"user","content":"weather?"},{"role":"assistant","content":)" +
              json_text(call["content"]) +
              R"(},{"role":"user","content":[{"type":"tool_result","tool_use_id":)" +
              json_text(call["content"][0]["id"]) + R"(,"content":"sunny"}]}]})");
    const Json stopped =
        ask("/v1/messages", R"({"max_tokens":50,"stop_sequences":["e"],)" + hi + "}");
    REQUIRE(stopped["stop_reason"] == "stop_sequence");
    REQUIRE(stopped["stop_sequence"] == "e");
    // An empty one stops nothing, and is not counted.
    const Json by_chat = ask("/v1/messages", R"({"max_tokens":90,"stop_sequences":["","~"],
        "seed":1,"ignore_eos":true,"messages":[{"role":"user","content":"who are you?"}]})");
    REQUIRE(by_chat["stop_reason"] == "end_turn");
    const std::string form = R"({"type":"json_schema","schema":{"type":"object","properties":
        {"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}})";
    for (const std::string& format :
         {R"("output_config":{"format":)" + form + "}", R"("output_format":)" + form}) {
        const Json object =
            ask("/v1/messages",
                R"({"max_tokens":60,"messages":[{"role":"user","content":"a"}],)" + format + "}");
        REQUIRE(json_value(object["content"][0]["text"].text())["a"].is_number());
    }
    REQUIRE(ask("/v1/messages/count_tokens", asking + "}")["input_tokens"].get<int>() > 3);
    const Json wrong = server().post("/v1/messages", "{}").json();
    REQUIRE(wrong["type"] == "error");
    REQUIRE(wrong["error"]["type"] == "invalid_request_error");
}

TEST_CASE("Ollama's chat and generate, in lines and whole", "[serving]") {
    const std::string chat =
        R"({"model":"storyteller","messages":[{"role":"user","content":"who are you?"}],"options":
        {"seed":5,"num_predict":20,"num_ctx":2048})";
    std::string text;
    const std::vector<Json> lines = parts_of(asked("/api/chat", chat + "}"));
    for (const Json& line : lines) text += line["message"]["content"];
    REQUIRE(text == chat_text());
    REQUIRE(lines.back()["done"] == true);
    REQUIRE(lines.back()["eval_count"].get<int>() > 0);
    const Json whole = ask("/api/chat", chat + R"(,"stream":false})");
    REQUIRE(whole["message"]["content"] == chat_text());
    const std::string asking =
        R"({"prompt":"Once upon a time","options":{"seed":3,"num_predict":12})";
    text = "";
    for (const Json& line : parts_of(asked("/api/generate", asking + "}")))
        text += line["response"];
    REQUIRE(text ==
            ask(completions,
                R"({"prompt":"Once upon a time","seed":3,"max_tokens":12})")["choices"][0]["text"]);
    const Json form = ask("/api/chat", R"({"stream":false,"format":{"type":"object","properties":
        {"a":{"type":"integer"}},"required":["a"]},"messages":[{"role":"user","content":"x"}]})");
    REQUIRE(json_value(form["message"]["content"].get<std::string>())["a"].is_number());
    const Json call = ask("/api/chat", R"({"stream":false,"tool_choice":"required",
        "messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":
        {"name":"weather","parameters":)" + function_parameters +
                                           "}}]}");
    REQUIRE(call["done"] == true);
    const Json listed = server().ask("GET", "/api/tags").json()["models"][0];
    REQUIRE(listed["name"] == "storyteller");
    // `ollama list` shows the first twelve of them.
    REQUIRE(listed["digest"].get<std::string>().size() == 64);
    REQUIRE(server().ask("GET", "/api/version").json()["version"].is_string());
    REQUIRE(ask("/api/show", R"({"model":"storyteller"})")["model_info"].is_object());
    REQUIRE(server().post("/api/chat", R"({"messages":3})").json()["error"].is_string());
}

TEST_CASE("Ollama's requests to load or to unload the model write nothing", "[serving]") {
    const double written = server().metric("tbt_generated_tokens_total");
    for (const auto& [path, nothing] :
         {std::pair("/api/generate", ""), std::pair("/api/generate", R"(,"prompt":"")"),
          std::pair("/api/chat", ""), std::pair("/api/chat", R"(,"messages":[])")})
        for (const auto& [more, reason] :
             {std::pair("", "load"), std::pair(R"(,"keep_alive":"10m")", "load"),
              std::pair(R"(,"keep_alive":0)", "unload"),
              std::pair(R"(,"keep_alive":"0s")", "unload")}) {
            const Json answer =
                ask(path, R"({"model":"storyteller")" + std::string(nothing) + more + "}");
            CAPTURE(path, nothing, more, json_text(answer));
            REQUIRE(answer["done"] == true);
            REQUIRE(answer["done_reason"] == reason);
            REQUIRE((answer.contains("message") ? answer["message"]["content"]
                                                : answer["response"]) == "");
        }
    REQUIRE(server().metric("tbt_generated_tokens_total") == written);
    REQUIRE(server().ask("GET", "/api/ps").json()["models"][0]["model"] == "storyteller");
}

TEST_CASE("Ollama's embeddings are those of /v1, for one text and for several", "[serving]") {
    const std::string texts = R"(["the cat sat","a dog"])";
    const Json data = ask("/v1/embeddings", R"({"input":)" + texts + "}")["data"];
    const Json both = ask("/api/embed", R"({"model":"m","truncate":true,"input":)" + texts + "}");
    REQUIRE(both["embeddings"].size() == 2);
    for (const std::size_t i : {0u, 1u}) REQUIRE(both["embeddings"][i] == data[i]["embedding"]);
    REQUIRE(both["prompt_eval_count"].get<int>() > 3);
    REQUIRE(ask("/api/embed", R"({"input":"a dog"})")["embeddings"][0] == data[1]["embedding"]);
    REQUIRE(ask("/api/embeddings", R"({"prompt":"a dog"})")["embedding"] == data[1]["embedding"]);
    REQUIRE(server().post("/api/embed", "{}").json()["error"].is_string());
}

TEST_CASE("Ollama's log-probabilities are those of /v1, whole and in lines", "[serving]") {
    const std::string options = R"("options":{"seed":5,"num_predict":8},)",
                      prompt = R"("prompt":"Once")";
    const auto check = [&](const std::string& path, const std::string& asking, const Json& same) {
        const std::string body = "{" + options + R"("logprobs":true,"top_logprobs":2,)" + asking;
        Json streamed = Json::array();
        for (const Json& line : parts_of(asked(path, body + "}")))
            for (const Json& token : line["logprobs"]) streamed.push_back(token);
        const Json whole = ask(path, body + R"(,"stream":false})")["logprobs"];
        REQUIRE(whole.size() == 8);
        REQUIRE(whole[0]["top_logprobs"].size() == 2);
        REQUIRE(streamed == whole);
        for (std::size_t i = 0; i < 8; ++i) REQUIRE(whole[i]["logprob"] == same[i]);
        REQUIRE_FALSE(
            ask(path, "{" + options + asking + R"(,"stream":false})").contains("logprobs"));
    };
    Json of_chat = Json::array();
    const std::string chat = R"("messages":[{"role":"user","content":"tell me a story"}])";
    const Json answer = ask(chats, "{" + chat + R"(,"seed":5,"max_tokens":8,"logprobs":true})");
    for (const Json& token : answer["choices"][0]["logprobs"]["content"])
        of_chat.push_back(token["logprob"]);
    check("/api/chat", chat, of_chat);
    check("/api/generate", prompt,
          ask(completions,
              "{" + prompt + R"(,"seed":5,"max_tokens":8,"logprobs":0})")["choices"][0]["logprobs"]
                                                                         ["token_logprobs"]);
}

TEST_CASE("llama.cpp's completion, properties and template", "[serving]") {
    const std::string asking = R"({"prompt":"Once upon a time","n_predict":12,"seed":3,
        "cache_prompt":true,"repeat_penalty":1.0)";
    const Json whole = ask("/completion", asking + "}");
    REQUIRE(whole["stop_type"] == "limit");
    std::string text;
    for (const Json& event : parts_of(asked("/completion", asking + R"(,"stream":true})")))
        text += event["content"];
    REQUIRE(text == whole["content"]);
    REQUIRE(text ==
            ask(completions,
                R"({"prompt":"Once upon a time","seed":3,"max_tokens":12})")["choices"][0]["text"]);
    REQUIRE(server().ask("GET", "/props").json()["default_generation_settings"]["n_ctx"] == 512);
    REQUIRE(server().ask("GET", "/slots").status == 404);
    REQUIRE(ask("/apply-template", "{" + hi + "}")["prompt"] == "User: who are you?\nAssistant:");
}

TEST_CASE("embeddings: of length 1, the nearer the more alike", "[serving]") {
    const std::string asking = R"({"input":["the cat sat","the cat sat","a dog barked"])";
    const Json answer = ask("/v1/embeddings", asking + "}");
    REQUIRE(answer["data"].size() == 3);
    const auto vector = [&](std::size_t i) {
        return answer["data"][i]["embedding"].get<std::vector<double>>();
    };
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
        return sum;
    };
    REQUIRE(std::abs(dot(vector(0), vector(0)) - 1) < 1e-5);
    REQUIRE(vector(0) == vector(1));
    REQUIRE(dot(vector(0), vector(2)) < 1 - 1e-5);
    const Json short_one = ask("/v1/embeddings", R"({"input":"the cat sat","dimensions":8})");
    REQUIRE(short_one["data"][0]["embedding"].size() == 8);
    REQUIRE(answer["usage"]["prompt_tokens"].get<int>() > 6);
}

TEST_CASE("an embedding is the mean of all states of its text", "[serving]") {
    Model model = load_model(shipped_model("storyteller"));
    std::vector<std::vector<int>> texts(2);
    for (int i = 0; i < 100; ++i) texts[0].push_back(300 + i);
    texts[1].assign(3, 500);
    const Json data = ask("/v1/embeddings", R"({"input":)" + json_text(texts) + "}")["data"];
    for (std::size_t t = 0; t < texts.size(); ++t) {
        KvCache cache(model.transformer.config());
        const Logits rows = model.transformer.forward_all(cache, texts[t]);
        std::vector<double> sum(rows.states.size() / texts[t].size());
        for (std::size_t i = 0; i < rows.states.size(); ++i) sum[i % sum.size()] += rows.states[i];
        double square = 0;
        for (const double x : sum) square += x * x;
        for (std::size_t c = 0; c < sum.size(); ++c)
            REQUIRE(std::abs(data[t]["embedding"][c].get<double>() - sum[c] / std::sqrt(square)) <
                    1e-6);
    }
}

TEST_CASE("an embedding in base64 is its floats, byte by byte", "[serving]") {
    for (const int dimensions :
         {6, 7, 8}) {  // 24, 28 and 32 bytes: no, two and one sign of padding
        const std::string asking =
            R"({"input":"the cat sat","dimensions":)" + std::to_string(dimensions);
        const Json floats = ask("/v1/embeddings", asking + "}")["data"][0]["embedding"];
        const std::string text = ask(
            "/v1/embeddings", asking + R"(,"encoding_format":"base64"})")["data"][0]["embedding"];
        const std::string digits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        CHECK(std::count(text.begin(), text.end(), '=') == (dimensions == 6 ? 0 : 9 - dimensions));
        std::string bytes;
        unsigned bits = 0, held = 0;
        for (const char c : text.substr(0, text.find('='))) {
            held = held << 6 | static_cast<unsigned>(digits.find(c)), bits += 6;
            if (bits >= 8) bytes += static_cast<char>(held >> (bits -= 8) & 0xff);
        }
        REQUIRE(bytes.size() == static_cast<std::size_t>(dimensions) * sizeof(float));
        for (std::size_t i = 0; i < floats.size(); ++i) {
            float value = 0;
            std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
            CHECK(value == static_cast<float>(floats[i].get<double>()));
        }
    }
}

TEST_CASE("llama.cpp's completion counts its tokens and names the text that stopped it",
          "[serving]") {
    const Json cut = ask("/completion", R"({"prompt":"Once upon a time","n_predict":3,"seed":3})");
    CHECK(cut["tokens_predicted"] == 3);
    CHECK(cut["tokens_evaluated"] == 4);
    CHECK((cut["stop"] == true && cut["stopping_word"] == "" && cut["stop_type"] == "limit"));
    CHECK(cut["prompt"] == "Once upon a time");
    CHECK(cut["generation_settings"]["seed"] == 3);
    const Json stopped =
        ask("/completion",
            R"({"prompt":"Once upon a time","n_predict":30,"seed":3,"stop":["x!","a"]})");
    CHECK(stopped["stop_type"] == "word");
    CHECK(stopped["stopping_word"] == "a");
    CHECK(stopped["content"] == " there w");
    std::vector<bool> ends;
    for (const Json& event :
         parts_of(asked("/completion",
                        R"({"prompt":"Once upon a time","n_predict":3,"seed":3,"stream":true})")))
        ends.push_back(event["stop"].get<bool>());
    REQUIRE(ends.size() >= 2);
    CHECK(std::count(ends.begin(), ends.end(), true) == 1);
    CHECK(ends.back());
}
