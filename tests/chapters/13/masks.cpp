// Masks over tokens: the tree they are read from, budgets, forced runs.
#include "tests/catch.hpp"

#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "tests/support/guided.hpp"
#include "tests/support/json_tokens.hpp"

using namespace tbt;
using namespace tbt::testing;

TEST_CASE("the tree holds every token once, and finds each by its bytes") {
    const TokenTrie trie({"b", "ab", "a", "abc", "b", "", "\xff\x01", "abd"}, 5);
    REQUIRE(trie.longest() == 3);
    REQUIRE(trie.nodes().size() == 7);
    REQUIRE(trie.duplicates() == std::vector<std::pair<int, int>>{{0, 4}});
    int node = -1;
    for (const char c : std::string("abd")) node = trie.child(node, static_cast<unsigned char>(c));
    REQUIRE(trie.nodes()[index(node)].token == 7);
    REQUIRE(trie.path(node) == "abd");
    REQUIRE(trie.child(-1, 'c') == -1);
    REQUIRE_THROWS_AS(TokenTrie({"a"}, 1), Error);
}

TEST_CASE(
    "the mask is the set of tokens that survive by themselves, at each step of random texts") {
    Rng rng(2);
    for (int round = 0; round < 6; ++round) {
        std::vector<std::string> tokens = json_tokens;
        for (int i = 0; i < 60 * round; ++i) {
            std::string token;
            for (std::uint64_t n = 1 + rng.below(6); n > 0; --n)
                token += json_letters[rng.below(json_letters.size())];
            tokens.push_back(token);
        }
        const auto trie = vocabulary_with(tokens);
        const auto recognizer =
            std::make_shared<JsonRecognizer>(JsonOptions{2, round % 2 == 0, round == 3});
        MaskCache masks(recognizer, trie);
        for (int text = 0; text < 20; ++text) {
            auto state = recognizer->start();
            for (int step = 0; step < 40; ++step) {
                const TokenMask mask = masks.of(state).mask;
                REQUIRE(mask == brute_force_mask(*recognizer, *trie, state));
                // Rather structure than blanks, so that the stack grows:
                // tokens of more than one byte count thrice.
                int id = random_token(mask, rng);
                for (int again = 0; again < 2 && trie->bytes(id).size() < 2; ++again)
                    id = random_token(mask, rng);
                if (id == trie->eos()) break;
                state = read_bytes(*recognizer, state, trie->bytes(id));
            }
        }
        REQUIRE(masks.partial_masks() < 200);
    }
}

TEST_CASE("max_to_end bounds what any token of the mask leaves to close") {
    Rng rng(3);
    const auto trie = vocabulary_with(json_tokens);
    const auto recognizer = std::make_shared<JsonRecognizer>();
    MaskCache masks(recognizer, trie);
    for (int text = 0; text < 60; ++text) {
        auto state = recognizer->start();
        for (int step = 0; step < 30; ++step) {
            const MaskCache::Entry entry = masks.of(state);
            int worst = 0;
            for (int id = 0; id < trie->vocabulary(); ++id) {
                if (id != trie->eos() && entry.mask.test(id))
                    worst = std::max(worst, recognizer->closing_bytes(
                                                read_bytes(*recognizer, state, trie->bytes(id))));
            }
            REQUIRE(worst <= entry.max_to_end);
            const int id = random_token(entry.mask, rng);
            if (id == trie->eos()) break;
            state = read_bytes(*recognizer, state, trie->bytes(id));
        }
    }
}

TEST_CASE("a mask sets the logits of its complement to minus infinity and leaves the others") {
    for (const int v : {1, 63, 64, 65, 200, 1000}) {
        TokenMask mask(v);
        std::vector<float> logits(index(v) + 3);
        for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i) - 3;
        for (int i = 0; i < v; i += 1 + i / 5) mask.set(i);
        mask.apply(logits);
        for (int i = 0; i < to_int(logits.size()); ++i) {
            REQUIRE(logits[index(i)] == (mask.test(i) ? static_cast<float>(i) - 3 : -INFINITY));
        }
    }
    TokenMask mask(70);
    REQUIRE(mask.only() == -1);
    mask.set(69);
    REQUIRE(mask.only() == 69);
    mask.set(0);
    REQUIRE((mask.only() == -1 && mask.count() == 2 && !mask.test(-1) && !mask.test(70)));
    std::vector<float> few(69);
    REQUIRE_THROWS_AS(mask.apply(few), Error);
}

TEST_CASE("without all bytes as tokens, trying everything finds the fewest tokens to the end") {
    Rng rng(4);
    const std::vector<std::string> closers = {"\"}]",      "]]", "}}", "0",     "\":[]}",
                                              "\":\"\"}]", "]",  "}",  "\"",    ":",
                                              "[",         "{",  ",",  "\":0}", "a"};
    const auto trie = std::make_shared<const TokenTrie>(closers, -1);
    const auto recognizer = std::make_shared<JsonRecognizer>(JsonOptions{0, false, false});
    MaskCache masks(recognizer, trie);
    Closing closing(masks);
    int deep = 0;
    for (int text = 0; text < 150; ++text) {
        auto state = recognizer->start();
        for (int step = 0; step < 6; ++step) {
            const int enough = closing.enough(state);
            const int brute = brute_force_minimum(*recognizer, *trie, state, 5);
            // A way that was found before stays known, and may be longer than the shortest.
            if (brute >= 0) REQUIRE(enough >= brute);
            if (brute < 0) REQUIRE(enough > 5);
            REQUIRE(enough < 10);
            REQUIRE((closing.fits(state, enough) && !closing.fits(state, brute - 1)));
            deep += brute >= 2;
            int id = random_token(masks.of(state).mask, rng);
            for (int again = 0;
                 again < 5 && id >= 0 &&
                 recognizer->closing_bytes(read_bytes(*recognizer, state, trie->bytes(id))) < 2;
                 ++again) {
                id = random_token(masks.of(state).mask, rng);
            }
            if (id < 0) break;
            state = read_bytes(*recognizer, state, trie->bytes(id));
        }
    }
    REQUIRE(deep > 20);
}

TEST_CASE("with all bytes as tokens, the bytes to the end are the bound") {
    const auto shared = language(std::make_shared<JsonRecognizer>(), vocabulary_with(json_tokens));
    for (const auto& [text, bytes] :
         {std::pair("", 1), {"{\"a", 4}, {"[[[", 3}, {"[[\"\\u", 7}, {"5", 0}}) {
        const auto state = read_bytes(shared->recognizer(), shared->recognizer().start(), text);
        CHECK(shared->closing().enough(state) == bytes);
        CHECK(shared->closing().fits(state, bytes));
        CHECK_FALSE(shared->closing().fits(state, bytes - 1));
    }
}

TEST_CASE("under a budget the mask is the set of tokens after which a completion still fits") {
    Rng rng(5);
    const auto trie = vocabulary_with(json_tokens);
    const auto shared = language(std::make_shared<JsonRecognizer>(), trie);
    for (int text = 0; text < 60; ++text) {
        GrammarMatcher constraint(shared, 1 + to_int(rng.below(14)));
        while (!constraint.ended() && constraint.remaining() > 0) {
            const TokenMask mask = constraint.mask();
            for (int id = 0; id < trie->vocabulary(); id += 1 + to_int(rng.below(5))) {
                if (id == trie->eos()) continue;
                const auto next =
                    read_bytes(shared->recognizer(), constraint.state(), trie->bytes(id));
                const bool fits = next != Recognizer::dead &&
                                  shared->closing().enough(next) < constraint.remaining();
                REQUIRE(mask.test(id) == fits);
                REQUIRE(constraint.allows(id) == fits);
            }
            REQUIRE(mask.count() > 0);
            constraint.advance(random_token(mask, rng));
        }
        REQUIRE(constraint.complete());
    }
}

TEST_CASE(
    "ten thousand texts by a model that knows nothing are all JSON and end within their budget") {
    Rng rng(6);
    const auto trie = vocabulary_with(json_tokens);
    const auto shared = language(std::make_shared<JsonRecognizer>(), trie);
    int containers = 0;
    for (int i = 0; i < 10000; ++i) {
        const std::string text = random_text(shared, 1 + to_int(rng.below(40)), rng);
        INFO(text);
        // A number too large for a double is JSON; nlohmann-json says so by another kind of
        // exception.
        bool parsed = true;
        try {
            containers += nlohmann::json::parse(text).is_structured();
        } catch (const nlohmann::json::out_of_range&) {
        } catch (const nlohmann::json::parse_error&) {
            parsed = false;
        }
        REQUIRE(parsed);
    }
    REQUIRE(containers > 500);
}

TEST_CASE(
    "what cannot be spelled or does not fit is refused before the first token, with the minimum") {
    const auto json = [](JsonOptions options) { return std::make_shared<JsonRecognizer>(options); };
    const auto digits_only =
        language(json({0, false, true}),
                 std::make_shared<const TokenTrie>(std::vector<std::string>{"1", "2", "{"}, -1));
    REQUIRE_THROWS_WITH(GrammarMatcher(digits_only),
                        Catch::Contains("cannot write") && Catch::Contains("[]"));
    const auto brackets =
        language(json({0, false, true}),
                 std::make_shared<const TokenTrie>(std::vector<std::string>{"[", "]", "1"}, -1));
    REQUIRE_THROWS_WITH(GrammarMatcher(brackets, 1), Catch::Contains("allow 2"));
    REQUIRE_THROWS_WITH(GrammarMatcher(brackets, 0), Catch::Contains("allow 2"));
    REQUIRE_NOTHROW(GrammarMatcher(brackets, 2));
    REQUIRE_THROWS_AS(GrammarMatcher(brackets, -1), UsageError);
    // A vocabulary without a comma, a quote, most bytes: the mask never leads where it
    // cannot get out.
    Rng rng(7);
    const auto poor =
        language(json({0, false, false}),
                 std::make_shared<const TokenTrie>(
                     std::vector<std::string>{"[", "]", "1", "\"", "{", "-", "tru"}, -1));
    GrammarMatcher constraint(poor);
    const TokenMask mask = constraint.mask();
    REQUIRE((mask.test(0) && mask.test(2) && mask.test(3) && !mask.test(4) && mask.test(5) &&
             !mask.test(1) && !mask.test(6)));
}

TEST_CASE("a constraint can be copied and taken back, and refuses what its mask refuses") {
    const auto trie = vocabulary_with(json_tokens);
    const auto shared = language(std::make_shared<JsonRecognizer>(), trie);
    GrammarMatcher constraint(shared, 30);
    constraint.advance('[');
    const TokenMask at_one = constraint.mask();
    GrammarMatcher copy = constraint;
    copy.advance('1');
    copy.advance(']');
    REQUIRE((copy.complete() && !constraint.complete() && constraint.length() == 1 &&
             copy.length() == 3));
    copy.advance(trie->eos());
    REQUIRE((copy.ended() && copy.length() == 3 && copy.mask().count() == 0));
    REQUIRE_THROWS_WITH(copy.advance('1'), Catch::Contains("has ended"));
    copy.rollback(3);
    REQUIRE((!copy.ended() && copy.length() == 1 && copy.mask() == at_one));
    REQUIRE_THROWS_WITH(constraint.advance('}'), Catch::Contains("not allowed"));
    REQUIRE_THROWS_AS(constraint.advance(100000), Error);
    REQUIRE_THROWS_AS(constraint.rollback(2), Error);
}

TEST_CASE("a forced run is appended without asking the model") {
    // Tokens "t", "rue": after t only one token is legal, then only the end.
    const auto trie = std::make_shared<const TokenTrie>(
        std::vector<std::string>{"t", "rue", "f", "alse", "", "n", "u", "l"}, 4);
    const auto shared =
        language(std::make_shared<JsonRecognizer>(JsonOptions{0, false, false}), trie);
    GrammarMatcher constraint(shared, 10);
    int asked = 0;
    std::vector<float> logits(8, 0.0f);
    std::vector<int> seen;
    const auto text = generate_guided(
        [&](std::span<const int>) {
            ++asked;
            return std::span<const float>(logits);
        },
        {}, constraint,
        [](std::span<const float> s, std::span<const int>) { return s[5] > -1 ? 5 : 1; },
        [&](int id) {
            seen.push_back(id);
            return true;
        });
    REQUIRE(text.ids == std::vector<int>{5, 6, 7, 7});
    REQUIRE(seen == text.ids);
    REQUIRE((asked == 1 && text.forward_passes == 1 && text.forced == 3 && text.complete));
}
