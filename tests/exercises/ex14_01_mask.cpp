// Exercise 14_01: the mask over tokens, by trial.
#include "14_01_mask.hpp"
#include "chapters/13_json_grammar/plain_mask.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex14_01;

namespace {

using Tokens = std::vector<std::string>;
using Row = std::vector<float>;
constexpr float gone = -INFINITY;

// Texts of the form ab, abab, … and the empty one. State: is an a due (0) or a b (1)? Asked about
// dead it complains.
struct Pairs : Recognizer {
    State start() override { return 0; }
    State next(State state, unsigned char byte) override {
        if (state == dead) throw Error("the recognizer was asked about dead");
        if (state == 0 && byte == 'a') return 1;
        if (state == 1 && byte == 'b') return 0;
        if (state == 0 && byte >= 0x80) return 2;  // after such a byte nothing follows or ends
        return dead;
    }
    bool accepts(State state) const override { return state == 0; }
    int closing_bytes(State) const override { return 0; }
    State abstraction(State state) override { return state; }
    bool escaped(State) const override { return false; }
};

void check(Recognizer::State now, const Tokens& tokens, int eos, const Row& s, const Row& expected,
           const std::string& think) {
    const auto masked = [&] {
        Pairs recognizer;
        Row got = s;
        mask_by_trial(recognizer, now, tokens, eos, got);
        return got;
    };
    same(masked, expected,
         "tokens " + exercise_check::shown(tokens) + ", eos " + std::to_string(eos) + ", " +
             (now == 0 ? "an a is due" : "a b is due"),
         think);
}

}  // namespace

TEST_CASE("every byte of a token must be possible", "[ex14_01]") {
    const Tokens tokens{"a", "b", "ab", "ba", "aba", "aa", "abb"};
    check(0, tokens, -1, {1, 2, 3, 4, 5, 6, 7}, {1, gone, 3, gone, 5, gone, gone}, "an a is due");
    check(1, tokens, -1, {1, 2, 3, 4, 5, 6, 7}, {gone, 2, gone, 4, gone, gone, gone}, "a b is due");
}

TEST_CASE("each trial begins where the text is", "[ex14_01]") {
    check(0, {"a", "a", "ab", "a"}, -1, {1, 1, 1, 1}, {1, 1, 1, 1}, "a trial leaves no trace");
}

TEST_CASE("the end of the text where the text may end", "[ex14_01]") {
    check(0, {"a", "<end>"}, 1, {1, 2}, {1, 2}, "it may end here, whatever the token's bytes are");
    check(1, {"b", "<end>"}, 1, {1, 2}, {1, gone}, "it may not end here");
    check(0, {"a", ""}, 1, {1, 2}, {1, 2}, "it may have no bytes");
    check(1, {"b", "b"}, 1, {1, 2}, {1, gone}, "its bytes don't count");
    check(0, {"ab", "x"}, 0, {1, 2}, {1, gone}, "the state before the token counts");
}

TEST_CASE("a token without bytes is never legal", "[ex14_01]") {
    check(0, {"", "a", ""}, -1, {1, 2, 3}, {gone, 2, gone}, "it stands for no text");
    check(0, {"", "a", ""}, 2, {1, 2, 3}, {gone, 2, 3}, "but for the end of the text");
}

TEST_CASE("logits of legal tokens stay as they are", "[ex14_01]") {
    check(0, {"a", "ab", "b"}, -1, {-7, gone, 1e30f}, {-7, gone, gone}, "also −∞");
}

TEST_CASE("bytes from 0x80 on are positive", "[ex14_01]") {
    check(0, {"\xC3", "a"}, -1, {1, 2}, {1, 2}, "a char may be negative");
}

TEST_CASE("a dead end is an error", "[ex14_01]") {
    Pairs recognizer;
    Row s{1, 2};
    CHECK_THROWS_AS(mask_by_trial(recognizer, 1, {"a", ""}, -1, s), Error);
    Row t{1, 2};
    CHECK_THROWS_AS(mask_by_trial(recognizer, 1, {"a", "<end>"}, 1, t), Error);
    INFO("an a is due, tokens \"a\" \"b\"; the logit of a is −∞ already");
    THINK("a is legal, so this is no dead end");
    Row s_after{gone, 2};
    mask_by_trial(recognizer, 0, {"a", "b"}, -1, s_after);
    CHECK(s_after == Row{gone, gone});
}

TEST_CASE("random tokens of JSON: the same as the chapter's", "[ex14_01]") {
    JsonRecognizer recognizer(JsonOptions{});
    Rng rng(141);
    const std::string bytes = "{}[]\":,1e-. tru\\";
    for (int round = 0; round < 2000; ++round) {
        Recognizer::State now = recognizer.start();
        for (std::size_t i = rng.below(9); i > 0; --i) {  // some way into a text
            const Recognizer::State more =
                recognizer.next(now, static_cast<unsigned char>(bytes[rng.below(bytes.size())]));
            if (more != Recognizer::dead) now = more;
        }
        Tokens tokens(1 + rng.below(12));
        Row s;
        std::string given;
        for (std::string& token : tokens) {
            for (std::size_t i = rng.below(4); i > 0; --i) token += bytes[rng.below(bytes.size())];
            s.push_back(float(rng.normal()));
            given += "'" + token + "' ";
        }
        const int eos = int(rng.below(tokens.size() + 1)) - 1;
        const std::vector<bool> legal = plain_mask(recognizer, now, tokens, eos);
        Row expected = s;
        plain_apply(legal, expected);
        INFO("tokens " << given << ", eos " << eos);
        if (std::count(legal.begin(), legal.end(), true) == 0) {
            CHECK_THROWS_AS(mask_by_trial(recognizer, now, tokens, eos, s), Error);
            continue;
        }
        mask_by_trial(recognizer, now, tokens, eos, s);
        same(s, expected, given, "every byte, from where the text is");
    }
}
