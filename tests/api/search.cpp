// Hostile arguments to chapters 11 and 12: searches, drafts, random numbers.
#include "tests/catch.hpp"

#include <climits>
#include <vector>

#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/11_beam_search/exact_search.hpp"
#include "chapters/11_beam_search/plain_beam_search.hpp"
#include "chapters/11_beam_search/tools/report.hpp"
#include "chapters/11_beam_search/tools/tour.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/plain_speculative.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "chapters/12_speculative/tools/rounds.hpp"
#include "lib/files/random_model.hpp"
#include "tests/api/hostile.hpp"
#include "tests/support/scripted_models.hpp"
#include "tests/support/toy_models.hpp"

using namespace tbt;
using namespace tbt::api;

namespace {

BeamRequest beams() {
    BeamRequest r;
    r.stop = test::request(3).stop;
    r.bytes = test::one_byte;
    return r;
}
const std::vector<int> prompt{97};

}  // namespace

TEST_CASE("api: a beam search", "[api]") {
    const BatchLogits model = one_at_a_time(test::letters());
    const auto search = [&](auto&& change, std::vector<int> ids = prompt) {
        BeamRequest r = beams();
        change(r);
        return outcome([&] { beam_search(model, r, ids); });
    };
    REQUIRE(search([](BeamRequest&) {}) == "");
    REQUIRE(search([](BeamRequest&) {}, {}) != "");
    for (const int bad : {0, -1, INT_MIN}) {
        REQUIRE(search([&](BeamRequest& r) { r.beams.num_beams = bad; }) != "");
        REQUIRE(search([&](BeamRequest& r) { r.beams.num_return_sequences = bad; }) != "");
        REQUIRE(search([&](BeamRequest& r) { r.stop.max_new_tokens = bad; }) != "");
        REQUIRE(search([&](BeamRequest& r) { r.stop.context = bad; }) != "");
    }
    REQUIRE(search([](BeamRequest& r) { r.beams.num_return_sequences = INT_MAX; }) != "");
    REQUIRE(search([](BeamRequest& r) { r.stop.strings = StopStrings({"x"}), r.bytes = {}; }) !=
            "");
    REQUIRE(search([](BeamRequest& r) { r.stop.eos = {-1, INT_MAX}; }) == "");
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
        REQUIRE(search([&](BeamRequest& r) { r.beams.length_penalty = bad; }) != "");
        REFUSES(length_normalised(-1, 3, bad), diverse_beam_search(model, beams(), 2, bad, prompt));
    }
    HOLDS(length_normalised(NAN, SIZE_MAX, 1e308));
    for (const int groups : {0, -1, 3, INT_MIN, INT_MAX})
        REFUSES(diverse_beam_search(model, beams(), groups, 0.5, prompt));
    REFUSES(diverse_beam_search(model, beams(), 2, -1, prompt));
    const BeamRequest r = beams();
    BeamSearch one(r, prompt);
    REFUSES(one.step({}), one.results());
    BeamSearch nothing(r, prompt);
    nothing.interrupt();
    HOLDS(nothing.step({}), nothing.texts(SIZE_MAX), nothing.results());
    for (const std::string& text : hostile_texts) REFUSES(early_stopping_named(text));
}

TEST_CASE("api: plain and exact searches", "[api]") {
    const NextLogits model = test::letters();
    for (const int B : {0, -1, INT_MIN}) REFUSES(plain_beam_search(model, prompt, B, 2, -1));
    for (const int n : {-1, INT_MIN}) REFUSES(plain_beam_search(model, prompt, 2, n, -1));
    REFUSES(plain_beam_search(model, prompt, 2, 2, -1, NAN));
    REQUIRE(plain_beam_search(model, prompt, 2, 0, INT_MIN).empty());
    HOLDS(plain_beam_search(model, prompt, INT_MAX, 1, INT_MAX));
    const BeamRequest r = beams();
    REFUSES(exact_search(model, r, {}, 0));
    HOLDS(exact_search(model, r, prompt, NAN), exact_search(model, r, prompt, 0, LONG_MIN));
    Lattice lattice(true);
    HOLDS(lattice.prune(0, ""), lattice.prune(-1, ""), lattice.prune(INT_MAX, ""));
}

TEST_CASE("api: reports of a search", "[api]") {
    const Tokenizer tokenizer = babble_tokenizer(300);
    const test::TemporaryFolder folder;
    std::vector<LatticeNode> lattice(3);
    for (const int parent : {INT_MIN, 2, 3, INT_MAX}) {
        lattice[1].parent = parent;
        HOLDS(path_of(lattice, {0, 1}));
        HOLDS(write_lattice_figure(folder.file("f.svg"), tokenizer, "\xff", lattice, {}));
    }
    lattice[1].parent = 0, lattice[0].token = -1;
    REFUSES(write_lattice_figure(folder.file("f.svg"), tokenizer, "", lattice, {}));
    HOLDS(beam_trace("m", "p", {}, {}, tokenizer, lattice, {}));
    HOLDS(write_lattice_figure(folder.file("f.svg"), tokenizer, "", {}, {-1}));
    BeamText text;
    text.stop_string = 5;
    REFUSES(beam_json("\xff", "p", {}, {}, {text}));
    for (const std::string& s : hostile_texts)
        for (const int width : {-1, 0, 2, INT_MAX}) HOLDS(shortened(s, width));
    Transformer gpt(gpt_config(1, 2, 8, 16, 11), random_weights(gpt_config(1, 2, 8, 16, 11), 1),
                    {1, {}});
    REFUSES(log_probabilities(gpt, beams(), {}, {1}), log_probabilities(gpt, beams(), {1}, {-1}),
            log_probabilities(gpt, beams(), {1}, {99}));
    HOLDS(log_probabilities(gpt, beams(), {1}, {}));
}

TEST_CASE("api: draws by weight", "[api]") {
    for (const double u : {-0.1, 1.0, std::nan(""), HUGE_VAL})
        REFUSES(plain_draw(std::vector<double>{1, 2}, u));
    for (const auto& w :
         {Distribution{}, Distribution{0, 0}, Distribution{1, -1}, Distribution{1, NAN},
          Distribution{1, HUGE_VAL}, Distribution{1e308, 1e308}})
        REFUSES(plain_draw(w, 0.5));
    RandomChance random(Rng(1));
    AllOutcomes ways;
    REFUSES(random.draw(std::span<const double>{}), ways.draw(std::span<const double>{}),
            ways.draw(std::span<const double>(Distribution{0, 0})));
    HOLDS(random.accept(NAN), ways.accept(NAN), AllOutcomes().next());
}

TEST_CASE("api: plain rounds", "[api]") {
    const DistributionAfter two = [](const std::vector<int>&) { return Distribution{0.5, 0.5}; };
    const DistributionAfter three = [](const std::vector<int>&) {
        return Distribution{0.2, 0.2, 0.6};
    };
    REFUSES(plain_residual({1}, {0.5, 0.5}), plain_round(two, two, {0}, -1, {}),
            plain_round(two, two, {0}, INT_MIN, {}), plain_round(two, two, {0}, 2, {0.5}),
            plain_round(two, two, {0}, 0, {1.0}),
            plain_round(two, three, {0}, 1, {0.99, 0.5, 0.5}));
    const DistributionAfter sure = [](const std::vector<int>&) {
        return Distribution{0.8, 0.1, 0.1};
    };
    REFUSES(plain_round(two, sure, {0}, 1, {0.3, 0.999, 0.5}));
    const DistributionAfter none = [](const std::vector<int>&) { return Distribution{}; };
    REFUSES(plain_round(none, two, {}, 1, {0.5, 0.5, 0.5}),
            plain_round(two, none, {}, 1, {0.5, 0.5, 0.5}));
}

TEST_CASE("api: drafts", "[api]") {
    for (const int length : {0, -1, INT_MIN, INT_MAX}) {
        REFUSES(DraftLength::fixed(length), DraftLength::adaptive(length, 0.15));
        if (length != 0) REFUSES(plain_best_length(0.5, 0.1, length));
    }
    for (const double bad : hostile_numbers)
        REFUSES(DraftLength::adaptive(4, bad), expected_tokens(bad, 3),
                plain_best_length(bad, 0.1, 4), plain_best_length(0.5, bad, 4),
                plain_draft_length({{1, 1}}, bad, 4));
    REFUSES(expected_tokens(0.5, INT_MAX), expected_tokens(0.5, -1));
    DraftLength length = DraftLength::adaptive(12, 0.15);
    REFUSES(DraftLength::adaptive(4, 0), plain_draft_length({{1, 2}, {9, 90}}, 0.1, 4));
    for (const std::int64_t bad : {std::int64_t{-1}, INT64_MIN})
        REFUSES(cost_of_guess(bad, 10), cost_of_guess(10, bad));
    REFUSES(cost_of_guess(10, 0), length.learn(-1, -2), length.learn(1, 2));
    for (const int bad : {0, -1, INT_MIN}) {
        if (bad < 0) REFUSES(ModelDraft(test::letters(), bad));
        REFUSES(PromptLookup{bad});
    }
    REFUSES(ModelDraft({}, 10));
    const std::vector<float> row{1, 2, 3}, other{1, 2};
    Candidates p(row), q(other);
    for (const int id : hostile_ids) {
        REQUIRE(probability_of(p, id) == 0);
        REFUSES(residual(p, {id, nullptr}));
    }
    REFUSES(residual(p, {0, &q}));
    HOLDS(overlap(p, {-1, nullptr}), overlap(p, {0, &q}));
    REFUSES(check_same_vocabulary(babble_tokenizer(300), babble_tokenizer(301)));
}

TEST_CASE("api: rounds on models", "[api]") {
    toy::ToyModel model(1, 1);
    const LastLogits last = model.last();
    PromptLookup lookup;
    RandomChance random(Rng(1));
    SpeculativeRules rules;
    rules.context = 20;
    const auto ids = std::vector<int>{1, INT_MIN, 1};  // looked up: an id that there is not
    HOLDS(speculate_once(last, lookup, rules, ids, 1, 3, random));
    HOLDS(speculate_once(last, lookup, rules, {}, SIZE_MAX, INT_MIN, random));
    const LastLogits poor = [&](std::span<const int> text, int) { return last(text, 1); };
    const std::vector<int> same{1, 2, 1, 2, 1};
    REFUSES(speculate_once(poor, lookup, rules, same, 1, 3, random));
    const auto emit = [](int) { return true; };
    const auto watch = [](const Round&) {};
    REFUSES(speculate(last, lookup, rules, {}, DraftLength::fixed(2), random, emit, watch));
    for (const int bad : {INT_MIN, -1, 0}) {
        rules.context = rules.max_new_tokens = bad;
        REQUIRE(speculate(last, lookup, rules, same, DraftLength::fixed(2), random, emit, watch)
                    .empty());
    }
    GenerateRequest r = test::request(3);
    REFUSES(speculative_text(last, lookup, DraftLength::fixed(2), r, test::one_byte, {}, random));
    r.stop.context = -1;
    REFUSES(speculative_text(last, lookup, DraftLength::fixed(2), r, test::one_byte, same, random));
    const test::TemporaryFolder folder;
    const Tokenizer tokenizer = babble_tokenizer(300);
    HOLDS(write_lanes(folder.file("f.svg"), tokenizer, {}));
    Round round;
    round.tokens = {-1};
    REFUSES(lane_of(tokenizer, round), write_lanes(folder.file("f.svg"), tokenizer, {round}),
            print_judgements(tokenizer, round));
}
