// Training heads: their scores, by heads at work, and their gradient, by differences.
#include "tests/catch.hpp"

#include "chapters/21_medusa/heads.hpp"
#include "chapters/21_medusa/tools/head_trainer.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/model/kv_cache.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

constexpr int C = 32, V = 40, K = 3;
constexpr std::int64_t T = 14, M = T - 1 - K;

Tensor noise(const std::string& name, const Shape& shape) {
    Rng rng(5, name.size() * 100 + static_cast<std::uint64_t>(name[name.size() / 2]));
    Tensor t(shape);
    for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.3);
    return t;
}

// A target with random weights, heads with random parameters, two texts.
struct Trained {
    Transformer target{gpt_config(1, 2, C, 64, V), noise, {1}};
    Tensor embedding = noise("transformer.wte.weight", {V, C});
    std::vector<int> drafted;
    HeadTrainer trainer;
    std::vector<HeadTrainer::Text> texts;

    static std::vector<int> every_third() {
        std::vector<int> ids;
        for (int id = 0; id < V; id += 3) ids.push_back(id);
        return ids;
    }
    explicit Trained(int parts = 1, int threads = 1)
        : drafted(every_third()),
          trainer(target, embedding, {K, C, 16}, drafted, 3, parts, threads) {
        Rng rng(8);
        for (float& w : trainer.parameters()) w += static_cast<float>(rng.normal() * 0.2);
        trainer.parameters_changed();
        for (int b = 0; b < 3; ++b) {
            std::vector<std::int32_t> ids;
            for (int t = 0; t < T; ++t) ids.push_back(static_cast<std::int32_t>(rng.below(V)));
            texts.push_back(trainer.read(ids));
        }
    }
    std::vector<const HeadTrainer::Text*> all() const {
        std::vector<const HeadTrainer::Text*> pointers;
        for (const HeadTrainer::Text& text : texts) pointers.push_back(&text);
        return pointers;
    }
};

}  // namespace

TEST_CASE("a trainer scores its heads as they do at work, exported") {
    Trained t;
    const std::vector<float> exported = t.trainer.exported();
    const HeadsConfig config{{K, C, 16}, t.drafted, "", {}};
    Heads heads(config,
                [&](const std::string& name, const Shape& shape) {
                    const train::ParameterInfo& info = t.trainer.layout()[name];
                    REQUIRE(info.shape == shape);
                    Tensor w(shape);
                    std::copy_n(exported.begin() + info.offset, info.size, w.data());
                    return w;
                },
                t.embedding, {1, {}});
    double loss = 0;
    std::vector<double> overlap(K), agree(K);
    for (const HeadTrainer::Text& text : t.texts) {
        const std::vector<int> ids(text.ids.begin(), text.ids.end());
        KvCache cache(t.target.config());
        const Logits logits = t.target.forward_all(cache, ids);
        // The target's distribution after each token, of what is drafted.
        std::vector<std::vector<double>> p;
        for (std::int64_t at = 0; at < T; ++at) {
            double sum = 0;
            for (const float s : logits.row(at)) sum += std::exp(static_cast<double>(s));
            p.emplace_back();
            for (const int id : t.drafted)
                p.back().push_back(std::exp(static_cast<double>(logits.row(at)[index(id)])) / sum);
        }
        std::vector<float> states(logits.states.begin(), logits.states.begin() + M * C);
        for (int k = 0; k < K; ++k) {
            const std::vector<int> next(ids.begin() + k + 1, ids.begin() + k + 1 + M);
            const Heads::Answer answer = heads.read(k, states, next);
            states.assign(answer.states.begin(), answer.states.end());
            for (std::int64_t m = 0; m < M; ++m) {
                const auto row =
                    answer.logits.subspan(index(m) * t.drafted.size(), t.drafted.size());
                double sum = 0;
                for (const float s : row) sum += std::exp(static_cast<double>(s));
                const std::vector<double>& target = p[index(m + k + 1)];
                for (std::size_t i = 0; i < row.size(); ++i) {
                    const double q = std::exp(static_cast<double>(row[i])) / sum;
                    if (target[i] > 1e-4) loss -= target[i] * std::log(q);
                    overlap[index(k)] += std::min(target[i], q);
                }
                agree[index(k)] += std::ranges::max_element(row) - row.begin() ==
                                   std::ranges::max_element(target) - target.begin();
            }
        }
    }
    const auto rows = static_cast<double>(M * 3);
    const HeadScores scores = t.trainer.score(t.all());
    // Sums of floats of about 1, in another order.
    CHECK(std::abs(scores.loss - loss / rows / K) <= 1e-4);
    for (std::size_t k = 0; k < K; ++k) {
        INFO(k);
        CHECK(std::abs(scores.overlap[k] - overlap[k] / rows) <= 1e-4);
        CHECK(std::abs(scores.agree[k] - agree[k] / rows) <= 1e-12);
    }
    CHECK(std::abs(t.trainer.gradient(t.all()).loss - scores.loss) <= 1e-12);
}

TEST_CASE("the gradient of heads is how the loss changes, for each of their weights") {
    Trained t;
    t.trainer.gradient(t.all());
    const std::vector<float> g(t.trainer.gradients().begin(), t.trainer.gradients().end());
    const std::vector<float> w(t.trainer.parameters().begin(), t.trainer.parameters().end());
    for (const train::ParameterInfo& info : t.trainer.layout().tensors) {
        INFO(info.name);
        const auto moved = [&](double by) {
            for (std::int64_t i = info.offset; i < info.offset + info.size; ++i)
                t.trainer.parameters()[index(i)] = static_cast<float>(
                    static_cast<double>(w[index(i)]) + by * static_cast<double>(g[index(i)]));
            t.trainer.parameters_changed();
            const double loss = t.trainer.score(t.all()).loss;
            std::copy(w.begin(), w.end(), t.trainer.parameters().begin());
            return loss;
        };
        double square = 0;
        for (std::int64_t i = info.offset; i < info.offset + info.size; ++i)
            square += static_cast<double>(g[index(i)]) * static_cast<double>(g[index(i)]);
        REQUIRE(square > 0);
        // Along the gradient the loss grows by its square; what a step of 0.01 leaves out is of the
        // third order, and the loss is exact to some 1e-7.
        const double h = 0.01 / std::sqrt(square);
        CHECK(std::abs((moved(h) - moved(-h)) / (2 * h) / square - 1) <= 0.01);
    }
}

TEST_CASE("steps against the gradient bring the loss of heads down, with any number of threads") {
    Trained one(3, 1), more(3, 3);
    const double before = one.trainer.score(one.all()).loss;
    for (int step = 0; step < 10; ++step) {
        for (Trained* t : {&one, &more}) {
            t->trainer.gradient(t->all());
            for (std::size_t i = 0; i < t->trainer.parameters().size(); ++i)
                t->trainer.parameters()[i] -= 0.2f * t->trainer.gradients()[i];
            t->trainer.parameters_changed();
        }
        REQUIRE(std::ranges::equal(one.trainer.parameters(), more.trainer.parameters()));
    }
    CHECK(one.trainer.score(one.all()).loss < before - 0.05);
}

TEST_CASE("untrained heads pass the target's state on") {
    Transformer target(gpt_config(1, 2, C, 64, V), noise, {1});
    const Tensor embedding = noise("transformer.wte.weight", {V, C});
    HeadTrainer trainer(target, embedding, {1, C, 16}, Trained::every_third(), 3, 1, 1);
    const train::ParameterInfo& out = trainer.layout()["heads.0.out.weight"];
    for (std::int64_t i = 0; i < out.size; ++i)
        REQUIRE(trainer.parameters()[index(out.offset + i)] == 0);
    // W₁ keeps the size of what it is given: 2C numbers of variance 1/(2C).
    const train::ParameterInfo& in = trainer.layout()["heads.0.in.weight"];
    double square = 0;
    for (std::int64_t i = 0; i < in.size; ++i)
        square += std::pow(static_cast<double>(trainer.parameters()[index(in.offset + i)]), 2);
    // 1024 draws: a standard deviation of √(2/1024) = 4.4 % of the mean.
    CHECK(std::abs(square / static_cast<double>(in.size) * 2 * C - 1) < 0.2);
}

TEST_CASE("heads that cannot be trained are refused in one line") {
    Transformer target(gpt_config(1, 2, C, 64, V), noise, {1});
    const Tensor embedding = noise("transformer.wte.weight", {V, C});
    const auto said = [&](HeadsShape shape, std::vector<int> drafted, int parts, int threads) {
        return test::error_of(
            [&] { HeadTrainer(target, embedding, shape, drafted, 1, parts, threads); });
    };
    const std::string sizes = ", expected 1 to 16 of the target's 32, and a multiple of 16";
    CHECK(said({3, C, 16}, {1}, 1, 1).empty());
    CHECK(said({16, C, 16}, {V - 1}, 1, 1).empty());
    CHECK(said({17, C, 16}, {1}, 1, 1) == "heads: 17 of 32 channels and 16 inside" + sizes);
    CHECK(said({0, C, 16}, {1}, 1, 1) == "heads: 0 of 32 channels and 16 inside" + sizes);
    CHECK(said({3, 16, 16}, {1}, 1, 1) == "heads: 3 of 16 channels and 16 inside" + sizes);
    CHECK(said({3, C, 24}, {1}, 1, 1) == "heads: 3 of 32 channels and 24 inside" + sizes);
    CHECK(said({3, C, 0}, {1}, 1, 1) == "heads: 3 of 32 channels and 0 inside" + sizes);
    CHECK_FALSE(said({3, C, 16}, {V}, 1, 1).empty());
    CHECK_FALSE(said({3, C, 16}, {}, 1, 1).empty());
    CHECK_FALSE(said({3, C, 16}, {1}, 0, 1).empty());
    CHECK_FALSE(said({3, C, 16}, {1}, 1, 0).empty());

    Trained t;
    CHECK_FALSE(test::error_of([&] { t.trainer.score({}); }).empty());
    const std::vector<std::int32_t> few(K + 1, 1), enough(K + 2, 1);
    CHECK_FALSE(test::error_of([&] { t.trainer.read(few); }).empty());
    t.texts.push_back(t.trainer.read(enough));  // of another length
    CHECK_FALSE(test::error_of([&] { t.trainer.score(t.all()); }).empty());
}
