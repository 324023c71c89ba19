// Any two techniques, together: what they promise alone still holds, or they are refused by name.
#include "tests/catch.hpp"

#include "chapters/23_text_generator/command_line.hpp"
#include "chapters/23_text_generator/generation.hpp"
#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "tests/support/random_models.hpp"
#include "tests/support/same_text.hpp"
#include "tests/support/words.hpp"

using namespace tbt;
using test::ids_of;

namespace {

const test::RandomModels& models() {
    static const test::RandomModels all(48, 1, 3);
    return all;
}

struct Technique {
    std::string name;
    std::function<void(TextOptions&)> use;
};

const std::vector<Technique>& techniques() {
    static const std::vector<Technique> all = {
        {"cuts", [](TextOptions& o) { o.temperature = 0.7, o.top_k = 40, o.top_p = 0.8; }},
        {"rare cuts",
         [](TextOptions& o) {
             o.xtc_probability = 0.6, o.xtc_threshold = 0.001, o.dynatemp_range = 0.4;
             o.top_n_sigma = 2, o.dry_multiplier = 0.8;
         }},
        {"mirostat", [](TextOptions& o) { o.mirostat = 2, o.mirostat_tau = 4; }},
        {"endings",
         [](TextOptions& o) { o.begin_suppress = {"0,1"}, o.exponential_decay = "4,1.05"; }},
        {"greedy", [](TextOptions& o) { o.greedy = true; }},
        {"penalties",
         [](TextOptions& o) {
             o.repetition_penalty = 1.3, o.frequency_penalty = 0.1, o.no_repeat_ngram_size = 4;
         }},
        {"stop strings",
         [](TextOptions& o) {
             o.stop_strings = {"a", " b"};
         }},
        {"slide", [](TextOptions& o) { o.context = "slide", o.max_new_tokens = 70; }},
        {"samples", [](TextOptions& o) { o.samples = 3; }},
        {"beams", [](TextOptions& o) { o.num_beams = 4; }},
        {"groups", [](TextOptions& o) { o.num_beams = 4, o.num_beam_groups = 2; }},
        {"drawn beams", [](TextOptions& o) { o.num_beams = 4, o.do_sample = true; }},
        {"assistant", [](TextOptions& o) { o.assistant_model = models().draft; }},
        {"itself",  // a draft that is always right
         [](TextOptions& o) { o.assistant_model = models().target, o.num_assistant_tokens = 3; }},
        {"rejection",
         [](TextOptions& o) { o.assistant_model = models().draft, o.coupling = "rejection"; }},
        {"lookup", [](TextOptions& o) { o.prompt_lookup_num_tokens = 4; }},
        {"grammar", [](TextOptions& o) { o.guide.regex = "(ab|ac)*[0-9]{2,5}(xyz){1,3}"; }},
        {"choice", [](TextOptions& o) { o.guide.choice = "yes,yesterday,no,maybe so"; }},
        {"guidance", [](TextOptions& o) { o.guidance_scale = 1.7, o.negative_prompt = "so"; }},
        {"heads", [](TextOptions& o) { o.medusa = true, o.medusa_heads = models().heads; }},
        {"heads rejected",
         [](TextOptions& o) {
             o.medusa = true, o.medusa_heads = models().heads, o.coupling = "rejection";
         }},
    };
    return all;
}

// The pairs that contradict each other, the earlier one first; all others work together.
std::set<std::pair<std::string, std::string>> refused_pairs() {
    const std::vector<std::pair<std::string, std::string>> table = {
        {"rare cuts", "mirostat"},
        {"cuts", "mirostat | greedy"},
        {"mirostat", "beams | groups | drawn beams | rejection | heads rejected"},
        {"greedy", "beams | groups | drawn beams"},
        {"slide", "beams | groups | drawn beams | rejection | guidance | heads rejected"},
        {"beams", "assistant | itself | rejection | lookup | heads | heads rejected"},
        {"groups", "assistant | itself | rejection | lookup | heads | heads rejected"},
        {"drawn beams", "assistant | itself | rejection | lookup | heads | heads rejected"},
        {"assistant", "lookup | heads | heads rejected"},
        {"itself", "lookup | heads | heads rejected"},
        {"rejection", "lookup | heads | heads rejected"},
        {"lookup", "heads | heads rejected"},
        {"grammar", "choice"},
        {"endings", "grammar | choice"}};
    std::set<std::pair<std::string, std::string>> pairs;
    for (const auto& [first, others] : table)
        for (const std::string& second : test::texts_of(others)) pairs.emplace(first, second);
    return pairs;
}

std::vector<std::string> texts_of(const std::vector<GeneratedText>& results) {
    std::vector<std::string> texts;
    for (const GeneratedText& result : results) texts.push_back(result.text);
    return texts;
}

// The token is on the wheel, where the number points that drew it.
void require_drawn(const RecordedToken& token, bool has_u) {
    const auto own = std::find_if(token.wheel.begin(), token.wheel.end(), [&](const auto& slice) {
        return slice.id == token.trace.chosen;
    });
    REQUIRE(own != token.wheel.end());
    if (!has_u) return;
    // The draw works on whole numbers: both are off by some 2^-53.
    REQUIRE(token.trace.u > own->from - 1e-12);
    REQUIRE(token.trace.u < own->to + 1e-12);
}

void require_promises(TextGenerator& generator, const TextOptions& o) {
    const std::vector<std::string> prompts = {"once a", "b"};
    std::vector<std::string> streamed;
    GenerateObserver observer;
    observer.on_text = [&](std::size_t i, const std::string& piece) {
        if (streamed.size() <= i) streamed.resize(i + 1);
        streamed[i] += piece;
    };
    const std::vector<GeneratedText> together = generator.generate(prompts, o, observer);
    REQUIRE(together.size() == 2 * index(o.samples));

    // What was streamed is what was written.
    streamed.resize(together.size());
    REQUIRE(streamed == texts_of(together));

    // A batch is what its prompts give alone, and a second time.
    std::vector<std::vector<int>> alone;
    for (const std::string& prompt : prompts)
        for (const std::vector<int>& ids : ids_of(generator.generate(prompt, o)))
            alone.push_back(ids);
    REQUIRE(alone == ids_of(together));

    // Whoever watches changes nothing, and sees every token.
    TextOptions traced = o;
    traced.traced_tokens = 2;
    const std::vector<GeneratedText> watched = generator.generate(prompts, traced);
    REQUIRE(ids_of(watched) == alone);
    for (const GeneratedText& text : watched) REQUIRE(text.traces.size() == text.ids.size());

    TextOptions recorded = o;
    recorded.record = true;
    REQUIRE(ids_of(generator.generate(prompts, recorded)) == alone);
    REQUIRE(generator.recording().tokens.size() == alone.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
        REQUIRE(generator.recording().tokens[i].size() == alone[i].size());
        for (const RecordedToken& token : generator.recording().tokens[i])
            require_drawn(token, generator.recording().has_u);
    }

    // A draft coupled by seed changes no token.
    if (o.guesses() && o.coupling == "seed") {
        TextOptions plain = o;
        static_cast<DraftSettings&>(plain) = {};
        static_cast<MedusaSettings&>(plain) = {};
        REQUIRE(ids_of(generator.generate(prompts, plain)) == alone);
    }

    for (const GeneratedText& text : together) {
        CAPTURE(text.text);
        for (const std::string& stop : o.stop_strings)
            REQUIRE_FALSE(test::contains(text.text, stop));
        if (!o.guide.name().empty() && text.reason != FinishReason::stop_string)
            REQUIRE(accepts_text(*recognizer_for(o.guide), text.text));
        REQUIRE(text.ids.size() <= index(o.max_new_tokens.value_or(200)));
        REQUIRE(text.score.has_value() == (o.num_beams > 1));
    }
}

}  // namespace

TEST_CASE("every pair of techniques keeps the promises of both, or is refused") {
    TextGenerator generator(models().target);
    const auto refused = refused_pairs();
    int worked = 0, not_so = 0;
    for (const Technique& first : techniques()) {
        for (const Technique& second : techniques()) {
            if (&second < &first) continue;
            CAPTURE(first.name, second.name);
            TextOptions o;
            o.max_new_tokens = 14;
            o.seed = 5;
            first.use(o), second.use(o);
            if (refused.contains({first.name, second.name})) {
                REQUIRE_THROWS_AS(generator.generate("once", o), UsageError);
                ++not_so;
            } else {
                require_promises(generator, o);
                ++worked;
            }
        }
    }
    REQUIRE(worked + not_so == 21 * 22 / 2);
    REQUIRE(not_so == to_int(refused.size()));
}

TEST_CASE("many techniques at once keep their promises too") {
    TextGenerator generator(models().target);
    for (const auto& names : std::vector<std::set<std::string>>{
             {"cuts", "penalties", "samples", "assistant", "grammar", "guidance"},
             {"cuts", "penalties", "samples", "rejection", "grammar", "guidance"},
             {"greedy", "penalties", "lookup", "grammar", "guidance", "stop strings"},
             {"cuts", "slide", "samples", "assistant", "grammar"},
             {"cuts", "penalties", "samples", "heads", "grammar", "guidance", "stop strings"},
             {"cuts", "penalties", "samples", "heads rejected", "grammar", "guidance"},
             {"penalties", "groups", "samples", "grammar", "guidance", "stop strings"},
             {"cuts", "drawn beams", "samples", "choice", "guidance"}}) {
        TextOptions o;
        o.max_new_tokens = 14;
        for (const Technique& t : techniques())
            if (names.contains(t.name)) t.use(o);
        require_promises(generator, o);
    }
}
