
#include "chapters/03_temperature/plain_temperature.hpp"
#include "chapters/18_transformer/load_plain.hpp"
#include "chapters/18_transformer/patterns.hpp"
#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "tests/catch.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// The plain logits of every position against the library's: how many differ in any bit.
long differing_logits(const PlainGpt& plain, Transformer& fast, const std::vector<int>& ids) {
    const Rows x = plain.forward(ids);
    KvCache cache(fast.config());
    const Logits logits = fast.forward_all(cache, ids);
    long different = 0;
    for (std::size_t t = 0; t < ids.size(); ++t) {
        const Row s = plain.logits(x[t]);
        const std::span<const float> row = logits.row(static_cast<std::int64_t>(t));
        for (std::size_t v = 0; v < s.size(); ++v) different += !same_bits(s[v], row[v]);
    }
    return different;
}

float half(float x) { return from_f16(to_f16(x)); }

}  // namespace

TEST_CASE("the plain forward pass gives the library's logits, bit for bit, on whole texts") {
    for (const char* name : {"storyteller", "sketch"}) {
        const std::string directory = shipped_model(name).string();
        const PlainGpt plain = load_plain_gpt(directory);
        Model model = load_model(directory);
        for (const char* text : {"Once upon a time, there was a baker who lived by the sea. One "
                                 "day, she lost her key.",
                                 "The weather today is", "{\"name\": \"Ada\", \"age\": 31}", "x"}) {
            INFO(name << ": " << text);
            REQUIRE(differing_logits(plain, model.transformer, encode_prompt(model, text)) == 0);
        }
        std::vector<int> all;  // the whole context
        Rng rng(7);
        for (int t = 0; t < model.config().n_positions; ++t)
            all.push_back(to_int(rng.below(static_cast<std::uint32_t>(model.config().vocab_size))));
        REQUIRE(differing_logits(plain, model.transformer, all) == 0);
    }
}

TEST_CASE("with rounded keys and values it gives the logits of --cache f16, bit for bit") {
    const std::string directory = shipped_model("storyteller").string();
    PlainGpt plain = load_plain_gpt(directory);
    Transformer fast = load_transformer(directory, {1, {}, WeightType::f16});
    std::vector<int> ids;
    Rng rng(9);
    for (int t = 0; t < 200; ++t) ids.push_back(to_int(rng.below(4000)));
    REQUIRE(differing_logits(plain, fast, ids) > 0);
    plain.kept = half;
    REQUIRE(differing_logits(plain, fast, ids) == 0);
}

TEST_CASE(
    "odd sizes too: heads of 3 channels, rows that fill no register, more than a block of inputs") {
    for (const auto& [channels, heads, inner, vocab] :
         {std::array{6, 2, 10, 300}, std::array{33, 3, 50, 257}, std::array{48, 4, 1500, 259}}) {
        TransformerConfig config = gpt_config(2, heads, channels, 150, vocab);
        config.n_inner = inner;
        const test::TemporaryFolder directory;
        write_random_model(directory.path(), config, {3, WeightType::f32});
        PlainGpt plain = load_plain_gpt(directory.path());
        Transformer fast = load_transformer(directory.path());
        std::vector<int> ids;
        Rng rng(5);
        for (int t = 0; t < 150; ++t)
            ids.push_back(to_int(rng.below(static_cast<std::uint32_t>(vocab))));
        INFO(channels << " channels");
        REQUIRE(differing_logits(plain, fast, ids) == 0);
        Transformer narrow = load_transformer(directory.path(), {2, {}, WeightType::f16});
        plain.kept = half;
        REQUIRE(differing_logits(plain, narrow, ids) == 0);
    }
}

TEST_CASE("the recorded scores, after softmax, are the recorded attention weights") {
    const PlainGpt plain = load_plain_gpt(shipped_model("sketch").string());
    Inside inside;
    plain.forward({5, 80, 300, 80, 9}, &inside);
    for (std::size_t layer = 0; layer < plain.layers; ++layer)
        for (std::size_t head = 0; head < plain.heads; ++head)
            for (std::size_t t = 0; t < 5; ++t) {
                const std::vector<double> w = softmax_at(inside.scores[layer][head][t], 1);
                REQUIRE(w.size() == t + 1);
                for (std::size_t u = 0; u <= t; ++u)
                    CHECK(std::abs(w[u] - static_cast<double>(
                                              inside.attention[layer][head][t][u])) < 1e-6);
            }
}

TEST_CASE("a pass shows its attention: shares of what came before, adding up to one") {
    const PlainGpt plain = load_plain_gpt(shipped_model("sketch").string());
    Inside inside;
    const Rows x = plain.forward({5, 300, 17, 5, 300}, &inside);
    REQUIRE(inside.attention.size() == plain.layers);
    REQUIRE(inside.residual.size() == plain.layers + 1);
    REQUIRE(inside.residual.back() == x);
    for (const auto& heads : inside.attention) {
        REQUIRE(heads.size() == plain.heads);
        for (const Rows& rows : heads)
            for (std::size_t t = 0; t < rows.size(); ++t) {
                REQUIRE(rows[t].size() == t + 1);
                double sum = 0;
                for (const float share : rows[t]) {
                    REQUIRE(share >= 0);
                    sum += static_cast<double>(share);
                }
                // At most 5 shares, each rounded twice at 2^-24.
                REQUIRE(std::abs(sum - 1) <= 10 * 0x1p-24);
            }
    }
}

TEST_CASE("what a head of the fast model looks at are the plain one's shares, bit for bit") {
    const std::string directory = shipped_model("sketch").string();
    const PlainGpt plain = load_plain_gpt(directory);
    const std::vector<int> ids{5, 300, 17, 5, 300, 9, 41};
    Inside inside;
    plain.forward(ids, &inside);
    for (const int threads : {1, 3}) {
        Transformer gpt = load_transformer(directory, {threads});
        for (const auto& [layer, head] : {std::pair{0, 0}, {1, 2}}) {
            const Rows& wanted = inside.attention[index(layer)][index(head)];
            AttentionWatch watch{layer, head};
            gpt.watch(&watch);
            KvCache cache(gpt.config());
            gpt.forward(cache, ids);
            REQUIRE(watch.rows == wanted);  // all at once
            KvCache other(gpt.config());
            gpt.forward(other, std::span(ids).first(5));
            gpt.forward(other, std::span(ids).last(2));  // the last two after a cache
            REQUIRE(watch.rows == Rows{wanted[5], wanted[6]});
        }
        gpt.watch(nullptr);
        AttentionWatch none{2, 0};
        REQUIRE_THROWS_WITH(gpt.watch(&none),
                            "attention: there is no head 0 in layer 2; layers go from 0 to 1, "
                            "heads from 0 to 3");
    }
}

TEST_CASE("a head that is cut out changes its layer and what follows, and nothing before") {
    const PlainGpt plain = load_plain_gpt(shipped_model("sketch").string());
    const std::vector<int> ids{5, 300, 17, 5, 300};
    Inside whole, cut;
    cut.cut_layer = 1, cut.cut_head = 2;
    plain.forward(ids, &whole);
    plain.forward(ids, &cut);
    REQUIRE(whole.residual[1] == cut.residual[1]);
    REQUIRE(whole.residual[2] != cut.residual[2]);
}

TEST_CASE("the plain model refuses what it cannot read, in one line") {
    const PlainGpt plain = load_plain_gpt(shipped_model("sketch").string());
    REQUIRE_THROWS_AS(plain.forward({}), Error);
    REQUIRE_THROWS_AS(plain.forward({-1}), Error);
    REQUIRE_THROWS_AS(plain.forward({static_cast<int>(plain.vocab_size)}), Error);
    REQUIRE_THROWS_AS(plain.forward(std::vector<int>(plain.positions + 1, 1)), Error);
}

TEST_CASE("the head that follows a pattern most, its share, and where that is seen best") {
    const std::string directory = shipped_model("sketch").string();
    const PlainGpt plain = load_plain_gpt(directory);
    const BytePairTokenizer tokenizer = BytePairTokenizer::load(directory);
    std::vector<std::vector<int>> texts;
    std::vector<Inside> inside(head_texts().size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
        texts.push_back(tokenizer.encode(head_texts()[i]));
        plain.forward(texts[i], &inside[i]);
    }
    // Does the pattern name u for the token at t?
    using Names = bool (*)(const std::vector<int>& ids, std::size_t t, std::size_t u);
    const std::vector<std::pair<std::string, Names>> patterns = {
        {"the token before",
         [](const std::vector<int>&, std::size_t t, std::size_t u) { return u + 1 == t; }},
        {"the same token, earlier", [](const std::vector<int>& ids, std::size_t t,
                                       std::size_t u) { return ids[u] == ids[t]; }},
        {"what followed the same token",
         [](const std::vector<int>& ids, std::size_t t, std::size_t u) {
             return u > 0 && ids[u - 1] == ids[t];
         }},
        {"the first token of the text",
         [](const std::vector<int>&, std::size_t, std::size_t u) { return u == 0; }}};
    const std::vector<HeadPattern> found = strongest_heads(plain, tokenizer);
    REQUIRE(found.size() == patterns.size() + 1);
    for (const auto& [name, names] : patterns) {
        INFO(name);
        const auto p = std::ranges::find(found, name, &HeadPattern::name);
        REQUIRE(p != found.end());
        double best = -1, all = 0;
        for (std::size_t layer = 0; layer < plain.layers; ++layer)
            for (std::size_t head = 0; head < plain.heads; ++head) {
                double sum = 0, seen_best = -1;
                std::size_t counted = 0, text = 0, from = 0;
                for (std::size_t i = 0; i < texts.size(); ++i) {
                    const Rows& shares = inside[i].attention[layer][head];
                    const std::size_t T = texts[i].size();
                    std::vector<std::vector<double>> share(T, std::vector<double>(T));
                    for (std::size_t t = 0; t < T; ++t) {
                        bool any = false;
                        for (std::size_t u = 0; u < t; ++u)
                            if (names(texts[i], t, u))
                                any = true, sum += share[t][u] = static_cast<double>(shares[t][u]);
                        counted += any;
                    }
                    for (std::size_t first = 0; first == 0 || first + 24 <= T; ++first) {
                        double seen = 0;
                        for (std::size_t t = first; t < std::min(T, first + 24); ++t)
                            for (std::size_t u = first; u < t; ++u) seen += share[t][u];
                        if (seen > seen_best) seen_best = seen, text = i, from = first;
                    }
                }
                const double part = sum / static_cast<double>(counted);
                all += part;
                if (part <= best) continue;
                best = part;
                if (p->layer != layer || p->head != head) continue;
                CHECK(p->text == text);
                CHECK(p->first == from);
            }
        CHECK(p->share == Approx(best));
        CHECK(p->mean == Approx(all / static_cast<double>(plain.layers * plain.heads)));
    }
}
