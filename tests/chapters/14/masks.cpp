// Masks where tokens are decided many at a time (mask_cache.hpp):
// still the set that survives by itself.
#include "tests/catch.hpp"

#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "tests/support/random_grammars.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

// Short words, and now and then one that is longer than any run, over letters,
// a digit and two characters of two bytes.
std::shared_ptr<const TokenTrie> words_of_all_lengths(Rng& rng, int count) {
    static const char* const letters[] = {"a", "b", "c",  "d", "a",        "b",        "c",   "d",
                                          "7", ".", "\"", " ", "\xc3\xa9", "\xc3\xbc", "\xc3"};
    std::vector<std::string> tokens;
    for (int i = 0; i < count; ++i) {
        const bool plain = rng.below(2) == 0;
        std::string token;
        for (std::uint64_t n = i % 12 == 0 ? 15 + rng.below(50) : 1 + rng.below(6); n > 0; --n)
            token += letters[rng.below(plain ? 4 : 15)];
        tokens.push_back(token);
    }
    return vocabulary_with(tokens);
}

// Classes under all kinds of repetitions, mixed with letters, so that runs begin,
// end, widen and narrow.
std::string random_grammar(Rng& rng) {
    static const char* const classes[] = {"[a-d]", "[a-c]",   "[b-d7]", "[^a]",
                                          ".",     "[ab]",    "[^\"]",  "[a-d7.]",
                                          "\"a\"", "\"abc\"", "word",   "\"\\\"\""};
    static const char* const times[] = {"",       "*",      "+",      "?",    "{0,3}", "{2,7}",
                                        "{1,23}", "{1,24}", "{0,25}", "{26}", "{3,40}"};
    const auto part = [&] {
        std::string text = classes[rng.below(12)];
        return text += times[rng.below(11)];
    };
    std::string root = "root ::= ";
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
        const bool group = rng.below(4) == 0;
        if (group) root.append("(").append(part()).append(" | ");
        root.append(part()).append(group ? ") " : " ");
    }
    // Rules of more than sixty nodes are not written out: their abstractions know only a part.
    return root + "\nword ::= [a-c] [a-d7]{0," + std::to_string(rng.below(2) == 0 ? 5 : 70) + "}\n";
}

// Every token is reached once, in the state after it.
void compare_reached(MaskCache& masks, Recognizer::State state) {
    const TokenTrie& trie = masks.trie();
    std::vector<Recognizer::State> after(index(trie.vocabulary()), Recognizer::dead);
    masks.reached().each(state, [&](const TokenReach::Reached& r) {
        bool known = false;
        for (int id = 0; id < trie.vocabulary(); ++id) {
            const int bytes = static_cast<int>(trie.bytes(id).size());
            const bool meant =
                r.words ? r.words->test(id) && r.above < bytes && bytes <= r.bytes : id == r.token;
            if (!meant) continue;
            known = known || id == r.token;
            if (after[index(id)] != Recognizer::dead) FAIL("a token is reached twice");
            after[index(id)] = r.state;
        }
        if (!known) FAIL("the token that stands for others is not one of them");
    });
    for (const auto& [first, twin] : trie.duplicates()) after[index(twin)] = after[index(first)];
    for (int id = 0; id < trie.vocabulary(); ++id) {
        const auto expected = id == trie.eos()
                                  ? Recognizer::dead
                                  : read_bytes(masks.recognizer(), state, trie.bytes(id));
        if (after[index(id)] != expected) FAIL("token " << id << " leads to another state");
    }
}

// Walks random texts and compares each mask, and the states after its tokens,
// with trying every token.
int compare_masks(const std::shared_ptr<Recognizer>& recognizer,
                  const std::shared_ptr<const TokenTrie>& trie, int small, Rng& rng, int texts) {
    MaskCache masks(recognizer, trie, small);
    int compared = 0;
    for (int text = 0; text < texts; ++text) {
        auto state = recognizer->start();
        for (int step = 0; step < 12; ++step) {
            const MaskCache::Entry entry = masks.of(state);
            REQUIRE(entry.mask == brute_force_mask(*recognizer, *trie, state));
            for (int id = 0; id < trie->vocabulary(); ++id) {
                if (id != trie->eos() && entry.mask.test(id) &&
                    masks.to_end(read_bytes(*recognizer, state, trie->bytes(id))) >
                        entry.max_to_end)
                    FAIL("a token leaves more to close than the max_to_end");
            }
            compare_reached(masks, state);
            ++compared;
            const int id = random_token(entry.mask, rng);
            if (id < 0 || id == trie->eos()) break;
            state = read_bytes(*recognizer, state, trie->bytes(id));
        }
    }
    return compared;
}

// Writes random texts with little more than the least budget, and compares each mask with the
// tokens after which the bound still fits.
void compare_under_budgets(const std::shared_ptr<Recognizer>& recognizer,
                           const std::shared_ptr<const TokenTrie>& trie, Rng& rng) {
    const auto shared = language(recognizer, trie);
    const int least = shared->closing().enough(recognizer->start());
    for (int text = 0; text < 12; ++text) {
        GrammarMatcher constraint(shared, least + to_int(rng.below(4)));
        while (!constraint.ended() && constraint.remaining() > 0) {
            const TokenMask mask = constraint.mask();
            for (int id = 0; id < trie->vocabulary(); ++id) {
                if (id == trie->eos()) continue;
                const auto next = read_bytes(*recognizer, constraint.state(), trie->bytes(id));
                const bool fits = !trie->bytes(id).empty() && next != Recognizer::dead &&
                                  shared->closing().enough(next) < constraint.remaining();
                if (mask.test(id) != fits)
                    FAIL("token " << id << " with " << constraint.remaining() << " left");
            }
            const int id = random_token(mask, rng);
            if (id < 0) break;  // the end, without a token for it
            constraint.advance(id);
        }
        REQUIRE(constraint.complete());
    }
}

}  // namespace

TEST_CASE(
    "on random grammars of classes and repetitions, masks made by runs are what trying every token "
    "gives") {
    Rng rng(31);
    int compared = 0;
    for (int i = 0; i < 80; ++i) {
        const auto recognizer = recognizer_of(random_grammar(rng));
        if (recognizer->start() == Recognizer::dead) continue;
        const int small[] = {0, 1, 16};
        compared += compare_masks(recognizer, words_of_all_lengths(rng, 150), small[i % 3], rng, 3);
    }
    REQUIRE(compared > 500);
}

TEST_CASE("JSON's masks made by runs are what trying every token gives") {
    Rng rng(32);
    const auto trie = words_of_all_lengths(rng, 400);
    for (const int blanks : {-1, 0, 1, 30}) {
        REQUIRE(compare_masks(std::make_shared<JsonRecognizer>(JsonOptions{blanks, false, false}),
                              trie, 0, rng, 6) > 6);
    }
}

TEST_CASE("a string of at most n letters takes every token of at most n letters") {
    std::vector<std::string> tokens;
    for (std::size_t length = 2; length <= 60; ++length) tokens.emplace_back(length, 'x');
    tokens.emplace_back("xxx\"");
    const auto trie = vocabulary_with(tokens);
    for (int n = 0; n <= 60; ++n) {
        const auto recognizer =
            recognizer_of("root ::= \"\\\"\" [w-z]{0," + std::to_string(n) + "} \"\\\"\"");
        MaskCache masks(recognizer, trie, 0);
        const auto inside = recognizer->next(recognizer->start(), '"');
        const TokenMask mask = masks.of(inside).mask;
        // The quote, four letters and their strings of x up to n, and xxx".
        REQUIRE(mask.count() == 1 + (n >= 1 ? 4 : 0) + std::max(0, n - 1) + (n >= 3 ? 1 : 0));
        REQUIRE(mask.test(256 + 60 - 1) == (n >= 3));
    }
}

TEST_CASE("under a budget a text takes the words that leave room for its end, and no others") {
    Rng rng(37);
    const auto every_byte = words_of_all_lengths(rng, 600);
    // Of the single bytes six: no table says what fits then, ends are looked for.
    std::vector<std::string> few = {"a", "b", "c", "d", "7", "."};
    for (int id = 256; id < every_byte->eos(); ++id) few.push_back(every_byte->bytes(id));
    const auto six_bytes = std::make_shared<const TokenTrie>(few, -1);
    // Short words leave more to write in the first, long ones in the second. Ten letters make runs.
    for (const char* grammar :
         {R"(root ::= [a-j]{30} "7")", R"(root ::= [a-j]{0,4} "7" | [a-j]{5,40} "7.7.7.7.7.7.")"}) {
        const auto recognizer = recognizer_of(grammar);
        compare_under_budgets(recognizer, every_byte, rng);
        compare_under_budgets(recognizer, six_bytes, rng);
    }
}

TEST_CASE(
    "a step that was found for one byte is remembered for those, and only those, that take the "
    "same edges") {
    Rng rng(33);
    for (int i = 0; i < 30; ++i) {
        const std::string grammar = random_grammar(rng);
        GrammarRecognizer used(compile_gbnf(grammar));
        if (used.start() == Recognizer::dead) continue;
        std::string text;
        auto state = used.start();
        for (int step = 0; step < 4; ++step) {
            std::vector<int> alive;
            for (int k = 0; k < 256; ++k) used.next(state, static_cast<unsigned char>(77 * k + i));
            for (int byte = to_int(rng.below(6)); byte < 256; byte += 1 + to_int(rng.below(11))) {
                GrammarRecognizer fresh(compile_gbnf(grammar));
                const auto b = static_cast<unsigned char>(byte);
                const auto expected = fresh.next(read_bytes(fresh, fresh.start(), text), b),
                           got = used.next(state, b);
                REQUIRE((got == Recognizer::dead) == (expected == Recognizer::dead));
                if (got == Recognizer::dead) continue;
                REQUIRE(used.accepts(got) == fresh.accepts(expected));
                REQUIRE(used.closing_bytes(got) == fresh.closing_bytes(expected));
                REQUIRE(used.derivations(got) == fresh.derivations(expected));
                alive.push_back(byte);
            }
            if (alive.empty()) break;
            text += static_cast<char>(alive[rng.below(alive.size())]);
            state = used.next(state, static_cast<unsigned char>(text.back()));
        }
    }
}

TEST_CASE("a token of sixty thousand bytes is decided without recursing") {
    std::vector<std::string> tokens;
    for (std::size_t length = 1000; length < 60000; length += 1000) {
        tokens.emplace_back(length, 'a');
        tokens.back() += 'b';
    }
    const auto trie = vocabulary_with(tokens);
    const auto recognizer = recognizer_of("root ::= (\"aa\" | \"ab\")* \"b\"");
    MaskCache masks(recognizer, trie, 0);
    REQUIRE(masks.of(recognizer->start()).mask ==
            brute_force_mask(*recognizer, *trie, recognizer->start()));
}
