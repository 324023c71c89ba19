// Promise 1: an answer depends on its request alone. Random requests of all kinds, in the words of
// all interfaces, each alone and then all at once over many connections, are the same to the last
// bit of a log-probability, and what /v1 and the text generator write with these options.
// TBT_REQUESTS=1000: so many (make test-serving).
#include "tests/catch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "chapters/26_serving/server/request.hpp"
#include "lib/core/rng.hpp"
#include "tests/serving/client.hpp"
#include "tests/serving/other_ways.hpp"

using namespace tbt;
using test::Client;
using test::HttpAnswer;

namespace {

int wanted_requests() {
    const char* given = std::getenv("TBT_REQUESTS");
    return given ? std::max(1, std::atoi(given)) : 60;
}

struct Asked {
    std::string path, body;
    std::string v1_path = {}, v1_body = {};  // in the words of /v1; none: it writes no text
};

// Megabytes: a text as long as the context and a page more, so that of nine texts some must wait.
constexpr int small_cache = 10;

constexpr const char* system_prompt =
    "Once upon a time, there was a young apprentice named Ben who lived in Millbrook. It was a "
    "fresh day in summer. He owned a goat and a spotted fork, and that was enough.";

// One of the parameters that few ask for. sampled: not greedy, and not truncated by something else.
void add_rare(Rng& rng, Json& body, bool chat, bool sampled) {
    static const Json always = json_value(R"([{"frequency_penalty":0.4},{"no_repeat_ngram_size":3},
        {"dry_multiplier":0.8},{"bad_words":["goat","tree"]},{"ban_text":["fork"]},
        {"min_tokens":3},{"assistant_model":"sketch"},{"guidance_scale":1.5}])"),
                      where_sampled = json_value(R"([{"top_n_sigma":1.5},{"xtc_probability":0.5},
        {"dynatemp_range":0.3},{"epsilon_cutoff":0.001},{"eta_cutoff":0.001},{"mirostat":2}])"),
                      in_chats = json_value(R"([{"response_format":{"type":"json_object"}},
        {"tool_choice":"required","tools":[{"type":"function","function":{"name":"f","parameters":
        {"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}}]}])");
    const Json& all = chat && rng.below(4) == 0      ? in_chats
                      : sampled && rng.below(2) == 0 ? where_sampled
                                                     : always;
    const Json& one = all[rng.below(static_cast<std::uint32_t>(all.size()))];
    if (!one.contains("guidance_scale") || !body.contains("logprobs")) body.update(one);
}

Asked random_request(Rng& rng) {
    Json body = {{"seed", rng.below(100)}, {"max_tokens", 4 + rng.below(28)}};
    const bool chat = rng.below(3) == 0;
    const std::vector<std::string> prompts = {"Once upon a time", "The weather today is",
                                              "A person:\n", std::string(system_prompt),
                                              std::string(system_prompt) + " One day, the fork"};
    if (chat) body["messages"] = {{{"role", "user"}, {"content", prompts[rng.below(5)]}}};
    else if (rng.below(6) == 0) body["prompt"] = {prompts[rng.below(5)], prompts[rng.below(5)]};
    else body["prompt"] = prompts[rng.below(5)];
    if (rng.below(4) == 0) body["temperature"] = 0;
    else {
        body["temperature"] = 0.5 + rng.uniform();
        if (rng.below(2) == 0) body["top_p"] = 0.6 + 0.4 * rng.uniform();
        if (rng.below(3) == 0) body["top_k"] = 1 + rng.below(60);
        if (rng.below(4) == 0) body["min_p"] = 0.05;
        if (rng.below(5) == 0) body["typical_p"] = 0.9;
        if (rng.below(4) == 0) body["n"] = 2;
    }
    if (rng.below(3) == 0) body["repetition_penalty"] = 1.2;
    if (rng.below(4) == 0) body["presence_penalty"] = 0.5;
    if (rng.below(6) == 0) body["logit_bias"] = {{"13", -5}, {"14", 1.5}};
    if (rng.below(3) == 0) {
        if (chat) body["logprobs"] = true, body["top_logprobs"] = rng.below(3);
        else body["logprobs"] = rng.below(3);
    }
    const bool sampled = body["temperature"] != 0 && !body.contains("top_p") &&
                         !body.contains("top_k") && !body.contains("min_p") &&
                         !body.contains("typical_p");
    const std::size_t usual = body.size();
    if (rng.below(2) == 0) add_rare(rng, body, chat, sampled);
    static const Json forms = json_value(R"([
        {"json_schema":{"type":"object","properties":{"name":{"type":"string","maxLength":10},
        "age":{"type":"integer"}},"required":["name","age"]}},
        {"grammar":"root ::= [0-9] [0-9] \".\" [0-9] [0-9] \".\" \"20\" [0-9] [0-9]"},
        {"regex":"[A-Z][a-z]{2,8}( [0-9]{1,3})?"},{"choice":["sunny","rainy","cloudy"]}])");
    // Some of them contradict a form.
    const std::uint64_t kind = body.size() == usual ? rng.below(10) : 9;
    if (kind < forms.size()) body.update(forms[kind]);
    if (kind == 4 && body["temperature"] != 0 && !body.contains("logprobs")) {
        for (const char* cut : {"temperature", "top_p", "top_k", "min_p", "typical_p", "n"})
            body.erase(cut);
        body["num_beams"] = 3;
    }
    if (kind == 5) body["stop"] = {".", "the"};
    if (body.contains("json_schema") || body.contains("tools") || body.contains("response_format"))
        body["max_tokens"] = 90;
    else if (body.contains("grammar") || body.contains("regex")) body["max_tokens"] = 40;
    else if (!body.contains("num_beams") && rng.below(2) == 0)  // outgrows the pages that are left
        body["max_tokens"] = 120 + rng.below(200), body["ignore_eos"] = true;
    body["stream"] = rng.below(2) == 0;
    Asked asked{chat ? "/v1/chat/completions" : "/v1/completions", ""};
    const test::OtherWay& way = test::other_ways()[chat ? rng.below(3) : 3 + rng.below(2)];
    const bool otherwise = rng.below(2) == 0;
    if (otherwise) {
        body.erase("n");
        if (!chat && body["prompt"].is_array()) body["prompt"] = body["prompt"][0];
    }
    asked.v1_path = asked.path, asked.v1_body = asked.body = json_text(body);
    if (otherwise) asked.path = way.path, asked.body = json_text(way.body(body));
    if (rng.below(12) > 0) return asked;
    return {"/v1/embeddings",
            json_text(Json{{"input", {prompts[rng.below(5)], prompts[rng.below(5)]}},
                           {"encoding_format", rng.below(2) == 0 ? "float" : "base64"},
                           {"dimensions", 1 + rng.below(64)}})};
}

// What must not differ: each choice's text, end and log-probabilities. Of a stream: put together.
Json essence(const HttpAnswer& answer, const std::string& path) {
    if (answer.status != 200) return answer.body;
    Json choices = Json::object();
    const auto add = [&](const Json& choice) {
        Json& c = choices[std::to_string(choice["index"].get<int>())];
        const auto text = [&]() -> std::string {
            if (choice.contains("text")) return choice["text"];
            const Json& message = choice.contains("message") ? choice["message"] : choice["delta"];
            if (message.contains("tool_calls"))
                return json_text(message["tool_calls"][0]["function"]);
            return message.contains("content") ? message["content"].get<std::string>() : "";
        }();
        if (c.is_null()) c = {{"text", ""}};
        c["text"] = c["text"].get<std::string>() + text;
        if (!choice["finish_reason"].is_null()) c["end"] = choice["finish_reason"];
        if (choice["logprobs"].is_null()) return;
        for (const char* list :
             {"content", "token_logprobs", "top_logprobs", "tokens", "text_offset"})
            if (choice["logprobs"].contains(list))
                for (const Json& token : choice["logprobs"][list]) c[list].push_back(token);
    };
    const auto way = std::ranges::find(test::other_ways(), path, &test::OtherWay::path);
    for (const Json& part : test::parts_of(answer)) {
        if (!part.is_object()) continue;  // [DONE]
        if (path == "/v1/embeddings") return part["data"];
        if (way == test::other_ways().end())
            for (const Json& choice : part["choices"]) add(choice);
        else if (const Json choice = way->choice(part); !choice.is_null()) add(choice);
    }
    for (const Json& choice : choices)
        if (!choice.contains("end")) return "a text without an end";
    return choices;
}

// The texts of the command line's generator, for a request as it is read.
std::vector<std::string> generated(TextGenerator& generator, const Asked& asked) {
    ServedModel model;
    model.generator = &generator, model.name = "storyteller";
    const Json body = read_body(asked.v1_body);
    const ApiRequest request = asked.v1_path == "/v1/completions"
                                   ? read_completion_request(body, model)
                                   : read_chat_request(body, model);
    std::vector<std::string> texts;
    for (const GeneratedText& text :
         generator.generate_ids(request.job->prompts, request.job->options))
        texts.push_back(request.chat ? std::string(trimmed(text.text)) : text.text);
    return texts;
}

}  // namespace

TEST_CASE("an answer depends on its request alone, whatever else the server does", "[serving]") {
    const int count = wanted_requests();
    Rng rng(57);
    std::vector<Asked> asked;
    for (int i = 0; i < count; ++i) asked.push_back(random_request(rng));
    TextGenerator generator(shipped_model("storyteller").string());
    std::vector<Json> alone;
    std::set<std::string> names, paths;
    long wrong = 0;
    for (const Asked& a : asked) {
        const auto ask = [](const std::string& path, const std::string& body) {
            return essence(test::shared_server().post(path, body), path);
        };
        alone.push_back(ask(a.path, a.body));
        CAPTURE(a.path, a.body, json_text(alone.back()));
        REQUIRE(alone.back().is_structured());
        paths.insert(a.path);
        if (a.v1_path.empty()) continue;
        if (a.path != a.v1_path) {
            const Json same = ask(a.v1_path, a.v1_body);
            CAPTURE(json_text(same));
            for (const char* what : {"text", "end"})
                REQUIRE(alone.back()["0"][what] == same["0"][what]);
        }
        const Json body = json_value(a.v1_body);
        for (const auto& [name, value] : body.items()) names.insert(name);
        const std::vector<std::string> texts = generated(generator, a);
        for (std::size_t t = 0; t < texts.size() && !body.contains("tools"); ++t)
            wrong += alone.back()[std::to_string(t)]["text"] != texts[t];
    }
    REQUIRE(wrong == 0);

    long different = 0, answers = 0;
    double preempted = 0, cached = 0;
    for (const int threads : {1, 2}) {
        for (const int budget : {0, 12}) {
            if (count <= 60 && (threads == 2) != (budget == 12)) continue;
            ServerSettings settings;
            settings.model.threads = threads;
            settings.max_running = budget == 0 ? 5 : 9;
            settings.max_batch_tokens = budget;
            settings.max_waiting = 4 * count;
            if (budget == 12) settings.cache_memory = small_cache;
            const test::Served busy(settings);
            std::vector<std::size_t> order(asked.size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1], order[rng.below(static_cast<std::uint32_t>(i))]);
            std::atomic<std::size_t> next = 0;
            std::vector<Json> together(asked.size());
            std::vector<std::thread> clients;
            for (int c = 0; c < 24; ++c)
                clients.emplace_back([&] {
                    for (std::size_t i; (i = next++) < order.size();) {
                        const Asked& a = asked[order[i]];
                        together[order[i]] = essence(busy.post(a.path, a.body), a.path);
                    }
                });
            for (std::thread& client : clients) client.join();
            preempted += busy.metric("tbt_preemptions_total");
            cached += busy.metric("tbt_cached_tokens_total");
            for (std::size_t i = 0; i < asked.size(); ++i) different += together[i] != alone[i];
            answers += static_cast<long>(asked.size());
        }
    }
    if (count > 60)
        WARN(count << " requests with " << names.size() << " parameters in " << paths.size()
                   << " interfaces: " << answers << " answers under load, " << preempted
                   << " preemptions, " << cached << " cached tokens, " << different
                   << " different");
    REQUIRE(different == 0);
    if (count >= 500) REQUIRE(preempted > 20);
    REQUIRE(cached > 0);
    REQUIRE(names.size() > 15);
    REQUIRE(paths.size() == 8);
}
