// An answer that a client has in part goes on: continue_final_message, or prefix on the last
// message. Place i of an answer draws with the i-th random number of its seed, and penalties and
// forms look at what is there: so with the same tokens before it, the rest is that of the unbroken
// answer.
#include "tests/catch.hpp"

#include <string>
#include <vector>

#include "lib/files/model.hpp"
#include "lib/machine/files.hpp"
#include "tests/serving/asked.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

const std::string question = R"({"role":"user","content":"tell me a story"})";

std::string text_of(const Json& answer) { return answer["choices"][0]["message"]["content"]; }

std::string messages_with(const std::string& begun, const std::string& more = "") {
    return R"("messages":[)" + question + R"(,{"role":"assistant","content":)" +
           json_text(Json(begun)) + more + "}]";
}

}  // namespace

TEST_CASE("an answer that goes on is the rest of the unbroken one, after each of its tokens",
          "[serving]") {
    const Tokenizer tokenizer = Tokenizer::load(shipped_model("storyteller").string());
    int same_tokens = 0;
    for (const char* options :
         {R"("seed":1,"temperature":1.1)", R"("seed":2,"top_p":0.9,"presence_penalty":0.7)",
          R"("seed":3,"repetition_penalty":1.3,"top_k":30,"stop":["the","."])",
          R"("seed":4,"no_repeat_ngram_size":2,"min_tokens":12,"xtc_probability":0.5)"}) {
        const std::string more = std::string(options) + R"(,"logprobs":true)";
        const Json whole =
            ask(chats, R"({"messages":[)" + question + R"(],"max_tokens":30,)" + more + "}");
        const Json& choice = whole["choices"][0];
        const std::string text = text_of(whole);
        std::string before;
        const Json& tokens = choice["logprobs"]["content"];
        for (std::size_t k = 1; k + 1 < tokens.size(); ++k) {
            before += tokens[k - 1]["token"].get<std::string>();
            const std::string begun(trimmed(before));
            // What the client sends back may be read as other tokens than those that were written.
            std::string read, written;
            for (const int id : tokenizer.encode(" " + begun))
                read += tokenizer.decode({&id, 1}) + "|";
            for (std::size_t i = 0; i < k; ++i)
                written += tokens[i]["token"].get<std::string>() + "|";
            if (read != written) continue;
            ++same_tokens;
            const std::string left = std::to_string(30 - k);
            CAPTURE(options, text, begun);
            const Json rest = ask(chats, "{" + messages_with(begun) + R"(,"max_tokens":)" + left +
                                             R"(,"continue_final_message":true,
                "add_generation_prompt":false,)" +
                                             more + "}");
            REQUIRE(begun + text_of(rest) == text);
            REQUIRE(rest["choices"][0]["finish_reason"] == choice["finish_reason"]);
            const Json& now = rest["choices"][0]["logprobs"]["content"];
            REQUIRE(now.size() + k == tokens.size());
            for (std::size_t i = 0; i < now.size(); ++i) REQUIRE(now[i] == tokens[k + i]);
            if (k % 5 != 0) continue;
            REQUIRE(begun + joined(server().post(
                                chats, "{" + messages_with(begun, R"(,"prefix":true)") +
                                           R"(,"stream":true,"max_tokens":)" + left + "," + more +
                                           "}")) ==
                    text);
        }
    }
    REQUIRE(same_tokens > 30);
}

TEST_CASE("what goes on keeps to its form and its budget, and may be what others call a prefill",
          "[serving]") {
    const std::string form = R"(,"seed":1,"response_format":{"type":"json_schema","json_schema":
        {"schema":{"type":"object","required":["age"],"additionalProperties":false,
        "properties":{"age":{"type":"integer"}}}}})";
    const std::string begun = R"({"age": 1)";
    const Json object =
        ask(chats, "{" + messages_with(begun, R"(,"prefix":true)") + form + R"(,"max_tokens":20})");
    REQUIRE(json_value(begun + text_of(object))["age"].is_number());
    ask(chats, "{" + messages_with(R"({"name": )", R"(,"prefix":true)") + form + "}", 422);

    const std::string story = "Once upon a time there was a";
    const std::string body = "{" + messages_with(story, R"(,"prefix":true)") + R"(,"seed":7,)";
    const Json rest = ask(chats, body + R"("max_tokens":9,"ignore_eos":true})");
    REQUIRE(rest["usage"]["completion_tokens"] == 9);
    REQUIRE(text_of(rest).starts_with(' '));
    REQUIRE(text_of(ask(chats, body + R"("max_tokens":0})")).empty());
    const std::string as_others = "{" + messages_with(story) + R"(,"seed":7,"max_tokens":9})";
    REQUIRE(ask("/v1/messages", as_others)["content"][0]["text"] ==
            text_of(ask(chats, body + R"("max_tokens":9})")));
    REQUIRE(ask("/api/chat", "{" + messages_with(story) + R"(,"stream":false,
        "options":{"seed":7,"num_predict":9}})")["message"]["content"] ==
            text_of(ask(chats, body + R"("max_tokens":9})")));
    // Without being asked to go on, the answer is another one; white space alone is no beginning.
    REQUIRE(text_of(ask(chats, as_others)) != text_of(ask(chats, body + R"("max_tokens":9})")));
    REQUIRE(text_of(ask(chats, "{" + messages_with(" \n", R"(,"prefix":true)") +
                                   R"(,"seed":7,"max_tokens":9})")) ==
            text_of(ask(chats, R"({"messages":[)" + question + R"(],"seed":7,"max_tokens":9})")));

    for (const std::string& wrong :
         {R"({"continue_final_message":true,"messages":[)" + question + "]}",
          "{" + messages_with(story, R"(,"prefix":true)") + R"(,"num_beams":2})"})
        REQUIRE(ask(chats, wrong, 400)["error"]["param"] == "messages");
}
