// Every endpoint.
#include "tests/catch.hpp"

#include <sstream>
#include <string>
#include <vector>

#include "chapters/23_text_generator/guided_texts.hpp"
#include "chapters/26_serving/server/engine_thread.hpp"
#include "tests/serving/asked.hpp"

using namespace tbt;
using namespace tbt::test;

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
    REQUIRE(contains(json["system_fingerprint"], "storyteller-"));
    REQUIRE(!answer.header("X-Request-Id").empty());
}

TEST_CASE("a prompt may be a text, ids, a list of texts or a list of lists of ids", "[serving]") {
    const Json ids = ask("/tokenize", R"({"content":"Once upon a time"})");
    const auto texts = [](const std::string& prompt) {
        Json list = Json::array();
        const Json json = ask(completions, R"({"max_tokens":8,"seed":3,"prompt":)" + prompt + "}");
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
    const Json three = ask(completions,
                           R"({"prompt":"The weather today is","n":3,"max_tokens":6,"echo":true,
                "logprobs":2})");
    REQUIRE(three["choices"].size() == 3);
    REQUIRE(three["choices"][0]["text"] != three["choices"][1]["text"]);
    const Json& lp = three["choices"][2]["logprobs"];
    std::string text;
    for (const Json& token : lp["tokens"]) text += token.get<std::string>();
    REQUIRE(text == three["choices"][2]["text"]);
    REQUIRE(lp["token_logprobs"][0].is_null());
    for (std::size_t i = 1; i < lp["tokens"].size(); ++i) {
        // The token itself is among them: as one more if it is none of the first two.
        const Json& top = lp["top_logprobs"][i];
        REQUIRE((top.size() == 2 || top.size() == 3));
        REQUIRE(top[lp["tokens"][i].text()] == lp["token_logprobs"][i]);
    }
    REQUIRE(lp["text_offset"].back() ==
            text.size() - lp["tokens"].back().get<std::string>().size());
    const Json accents =
        ask(completions, R"({"prompt":"\u00e9\u00e9","echo":true,"logprobs":0,"max_tokens":1})");
    // Characters, as clients count them, though each of these takes two bytes.
    REQUIRE(accents["choices"][0]["logprobs"]["text_offset"].back() == 2);
    const Json best =
        ask(completions,
            R"({"prompt":"The weather today is","best_of":3,"max_tokens":6,"logprobs":0})");
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
    const Json json = ask(chats, body + "}");
    CAPTURE(json_text(json));
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
    const std::vector<Event> events = events_of(stream.body);
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
        const std::vector<Event> events = events_of(whole.body);
        for (std::size_t have = 0; have + 1 < events.size(); ++have) {
            HttpAnswer first = whole;
            first.body.clear();
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
        const Json json =
            ask(chats, R"({"messages":[{"role":"user","content":"A person:"}],)" + more + "}");
        return json["choices"][0]["message"]["content"].get<std::string>();
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
        REQUIRE_FALSE(contains(
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
    // Commas, and what a pattern would read otherwise.
    for (const std::string one : {"yes, sir", R"(a,(b+c)*[d-e]|{2}^$?.\/-"\d")"}) {
        REQUIRE(content(R"("guided_choice":[)" + json_text(one) + "]") == one);
        const std::string either = content(R"("guided_choice":["no",)" + json_text(one) + "]");
        REQUIRE((either == one || either == "no"));
    }
}

TEST_CASE("a tool that must be called is called with arguments of its schema", "[serving]") {
    const std::string asking =
        R"({"messages":[{"role":"user","content":"weather in Elmford?"}],"tools":[
        {"type":"function","function":{"name":"get_weather","parameters":{"type":"object",
        "properties":{"city":{"type":"string","maxLength":12}},"required":["city"]}}},
        {"type":"function","function":{"name":"stop"}}],"tool_choice":)";
    const Json json =
        ask(chats, asking + R"({"type":"function","function":{"name":"get_weather"}}})");
    CAPTURE(json_text(json));
    const Json& choice = json["choices"][0];
    REQUIRE(choice["finish_reason"] == "tool_calls");
    REQUIRE(choice["message"]["content"].is_null());
    const Json& call = choice["message"]["tool_calls"][0];
    REQUIRE(call["type"] == "function");
    REQUIRE(call["function"]["name"] == "get_weather");
    REQUIRE(json_value(call["function"]["arguments"].get<std::string>())["city"].is_string());
    const HttpAnswer stream = server().post(chats, asking + R"("required","stream":true})");
    bool called = false;
    for (const Json& part : parts_of(stream))
        if (part.is_object()) called = called || part["choices"][0]["delta"].contains("tool_calls");
    REQUIRE(called);
    const Json free = ask(chats, asking + R"("none"})");
    REQUIRE(free["choices"][0]["message"]["content"].is_string());
    REQUIRE(server().post(chats, asking + R"("auto","max_tokens":5})").status == 200);
}

TEST_CASE("a completion's token that is none of the first choices is shown beside them",
          "[serving]") {
    const Json lists = ask(completions, R"({"prompt":"Once upon a time","max_tokens":8,
                               "logprobs":1,"guided_choice":["zzz zzz"]})")["choices"][0]
                                                                           ["logprobs"];
    bool rare = false;
    for (std::size_t i = 0; i < lists["tokens"].size(); ++i) {
        const Json& top = lists["top_logprobs"][i];
        REQUIRE(top[lists["tokens"][i].text()] == lists["token_logprobs"][i]);
        rare = rare || top.size() == 2;
    }
    REQUIRE(rare);
}

TEST_CASE("chat log-probabilities come with the tokens, whole and in a stream", "[serving]") {
    const std::string body =
        R"({"messages":[{"role":"user","content":"hi"}],"logprobs":true,"top_logprobs":2,
        "max_tokens":6)";
    const Json whole = ask(chats, body + "}");
    const Json& content = whole["choices"][0]["logprobs"]["content"];
    REQUIRE(content.size() == whole["usage"]["completion_tokens"]);
    REQUIRE(content[0]["top_logprobs"].size() == 2);
    for (const Json& token : content)
        for (const Json& top : token["top_logprobs"])
            if (top["token"] == token["token"]) REQUIRE(top["logprob"] == token["logprob"]);
    REQUIRE(content[0]["bytes"].size() == content[0]["token"].get<std::string>().size());
    const std::string most = R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":1,
        "logprobs":true,"top_logprobs":20})";
    const Json twenty = ask(chats, most);
    REQUIRE(twenty["choices"][0]["logprobs"]["content"][0]["top_logprobs"].size() == 20);
    Json streamed = Json::array();
    const HttpAnswer stream = server().post(chats, body + R"(,"stream":true})");
    for (const Json& part : parts_of(stream)) {
        if (!part.is_object() || part["choices"][0]["logprobs"].is_null()) continue;
        for (const Json& token : part["choices"][0]["logprobs"]["content"])
            streamed.push_back(token);
    }
    REQUIRE(streamed == content);
}

TEST_CASE("searches, guidance and contrast are served beside the batches", "[serving]") {
    TextGenerator alone(shipped_model("storyteller").string());
    TextOptions beams;
    beams.num_beams = 3, beams.samples = 2, beams.max_new_tokens = 12;
    const Json json = ask(
        completions, R"({"prompt":"The weather today is","num_beams":3,"n":2,"max_tokens":12})");
    const auto texts = alone.generate("The weather today is", beams);
    REQUIRE(json["choices"][0]["text"] == texts[0].text);
    REQUIRE(json["choices"][1]["text"] == texts[1].text);
    TextOptions guided;
    guided.guidance_scale = 1.5, guided.max_new_tokens = 10;
    const std::string asking =
        R"({"prompt":"The weather today is","guidance_scale":1.5,"max_tokens":10)";
    const std::string text = alone.generate("The weather today is", guided)[0].text;
    REQUIRE(ask(completions, asking + "}")["choices"][0]["text"] == text);
    REQUIRE(joined(server().post(completions, asking + R"(,"stream":true})")) == text);
}

TEST_CASE("a search that finds fewer texts than asked for leaves their choices out", "[serving]") {
    const std::string asking =
        R"({"prompt":["First","Second"],"num_beams":4,"n":4,"guided_regex":"[ab]","max_tokens":5)";
    const Json json = ask(completions, asking + "}");
    std::vector<int> places;
    std::string texts;
    for (const Json& choice : json["choices"]) {
        places.push_back(choice["index"].get<int>());
        texts += choice["text"].get<std::string>();
    }
    CHECK(places == std::vector<int>{0, 1, 4, 5});
    const HttpAnswer streamed = server().post(completions, asking + R"(,"stream":true})");
    for (std::size_t i = 0; i < 8; ++i)
        CHECK(joined(streamed, to_int(i)) == (i % 4 < 2 ? texts.substr(i / 4 * 2 + i % 4, 1) : ""));
}

TEST_CASE("models, health, metrics, tokens and the page", "[serving]") {
    const Json models = server().ask("GET", "/v1/models").json();
    REQUIRE(models["data"][0]["id"] == "storyteller");
    REQUIRE(server().ask("GET", "/v1/models/storyteller").json() == models["data"][0]);
    REQUIRE(server().ask("GET", "/v1/models/gpt-9").status == 404);
    REQUIRE(server().ask("GET", "/health").json()["status"] == "ok");
    const Json tokens = ask("/tokenize", R"({"content":"Once upon a time"})");
    REQUIRE(tokens["count"] == tokens["tokens"].size());
    REQUIRE(ask("/detokenize", R"({"tokens":)" + json_text(tokens["tokens"]) + "}")["content"] ==
            "Once upon a time");
    const auto pieces = [](const std::string& more) {
        return ask("/tokenize",
                   R"({"content":"Once upon\u00e9","parse_special":true,)" + more + "}");
    };
    std::string text;
    const Json with_pieces = pieces(R"("with_pieces":true)");
    for (const Json& token : with_pieces["tokens"]) {
        REQUIRE(token["id"].is_number());
        if (token["piece"].is_string()) text += token["piece"].get<std::string>();
        else
            for (const Json& byte : token["piece"]) text += static_cast<char>(byte.get<int>());
    }
    REQUIRE(text == "Once upon\u00e9");
    const Json strings = pieces(R"("return_token_strs":true)");
    REQUIRE(strings["token_strs"].size() == strings["count"]);
    REQUIRE(strings["token_strs"][0] == "Once");
    const std::string hi = R"("messages":[{"role":"user","content":"hi"}])";
    REQUIRE(ask("/tokenize", "{" + hi + "}")["count"] ==
            ask(chats, "{" + hi + R"(,"max_tokens":1})")["usage"]["prompt_tokens"]);
    REQUIRE(Served(settings_with([](auto& s) { s.strict = true; }))
                .post("/tokenize", R"({"content":"a","x":1})")
                .status == 400);
    const HttpAnswer page = server().ask("GET", "/");
    REQUIRE(page.status == 200);
    REQUIRE(contains(page.header("Content-Type"), "text/html"));
    REQUIRE(contains(page.header("Content-Security-Policy"), "default-src 'none'"));
    for (const char* outside : {"http://", "https://", "src=", "innerHTML", "@import"})
        REQUIRE_FALSE(contains(page.body, outside));
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

TEST_CASE("before the first request every count is 0", "[serving]") {
    std::istringstream text(Metrics().prometheus("m"));
    int counts = 0;
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with('#')) continue;
        CAPTURE(line);
        REQUIRE((line.ends_with(" 0") || line.ends_with(" 0.000000")));
        ++counts;
    }
    REQUIRE(counts > 10);
}

TEST_CASE("the figures of a server are those of what it did", "[serving]") {
    const Served own;
    const HttpAnswer answer = own.post(
        completions, R"({"prompt":[300,301,302],"max_tokens":5,"ignore_eos":true,"seed":1})");
    REQUIRE(answer.json()["usage"]["completion_tokens"] == 5);
    CHECK(own.reaches("tbt_requests_total{endpoint=\"/v1/completions\",status=\"200\"}", 1));
    CHECK(own.reaches("tbt_prompt_tokens_total", 3));
    CHECK(own.reaches("tbt_generated_tokens_total", 5));
    CHECK(own.reaches("tbt_passes_total", 5));
    CHECK(own.reaches("tbt_pass_tokens_total", 3 + 4));
    CHECK(own.reaches("tbt_texts_running", 0));
    CHECK(own.metric("tbt_texts_waiting") == 0);
    CHECK(own.metric("tbt_requests_cancelled_total") == 0);
    // A bucket holds what is not above its bound, and so do those after it.
    const auto bucket = [&](const std::string& name, const std::string& bound) {
        return own.metric(name + "_bucket{le=\"" + bound + "\"}");
    };
    double before = 0;
    for (const char* bound : {"0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25",
                              "0.5", "1", "2.5", "10", "+Inf"}) {
        CAPTURE(bound);
        const double now = bucket("tbt_pass_seconds", bound);
        CHECK(now >= before);
        before = now;
    }
    CHECK(before == 5);
    CHECK(bucket("tbt_first_token_seconds", "+Inf") == 1);
    own.post(completions, R"({"prompt":"a","top_p":2})");
    CHECK(own.reaches("tbt_requests_total{endpoint=\"/v1/completions\",status=\"400\"}", 1));
    CHECK(own.ask("GET", "/v1/models").json()["data"][0]["max_model_len"] == 512);
    CHECK(own.post("/tokenize", R"({"prompt":"hi"})").json()["max_model_len"] == 512);
}
