// The bound in tokens of the end of a text: never below the fewest tokens, never above the bytes,
// and one token along its own way it is one less.
#include "tests/catch.hpp"

#include "lib/grammar/tokens/token_bound.hpp"
#include "tests/support/bound.hpp"
#include "tests/support/random_grammars.hpp"

using namespace tbt;
using namespace tbt::testing;

TEST_CASE("the bound in tokens keeps its promise under grammars drawn at random") {
    Rng rng(181);
    int looked_at = 0;
    for (int i = 0; i < 150; ++i) {
        const auto recognizer = random_recognizer(rng);
        if (recognizer == nullptr) continue;
        looked_at += keep_the_bound(recognizer, random_vocabulary(rng, "abc", 40), rng, 4);
    }
    CHECK(looked_at > 1000);
}

TEST_CASE("the bound is never below what trying everything finds") {
    Rng rng(185);
    int states = 0, above = 0;
    for (int i = 0; i < 150; ++i) {
        const auto recognizer = random_recognizer(rng);
        if (recognizer == nullptr) continue;
        const Compared c =
            compare_with_fewest(recognizer, random_vocabulary(rng, "abc", 40), rng, 4, 300);
        states += c.states, above += c.above;
    }
    CHECK(states > 1000);
    CHECK(above > 100);  // it is a bound
}

TEST_CASE("the bound keeps its promise where any of many bytes leads on for long") {
    Rng rng(187);
    int looked_at = 0, above = 0;
    for (int i = 0; i < 60; ++i) {
        std::string grammar = "root ::=";
        for (std::uint64_t parts = 1 + rng.below(4); parts > 0; --parts) {
            const char* const classes[] = {"[a-j]", "[a-p]", ".", "[^a]", "[0-9a-c]", "\"b\"", "r"};
            const std::uint64_t least = rng.below(25);
            grammar += std::string(" ") + classes[rng.below(std::size(classes))] + "{" +
                       std::to_string(least) + "," + std::to_string(least + rng.below(3)) + "}";
        }
        const auto recognizer = recognizer_of(grammar + "\nr ::= [a-k]{18} | \"cab\" r \"b\"\n");
        const auto trie = random_vocabulary(rng, "abcabc0j", 40);
        INFO(grammar);
        looked_at += keep_the_bound(recognizer, trie, rng, 4);
        above += compare_with_fewest(recognizer, trie, rng, 2, 300).above;
    }
    CHECK(looked_at > 1000);
    CHECK(above > 0);
}

TEST_CASE("the bound cuts a shortest way into the fewest tokens, from call to call") {
    const auto bound = [](const std::string& grammar, const std::vector<std::string>& tokens) {
        const auto recognizer = recognizer_of(grammar);
        const auto trie = vocabulary_with(tokens);
        return TokenBound(*recognizer, *trie).of(recognizer->start());
    };
    // Long tokens first would be abc, d, e.
    CHECK(bound(R"(root ::= "abcde")", {"ab", "abc", "cde"}) == 2);
    // A rule's end ends a token, though "cde" would do.
    CHECK(bound("root ::= \"ab\" r \"e\"\nr ::= \"cd\" | \"x\" r \"y\"", {"ab", "cd", "cde"}) == 3);
    // … and what is called counts as it does by itself.
    CHECK(bound("root ::= \"ab\" r \"e\"\nr ::= \"cdcd\" | \"x\" r \"y\"", {"ab", "cd"}) == 4);
    CHECK(bound(R"(root ::= "abc")", {}) == 3);
    // Any of many bytes, for long: those of the longest token, over and over, as it ends there.
    const std::vector<std::string> words = {"hi", "helloworlds", "2026", "wider than all"};
    CHECK(bound("root ::= [a-z]{100} \"!\"", words) == 1 + 9 + 1);
    CHECK(bound("root ::= [a-z]{34} [0-9]{21}", words) == 1 + 3 + 1 + 5);
    CHECK(bound("root ::= \"=\" .{800}", {"wider than all"}) == 1 + 2 + 57);
    CHECK(bound("root ::= [f-n]{100}", words) == 100);  // nine are not many
    CHECK(bound("root ::= r r | \"abcde\"\nr ::= \"\" | \"a\"", {}) == 0);
    CHECK(bound("root ::= r r \"ab\" | \"abc\"\nr ::= \"\" | \"x\"", {"ab"}) == 1);
    CHECK(bound("root ::= \"(\" root \")\" | \"x\" r\nr ::= \"y\" r | \"z\"", {"xz"}) == 2);
}

TEST_CASE("what is enough is the bound where no tokens cross from rule to rule") {
    const auto shared =
        language(recognizer_of(R"(root ::= "ab" [0-9] "cd")"), vocabulary_with({"ab"}));
    CHECK(shared->closing().enough(shared->recognizer().start()) == 4);
}

TEST_CASE("the bound follows rules that call each other ten thousand deep") {
    std::string grammar;
    for (int i = 0; i < 10000; ++i) {
        grammar += i == 0 ? "root" : "r" + std::to_string(i);
        grammar += " ::= \"a\" r" + std::to_string(i + 1) + "\n";
    }
    grammar += "r10000 ::= \"bcd\"\n";
    const auto recognizer = recognizer_of(grammar);
    const auto trie = vocabulary_with({"aa", "bcd"});
    const int bound = TokenBound(*recognizer, *trie).of(recognizer->start());
    CHECK(bound >= 5001);
    CHECK(bound <= 10001);
}
