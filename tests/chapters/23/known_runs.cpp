// What a guide knows is read in one pass: the same texts, whatever else is asked for.
#include "tests/catch.hpp"

#include <initializer_list>

#include "chapters/23_text_generator/guided_texts.hpp"
#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "tests/support/guided.hpp"
#include "tests/support/random_models.hpp"

using namespace tbt;
using tbt::test::error_of;
using Models = tbt::test::RandomModels;

namespace {

std::string known_behind(const std::string& regex, const std::string& text,
                         std::size_t most = 100) {
    GuideRequest request;
    request.regex = regex;
    const std::shared_ptr<Recognizer> recognizer = recognizer_for(request);
    const Recognizer::State state = read_bytes(*recognizer, recognizer->start(), text);
    return known_bytes(*recognizer, state,
                       text.empty() ? 0 : static_cast<unsigned char>(text.back()), most);
}

struct Written {
    std::vector<std::vector<int>> ids;
    std::vector<std::string> texts;
    long passes = 0, positions = 0;
};

Written write(TextGenerator& generator, TextOptions o, bool known_runs) {
    o.known_runs = known_runs;
    Written w;
    for (GeneratedText& text : generator.generate("Once", o))
        w.ids.push_back(std::move(text.ids)), w.texts.push_back(std::move(text.text));
    w.passes = generator.effort().passes, w.positions = generator.effort().positions;
    return w;
}

// What else may be asked for.
TextOptions random_options(Rng& rng, const Models& models) {
    const auto one_in = [&](std::uint64_t n) { return rng.below(n) == 0; };
    TextOptions o;
    o.seed = rng.below(1000);
    o.max_new_tokens = 12 + to_int(rng.below(50));
    if (one_in(4)) o.temperature = 0;
    else o.temperature = 0.4 + rng.uniform(), o.top_p = 0.5 + rng.uniform() / 2;
    if (*o.temperature > 0 && one_in(3)) o.samples = 3;
    if (one_in(3)) o.repetition_penalty = 1.3;
    if (one_in(4)) o.stop_strings = {"x", "12"};
    if (one_in(4)) o.mirostat = 2;
    if (one_in(6)) o.guidance_scale = 1.5, o.negative_prompt = "so";
    switch (rng.below(5)) {
        case 0:
            o.assistant_model = models.draft, o.num_assistant_tokens = 4;
            break;
        case 1:
            o.assistant_model = "lookup", o.schedule = "adaptive";
            break;
        case 2:
            if (!o.negative_prompt) o.medusa = true, o.medusa_heads = models.heads;
            break;
        default:
            break;
    }
    return o;
}

}  // namespace

TEST_CASE("the bytes after a text are known where there is no choice") {
    REQUIRE(known_behind("abc[de]", "") == "abc");
    REQUIRE(known_behind("abc[de]", "ab") == "c");
    REQUIRE(known_behind("abc[de]", "abc").empty());
    REQUIRE(known_behind("a(bc)?d", "").size() == 1);      // b or d
    REQUIRE(known_behind("ab(cd)?", "") == "ab");          // the text may end here
    REQUIRE(known_behind("ab|ac", "") == "a");             // two texts that begin alike
    REQUIRE(known_behind("a{200}", "", 64).size() == 64);  // no longer than asked for
    REQUIRE(known_behind("aé[bc]", "a") == "é");
}

TEST_CASE("of blanks that may stand one is expected after a colon or a comma") {
    REQUIRE(known_behind("a, ?b[cd]", "") == "a, b");
    REQUIRE(known_behind("a:[ \\n\\t]*b[cd]", "") == "a: b");
    REQUIRE(known_behind("a ?:b[cd]", "") == "a:b");
    REQUIRE(known_behind("a\\n  b[cd]", "") == "a\n  b");  // these must stand
}

TEST_CASE("texts are the same whether what is known is read in one pass or token by token") {
    const Models models(56);
    TextGenerator generator(models.target);
    Rng rng(12);
    long passes[2] = {0, 0};
    int with_drafts = 0;
    for (int i = 0; i < 300; ++i) {
        TextOptions o = random_options(rng, models);
        switch (rng.below(3)) {
            case 0:
                o.guide.regex = "(ab|ac)*[0-9]{2,5}( is, or){1,3}(xyz){1,3}";
                break;
            case 1:
                o.guide.schema = "data/schemas/person.json";
                break;
            default:
                o.guide.choice = "a word that is known,a wordless one";
                break;
        }
        if (!o.guide.schema.empty() && rng.below(2) == 0) o.guide.layout = "compact";
        INFO("round " << i);
        std::string refused;
        Written with, without;
        try {
            without = write(generator, o, false);
        } catch (const Error& e) {  // a budget or a context that is too small
            refused = e.what();
        }
        if (!refused.empty()) {
            REQUIRE(error_of([&] { write(generator, o, true); }) == refused);
            continue;
        }
        with = write(generator, o, true);
        REQUIRE(with.ids == without.ids);
        REQUIRE(with.texts == without.texts);
        if (o.guesses()) ++with_drafts;
        else passes[0] += without.passes, passes[1] += with.passes;
    }
    REQUIRE(with_drafts > 50);
    REQUIRE(passes[1] < passes[0]);
}

TEST_CASE(
    "the storyteller writes a person in little more than half as many passes, at any budget") {
    TextGenerator generator("data/models/storyteller");
    long passes[2] = {0, 0}, positions[2] = {0, 0};
    for (const double temperature : {0.0, 0.8, 1.5}) {
        for (const int budget : {25, 26, 27, 28, 30, 33, 60}) {
            TextOptions o;
            o.seed = static_cast<std::uint64_t>(budget);
            o.temperature = temperature;
            o.guide.schema = "data/schemas/person.json";
            o.max_new_tokens = budget;
            const Written without = write(generator, o, false), with = write(generator, o, true);
            CAPTURE(temperature, budget);
            REQUIRE(with.ids == without.ids);
            REQUIRE(with.passes <= without.passes);
            TextOptions drafted = o;
            drafted.assistant_model = "sketch";
            REQUIRE(write(generator, drafted, true).ids == without.ids);
            if (budget < 60) continue;
            passes[0] += without.passes, passes[1] += with.passes;
            positions[0] += without.positions, positions[1] += with.positions;
        }
    }
    REQUIRE(passes[1] * 5 <= passes[0] * 3);
    REQUIRE(positions[1] * 5 <= positions[0] * 6);  // few guesses are wrong
}

TEST_CASE("a draft is judged by its own guesses, not by those that the guide knows") {
    const Models models(56);
    const TextGenerator generator(models.target);
    const Tokenizer& tokenizer = generator.model().tokenizer;
    GuideRequest guide;
    guide.regex = "xyz-xyz-[ab]{5}";
    Languages languages(tokenizer);
    const auto texts = std::make_shared<GuidedTexts>(languages.get(guide));
    const std::vector<int> prompt{5};
    texts->add(prompt, 20, "");
    std::vector<int> drafted;
    std::vector<std::pair<int, int>> judged;
    GenerateRequest request;
    request.foresight.guess = [&](std::size_t, const TextSoFar&, const Rng&, int) {
        return Guesses(drafted);
    };
    request.foresight.judged = [&](std::size_t, int guessed, int right) {
        judged.emplace_back(guessed, right);
    };
    guess_known_runs(request, texts, tokenizer);
    const auto guessed = [&] {
        return count(request.foresight.guess(0, {prompt, 1}, Rng(1), 20).ids);
    };
    const int run = guessed();
    REQUIRE(run >= 1);
    request.foresight.judged(0, run, run);
    CHECK(judged.empty());
    drafted = {7, 8};
    REQUIRE(guessed() == run + 2);
    for (const int right : {0, run, run + 1, run + 2}) request.foresight.judged(0, run + 2, right);
    CHECK(judged == std::vector<std::pair<int, int>>{{2, 0}, {2, 0}, {2, 1}, {2, 2}});
}

TEST_CASE("a run that the budget forbids is not followed by a draft") {
    const Models models(56);
    TextGenerator generator(models.target);
    for (int budget = 14; budget <= 18; ++budget) {  // fourteen without blanks
        for (std::uint64_t seed = 0; seed < 8; ++seed) {
            TextOptions o;
            o.seed = seed;
            o.max_new_tokens = budget;
            o.guide.regex = "[ab]x, ?y;, ?z;[ab]{6}";  // a blank costs a token
            o.assistant_model = models.draft;
            CAPTURE(budget, seed);
            REQUIRE(write(generator, o, true).ids == write(generator, o, false).ids);
        }
    }
}

TEST_CASE("where the choices of each token are to be seen nothing is read ahead") {
    TextGenerator generator("data/models/storyteller");
    TextOptions o;
    o.seed = 3;
    o.guide.schema = "data/schemas/person.json";
    o.max_new_tokens = 60;
    o.traced_tokens = 2;
    const Written w = write(generator, o, true);
    REQUIRE(w.passes == to_int(w.ids[0].size()));
}
