// The promise of the budget for what ships: each grammar and schema of data, with our vocabulary
// and with GPT-2's where that is at hand. From the stated number on each text is complete, valid
// and within it; below, it is refused before the first token, with that number.
#include "tests/catch.hpp"

#include "chapters/16_json_schema/guide.hpp"
#include "lib/grammar/schema/validator.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/tokenizer.hpp"
#include "tests/support/guided.hpp"
#include "tests/support/skip.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

std::vector<GuideRequest> shipped() {
    std::vector<GuideRequest> all;
    for (const char* name : {"arithmetic", "chess", "date", "email", "json", "report", "sql"})
        all.emplace_back().grammar = "data/grammars/" + std::string(name) + ".gbnf";
    for (const char* name : {"order", "person", "tree", "weather"}) {
        for (const char* layout : {"any", "line", "pretty"}) {
            all.emplace_back().schema = "data/schemas/" + std::string(name) + ".json";
            all.back().layout = layout;
        }
    }
    all.emplace_back().tools = "data/schemas/tools.json";
    all.emplace_back().choice = "yes,no,perhaps not";
    return all;
}

// What a model without knowledge thinks of a token: a number from 0 to 8.
double liked(int token) {
    return ((static_cast<unsigned>(token) * 2654435761u) >> 7) % 1000 / 125.0;
}

// A draw from softmax(liked / temperature) of legal tokens; 0: the most liked.
int pick(const TokenMask& mask, double temperature, Rng& rng) {
    int best = -1;
    double highest = 0;
    mask.each([&](int id) {
        const double noise =
            temperature == 0 ? 0
                             : temperature * -portable_log(-portable_log(rng.uniform() + 1e-300));
        if (best < 0 || liked(id) + noise > highest) best = id, highest = liked(id) + noise;
    });
    return best;
}

// drafted: three tokens at a time are taken by another taste, and some taken back; a copy that
// went on elsewhere takes over now and then, as a beam does.
std::string written(const std::shared_ptr<CompiledGrammar>& language, int budget,
                    double temperature, bool drafted, Rng& rng) {
    GrammarMatcher constraint(language, budget);
    std::vector<int> ids;
    const auto go = [&](GrammarMatcher& c, std::vector<int>& to, double heat) {
        const int id = pick(c.mask(), heat, rng);
        if (id < 0) throw Error("a mask without tokens");
        c.advance(id);
        to.push_back(id);
    };
    const auto goes_on = [](const GrammarMatcher& c) { return !c.ended() && c.remaining() > 0; };
    while (goes_on(constraint)) {
        if (!drafted) {
            go(constraint, ids, temperature);
            continue;
        }
        GrammarMatcher beam = constraint;
        std::vector<int> beam_ids = ids;
        const std::size_t before = ids.size();
        for (int n = 0; n < 3 && goes_on(constraint); ++n) go(constraint, ids, 2.5);
        const std::size_t kept = before + 1 + rng.below(ids.size() - before);
        constraint.rollback(static_cast<int>(ids.size() - kept));
        ids.resize(kept);
        for (int n = 0; n < 2 && goes_on(beam); ++n) go(beam, beam_ids, temperature);
        if (rng.below(3) == 0) constraint = beam, ids = beam_ids;
    }
    if (!constraint.complete()) throw Error("not complete");
    std::string text;
    for (const int id : ids) text += language->trie().bytes(id);
    return text;
}

void obey(const GuideRequest& request, const std::shared_ptr<const TokenTrie>& trie, Rng& rng) {
    const auto shared = std::make_shared<CompiledGrammar>(recognizer_for(request), trie);
    const auto validator = recognizer_for(request);
    const int least = shared->closing().enough(shared->recognizer().start());
    REQUIRE_THROWS_WITH(GrammarMatcher(shared, least - 1),
                        Catch::Contains("allow " + std::to_string(least)));
    const bool full = std::getenv("TBT_FULL") != nullptr;
    for (int more = 0; more <= 40; more += full || more < 1 ? 1 : 39) {
        for (const double temperature : {0.0, 2.5}) {
            for (const bool drafted : {false, true}) {
                INFO(request.key() << ", budget " << least + more << ", T " << temperature
                                   << (drafted ? ", drafted" : ""));
                std::string text;
                REQUIRE_NOTHROW(text = written(shared, least + more, temperature, drafted, rng));
                INFO(text);
                REQUIRE(accepts_text(*validator, text));
                if (!request.schema.empty() || !request.tools.empty())
                    REQUIRE_NOTHROW(parse_json(text, "text"));
            }
        }
    }
}

}  // namespace

TEST_CASE("the promise of the budget holds for all that ships, with our vocabulary") {
    const auto trie = std::make_shared<const TokenTrie>(Tokenizer::load("data/models/storyteller"));
    Rng rng(165);
    for (const GuideRequest& request : shipped()) obey(request, trie, rng);
}

TEST_CASE("… and with GPT-2's vocabulary, where it is given") {
    const std::string directory = "../shared/golden/gpt2-tokenizer";
    if (!file_exists(join_path(directory, "merges.txt")))
        return test::skip(directory + " is not there");
    const auto trie = std::make_shared<const TokenTrie>(Tokenizer::load(directory));
    Rng rng(166);
    for (const GuideRequest& request : shipped()) obey(request, trie, rng);
}
