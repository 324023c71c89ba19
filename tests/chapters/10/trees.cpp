// Guesses that branch: the same texts as without guesses, in fewer passes, with the states of the
// branch that was taken.
#include "tests/catch.hpp"

#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

// Some tree after a text that is known to go on with `truth`: up to `right` tokens of it are
// there, among others that are wrong.
Guesses some_tree(std::span<const int> truth, int right, int room, Rng& rng) {
    Guesses g;
    std::vector<int> depth;
    int trunk = -1;
    for (int n = 0; n < 9; ++n) {
        const bool true_one = n % 2 == 1 && right > 0 && depth.size() > 0;
        int parent = true_one ? trunk : to_int(rng.below(g.ids.size() + 1)) - 1;
        const int at = parent < 0 ? 0 : depth[index(parent)] + 1;
        if (at >= room || index(at) >= truth.size()) continue;
        const int id = true_one ? truth[index(at)] : to_int(rng.below(256));
        if (g.child(parent, id) >= 0) continue;
        g.ids.push_back(id), g.parents.push_back(parent), depth.push_back(at);
        if (true_one) trunk = count(g.ids) - 1, --right;
    }
    return g;
}

GenerateRequest drawn_request() {
    SamplingOptions o;
    o.temperature = 0.9, o.top_p = 0.95, o.repetition_penalty = 1.2;
    GenerateRequest r = request(25);
    r.chain = full_chain(o, Dialect::ours);
    return r;
}

}  // namespace

TEST_CASE("guesses that branch stay along the branch that is drawn, and change nothing") {
    Transformer gpt(small_config(), random_weight, {1});
    const std::vector<int> prompt = bytes_of("a tree");
    int of_all = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        GenerateRequest r = drawn_request();
        r.seed = seed, r.samples = 1 + static_cast<int>(seed % 3);
        CachedBatch plain_batch(gpt);
        const auto plain = generate_texts(std::ref(plain_batch), one_byte, prompt, r);
        Rng rng(seed);
        CachedBatch batch(gpt);
        int right = 0, passes = 0;
        r.foresight.guess = [&](std::size_t i, const TextSoFar& text, const Rng&, int room) {
            const auto done = text.generated().size();
            if (rng.below(4) == 0) return Guesses{};
            return some_tree(std::span(plain[i].ids).subspan(done), to_int(rng.below(4)), room,
                             rng);
        };
        r.foresight.judged = [&](std::size_t, int, int good) { right += good; };
        const BatchLogits model = [&](std::span<const BatchText> texts) {
            return ++passes, batch(texts);
        };
        const auto texts = generate_texts(model, one_byte, prompt, r);
        REQUIRE(ids_of(texts) == ids_of(plain));
        of_all += right;
        if (r.samples == 1) CHECK(passes + right == count(texts[0].ids));
        // A model without a cache answers the same.
        CachedModel slow(gpt);
        REQUIRE(ids_of(generate_texts(one_at_a_time(std::ref(slow)), one_byte, prompt, r)) ==
                ids_of(plain));
    }
    CHECK(of_all > 200);
}

TEST_CASE("a slot tells the state after what it has read last, on any branch") {
    Transformer gpt(small_config(), random_weight, {1});
    const std::vector<int> text = bytes_of("abcd");
    const std::vector<int> tokens = {'d', 'x', 'y', 'x', 'z'}, parents = {-1, 0, 0, 2, 3};
    std::vector<int> asked = bytes_of("abc");
    asked.insert(asked.end(), tokens.begin(), tokens.end());
    const auto expected = [&](const std::vector<int>& ids) {
        KvCache cache(gpt.config());
        const Logits logits = gpt.forward_all(cache, ids);
        const auto c = index(gpt.config().n_embd);
        return std::vector<float>(logits.states.end() - to_int(c), logits.states.end());
    };
    for (const std::vector<int>& branch :
         {std::vector<int>{}, {'x'}, {'y'}, {'y', 'x'}, {'y', 'x', 'z'}}) {
        CachedBatch batch(gpt);
        const BatchText tree{0, asked, tokens.size(), parents};
        batch({&tree, 1});
        std::vector<int> ids = text;
        ids.insert(ids.end(), branch.begin(), branch.end());
        const auto state = batch.state(0, ids);
        REQUIRE(std::vector<float>(state.begin(), state.end()) == expected(ids));
        CHECK(batch.state(0, bytes_of("abq")).empty());
        CHECK(batch.state(0, bytes_of("abc")).empty());  // read before the last pass
        CHECK(batch.state(7, ids).empty());
        CHECK(batch.state(0, {}).empty());
        // And the text goes on as if it had been read in order.
        ids.push_back('!');
        const BatchText next{0, ids};
        const long before = batch.computed();
        const auto row = batch({&next, 1})[0];
        CHECK(batch.computed() == before + 1);
        KvCache fresh(gpt.config());
        const auto logits = gpt.forward(fresh, ids);
        CHECK(std::equal(row.begin(), row.end(), logits.begin(), logits.end()));
    }
}

TEST_CASE("a tree whose text goes on elsewhere leaves no trace") {
    Transformer gpt(small_config(), random_weight, {1});
    const std::vector<int> parents = {-1, 0};
    for (const char* other : {"abq", "a", "abcz", "zzzzz", "abcd"}) {
        CachedBatch batch(gpt);
        std::vector<int> ids = bytes_of("abcxy");
        const BatchText tree{0, ids, 2, parents};
        batch({&tree, 1});
        const std::vector<int> text = bytes_of(other);
        const BatchText next{0, text};
        const auto row = batch({&next, 1})[0];
        KvCache fresh(gpt.config());
        const auto logits = gpt.forward(fresh, text);
        CHECK(std::equal(row.begin(), row.end(), logits.begin(), logits.end()));
    }
    CachedBatch batch(gpt);
    const std::vector<int> ids = bytes_of("abc");
    const BatchText wrong{0, ids, 3, parents};
    CHECK_THROWS_AS(batch({&wrong, 1}), Error);
}
