// The plain mask is the definition: the fast one allows the same tokens, whatever the vocabulary
// and wherever in a JSON text it is asked.
#include "tests/catch.hpp"

#include "chapters/13_json_grammar/plain_mask.hpp"
#include "lib/core/rng.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/grammar/tokens/mask_cache.hpp"

using namespace tbt;

namespace {

constexpr std::string_view letters =
    "{}[]\":, \n0123456789.-+eEtrufalsn\\aDd8\xe2\x82\xac\xf0\x9f\x98\x80";

// Some twins, some tokens that never stand in a text; as few as one.
std::vector<std::string> random_tokens(Rng& rng) {
    std::vector<std::string> tokens(rng.below(6) == 0 ? 1 : 1 + rng.below(120));
    for (std::string& token : tokens) {
        for (std::uint64_t n = rng.below(5); n > 0; --n)
            token += letters[rng.below(letters.size())];
    }
    return tokens;
}

// After a text of so many bytes that the recognizer takes, drawn byte by byte.
Recognizer::State random_state(Recognizer& recognizer, Rng& rng) {
    Recognizer::State state = recognizer.start();
    for (std::uint64_t n = rng.below(30); n > 0; --n) {
        const auto byte = static_cast<unsigned char>(letters[rng.below(letters.size())]);
        const Recognizer::State next = recognizer.next(state, byte);
        if (next != Recognizer::dead) state = next;
    }
    return state;
}

}  // namespace

TEST_CASE("the fast mask is the plain one, for random vocabularies and JSON states") {
    Rng rng(131);
    int masks_seen = 0, legal_tokens = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> tokens = random_tokens(rng);
        const int eos = rng.below(3) == 0 ? -1 : to_int(rng.below(tokens.size()));
        if (eos >= 0) tokens[index(eos)].clear();
        const auto recognizer = std::make_shared<JsonRecognizer>(
            JsonOptions{to_int(rng.below(4)) - 1, rng.below(2) == 0, rng.below(3) == 0});
        MaskCache masks(recognizer, std::make_shared<const TokenTrie>(tokens, eos),
                        rng.below(2) == 0 ? 256 : 2);
        for (int i = 0; i < 20; ++i, ++masks_seen) {
            const Recognizer::State state = random_state(*recognizer, rng);
            const std::vector<bool> plain = plain_mask(*recognizer, state, tokens, eos);
            const TokenMask& fast = masks.of(state).mask;
            REQUIRE(fast.size() == to_int(plain.size()));
            for (int id = 0; id < fast.size(); ++id) REQUIRE(fast.test(id) == plain[index(id)]);
            legal_tokens += fast.count();

            std::vector<float> a(tokens.size());
            for (float& x : a) x = static_cast<float>(rng.normal());
            std::vector<float> b = a;
            fast.apply(a);
            plain_apply(plain, b);
            REQUIRE(a == b);
        }
    }
    REQUIRE(masks_seen == 4000);
    REQUIRE(legal_tokens > 10000);
}
