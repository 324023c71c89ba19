// The class in front of everything: what it gives is what the chapters give.
#include "tests/catch.hpp"

#include "chapters/10_generate/options.hpp"
#include "chapters/23_text_generator/generation.hpp"
#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/23_text_generator/writing.hpp"
#include "tests/support/small_model.hpp"

using namespace tbt;

namespace {

TextGenerator& shipped() {
    static TextGenerator generator(shipped_model("storyteller").string());
    return generator;
}

std::string refusal(const std::function<void(TextOptions&)>& ask) {
    TextOptions o;
    o.max_new_tokens = 4;
    ask(o);
    try {
        shipped().generate("Once", o);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "nothing was refused";
}

}  // namespace

TEST_CASE("plain draws are chapter 10's, bit for bit") {
    for (const std::uint64_t seed : {0, 3}) {
        TextOptions o;
        o.seed = seed, o.samples = 2, o.max_new_tokens = 30;
        Model own = load_model(shipped_model("storyteller"));
        CachedBatch batch(own.transformer);
        const std::vector<GeneratedText> expected =
            generate_texts(std::ref(batch), token_bytes_of(own.tokenizer),
                           prompt_ids(o, own, "Once upon a time"), request_of(o, own));
        const std::vector<GeneratedText> texts = shipped().generate("Once upon a time", o);
        REQUIRE(texts.size() == expected.size());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            REQUIRE(texts[i].ids == expected[i].ids);
            REQUIRE(texts[i].text == expected[i].text);
            REQUIRE(texts[i].reason == expected[i].reason);
        }
    }
}

TEST_CASE("the strategy is what the options say, or what is named") {
    TextOptions o;
    REQUIRE(strategy_of(o) == Strategy::sample);
    o.temperature = 0;
    REQUIRE(strategy_of(o) == Strategy::greedy);
    o.num_beams = 3;
    REQUIRE(strategy_of(o) == Strategy::beam);

    TextOptions by_name, by_options;
    by_name.max_new_tokens = by_options.max_new_tokens = 12;
    by_name.strategy = Strategy::greedy, by_options.greedy = true;
    REQUIRE(shipped()("The weather", by_name) == shipped()("The weather", by_options));
    by_name.strategy = Strategy::beam, by_options.greedy = false, by_options.num_beams = 4;
    REQUIRE(shipped()("The weather", by_name) == shipped()("The weather", by_options));
}

TEST_CASE("the sketch saves the storyteller more than half of its passes, and changes nothing") {
    TextOptions o;
    o.max_new_tokens = 60;
    const std::vector<int> plain = shipped().generate("The weather today is", o)[0].ids;
    const long tokens = static_cast<long>(plain.size());
    REQUIRE(shipped().effort().passes == tokens);
    o.assistant_model = "sketch";
    REQUIRE(shipped().generate("The weather today is", o)[0].ids == plain);
    const Effort effort = shipped().effort();
    REQUIRE(2 * effort.passes < tokens);
    REQUIRE(effort.right + effort.passes >= tokens);
    REQUIRE(effort.right <= effort.guessed);
}

TEST_CASE("a conversation is remembered, and its answers may be tool calls") {
    TextOptions o;
    Conversation conversation = shipped().conversation(o);
    std::string streamed;
    GenerateObserver observer;
    observer.on_text = [&](std::size_t, const std::string& piece) { streamed += piece; };
    const GeneratedText first = shipped().answer(conversation.ask("hi"), o, observer);
    conversation.answer(first.text);
    REQUIRE(streamed == first.text);
    REQUIRE(first.text.find("User:") == std::string::npos);
    REQUIRE(conversation.turns().size() == 1);

    TextOptions endless;
    endless.max_new_tokens = -1, endless.ignore_eos = true, endless.chat_template = "chatml";
    const std::vector<int> question = shipped().conversation(endless).ask("hi");
    REQUIRE(shipped().answer(question, endless).ids.size() == 512 - question.size());

    o.guide.tools = "data/schemas/tools.json";
    const GeneratedText call = shipped().answer(conversation.ask("What is the weather in Elm?"), o);
    REQUIRE(accepts_text(*recognizer_for(o.guide), call.text));
}

TEST_CASE("a guide may begin in the prompt, and needs its room") {
    TextOptions o;
    o.max_new_tokens = 40;
    o.guide.schema = "data/schemas/person.json";
    o.continues_prompt = true;
    const std::string beginning = "{\"name\": \"Ada\", ";
    REQUIRE(accepts_text(*recognizer_for(o.guide), shipped()(beginning, o)));
    o.max_new_tokens = 2;
    REQUIRE_THROWS_AS(shipped().generate(beginning, o), Error);
    // Where more tokens would not help, it is said why not.
    REQUIRE_THROWS_WITH(shipped().generate(beginning, o), !Catch::Contains("context"));
    o.max_new_tokens = -1, o.continues_prompt = false;
    std::string properties;
    for (int i = 0; i < 80; ++i)
        properties += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + R"(":{"type":"string"})";
    const std::string all = R"({"type":"object","minProperties":80,"properties":{)" + properties;
    o.guide.schema = all + "}}";
    REQUIRE_THROWS_WITH(shipped().generate("A", o),
                        Catch::Contains("a budget of 511 tokens is too small") &&
                            Catch::Contains("(the context has 512 tokens, the prompt 1 of them)"));
}

TEST_CASE("a beginning that is spaced otherwise is told the layout that takes it") {
    TextOptions o;
    o.max_new_tokens = 60;
    o.guide.schema = R"({"type":"object","properties":{"name":{"type":"string"}}})";
    o.continues_prompt = true;
    REQUIRE_THROWS_WITH(shipped().generate(R"({"name":"a)", o),
                        Catch::Contains("--json-layout any"));
    o.guide.layout = "any";
    REQUIRE_FALSE(shipped().generate(R"({"name":"a)", o)[0].text.empty());
    REQUIRE_THROWS_WITH(shipped().generate(R"({"nome":"a)", o), !Catch::Contains("layout"));
}

TEST_CASE("what a tokenizer puts before a text is no part of what a guide continues") {
    TextOptions o;
    o.max_new_tokens = 20, o.continues_prompt = true, o.guide.regex = "The [a-z]{1,5}";
    for (const char* name : {"tiny-llama3", "tiny-gemma", "tiny-spm", "tiny-qwen"}) {
        INFO(name);
        TextGenerator generator(
            small_model(Tokenizer::load(std::string("tests/data/tokenizers/") + name)));
        CHECK(accepts_text(*recognizer_for(o.guide), generator("The", o)));
        CHECK(accepts_text(*recognizer_for(o.guide), generator("", o)));
    }
}

TEST_CASE("what contradicts is refused in a line that says what to do") {
    using Catch::Contains;
    REQUIRE_THAT(refusal([](TextOptions& o) { o.num_beams = 2, o.assistant_model = "sketch"; }),
                 Contains("leave out one of the two"));
    REQUIRE_THAT(
        refusal([](TextOptions& o) { o.strategy = Strategy::greedy, o.temperature = 0.7; }),
        Contains("--greedy and --temperature 0.7"));
    REQUIRE_THAT(refusal([](TextOptions& o) { o.guidance_scale = NAN; }),
                 Contains("guidance-scale"));
    REQUIRE_THAT(refusal([](TextOptions& o) { o.guidance_scale = 1e38; }), Contains("0 to 1e6"));
    REQUIRE_THAT(refusal([](TextOptions& o) { o.contrast_model = "lookup"; }),
                 Contains("n-grams of the text have no distribution"));
    REQUIRE(refusal([](TextOptions& o) { o.temperature = 0, o.top_p = 1, o.guidance_scale = 1; }) ==
            "nothing was refused");
    TextOptions o;
    REQUIRE_THROWS_AS(shipped().generate(std::span<const std::string>(), o), UsageError);
}

TEST_CASE("a chat has a temperature of its own, unless it is told how to choose") {
    TextOptions o;
    REQUIRE(for_chat(o).temperature == chat_temperature);
    o.top_k = 40;
    REQUIRE(for_chat(o).temperature == chat_temperature);
    const auto left_alone = [](const std::function<void(TextOptions&)>& say) {
        TextOptions told;
        say(told);
        const std::optional<double> before = told.temperature;
        return for_chat(told).temperature == before;
    };
    REQUIRE(left_alone([](TextOptions& t) { t.temperature = 0.8; }));
    REQUIRE(left_alone([](TextOptions& t) { t.temperature = 0; }));
    REQUIRE(left_alone([](TextOptions& t) { t.greedy = true; }));
    REQUIRE(left_alone([](TextOptions& t) { t.num_beams = 4; }));
    REQUIRE(left_alone([](TextOptions& t) { t.preset = "creative"; }));
    REQUIRE(left_alone([](TextOptions& t) { t.dialect = "vllm"; }));
    REQUIRE(left_alone([](TextOptions& t) { t.mirostat = 2; }));
    REQUIRE(left_alone([](TextOptions& t) { t.dynatemp_range = 0.5; }));
}

TEST_CASE("a search that finds fewer texts than asked for says which prompt each continues") {
    TextOptions o;
    o.num_beams = 4, o.samples = 4, o.guide.regex = "[ab]", o.record = true;
    const std::vector<std::string> prompts = {"First", "Second"};
    std::vector<std::size_t> shown;
    GenerateObserver observer;
    observer.on_text = [&](std::size_t number, const std::string&) { shown.push_back(number); };
    const auto texts = shipped().generate(prompts, o, observer);
    const auto tokens = shipped().recording().tokens;
    REQUIRE(texts.size() == 4);
    REQUIRE(tokens.size() == 4);
    CHECK(shown == std::vector<std::size_t>{0, 1, 4, 5});
    for (std::size_t p = 0; p < 2; ++p) {
        const auto alone = shipped().generate(prompts[p], o);
        REQUIRE(alone.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK(texts[2 * p + i].prompt == p);
            CHECK(texts[2 * p + i].ids == alone[i].ids);
            // What was recorded is what the model said after this prompt.
            CHECK(tokens[2 * p + i][0].trace.raw_log_probability ==
                  shipped().recording().tokens[i][0].trace.raw_log_probability);
        }
    }
}
