// Heads at work on small networks: the same text, the same distribution, and what is refused.
#include "tests/catch.hpp"

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/21_medusa/medusa.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/machine/files.hpp"
#include "tests/api/hostile.hpp"
#include "tests/support/scripted_models.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using namespace tbt::test;
using tbt::test::contains;

namespace {

TransformerConfig config_of(int vocabulary) {
    TransformerConfig config = small_config();
    config.vocab_size = vocabulary;
    return config;
}

Tensor random_tensor(const Shape& shape, std::uint64_t seed) {
    Tensor t(shape);
    Rng rng(seed);
    for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.3);
    return t;
}

// Heads of random weights for a network of random weights, which draft some of its ids.
Heads random_heads(Transformer& gpt, int heads, std::vector<int> drafted) {
    HeadsConfig config{{heads, gpt.config().n_embd, 16}, std::move(drafted), "none", {}};
    std::uint64_t seed = 0;
    return Heads(
        config,
        [&](const std::string&, const Shape& shape) { return random_tensor(shape, ++seed); },
        random_tensor({gpt.config().vocab_size, gpt.config().n_embd}, 99), {1, {}});
}

const TreeShape some_shape = best_tree({{.5, .3, .1}, {.5, .3}, {.4}}, 8);
// Lets heads guess for a request whose states a batch has; what came of it.
std::shared_ptr<GuessCount> guess_by(GenerateRequest& r, Heads& heads, const TreeShape& shape,
                                     CachedBatch& batch, bool adaptive) {
    const auto count = std::make_shared<GuessCount>();
    guess_with<HeadsDraft>(r, drafts_for(batch, heads, shape), tree_size(shape, adaptive), count);
    return count;
}

}  // namespace

TEST_CASE("two trees as one have all branches of both, and nothing twice") {
    const Guesses tree = both_trees(Guesses({7, 8, 9}), Guesses({7, 5, 8, 6}, {-1, -1, 0, 0}));
    CHECK(tree.ids == std::vector<int>{7, 8, 9, 5, 6});
    CHECK(tree.parents == std::vector<int>{-1, 0, 1, -1, 0});
    CHECK(both_trees({}, {}).empty());
    CHECK(both_trees({}, Guesses({4, 4})).parents == std::vector<int>{-1, 0});
    // Of random trees: each branch of one or the other is one of theirs together.
    Rng rng(21);
    const auto random_tree = [&rng] {
        Guesses guesses;
        for (int i = 0, n = to_int(rng.below(9)); i < n; ++i) {
            const int after = to_int(rng.below(static_cast<std::uint64_t>(i + 1))) - 1;
            const int id = to_int(rng.below(3));
            if (!guesses.empty() && guesses.child(after, id) >= 0) continue;
            guesses.ids.push_back(id),
                guesses.parents.push_back(std::min(after, count(guesses.ids) - 2));
        }
        return guesses;
    };
    const auto branches = [](const Guesses& guesses) {
        std::set<std::vector<int>> all;
        for (int i = 0; i < count(guesses.ids); ++i) {
            std::vector<int> branch;
            for (int at = i; at >= 0; at = guesses.parent(at))
                branch.insert(branch.begin(), guesses.ids[index(at)]);
            all.insert(branch);
        }
        return all;
    };
    for (int turn = 0; turn < 500; ++turn) {
        const Guesses a = random_tree(), b = random_tree(), both = both_trees(a, b);
        std::set<std::vector<int>> expected = branches(a);
        expected.merge(branches(b));
        REQUIRE(branches(both) == expected);
        REQUIRE(both.ids.size() == expected.size());
    }
}

TEST_CASE("with heads the text is plain decoding's, whatever they guess") {
    Transformer gpt(small_config(), random_weight, {1});
    std::vector<int> some;
    for (int id = 0; id < 257; id += 3) some.push_back(id);
    Heads heads = random_heads(gpt, 3, some);
    const std::vector<int> prompt = bytes_of("heads");
    long guessed = 0;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        SamplingOptions o;
        o.temperature = seed % 4 == 0 ? 0 : 0.9;
        o.top_p = seed % 3 == 0 ? 0.8 : 1;
        o.repetition_penalty = seed % 2 == 0 ? 1.3 : 1;
        GenerateRequest r = request(22);
        r.chain = full_chain(o, Dialect::ours);
        r.seed = seed, r.samples = 1 + static_cast<int>(seed % 2);
        CachedBatch plain_batch(gpt), batch(gpt);
        const auto plain = ids_of(generate_texts(std::ref(plain_batch), one_byte, prompt, r));
        const auto count = guess_by(r, heads, some_shape, batch, seed % 5 == 0);
        REQUIRE(ids_of(generate_texts(std::ref(batch), one_byte, prompt, r)) == plain);
        guessed += count->guessed;
    }
    CHECK(guessed > 500);
}

TEST_CASE("heads that know the target guess what it draws") {
    // Logits that do not depend on the text: a head that passes on its state is the target.
    TransformerConfig config = small_config();
    Transformer gpt(config,
                    [](const std::string& name, const Shape& shape) {
                        if (name == "wte.weight") return random_tensor(shape, 7);
                        if (name == "ln_f.bias") return random_tensor(shape, 8);
                        return Tensor(shape);  // ln_f.weight too: the state is its bias
                    },
                    {1});
    std::vector<int> all;
    for (int id = 0; id < 257; ++id) all.push_back(id);
    const HeadsConfig of{{3, config.n_embd, 16}, all, "none", {}};
    Heads heads(of, [](const std::string&, const Shape& shape) { return Tensor(shape); },
                random_tensor({257, config.n_embd}, 7), {1, {}});
    GenerateRequest r = request(21);
    r.stop.eos = {};
    CachedBatch batch(gpt);
    int passes = 0;
    const TreeShape chain = best_tree({{.9}, {.9}, {.9}}, 3);
    const auto count = guess_by(r, heads, chain, batch, false);
    const BatchLogits model = [&](std::span<const BatchText> texts) {
        return ++passes, batch(texts);
    };
    const auto ids = generate_texts(model, one_byte, bytes_of("a"), r)[0].ids;
    CHECK(count->right == count->guessed);
    CHECK(passes == 1 + 5);  // the first token, then four a pass
    CHECK(ids.size() == 21);
}

TEST_CASE("by rejection the distribution is the target's, to the last text") {
    // Two guesses have room: side by side, one after the other, or side by side where a later rank
    // is right more often.
    for (const auto& rates : std::vector<std::vector<double>>{{.5, .4}, {.5, .2}, {.5, .3, .4}}) {
        const bool deep = rates[1] < .25;
        const int drafted = deep ? 2 : 3;
        Transformer gpt(config_of(3), random_weight, {1});
        std::vector<int> ids(index(drafted));
        for (int i = 0; i < drafted; ++i) ids[index(i)] = i;
        Heads heads = random_heads(gpt, 2, ids);
        SamplingOptions o;
        o.temperature = 0.8, o.repetition_penalty = 1.4;
        SpeculativeRules rules;
        rules.chain = full_chain(o, Dialect::ours);
        rules.context = 60, rules.max_new_tokens = 4;
        const std::vector<int> prompt = {0, 2, 1};
        const TreeShape shape = best_tree({rates, {.5}}, 3);
        CachedBatch batch(gpt);
        TreeDraft draft{HeadsDraft(heads, shape,
                                   [&](std::span<const int> text) { return batch.state(0, text); }),
                        [&](std::span<const int> text, const Guesses& guesses) {
                            std::vector<int> all(text.begin(), text.end());
                            all.insert(all.end(), guesses.ids.begin(), guesses.ids.end());
                            std::vector<int> parents = {-1};
                            for (const int parent : guesses.parents) parents.push_back(parent + 1);
                            const BatchText asked{0, all, guesses.ids.size() + 1, parents};
                            return batch({&asked, 1});
                        }};
        const LastLogits none;
        std::map<std::vector<int>, double> distribution, plain;
        int rounds_with_guesses = 0;
        std::size_t longest = 0;
        AllOutcomes chance;
        do {
            const std::vector<int> text = speculate(
                none, draft, rules, prompt, DraftLength::fixed(3), chance, [](int) { return true; },
                [&](const Round& round) {
                    rounds_with_guesses += !round.drafted.empty();
                    longest = std::max(longest, round.tokens.size());
                });
            distribution[text] += chance.probability();
        } while (chance.next());
        CHECK(rounds_with_guesses > 0);
        CHECK(longest == (deep ? 3 : 2));  // the guesses, and what the pass gives after them
        AllOutcomes random;
        do {
            std::vector<int> text = prompt;
            Candidates c;
            while (text.size() < prompt.size() + 4) {
                KvCache cache(gpt.config());
                c.reset(gpt.forward(cache, text));
                rules.chain.apply(c, {text, prompt.size()});
                text.push_back(random.draw(c));
            }
            plain[{text.begin() + 3, text.end()}] += random.probability();
        } while (random.next());
        REQUIRE(plain.size() == 81);
        double distance = 0;
        for (const auto& [text, p] : plain) distance += std::abs(p - distribution[text]);
        CHECK(distance <= 1e-12);
    }
}

TEST_CASE("what is drafted may be banned: then nothing is guessed") {
    Transformer gpt(small_config(), random_weight, {1});
    Heads heads = random_heads(gpt, 2, {10, 20});
    const Chain only_a({{"grammar", "", [](Candidates& c, const TextSoFar&) {
                             const std::span<float> row = c.whole_row();
                             for (std::size_t i = 0; i < row.size(); ++i)
                                 if (i != 'a') row[i] = -std::numeric_limits<float>::infinity();
                         }}});
    const std::vector<float> state(index(small_config().n_embd), 0.5f);
    HeadsDraft draft(heads, best_tree({{.5, .2}, {.5}}, 3),
                     [&](std::span<const int>) { return std::span<const float>(state); });
    const std::vector<int> text = bytes_of("xy");
    CHECK(draft.guess(only_a, {text, 1}, Rng(1), 3, 5).empty());
    CHECK(draft.guess(Chain(), {text, 1}, Rng(1), 3, 5).ids.size() == 3);
    CHECK(draft.guess(Chain(), {text, 1}, Rng(1), 3, 1).ids.size() == 2);  // no deeper than room
    CHECK(draft.guess(Chain(), {text, 1}, Rng(1), 0, 5).empty());
    // Where a cut leaves one token only, the others of the tree are the next most probable ones.
    SamplingOptions greedy;
    greedy.temperature = 0;
    CHECK(draft.guess(full_chain(greedy, Dialect::ours), {text, 1}, Rng(1), 3, 5).ids.size() == 3);
    HeadsDraft deaf(heads, best_tree({{.5}}, 1),
                    [](std::span<const int>) { return std::span<const float>(); });
    CHECK(deaf.guess(Chain(), {text, 1}, Rng(1), 1, 5).empty());
}

TEST_CASE("nothing is guessed after what ends a text") {
    Transformer gpt(small_config(), random_weight, {1});
    Heads heads = random_heads(gpt, 2, {10, 20});
    const std::vector<float> state(index(small_config().n_embd), 0.5f);
    HeadsDraft draft(heads, best_tree({{.5, .4}, {.5}}, 4),
                     [&](std::span<const int>) { return std::span<const float>(state); });
    // A chain that is asked for a mask after an end has none.
    const Chain guide({{"grammar", "", [](Candidates&, const TextSoFar& text) {
                            if (text.ids.back() == 20) throw Error("asked after the end");
                        }}});
    const std::vector<int> text = bytes_of("xy");
    const auto ends = [](int id) { return id == 20; };
    const Guesses guesses = draft.guess(guide, {text, 1}, Rng(1), 4, 5, ends);
    CHECK(guesses.ids.size() == 3);  // both after the text, one after 10
    for (const int parent : guesses.parents)
        CHECK((parent < 0 || guesses.ids[index(parent)] == 10));
    AllOutcomes chance;
    do CHECK(draft.draw(guide, {text, 1}, 4, 5, chance, ends).guesses.ids.size() == 3);
    while (chance.next());
    CHECK(draft.guess(Chain(), {text, 1}, Rng(1), 4, 5).ids.size() == 4);
}

TEST_CASE("a tree deeper than the heads, and heads of another model, are refused in one line") {
    Transformer gpt(small_config(), random_weight, {1});
    Heads heads = random_heads(gpt, 2, {1, 2, 3});
    const auto state = [](std::span<const int>) { return std::span<const float>(); };
    CHECK(contains(error_of([&] {
                       HeadsDraft(heads, best_tree({{.5}, {.5}, {.5}}, 3), state);
                   }),
                   "a tree of depth 3, and there are 2 heads"));
    REFUSES(HeadsDraft(heads, some_shape, {}));
    REFUSES(heads.read(2, std::vector<float>(16), std::vector<int>{1}));
    REFUSES(heads.read(0, std::vector<float>(3), std::vector<int>{1}));
    const TemporaryFolder folder;
    make_directory(folder.file("heads"));
    REFUSES(Heads::load(folder.file("none"), "data/models/storyteller"));
    write_heads_config(folder.file("heads"), {{1, 256, 16}, {1, 2}, "0123", {{.5}}});
    const std::string error =
        error_of([&] { Heads::load(folder.file("heads"), "data/models/storyteller"); });
    CHECK(contains(error, "these heads belong to a model with the weights 0123"));
    CHECK(!contains(error, "\n"));
    for (const char* bad : {"{}", "[]", R"({"model_type":"gpt2"})",
                            R"({"model_type":"medusa_heads","heads":0,"channels":1,"inner":1,)"
                            R"("drafted":[1],"target":"x","acceptance":[]})",
                            R"({"model_type":"medusa_heads","heads":1,"channels":1,"inner":1,)"
                            R"("drafted":[2,1],"target":"x","acceptance":[]})",
                            R"({"model_type":"medusa_heads","heads":4294967297,"channels":1,)"
                            R"("inner":1,"drafted":[1],"target":"x","acceptance":[]})",
                            R"({"model_type":"medusa_heads","heads":1,"channels":1,"inner":1,)"
                            R"("drafted":[1e30],"target":"x","acceptance":[]})"}) {
        write_file(folder.file("heads/config.json"), bad);
        CHECK(!error_of([&] { read_heads_config(folder.file("heads")); }).empty());
    }
}
