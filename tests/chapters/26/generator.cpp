// The engine beside the text generator of chapter 23: options of all kinds and grammars, together.
// TBT_REQUESTS=1000: so many requests (make test-serving).
#include "tests/catch.hpp"

#include "chapters/10_generate/options.hpp"
#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/26_serving/engine.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/same_text.hpp"

using namespace tbt;

namespace {

int wanted_requests() {
    const char* given = std::getenv("TBT_REQUESTS");
    return given ? std::max(1, std::atoi(given)) : 48;
}

TextOptions random_options(Rng& rng) {
    TextOptions o;
    o.model = shipped_model("storyteller").string();
    o.seed = rng.below(100);
    o.max_new_tokens = 4 + to_int(rng.below(40));
    if (rng.below(4) == 0) o.greedy = true;
    else {
        o.temperature = 0.5 + rng.uniform();
        if (rng.below(2) == 0) o.top_p = 0.6 + 0.4 * rng.uniform();
        if (rng.below(3) == 0) o.top_k = 1 + to_int(rng.below(60));
        if (rng.below(4) == 0) o.min_p = 0.05;
        o.samples = 1 + to_int(rng.below(2));
    }
    if (rng.below(3) == 0) o.repetition_penalty = 1.2;
    if (rng.below(4) == 0) o.presence_penalty = 0.5;
    if (rng.below(4) == 0) o.stop_strings = {".", "the"};
    if (rng.below(5) == 0) o.traced_tokens = 3;
    switch (rng.below(8)) {
        case 0:
            o.guide.schema = "data/schemas/person.json";
            break;
        case 1:
            o.guide.grammar = "data/grammars/date.gbnf";
            break;
        case 2:
            o.guide.regex = "[A-Z][a-z]{2,8}( [0-9]{1,3})?";
            break;
        case 3:
            o.guide.choice = "sunny,rainy,cloudy";
            break;
        case 4:
            o.guide.json = true;
            break;
        default:
            break;
    }
    if (!o.guide.name().empty()) o.max_new_tokens = 120, o.stop_strings.clear();
    return o;
}

const std::vector<std::string> prompts = {
    "Once upon a time", "The weather today is", "User: hi\nAssistant:",
    "Once upon a time, there was a young apprentice named Ben who lived in Millbrook. It was a "
    "fresh day in summer. He owned a goat and a spotted fork, and that was enough. He could play",
    "A person:\n"};

}  // namespace

TEST_CASE("requests of all kinds together are what the text generator writes for each alone") {
    Rng rng(26);
    TextGenerator alone(shipped_model("storyteller").string());
    Model model = load_model(shipped_model("storyteller"));
    CachedBatch batch(model.transformer);
    Engine engine(std::ref(batch), token_bytes_of(model.tokenizer), model.config().vocab_size,
                  PlainScheduler(7, 24));
    struct Sent {
        int text;
        GeneratedText alone;
    };
    std::vector<Sent> sent;
    const int requests = wanted_requests();
    int guided = 0;
    for (int i = 0;
         i < requests || engine.scheduler().running() + engine.scheduler().waiting() > 0;) {
        if (i < requests && rng.below(8) == 0) {
            ++i;
            const TextOptions o = random_options(rng);
            guided += !o.guide.name().empty();
            const std::vector<std::vector<int>> ids = {
                alone.prompt_ids(prompts[rng.below(prompts.size())], o)};
            const std::vector<GeneratedText> texts = alone.generate_ids(ids, o);
            // Samples of a request share a grammar's state, which each looks up by its own text.
            const GenerateRequest request = alone.request(o, ids);
            for (int s = 0; s < request.samples; ++s)
                sent.push_back({engine.add(ids[0], request, s), texts[index(s)]});
        } else {
            engine.step();
        }
    }
    long different = 0, tokens = 0;
    for (const Sent& s : sent) {
        const ServedText served = engine.take(s.text);
        different += !test::same(served.text, s.alone) || !served.error.empty();
        tokens += static_cast<long>(served.text.ids.size());
    }
    if (requests > 48)
        WARN(requests << " requests, " << guided << " of them guided: " << sent.size() << " texts, "
                      << tokens << " tokens, " << different << " different");
    REQUIRE(different == 0);
    REQUIRE(guided > requests / 3);
    REQUIRE(sent.size() > index(requests));
}
