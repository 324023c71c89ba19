// Texts that never appear, across the borders of tokens.
#include "tests/catch.hpp"

#include "chapters/06_combining/candidates.hpp"
#include "chapters/09_stopping/ban_text.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

namespace {

const std::vector<std::string> tokens = {"t",     "h",   "e",  " ", "th",   "he",  " the",
                                         "there", "whe", "er", "",  "ethe", "hhe", "a"};

std::string joined(const std::vector<int>& ids) {
    std::string text;
    for (const int id : ids) text += tokens[index(id)];
    return text;
}
bool holds(const std::string& text, const std::vector<std::string>& banned_texts) {
    return std::any_of(banned_texts.begin(), banned_texts.end(), [&](const std::string& banned) {
        return text.find(banned) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("the tokens that are banned are those that would complete a text") {
    Rng rng(3);
    for (const std::vector<std::string>& texts : std::vector<std::vector<std::string>>{
             {"the"}, {"he"}, {"there", "ee"}, {"thet", "e e", "hh"}, {"h"}}) {
        BannedTexts banned_texts(texts, tokens);
        for (int run = 0; run < 200; ++run) {
            std::vector<int> text;
            for (int length = 0; length < 12; ++length) {
                std::vector<int> expected;
                for (int id = 0; id < count(tokens); ++id)
                    if (holds(joined(text) + tokens[index(id)], texts)) expected.push_back(id);
                REQUIRE(banned_texts.completing(text) == expected);
                // On with any token that is left: there always is one.
                int next = to_int(rng.below(tokens.size()));
                while (std::count(expected.begin(), expected.end(), next))
                    next = (next + 1) % count(tokens);
                text.push_back(next);
            }
            REQUIRE_FALSE(holds(joined(text), texts));
        }
    }
}

TEST_CASE("\"the\" bans \" the\" and \"there\", and \"e\" after \"th\"") {
    const ChainStep step = ban_text_step({"the"}, tokens);
    REQUIRE(step.name == "ban-text");
    const std::vector<float> logits(tokens.size(), 1.0f);
    const auto left = [&](const std::vector<int>& ids, std::size_t prompt) {
        Candidates c(logits);
        step.apply(c, {ids, prompt});
        std::string names;
        for (std::size_t i = 0; i < c.size(); ++i)
            if (c.logits()[i] > -std::numeric_limits<float>::infinity())
                names += tokens[index(c.id(i))] + "|";
        return names;
    };
    // After "t": "he" and "hhe" do not begin alike.
    REQUIRE(left({0}, 0).find("|he|") == std::string::npos);
    REQUIRE(left({0}, 0).find("hhe|") != std::string::npos);
    // After "th": "e", "er" and "ethe" are gone; with "th" in the prompt, they are not.
    REQUIRE(left({4}, 0).find("|e|") == std::string::npos);
    REQUIRE(left({4}, 0).find("er|") == std::string::npos);
    REQUIRE(left({4}, 1).find("|e|") != std::string::npos);
    // In any place: tokens that hold the whole of it.
    for (const char* gone : {" the|", "there|", "ethe|"})
        REQUIRE(left({}, 0).find(gone) == std::string::npos);
}

TEST_CASE("an empty text and ids of another vocabulary are refused") {
    REQUIRE_THROWS_AS(ban_text_step({""}, tokens), UsageError);
    BannedTexts banned_texts({"the"}, tokens);
    const std::vector<int> stranger = {14};
    REQUIRE_THROWS_AS(banned_texts.completing(stranger), Error);
}
