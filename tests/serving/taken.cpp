// What clients send by habit is taken: done where it does something, and without effect otherwise.
#include "tests/catch.hpp"

#include <set>
#include <string>
#include <vector>

#include "tests/serving/asked.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

// The texts of an answer, and the ends.
std::string texts_of(const HttpAnswer& answer) {
    CAPTURE(answer.body);
    REQUIRE(answer.status == 200);
    std::string all;
    const Json json = answer.json();
    for (const Json& choice : json["choices"])
        all += (choice.contains("text") ? json_text(choice["text"])
                                        : json_text(choice["message"]["content"])) +
               choice["finish_reason"].get<std::string>() + "\n";
    return all;
}

std::string completed(const std::string& more) {
    return texts_of(server().post(completions, R"({"prompt":"Once upon a time")" + more + "}"));
}

std::string said(const std::string& more) {
    return texts_of(
        server().post(chats, R"({"messages":[{"role":"user","content":"hi"}])" + more + "}"));
}

}  // namespace

TEST_CASE("what is neutral, redundant or more than there is room for changes no text",
          "[serving]") {
    const std::string usual = completed(R"(,"max_tokens":12)");
    for (const char* more :
         {R"(,"seed":null)",
          R"(,"stop":"")",
          R"(,"stop":[""])",
          R"(,"stop":null)",
          R"(,"suffix":"")",
          R"(,"top_k":-1)",
          R"(,"n":1.0)",
          R"(,"logit_bias":{})",
          R"(,"model":"gpt-4o-mini")",
          R"(,"logprobs":false)",
          R"(,"typ_p":1,"top_n_sigma":-1,"models":[],"mode":"instruct","watermark":false)",
          R"(,"type":"completion")",
          R"(,"files":[],"contents":"","speed":"fast","tools":[])",
          R"(,"repeat_last_n":0,"repeat_penalty":1.5,"frequency_penalty":1,"presence_penalty":1)",
          R"(,"reasoning_effort":"low")",
          R"(,"user":"me","store":false,"metadata":{})",
          R"(,"service_tier":"auto","verbosity":"low","prediction":null)",
          R"(,"prompt_cache_key":"a","safety_identifier":"b","prompt_cache_retention":"24h")",
          R"(,"parallel_tool_calls":true,"modalities":["text"],"cache_prompt":true)",
          R"(,"keep_alive":"5m","num_retries":2,"extra_body":{},"skip_special_tokens":true)",
          R"(,"stream_options":{"include_usage":true,"continuous_usage_stats":true})",
          R"(,"add_generation_prompt":true,"dtype":"f16","threads":64,"prompt_file":"/etc/passwd")",
          R"(,"model_path":"/tmp","html":"/tmp/x","--html":"/tmp/x","a header\r\nX: y":1)"}) {
        CAPTURE(more);
        CHECK(completed(R"(,"max_tokens":12)" + std::string(more)) == usual);
    }
    CHECK(completed(R"(,"max_tokens":12.0)") == usual);
    CHECK(completed(R"(,"max_new_tokens":12,"max_tokens":40)") == usual);
    CHECK(completed(R"(,"max_tokens":4096)") == completed(R"(,"max_tokens":-1)"));
    const std::string greedy = completed(R"(,"max_tokens":12,"temperature":0)");
    for (const char* more : {R"(,"temperature":0,"top_p":0.5,"top_k":3,"min_p":0.1)",
                             R"(,"temperature":0.0,"top_p":1)", R"(,"do_sample":false)",
                             R"(,"do_sample":false,"temperature":0.7)", R"(,"greedy":true)"})
        CHECK(completed(R"(,"max_tokens":12)" + std::string(more)) == greedy);
    CHECK(completed(R"(,"max_tokens":12,"temperature":0,"n":2)") == greedy + greedy);
    CHECK(completed(R"(,"max_tokens":12,"n":2,"best_of":1)") ==
          completed(R"(,"max_tokens":12,"n":2)"));
    CHECK(said(R"(,"max_tokens":12,"best_of":1)") == said(R"(,"max_tokens":12)"));
}

TEST_CASE("what has no effect is named in the answer, and refused if the server is strict",
          "[serving]") {
    const std::string body = R"({"prompt":"a","max_tokens":1,"user":"me","no_such_thing_here":1})";
    const HttpAnswer answer = server().post(completions, body);
    REQUIRE(answer.status == 200);
    REQUIRE(answer.header("X-Ignored") == "user, no_such_thing_here");
    const HttpAnswer chosen = server().post(
        completions, R"({"prompt":"a","structured_outputs":{"choice":["yes"],"regex":null,)"
                     R"("disable_fallback":false,"disable_any_whitespace":true}})");
    REQUIRE(chosen.json()["choices"][0]["text"] == "yes");
    REQUIRE(chosen.header("X-Ignored") == "disable_any_whitespace");
    const Served strict(settings_with([](auto& s) { s.strict = true; }));
    for (const char* refused : {R"("user":"me")", R"("model":"gpt-9")", R"("dtype":"f16")",
                                R"("regex":"a{40}","max_tokens":3)"}) {
        CAPTURE(refused);
        const HttpAnswer no =
            strict.post(completions, R"({"prompt":"a",)" + std::string(refused) + "}");
        CHECK((no.status == 400 || no.status == 404 || no.status == 422));
    }
    CHECK(strict.post("/v1/embeddings", R"({"input":"a","user":"me"})").status == 400);
    CHECK(strict.post("/v1/embeddings", R"({"input":"a","encoding_format":"float"})").status ==
          200);
    CHECK(strict.post("/api/generate", R"({"prompt":"a","options":{"num_gpu":1}})").status == 400);
    CHECK(strict.post("/v1/responses", R"({"input":"a","truncation":"auto"})").status == 400);
    CHECK(
        strict
            .post("/v1/responses", R"({"input":"a","truncation":"disabled","max_output_tokens":1})")
            .status == 200);
    const Served named(settings_with([](auto& s) { s.strict_model = true; }));
    REQUIRE(named.post("/v1/embeddings", R"({"input":"a","model":"gpt-9"})").status == 404);
    REQUIRE(named.post("/v1/embeddings", R"({"input":"a","model":"storyteller"})").status == 200);
    REQUIRE(named.post(completions, R"({"prompt":"a","model":"gpt-9"})").status == 404);
    REQUIRE(named.post(completions, R"({"prompt":"a","user":"me","max_tokens":1})").status == 200);
}

TEST_CASE("what a translation leaves out is named in the answer, too", "[serving]") {
    const std::string hi = R"("messages":[{"role":"user","content":"hi"}])";
    struct Left {
        const char *path, *names;
        std::string body;
    };
    const std::vector<Left> all = {
        {"/v1/responses", "include, truncation, top_logprobs",
         R"("input":"a","max_output_tokens":1,"include":["reasoning.encrypted_content"],
          "truncation":"auto","top_logprobs":2,"stream_options":null,"max_tool_calls":null)"},
        {"/v1/messages", "betas, speed, metadata",
         hi +
             R"(,"max_tokens":1,"betas":["x"],"mcp_servers":[],"speed":"fast","metadata":{"a":1})"},
        {"/api/chat", "context, keep_alive, num_ctx",
         R"("context":[1,2],"keep_alive":"5m",)" + hi +
             R"(,"stream":false,"options":{"num_predict":1,"num_ctx":64,"low_vram":false})"},
        {"/completion", "n_probs, min_keep, t_max_predict_ms",
         R"("prompt":"a","n_predict":1,"n_probs":3,"min_keep":2,"t_max_predict_ms":5)"},
        {"/v1/embeddings", "user, another", R"("input":"a","user":"me","A b":1)"},
        {"/api/embed", "truncate, keep_alive", R"("input":"a","truncate":true,"keep_alive":"5m")"}};
    for (const Left& left : all) {
        const HttpAnswer answer = server().post(left.path, "{" + left.body + "}");
        CAPTURE(left.path, answer.headers, answer.body);
        REQUIRE(answer.status == 200);
        std::set<std::string> expected, got;
        const auto split = [](std::string names, std::set<std::string>& into) {
            for (std::size_t at = 0; at < names.size();) {
                const std::size_t end = std::min(names.find(", ", at), names.size());
                into.insert(names.substr(at, end - at));
                at = end + 2;
            }
        };
        split(left.names, expected), split(answer.header("X-Ignored"), got);
        CHECK(got == expected);
    }
}

TEST_CASE("llama.cpp's names in a body are the options that they name", "[serving]") {
    const std::string usual = completed(R"(,"max_tokens":40)");
    const std::string dry = R"(,"max_tokens":40,"temperature":0,"dry_multiplier":3,)";
    CHECK(completed(dry + R"("dry_sequence_breakers":["a"])") ==
          completed(dry + R"("dry_sequence_breaker":["a"])"));
    const std::string range = R"(,"max_tokens":40,"dynatemp_range":0.7)";
    const std::string curved = completed(range + R"(,"dynatemp_exponent":3)");
    CHECK(curved == completed(range + R"(,"dynatemp_exp":3)"));
    CHECK(curved != completed(range));
    CHECK(completed(R"(,"max_tokens":40,"dynatemp_exp":3,"dry_sequence_breakers":["a"])") == usual);
    // Pairs of ids and numbers; false means never.
    const Json first = ask(completions, R"({"prompt":"Once upon a time","max_tokens":1,
                               "logprobs":0,"temperature":0})")["choices"][0]["logprobs"]["tokens"];
    const std::string id =
        json_text(ask("/tokenize", json_text(Json{{"content", first[0]}}))["tokens"][0]);
    const std::string greedy = R"(,"max_tokens":3,"temperature":0)";
    const std::string banned = completed(greedy + R"(,"logit_bias":{")" + id + R"(":-100})");
    CHECK(banned != completed(greedy));
    for (const std::string& same :
         {"[[" + id + ",false]]", "[[" + id + ",-100],[7,0.0]]", "{\"" + id + "\":false}"})
        CHECK(completed(greedy + R"(,"logit_bias":)" + same) == banned);
    // Its seed for any.
    const Served own{ServerSettings()};
    const auto seed = [&] {
        return own.post("/completion", R"({"prompt":"a","n_predict":1,"seed":4294967295})")
            .header("X-Seed");
    };
    CHECK(seed() != seed());
}

TEST_CASE("without a seed each answer is another one, and names the seed that gives it again",
          "[serving]") {
    const Served own{ServerSettings()};
    const std::string asking = R"({"prompt":"Once upon a time","max_tokens":24,"temperature":1.2)";
    std::set<std::string> seeds;
    for (const char* more : {"}", "}", R"(,"seed":-1})", R"(,"seed":null})"}) {
        const HttpAnswer answer = own.post(completions, asking + more);
        const Json json = answer.json();
        seeds.insert(answer.header("X-Seed"));
        REQUIRE(answer.header("X-Seed") == std::to_string(json["seed"].get<std::uint64_t>()));
        REQUIRE(texts_of(own.post(completions, asking + R"(,"seed":)" + json_text(json["seed"]) +
                                                   "}")) == texts_of(answer));
    }
    REQUIRE(seeds.size() == 4);
    // A stream that broke goes on with its own seed, which is in the ids of its events.
    const std::string streamed = asking + R"(,"stream":true})";
    const HttpAnswer whole = own.post(completions, streamed);
    const std::vector<Event> events = events_of(whole.body);
    const HttpAnswer rest =
        own.ask("POST", completions, streamed, "Last-Event-ID: " + events[5].id + "\r\n");
    HttpAnswer first = whole;
    first.body.clear();
    for (std::size_t i = 0; i <= 5; ++i) first.body += "data: " + events[i].data + "\n\n";
    REQUIRE(joined(first) + joined(rest) == joined(whole));
}

TEST_CASE("a history is taken as clients keep it", "[serving]") {
    const auto status = [](const std::string& messages) {
        const HttpAnswer answer =
            server().post(chats, R"({"max_tokens":3,"messages":[)" + messages +
                                     R"(,{"role":"user","content":"and?"}]})");
        CAPTURE(messages, answer.body);
        CHECK(answer.status == 200);
    };
    status(R"({"role":"developer","content":"be kind"})");
    status(R"({"role":"assistant","content":"hm","reasoning_content":"x","function_call":null,
        "tool_calls":null,"refusal":null,"audio":null,"annotations":[],"id":"7","name":null})");
    status(R"({"role":"assistant","content":null})");
    status(R"({"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
        {"role":"function","name":"f","content":"3"})");
    status(R"({"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function",
        "function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c",
        "content":[{"type":"text","text":"3"}]})");
    status(R"({"role":"user","content":"half a pair: \ud83d and \udc00 and \\ud83d"})");
}

TEST_CASE("what the system says is told to the model as in the terminal's chat", "[serving]") {
    TextGenerator generator(shipped_model("storyteller").string());
    TextOptions options;
    options.system = "Be kind.";
    const Json prompt =
        ask("/apply-template", R"({"messages":[{"role":"system","content":"Be kind."},
                {"role":"user","content":"hi"}]})")["prompt"];
    REQUIRE(prompt == "Be kind.\n\nUser: hi\nAssistant:");
    REQUIRE(generator.conversation(options).ask("hi") ==
            generator.model().tokenizer.encode(prompt.get<std::string>()));
}

TEST_CASE("tools are asked for in the ways of yesterday and of others", "[serving]") {
    const std::string function =
        R"({"name":"f","parameters":{"type":"object","properties":{"a":{"type":"integer"}},
        "required":["a"]}})";
    const std::string tools = R"("tools":[{"type":"function","function":)" + function +
                              R"(},{"type":"function","function":{"name":"g","parameters":null}}])";
    const auto message = [](const std::string& more) {
        return ask(chats, R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":60,)" +
                              more + "}")["choices"][0]["message"];
    };
    const Json any = message(tools + R"(,"tool_choice":"any")");
    REQUIRE(any["tool_calls"][0]["function"] ==
            message(tools + R"(,"tool_choice":"required")")["tool_calls"][0]["function"]);
    REQUIRE(message(tools + R"(,"tool_choice":{"type":"allowed_tools","allowed_tools":
        {"mode":"required","tools":[{"type":"function","function":{"name":"g"}}]}})")["tool_calls"]
                                                                                     [0]["function"]
                                                                                     ["name"] ==
            "g");
    // A call that must be leaves no content for the format to hold for.
    REQUIRE(message(tools + R"(,"tool_choice":"required","response_format":{"type":"json_schema",
        "json_schema":{"name":"p","strict":true,"schema":{"type":"object","properties":{"x":
        {"type":"boolean"}},"required":["x"],"additionalProperties":false}}})")["tool_calls"][0]
                                                                               ["function"] ==
            any["tool_calls"][0]["function"]);
    const Json old = message(R"("functions":[)" + function + R"(],"function_call":{"name":"f"})");
    REQUIRE(old["function_call"]["name"] == "f");
    REQUIRE(json_value(old["function_call"]["arguments"].get<std::string>())["a"].is_number());
}

TEST_CASE("a form is asked for by any of its names", "[serving]") {
    const std::string schema = R"({"type":"object","properties":{"a":{"type":"integer"}},
        "required":["a"],"additionalProperties":false})";
    const std::string usual =
        said(R"(,"max_tokens":40,"response_format":{"type":"json_schema","json_schema":
        {"schema":)" +
             schema + "}}");
    for (const std::string& more :
         {R"("response_format":{"type":"json_object","schema":)" + schema + "}",
          R"("response_format":{"type":"json_schema","schema":)" + schema + "}",
          R"("guided_json":)" + schema, R"("json_schema":)" + schema,
          R"("structured_outputs":{"json":)" + schema + "}"})
        CHECK(said(R"(,"max_tokens":40,)" + more) == usual);
    CHECK(said(R"(,"structured_outputs":{"choice":["yes","no"]})") ==
          said(R"(,"guided_choice":["yes","no"])"));
    // Too few tokens for a whole text: it is cut off, and says so.
    CHECK(completed(R"(,"regex":"a{40}","max_tokens":3)").ends_with("length\n"));
}

TEST_CASE("any JSON object, in any budget: what there is room for, with the reason", "[serving]") {
    const std::string any = R"(,"seed":7,"response_format":{"type":"json_object"},"max_tokens":)";
    for (const auto& answered : {completed, said}) {
        CHECK(answered(any + "0") == "\"\"length\n");
        // A token may be more than the bracket.
        const std::string one = answered(any + "1");
        CHECK((one.starts_with("\"{") && one.ends_with("\"length\n")));
        CHECK(answered(any + "3") == "\"{}\"stop\n");
        CHECK(contains(answered(any + R"(1,"n":2)"), "\"length\n\"{"));
        // Where there is room for a whole one, it is whole.
        const std::string whole = answered(any + "40");
        const std::string text = json_value(whole.substr(0, whole.rfind('"') + 1));
        CHECK(json_value(text).is_object());
    }
    const HttpAnswer stream = server().post(
        chats, R"({"messages":[{"role":"user","content":"hi"}],"stream":true)" + any + "1}");
    const std::vector<Event> events = events_of(stream.body);
    REQUIRE(events.size() == 4);
    CHECK(json_value(events[1].data)["choices"][0]["delta"]["content"].get<std::string>()[0] ==
          '{');
    CHECK(json_value(events[2].data)["choices"][0]["finish_reason"] == "length");
    const auto ollama = [&](const std::string& path, const std::string& body) {
        const Json answer = ask(path, "{" + body + R"(,"stream":false,"format":"json",
                                            "options":{"num_predict":1}})");
        CAPTURE(path, json_text(answer));
        CHECK(answer["done_reason"] == "length");
        const Json& text = path == "/api/chat" ? answer["message"]["content"] : answer["response"];
        return text.get<std::string>().substr(0, 1);
    };
    CHECK(ollama("/api/chat", R"("messages":[{"role":"user","content":"hi"}])") == "{");
    CHECK(ollama("/api/generate", R"("prompt":"hi")") == "{");
    // Nothing but an object is asked for, not only the empty one.
    CHECK(completed(R"(,"seed":7,"structured_outputs":{"json_object":true},"max_tokens":40)") ==
          completed(any + "40"));
    // Beams hold whole texts: they say what would do.
    const HttpAnswer beams = server().post(
        chats, R"({"messages":[{"role":"user","content":"hi"}],"num_beams":2)" + any + "1}");
    CHECK(beams.status == 422);
    CHECK(contains(beams.json()["error"]["message"].get<std::string>(), "allow 2"));
}

// Bodies as these programs send them.
TEST_CASE("requests of common tools are answered", "[serving]") {
    struct Tool {
        const char *name, *path, *body;
    };
    const std::vector<Tool> all = {
        {"Continue", chats,
         R"({"messages":[{"role":"user","content":"hi"}],"model":"AUTODETECT","max_tokens":4096,
          "stream":false,"stop":["<|im_end|>"],"parallel_tool_calls":false})"},
        {"Open WebUI, a title", chats,
         R"({"model":"storyteller","messages":[{"role":"user","content":"### Task: a title"}],
          "stream":false,"metadata":{"task":"title_generation","chat_id":"1"},"max_tokens":1000})"},
        {"lm-eval", completions,
         R"({"prompt":[[300,301,302],[300,301,303]],"model":"storyteller","type":"completion",
          "temperature":0.0,"max_tokens":1,"logprobs":1,"seed":1234,"echo":true})"},
        {"LangChain", chats,
         R"({"messages":[{"content":"hi","role":"user","name":null}],"model":"gpt-3.5-turbo",
          "frequency_penalty":null,"logit_bias":null,"max_completion_tokens":64,"n":1,
          "presence_penalty":null,"seed":null,"stop":null,"stream":false,"temperature":0.7,
          "top_p":null,"tools":null,"user":null})"},
        {"AI SDK", chats,
         R"({"model":"storyteller","messages":[{"role":"user","content":
          [{"type":"text","text":"hi"}]}],"max_tokens":64,"temperature":0,"seed":7,
          "stream_options":{"include_usage":true},"reasoning_effort":"minimal"})"},
        {"LibreChat", chats,
         R"({"model":"storyteller","temperature":1,"top_p":1,"presence_penalty":0,"stream":false,
          "frequency_penalty":0,"user":"65f","messages":[{"role":"system","content":"x"},
          {"role":"user","content":"hi"}],"max_tokens":32})"},
        {"guidellm", completions,
         R"({"prompt":"a b c","model":"storyteller","max_tokens":8,"stop":null,"ignore_eos":true,
          "stream":false,"stream_options":{"include_usage":true}})"},
        {"llama.cpp's page", chats,
         R"({"messages":[{"role":"user","content":"hi"}],"stream":false,"cache_prompt":true,
          "samplers":"edkypmxt","temperature":0.8,"dynatemp_range":0,"dynatemp_exponent":1,
          "top_k":40,"top_p":0.95,"min_p":0.05,"typical_p":1,"xtc_probability":0,
          "xtc_threshold":0.1,"repeat_last_n":64,"repeat_penalty":1,"presence_penalty":0,
          "frequency_penalty":0,"dry_multiplier":0,"dry_base":1.75,"dry_allowed_length":2,
          "dry_penalty_last_n":-1,"max_tokens":16,"timings_per_token":false})"},
        {"LiteLLM", chats,
         R"({"model":"storyteller","messages":[{"role":"user","content":"hi"}],"num_retries":3,
          "max_tokens":8,"extra_body":{},"drop_params":true})"},
        {"Aider", chats,
         R"({"model":"storyteller","messages":[{"role":"user","content":"hi"},
          {"role":"assistant","content":"Ok."},{"role":"user","content":"go"}],"temperature":0,
          "stream":false,"max_tokens":8,"reasoning_effort":null})"},
        {"Open WebUI, tags", chats,
         R"({"model":"storyteller","messages":[{"role":"user",
          "content":"### Task: 1-3 tags, JSON format: { \"tags\": [\"tag1\"] }"}],
          "stream":false,"metadata":{"user_id":"1","task":"tags_generation",
          "task_body":{"model":"storyteller"},"chat_id":null},"max_tokens":50})"},
        {"Open WebUI, follow-ups", chats,
         R"({"model":"storyteller","messages":[{"role":"user","content":"### Task: follow-ups"}],
          "stream":false,"metadata":{"task":"follow_up_generation"},"max_completion_tokens":999})"},
        {"Open WebUI, by Ollama", "/api/chat",
         R"({"model":"storyteller","messages":[{"role":"user","content":"hi","images":[]}],
          "options":{"temperature":0.8,"num_ctx":2048,"repeat_last_n":64,"tfs_z":1,
          "mirostat":0,"stop":["x"],"num_predict":8,"use_mmap":true},"stream":false,
          "keep_alive":"5m","format":"","think":false,"tools":[]})"},
        {"Cline", chats,
         R"({"model":"storyteller","messages":[{"role":"system","content":"You are Cline"},
          {"role":"user","content":[{"type":"text","text":"<task>hi</task>"},
          {"type":"text","text":"<environment_details/>"}]}],"temperature":0,"stream":true,
          "stream_options":{"include_usage":true},"max_completion_tokens":4096})"},
        {"Zed", chats,
         R"({"model":"storyteller","messages":[{"role":"user","content":[{"type":"text","text":
          "hi"}]}],"stream":true,"max_completion_tokens":8192,"stop":[],"temperature":1.0,
          "tool_choice":"auto","parallel_tool_calls":false,"tools":[{"type":"function","function":
          {"name":"now","description":"the time","parameters":{"type":"object","properties":{},
          "required":[],"additionalProperties":false}}}],"prompt_cache_key":"thread-1"})"},
        {"SillyTavern, chat", chats,
         R"({"messages":[{"role":"system","content":"Write {{char}}'s next reply."},
          {"role":"assistant","content":"Hello!","name":"Ann"},{"role":"user","content":"hi"}],
          "model":"storyteller","temperature":1,"max_tokens":300,"stream":true,
          "presence_penalty":0,"frequency_penalty":0,"top_p":1,"stop":["\nYou:"],"logit_bias":{},
          "chat_completion_source":"custom","user_name":"You","char_name":"Ann",
          "group_names":[],"custom_prompt_post_processing":"","include_reasoning":false})"},
        {"SillyTavern, llama.cpp", "/completion",
         R"({"prompt":"You: hi\nAnn:","n_predict":8,"max_tokens":8,"max_length":8,"stream":false,
          "temperature":1,"top_p":1,"typical_p":1,"typical":1,"min_p":0.05,"repetition_penalty":1,
          "repeat_penalty":1,"repeat_last_n":0,"repetition_penalty_range":0,"frequency_penalty":0,
          "presence_penalty":0,"top_k":40,"min_tokens":0,"min_length":0,"num_beams":1,
          "length_penalty":1,"early_stopping":false,"add_bos_token":true,"smoothing_factor":0,
          "smoothing_curve":1,"dry_allowed_length":2,"dry_multiplier":0,"dry_base":1.75,
          "dry_sequence_breakers":["\n",":"],"dry_penalty_last_n":0,"max_tokens_second":0,
          "stopping_strings":["\nYou:"],"stop":["\nYou:"],"truncation_length":8192,
          "ban_eos_token":false,"skip_special_tokens":true,"include_reasoning":true,"top_a":0,
          "tfs":1,"mirostat_mode":0,"mirostat_tau":5,"mirostat_eta":0.1,"xtc_threshold":0.1,
          "xtc_probability":0,"samplers":["penalties","dry","top_k"],"sampler_order":[6,0],
          "custom_token_bans":"","banned_strings":[],"n_probs":0,"ignore_eos":false,"n":1,
          "cache_prompt":true,"grammar":"","api_type":"llamacpp",
          "api_server":"http://127.0.0.1:8080","rep_pen":1,"rep_pen_range":0,
          "repetition_penalty_slope":1,"dynatemp_range":0,"dynatemp_exponent":1,"seed":-1})"}};
    for (const Tool& tool : all) {
        const HttpAnswer answer = server().post(tool.path, tool.body);
        CAPTURE(tool.name, answer.body);
        CHECK(answer.status == 200);
    }
}
