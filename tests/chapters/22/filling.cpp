// The likeliest of several fillings: what it is judged by.
#include "tests/catch.hpp"

#include "chapters/22_diffusion/distributions.hpp"
#include "chapters/22_diffusion/filled_trace.hpp"
#include "chapters/22_diffusion/filling.hpp"
#include "chapters/22_diffusion/masked_model.hpp"
#include "tests/api/hostile.hpp"
#include "tests/support/masked_world.hpp"

using namespace tbt;

namespace {

constexpr double rounding = 1e-12;
const Canvas blank{mask_token, mask_token, mask_token};

// A distribution over the eight texts of three places and two tokens.
std::map<Canvas, double> random_joint(std::uint64_t seed) {
    Rng rng(seed);
    std::map<Canvas, double> joint;
    double sum = 0;
    for (int text = 0; text < 8; ++text) {
        const double weight = 0.05 + rng.uniform();
        joint[{text & 1, text >> 1 & 1, text >> 2}] = weight;
        sum += weight;
    }
    for (auto& [text, p] : joint) p /= sum;
    return joint;
}

// As training leaves a model: its answers come from no common distribution.
MaskedDistribution random_model(std::uint64_t seed) {
    return [seed](const Canvas& row, std::size_t place) {
        std::uint64_t number = place;
        for (const int id : row) number = number * 5 + static_cast<std::uint64_t>(id + 1);
        const double p = 0.05 + 0.9 * Rng(seed, number).uniform();
        return std::vector<double>{p, 1 - p};
    };
}

// The six orders of three places, by what is drawn of 3, of 2 and of 1.
double over_all_orders(const MaskedDistribution& distribution, const Canvas& text) {
    double sum = 0;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 2; ++b) {
            const Draw draw = [&](const std::vector<double>& p) {
                return p.size() == 3 ? a : p.size() == 2 ? b : 0;
            };
            sum += cost_in_orders(distribution, text, {0, 1, 2}, 1, draw) / 6;
        }
    return sum;
}

}  // namespace

TEST_CASE("in any orders a text costs -ln p, if the model is perfect; over all, no less") {
    const std::map<Canvas, double> joint = random_joint(8);
    const MaskedDistribution perfect = conditionals(joint, 2), model = random_model(8);
    const std::map<Canvas, double> own = distribution_of(at_random(1), model, blank);
    double above = 0;
    for (const auto& [text, p] : joint) {
        Rng rng(9);
        CHECK(std::abs(cost_in_orders(perfect, text, {0, 1, 2}, 5, drawing(rng)) + std::log(p)) <=
              rounding);
        const double bound = over_all_orders(model, text), least = -std::log(own.at(text));
        CHECK(bound >= least - rounding);
        above += bound - least;
        // What is given counts as known: one place alone costs −ln p there.
        Canvas row = text;
        row[1] = mask_token;
        const double there = model(row, 1)[index(text[1])];
        CHECK(cost_in_orders(model, text, {1}, 1, drawing(rng)) == -std::log(there));
    }
    CHECK(above > 0.01);
}

TEST_CASE("a cost of places that are not there is refused") {
    const MaskedDistribution distribution = random_model(1);
    Rng rng(1);
    const Draw draw = drawing(rng), wrong = [](const std::vector<double>&) { return 3; };
    REFUSES(cost_in_orders(distribution, {0, 1, 0}, {3}, 1, draw));
    REFUSES(cost_in_orders(distribution, {0, 2, 0}, {1}, 1, draw));
    REFUSES(cost_in_orders(distribution, {0, 1, 0}, {1}, 0, draw));
    REFUSES(cost_in_orders(distribution, {0, 1, 0}, {0, 1, 2}, 1, wrong));
}

TEST_CASE("every place of a gap is filled, and no other, whatever the blocks, steps and order") {
    const MaskedDistribution model = random_model(6);
    for (const char* order : {"random", "confidence"})
        for (int block = 0; block <= 6; ++block)
            for (int steps = 0; steps <= 3; ++steps)
                for (const int best_of : {1, 2}) {
                    CAPTURE(order, block, steps, best_of);
                    Hole hole{
                        {0, mask_token, mask_token, mask_token, mask_token, mask_token, 1}, 1, 6};
                    FillOptions o;
                    o.order = order, o.block_length = block, o.steps = steps, o.best_of = best_of;
                    Rng rng(3);
                    fill(hole, model, drawing(rng), o);
                    CHECK(hole.row.front() == 0);
                    CHECK(hole.row.back() == 1);
                    for (std::size_t i = 1; i < 6; ++i) CHECK(hole.row[i] != mask_token);
                }
}

TEST_CASE("the places of a gap are split evenly over the steps, and a block begins a new one") {
    using Counts = std::vector<int>;
    for (const char* order : {"random", "confidence"}) {
        // How many places each pass fills.
        const auto filled = [&](std::size_t places, int steps, int block = 0) {
            Hole hole{Canvas(places + 2, mask_token), 1, places + 1};
            hole.row.front() = 0, hole.row.back() = 1;
            std::vector<Canvas> rows;
            Rng rng(3);
            fill(hole, noting(random_model(6), rows), drawing(rng), {order, steps, block});
            rows.push_back(hole.row);
            Counts counts;
            for (std::size_t i = 1; i < rows.size(); ++i)
                counts.push_back(
                    to_int(std::count(rows[i - 1].begin(), rows[i - 1].end(), mask_token) -
                           std::count(rows[i].begin(), rows[i].end(), mask_token)));
            return counts;
        };
        CHECK(filled(5, 0) == Counts{1, 1, 1, 1, 1});
        CHECK(filled(5, 9) == Counts{1, 1, 1, 1, 1});
        CHECK(filled(5, 1) == Counts{5});
        CHECK(filled(12, 6) == Counts{2, 2, 2, 2, 2, 2});
        CHECK(filled(12, 7) == Counts{2, 2, 2, 2, 2, 1, 1});
        CHECK(filled(12, 5) == Counts{3, 3, 2, 2, 2});
        CHECK(filled(12, 11) == Counts{2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
        CHECK(filled(5, 1, 2) == Counts{2, 2, 1});
        CHECK(filled(12, 6, 5) == Counts{2, 2, 1, 3, 2, 2});
    }
}

TEST_CASE("a greedy model is sure of its most probable token: only the order is drawn") {
    const MaskedDistribution model = random_model(6);
    const MaskedDistribution sure = greedy(model);
    for (std::size_t i = 0; i < 3; ++i) {
        const int best = most_probable()(model(blank, i));
        CHECK(sure(blank, i) ==
              (best == 0 ? std::vector<double>{1, 0} : std::vector<double>{0, 1}));
    }
    const Sampler at_once = [&](Canvas& row, const MaskedDistribution& p, const Draw& draw) {
        fill_at_random(row, greedy(p), draw, 3);
    };
    CHECK(distribution_of(at_once, model, blank).size() == 1);
}

TEST_CASE("each place of a gap is recorded in its own order, with the pass that filled it") {
    test::World world;
    const int vocabulary = world.tokenizer.vocab_size();
    MaskedModel model(MaskedGpt(gpt_config(1, 2, 32, 24, vocabulary + 1), test::noise, {1}),
                      std::move(world.tokenizer));
    // Two given tokens, then three places: the last one is filled first.
    const std::vector<Canvas> rows{{7, 8, mask_token, mask_token, mask_token, 9},
                                   {7, 8, mask_token, mask_token, 30, 9},
                                   {7, 8, 10, 20, 30, 9}};
    const std::vector<RecordedToken> tokens = replay_filling(model, {}, {}, rows, 2, 5);
    REQUIRE(tokens.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(tokens[i].trace.chosen == 10 * (to_int(i) + 1));
        CHECK(tokens[i].pass == (i == 2 ? 1 : 2));
        CHECK(!tokens[i].has_u);
    }
}

TEST_CASE("noting keeps the row before each pass once") {
    const MaskedDistribution model = random_model(6);
    std::vector<Canvas> rows;
    const MaskedDistribution noted = noting(model, rows);
    Hole hole{{0, mask_token, mask_token, mask_token, mask_token, 1}, 1, 5};
    const Canvas begin = hole.row;
    FillOptions o;
    o.steps = 2;
    Rng rng(3);
    fill(hole, noted, drawing(rng), o);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0] == begin);
    CHECK(std::count(rows[1].begin(), rows[1].end(), mask_token) == 2);
}

TEST_CASE("what is no order and no number of steps, blocks or tries is refused") {
    CHECK_NOTHROW(check_fill_options({"random", 0, 0}));
    for (const FillOptions& wrong : {FillOptions{"left", 0, 0}, FillOptions{"random", -1, 0},
                                     FillOptions{"random", 0, -1}, FillOptions{"random", 0, 0, 0}})
        CHECK_THROWS_AS(check_fill_options(wrong), UsageError);
}
