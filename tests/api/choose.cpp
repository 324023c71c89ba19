// Hostile arguments to chapters 01 to 06: the loop, the plain cuts, the candidates and the chain.
#include "tests/catch.hpp"

#include <climits>
#include <cmath>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/02_greedy/greedy.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/04_top_k/two_distributions.hpp"
#include "chapters/05_top_p/further/plain_typical.hpp"
#include "chapters/05_top_p/plain_relatives.hpp"
#include "chapters/05_top_p/plain_top_p.hpp"
#include "chapters/06_combining/chain.hpp"
#include "chapters/06_combining/steps.hpp"
#include "chapters/06_combining/trace.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "lib/files/random_model.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;
using namespace tbt::api;

namespace {

const std::vector<float> five{5, 3, 2, 1, -1};

}  // namespace

TEST_CASE("api: the loop and its models", "[api]") {
    const TransformerConfig tiny = gpt_config(1, 2, 8, 16, 11);
    Transformer gpt(tiny, random_weights(tiny, 1), {1, {}});
    WholeTextModel whole(gpt);
    CachedModel cached(gpt);
    const std::vector<int> text{1, 2, 3}, long_text(17, 1);
    for (const auto& ids :
         {std::vector<int>{}, std::vector<int>{11}, std::vector<int>{-1}, long_text}) {
        REFUSES(whole(ids), whole.at_every(ids), cached(ids), cached.last(ids, 1));
    }
    for (const int count : {0, -1, 4, INT_MIN, INT_MAX}) REFUSES(cached.last(text, count));
    HOLDS(cached(text), cached.last(text, 3));
    const auto pick = [](std::span<const float> row, std::span<const int>) { return argmax(row); };
    const auto emit = [](int) { return true; };
    REFUSES(generate({}, text, 1, pick, emit), generate(std::ref(cached), {}, 1, pick, emit),
            generate(std::ref(cached), text, 100, pick, emit));
    REQUIRE(generate(std::ref(cached), text, INT_MIN, pick, emit) == text);
    HOLDS(top_candidates({}, 3), top_candidates(five, INT_MIN), top_candidates(five, INT_MAX));
    for (const auto& row : hostile_rows) HOLDS(top_candidates(row, 1));
    HOLDS(find_loop({}), find_loop(std::vector<int>{INT_MIN, INT_MIN, INT_MIN}));
}

TEST_CASE("api: the plain cuts", "[api]") {
    for (const auto& row : hostile_rows) {
        if (row != hostile_rows[3]) REFUSES(argmax(row));
        REFUSES(integer_weights(row, 1), softmax_at(row, 1), entropy_at(row, 1), draw(row, 1, 0.5),
                top_k(row, 1), top_p(row, 1, 0.5));
        REFUSES(min_p(row, 1, 0.5), min_p(row, 1, 0), typical(row, 1, 0.5), typical(row, 1, 1),
                cut_epsilon(row, 1, 0), cut_eta(row, 1, 0.1));
        REFUSES(keep_above(row, 1, 0, 0));
        HOLDS(sorted_descending(row), count_kept(row));
    }
    for (const double bad : hostile_numbers) {
        if (bad != 1e308) REFUSES(integer_weights(five, bad));
        REFUSES(draw(five, 1, bad), top_p(five, 1, bad), min_p(five, 1, bad), typical(five, 1, bad),
                cut_epsilon(five, 1, bad), cut_eta(five, 1, bad));
        REFUSES(share_of(100, bad), shortest_prefix(five, 1, five, bad));
        HOLDS(zipf_logits(bad, bad, 10));
    }
    HOLDS(integer_weights(five, 1e308), integer_weights(five, 5e-324),
          integer_weights(std::vector<float>{3e38f, -3e38f}, 1e-300));
    for (const double u : {-0.0001, 1.0}) REFUSES(draw(five, 1, u));
    for (const int k : {-1, INT_MIN}) REFUSES(top_k(five, k));
    HOLDS(top_k(five, INT_MAX, Ties::keep_all));
    REFUSES(shortest_prefix(five, 1, std::vector<float>{1}, 0.5));
    for (const int n : {0, -1, INT_MIN, INT_MAX}) REFUSES(zipf_logits(1, 1, n));
}

TEST_CASE("api: candidates", "[api]") {
    Candidates none;
    REFUSES(none.largest(), none.weights(), none.entropy(), none.probability(0), none.find(0),
            draw(none, 0.5));
    REFUSES(none.reset({}), none.reset(std::vector<float>(max_row_length + 1)));
    for (const auto& row : hostile_rows) {
        REFUSES((void)Candidates(row).probabilities().at(0));
        REFUSES(Candidates c(row); draw(c, 0.5));
        REFUSES(Candidates c(row); keep_top_p(c, 0.5));
        REFUSES(Candidates c(row); keep_typical(c, 0.5));
        REFUSES(Candidates c(row); keep_min_p(c, 0.5));
        REFUSES(Candidates c(row); cut_eta(c, 0.5));
        REFUSES(Candidates c(row); apply_temperature(c, 0));
    }
    Candidates c(five);
    for (const int id : {-1, 5, INT_MIN, INT_MAX}) REFUSES(c.find(id));
    for (const std::size_t i : {std::size_t{5}, SIZE_MAX})
        REFUSES(c.probability(i), c.log_probability(i));
    for (const std::size_t k : {std::size_t{0}, SIZE_MAX}) REFUSES(c.reached_by(k));
    for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL})
        REFUSES(c.multiply_temperature(bad));
    REFUSES(c.keep_by(std::vector<float>{1, 2}, {0}));
    for (const double bad : hostile_numbers) {
        REFUSES(keep_top_p(c, bad), keep_min_p(c, bad), keep_typical(c, bad), cut_epsilon(c, bad),
                cut_eta(c, bad), draw(c, bad));
        if (bad != 1e308) REFUSES(apply_temperature(c, bad));
    }
    for (const int k : {-1, INT_MIN}) REFUSES(keep_top_k(c, k));
    HOLDS(keep_top_k(c, INT_MAX));
    // Nothing is left: whoever asks is told.
    c.keep({not_a_number, 0});
    REQUIRE(c.size() == 0);
    REFUSES(draw(c, 0.5), c.probability(0));
    REQUIRE(c.find(3) == nullptr);
}

TEST_CASE("api: chains and traces", "[api]") {
    for (const std::string& text : hostile_texts)
        REFUSES(dialect_named(text), preset_named(text),
                in_order(Dialect::ours, {{text, "", [](Candidates&, const TextSoFar&) {}}}));
    const auto refused = [](auto&& change) {
        SamplingOptions o;
        change(o);
        return outcome([&] { truncation_steps(o, Dialect::ours); }) != "";
    };
    for (double SamplingOptions::*number :
         {&SamplingOptions::temperature, &SamplingOptions::top_p, &SamplingOptions::min_p,
          &SamplingOptions::typical_p, &SamplingOptions::epsilon_cutoff,
          &SamplingOptions::eta_cutoff}) {
        for (const double bad : {std::nan(""), -1.0, -HUGE_VAL, HUGE_VAL})
            REQUIRE(refused([&](SamplingOptions& o) { o.*number = bad; }));
    }
    REQUIRE(refused([](SamplingOptions& o) { o.top_k = INT_MIN; }));
    Candidates scratch;
    const Chain chain;
    REFUSES(chain.pick({}, {}, 0.5, scratch), chain.pick(five, {{}, SIZE_MAX}, 1, scratch));
    for (const int id : {-1, 5, INT_MIN, INT_MAX}) REFUSES(trace(chain, five, {}, 0.5, id));
    HOLDS(trace(chain, five, {}, NAN, 0, INT_MIN), trace(chain, five, {}, 0, 0, INT_MAX));
    REFUSES(trace(chain, {}, {}, 0.5, 0));
    HOLDS(scratch.position_of(-1), standing(scratch, INT_MIN));
}
