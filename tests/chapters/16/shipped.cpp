#include "tests/catch.hpp"

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/16_json_schema/guide.hpp"
#include "lib/files/model.hpp"
#include "tests/support/guided.hpp"

using namespace tbt;
using namespace tbt::testing;

TEST_CASE(
    "the shipped model writes a text of every shipped grammar and schema, hot or greedy, within "
    "its budget") {
    Model model = load_model("data/models/storyteller");
    const auto trie = std::make_shared<const TokenTrie>(model.tokenizer);
    CachedModel gpt(model.transformer);
    std::vector<GuideRequest> requests;
    for (const char* name : {"arithmetic", "chess", "date", "email", "json", "sql"})
        requests.emplace_back().grammar = "data/grammars/" + std::string(name) + ".gbnf";
    for (const char* name : {"order", "person", "tree", "weather"})
        requests.emplace_back().schema = "data/schemas/" + std::string(name) + ".json";
    requests.emplace_back().tools = "data/schemas/tools.json";
    requests.emplace_back().json = true;
    Rng rng(40);
    for (const GuideRequest& request : requests) {
        const auto shared = std::make_shared<CompiledGrammar>(recognizer_for(request), trie);
        const int least = shared->closing().enough(shared->recognizer().start());
        for (const double temperature : {0.0, 3.0}) {
            GrammarMatcher constraint(shared, least + 25);
            const auto pick = [&](std::span<const float> masked, std::span<const int>) {
                std::size_t best = 0;
                double highest = -std::numeric_limits<double>::infinity();
                for (std::size_t i = 0; i < masked.size();
                     ++i) {  // the Gumbel trick: a draw at this temperature
                    if (std::isinf(masked[i])) continue;
                    const double noise =
                        temperature * -portable_log(-portable_log(rng.uniform() + 1e-300));
                    if (masked[i] + noise > highest) highest = masked[i] + noise, best = i;
                }
                return static_cast<int>(best);
            };
            const GuidedText text = generate_guided(gpt, model.tokenizer.encode("A record: "),
                                                    constraint, pick, [](int) { return true; });
            const std::size_t prompt = model.tokenizer.encode("A record: ").size();
            const std::string written = model.tokenizer.decode(
                {text.ids.begin() + static_cast<std::ptrdiff_t>(prompt), text.ids.end()});
            INFO(request.name() << ": " << written);
            REQUIRE(text.complete);
            REQUIRE(accepts_text(*recognizer_for(request), written));
            if (request.grammar.empty()) REQUIRE(nlohmann::json::accept(written));
        }
    }
}
