// Hostile arguments to the rarer steps: dynamic temperature, top-nσ, XTC, mirostat, plain and on
// candidates; and of the request that options make.
#include "tests/catch.hpp"

#include <climits>
#include <cmath>
#include <string>
#include <vector>

#include "chapters/03_temperature/further/plain_dynamic_temperature.hpp"
#include "chapters/04_top_k/further/plain_top_n_sigma.hpp"
#include "chapters/05_top_p/further/plain_xtc.hpp"
#include "chapters/06_combining/plain_mirostat.hpp"
#include "chapters/06_combining/plain_mirostat_1.hpp"
#include "chapters/06_combining/steps.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/11_beam_search/options.hpp"
#include "lib/json/json.hpp"
#include "lib/kernels/weight_type.hpp"
#include "tests/api/hostile.hpp"
#include "tests/support/small_model.hpp"

using namespace tbt;
using namespace tbt::api;

namespace {

const std::vector<float> five{5, 3, 2, 1, -1};
// At 1e308 all tokens are alike; it is a temperature.
const std::vector<double> no_temperatures{not_a_number, -infinity, infinity, -1e308};

}  // namespace

TEST_CASE("api: the rarer plain cuts", "[api]") {
    for (const std::vector<float>& row : hostile_rows)
        REFUSES(dynamic_temperature_at(row, 1, 0.5, 1), top_n_sigma(row, 1),
                top_n_sigma_border(row, 1), xtc(row, 1, 1, 0.1, 0), mirostat(row, 1, 5),
                mirostat_1(row, 1, 5));
    for (const double bad : hostile_numbers) {
        REFUSES(xtc(five, 1, bad, 0.1, 0));
        REQUIRE_THAT(outcome([&] { (void)xtc(five, 1, bad, 0.1, 0); }),
                     Catch::Contains("xtc-probability"));
        REFUSES(xtc(five, 1, 0.5, bad, 0));
        HOLDS(mirostat_mu({}, bad, bad));
        HOLDS(dynamic_temperature(bad, SIZE_MAX, 1, 0.5, 1), top_n_sigma(five, bad));
        HOLDS(mirostat(five, 1, bad), mirostat_1(five, 1, bad));
        HOLDS(mirostat(five, bad, 5));
        HOLDS(mirostat_1(five, bad, 5));
        REQUIRE(mirostat_k(five, 5, 1, bad) >= 1);
        REQUIRE(mirostat_k(five, 5, 1, bad) <= 5);
    }
    for (const double bad : no_temperatures)
        REFUSES(dynamic_temperature(1, 5, 1, bad, 1), dynamic_temperature(1, 5, bad, 0.5, 1),
                dynamic_temperature_at(five, bad, 0.5, 1), xtc(five, bad, 1, 0.1, 0));
    HOLDS(mirostat_k({}, 0, 1, 5), mirostat_k(five, 0, 0, 5));
    REFUSES(top_n_sigma(five, -1));
}

TEST_CASE("api: the rarer steps on candidates", "[api]") {
    for (const double bad : hostile_numbers) {
        Candidates c(five);
        HOLDS(apply_dynamic_temperature(c, bad, 0.5, 1), apply_dynamic_temperature(c, 1, bad, 1));
        REFUSES(exclude_top_choices(c, bad, 0.1, 0), exclude_top_choices(c, 0.5, bad, 0));
        HOLDS(keep_top_n_sigma(c, bad));
        for (void (*cut)(Candidates&, double) :
             {keep_from, keep_probable, keep_zipf_top_k, keep_unsurprising}) {
            Candidates fresh(five);
            // Whatever the number, something can still be drawn.
            HOLDS(cut(fresh, bad));
            REQUIRE(fresh.count() >= 1);
        }
        Candidates fresh(five);
        HOLDS(exclude_top_choices(fresh, 1, 0.1, bad));
        REQUIRE(fresh.count() >= 1);
    }
    for (const std::vector<float>& row : hostile_rows) {
        if (row.empty()) continue;
        Candidates c;
        c.reset(row);
        REFUSES(keep_top_n_sigma(c, 1));
        HOLDS(exclude_top_choices(c, 1, 0.1, 0));
        REFUSES(keep_zipf_top_k(c, 5), keep_unsurprising(c, 5),
                apply_dynamic_temperature(c, 1, 0.5, 1));
    }
    HOLDS(coin(UINT64_MAX, hostile_ids));
    REQUIRE(coin(0, hostile_ids) < 1);
}

TEST_CASE("api: what options ask for", "[api]") {
    const Model model = small_model();
    const auto request = [&](auto&& change) {
        GenerateOptions o;
        o.max_new_tokens = 4;
        change(o);
        return outcome([&] { request_of(o, model), prompt_ids(o, model, "hi"); });
    };
    REQUIRE(request([](GenerateOptions&) {}) == "");
    REQUIRE(request([](GenerateOptions& o) { o.max_new_tokens = -1; }) == "");  // no limit
    using O = GenerateOptions;
    refuses_each<O>(request, std::vector{-2, INT_MIN}, &O::max_new_tokens, &O::top_k);  // -1: off
    refuses_each<O>(request, std::vector{-1, INT_MIN}, &O::samples, &O::min_new_tokens,
                    &O::no_repeat_ngram_size, &O::keep, &O::mirostat);
    for (const int bad : {-1, INT_MIN})
        REQUIRE(request([&](O& o) { o.dry_multiplier = 1, o.dry_allowed_length = bad; }) != "");
    REQUIRE(request([](GenerateOptions& o) { o.keep = INT_MAX, o.context = "slide"; }) != "");
    refuses_each<O>(request, std::vector{INT_MAX}, &O::max_new_tokens, &O::samples);
    refuses_each<O>(request, no_temperatures, &O::temperature, &O::dynatemp_range);
    refuses_each<O>(request, hostile_numbers, &O::top_p, &O::min_p, &O::typical_p, &O::eta_cutoff,
                    &O::repetition_penalty, &O::frequency_penalty, &O::xtc_probability);
    refuses_each<O>(request, hostile_texts, &O::preset, &O::dialect, &O::penalty_scope,
                    &O::context);
    refuses_each<O>(request, hostile_ids, &O::forced_bos, &O::forced_eos);
    for (const std::string& text : hostile_texts) {
        for (const std::string& number :
             std::vector<std::string>{text, text + "=1", "1=" + text, "257=1", "-1=1"}) {
            HOLDS(request([&](GenerateOptions& o) { o.logit_bias = {number}; }));
            HOLDS(request([&](GenerateOptions& o) { o.sequence_bias = {number}; }));
            HOLDS(request([&](GenerateOptions& o) { o.suppress = {number}; }));
            REQUIRE(request([&](GenerateOptions& o) { o.exponential_decay = number; }) != "");
        }
        HOLDS(weight_type_named(text), json_value(text), json_value(text));
    }
}

TEST_CASE("api: what the options of a search ask for", "[api]") {
    const Model model = small_model();
    const auto search = [&](auto&& change, std::size_t prompt_length = 2) {
        GenerateOptions o;
        BeamSettings s;
        o.max_new_tokens = 4, s.num_beams = 4;
        change(s);
        return outcome([&] { beam_request_of(o, s, model, prompt_length); });
    };
    REQUIRE(search([](BeamSettings&) {}) == "");
    using S = BeamSettings;
    refuses_each<S>(search, std::vector{0, -1, INT_MIN}, &S::num_beams, &S::num_beam_groups);
    refuses_each<S>(search, hostile_texts, &S::early_stopping);
    REQUIRE(search([](BeamSettings& s) { s.num_beam_groups = 3; }) != "");
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        REQUIRE(search([&](BeamSettings& s) { s.length_penalty = bad; }) != "");
        REQUIRE(search([&](BeamSettings& s) {
                    s.num_beam_groups = 2, s.diversity_penalty = bad;
                }) != "");
    }
    REQUIRE(search([](BeamSettings&) {}, 0) != "");
    REQUIRE(search([](BeamSettings&) {}, SIZE_MAX) != "");
}
