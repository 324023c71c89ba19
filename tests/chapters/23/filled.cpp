// The one generator with a model that fills masks.
#include "tests/catch.hpp"

#include "chapters/09_stopping/text_stream.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "tests/support/masked_world.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using tbt::test::error_of;
using tbt::test::noise;
using tbt::test::World;

namespace {

constexpr int places = 40;

MaskedModel masked_model() {
    World world;
    const int vocabulary = world.tokenizer.vocab_size();
    return {MaskedGpt(gpt_config(1, 2, 32, places, vocabulary + 1), noise, {1}),
            std::move(world.tokenizer)};
}

TextFiller filler() { return TextFiller(masked_model()); }

TextOptions gap(int tokens) {
    TextOptions o;
    o.temperature = 1, o.top_p = 1;
    o.infill = " of Elm!";
    o.max_new_tokens = tokens;
    return o;
}

}  // namespace

TEST_CASE("a gap is filled by chapter 22's sampler with the seed's numbers") {
    TextFiller f = filler();
    MaskedModel model = masked_model();
    TextOptions o = gap(7);
    o.seed = 3, o.samples = 2;
    const std::vector<GeneratedText> texts = f.fill("Hello,", o);
    REQUIRE(texts.size() == 2);
    for (std::uint64_t i = 0; i < 2; ++i) {
        Hole hole = hole_between(model, "Hello,", " of Elm!", 7);
        Rng rng(3, i);
        const int eos = model.tokenizer.eos_id();
        // Without an end of text in the middle, by hand.
        const MaskedDistribution distribution = [&](const Canvas& row, std::size_t place) {
            std::vector<double> p = model(row, place);
            const double rest = 1 - std::exchange(p[index(eos)], 0);
            for (double& x : p) x /= rest;
            return p;
        };
        fill_at_random(hole.row, distribution, drawing(rng), 1);
        CHECK(texts[i].ids ==
              std::vector<int>(hole.row.begin() + static_cast<std::ptrdiff_t>(hole.begin),
                               hole.row.begin() + static_cast<std::ptrdiff_t>(hole.end)));
        CHECK(texts[i].text == valid_text(model.tokenizer.decode(texts[i].ids)));
    }
    // A sample is the same text alone.
    o.samples = 1, o.stream = 1;
    CHECK(f.fill("Hello,", o)[0].ids == texts[1].ids);
}

TEST_CASE("steps, blocks and cuts are what they are called") {
    TextFiller f = filler();
    TextOptions o = gap(6);
    const auto passes = [&] {
        const int before = f.passes();
        CHECK(f.fill("Hello,", o)[0].ids.size() == 6);
        return f.passes() - before;
    };
    CHECK(passes() == 6);
    o.fill.steps = 2;
    CHECK(passes() == 2);
    o.fill.steps = 1, o.fill.block_length = 2;
    CHECK(passes() == 3);
    o.fill = {"confidence", 0, 0};
    CHECK(passes() == 6);
    // Always the most probable: no number is asked for.
    o.temperature = 0, o.top_p.reset();
    const std::vector<int> first = f.fill("Hello,", o)[0].ids;
    o.seed = 99;
    CHECK(f.fill("Hello,", o)[0].ids == first);
    o.temperature = 1, o.top_k = 1;
    CHECK(f.fill("Hello,", o)[0].ids == first);
}

TEST_CASE("of several fillings the one is kept that costs least in the same orders") {
    MaskedModel model = masked_model();
    const Hole open = hole_between(model, "Hello,", " of Elm!", 5);
    const MaskedDistribution distribution = model.distribution();
    for (const char* order : {"random", "confidence"})
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            FillOptions one, five;
            one.order = five.order = order;
            five.best_of = 5;
            Rng rng(seed), again(seed);
            Hole best = open;
            std::size_t begun = 0;
            const std::size_t kept =
                fill(best, distribution, drawing(rng), five, {}, [&] { begun += 1; });
            CHECK(begun == 5);
            std::vector<std::pair<double, Canvas>> tries;
            for (int i = 0; i < 5; ++i) {
                Hole next = open;
                CHECK(fill(next, distribution, drawing(again), one) == 0);
                Rng orders(1);
                std::vector<std::size_t> hidden(5);
                for (std::size_t n = 0; n < 5; ++n) hidden[n] = open.begin + n;
                tries.emplace_back(
                    cost_in_orders(distribution, next.row, hidden, 4, drawing(orders)), next.row);
            }
            CHECK(best.row == tries[kept].second);
            CHECK(std::min_element(tries.begin(), tries.end())->first == tries[kept].first);
            CHECK(tries[0].second != tries[1].second);
        }
    // The generator's: the same of what its chain leaves, and the trace is that of the one kept.
    TextFiller f = filler();
    TextOptions o = gap(5);
    o.seed = 7, o.fill.best_of = 6, o.record = true;
    const std::vector<int> ids = f.fill("Hello,", o)[0].ids;
    CHECK(f.recording().tokens[0].size() == 5);
    for (std::size_t i = 0; i < 5; ++i) CHECK(f.recording().tokens[0][i].trace.chosen == ids[i]);
    o.fill.steps = 1;  // all at once: tries differ by their draws alone
    CHECK(f.fill("Hello,", o)[0].ids.size() == 5);
    o.fill.order = "confidence", o.fill.steps = 0, o.temperature = 0;
    CHECK(test::contains(error_of([&] { f.fill("Hello,", o); }), "all fillings are the same"));
    o.fill.order = "random";
    CHECK(f.fill("Hello,", o)[0].ids.size() == 5);
    o.fill.best_of = 0;
    CHECK(test::contains(error_of([&] { f.fill("Hello,", o); }), "diffusion-best-of: got 0"));
}

TEST_CASE("the most certain place comes first, however little the chain leaves") {
    TextFiller f = filler();
    MaskedModel model = masked_model();
    TextOptions o = gap(8);
    o.fill.order = "confidence", o.temperature = 0, o.top_p.reset();
    // Chapter 22's greedy filling, by the model's own distribution without an end.
    Hole hole = hole_between(model, "Hello,", *o.infill, 8);
    const MaskedDistribution distribution = [&](const Canvas& row, std::size_t place) {
        std::vector<double> p = model(row, place);
        p[index(model.tokenizer.eos_id())] = 0;
        return p;
    };
    std::vector<Canvas> rows;
    const MaskedDistribution noted = [&](const Canvas& row, std::size_t place) {
        if (rows.empty() || rows.back() != row) rows.push_back(row);
        return distribution(row, place);
    };
    fill_by_confidence(hole.row, noted, most_probable(), 1, hole.end);
    std::vector<int> order;  // the pass of each place
    for (std::size_t at = hole.begin; at < hole.end; ++at)
        order.push_back(to_int(
            std::ranges::count_if(rows, [&](const Canvas& row) { return row[at] == mask_token; })));
    REQUIRE(!std::ranges::is_sorted(order));
    for (const bool greedy : {true, false}) {
        if (!greedy) o.temperature = 1, o.top_k = 1;
        o.record = true;
        const std::vector<int> ids = f.fill("Hello,", o)[0].ids;
        CHECK(ids == std::vector<int>(hole.row.begin() + static_cast<std::ptrdiff_t>(hole.begin),
                                      hole.row.begin() + static_cast<std::ptrdiff_t>(hole.end)));
        std::vector<int> passes;
        for (const RecordedToken& token : f.recording().tokens.back()) passes.push_back(token.pass);
        CHECK(passes == order);
    }
}

TEST_CASE("a trace says in which pass a place was filled, and by which distribution") {
    TextFiller f = filler();
    TextOptions o = gap(6);
    const std::vector<int> plain = f.fill("Hello,", o)[0].ids;
    CHECK(f.recording().tokens.empty());
    o.record = true, o.fill.steps = 3, o.samples = 2;
    const std::vector<GeneratedText> texts = f.fill("Hello,", o);
    o.record = false;
    CHECK(f.fill("Hello,", o)[1].ids == texts[1].ids);  // a recording changes no text
    REQUIRE(f.recording().tokens.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::vector<RecordedToken>& tokens = f.recording().tokens[i];
        REQUIRE(tokens.size() == 6);
        std::map<int, int> filled;
        for (std::size_t k = 0; k < 6; ++k) {
            CHECK(tokens[k].trace.chosen == texts[i].ids[k]);
            CHECK(tokens[k].trace.final_log_probability <= 0);
            ++filled[tokens[k].pass];
        }
        CHECK(filled == std::map<int, int>{{1, 2}, {2, 2}, {3, 2}});
        // What was known by then: the first pass saw nothing of the gap.
        MaskedModel model = masked_model();
        const Hole hole = hole_between(model, "Hello,", *o.infill, 6);
        for (std::size_t k = 0; k < 6; ++k) {
            if (tokens[k].pass != 1) continue;
            std::vector<double> p = model(hole.row, hole.begin + k);
            double rest = 1 - p[index(model.tokenizer.eos_id())];
            CHECK(std::exp(tokens[k].trace.raw_log_probability) ==
                  Approx(p[index(texts[i].ids[k])] / rest).epsilon(1e-6));
        }
    }
}

TEST_CASE("after a prompt alone a text may end, between two it may not") {
    TextFiller f = filler();
    TextOptions o = gap(20);
    const int eos = f.model().tokenizer.eos_id();
    int ended = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        o.seed = seed, o.infill = " of Elm!";
        const GeneratedText between = f.fill("Hello,", o)[0];
        REQUIRE(std::ranges::find(between.ids, eos) == between.ids.end());
        CHECK(between.reason == FinishReason::length);
        o.infill.reset(), o.max_new_tokens.reset();
        const GeneratedText alone = f.fill("Hello,", o)[0];
        const bool end = alone.reason == FinishReason::eos;
        ended += end;
        CHECK((alone.ids.back() == eos) == end);
        CHECK(std::ranges::count(alone.ids, eos) == (end ? 1 : 0));
        if (!end) CHECK(alone.ids.size() == places - f.model().tokenizer.encode("Hello,").size());
        o.max_new_tokens = 20;
    }
    CHECK(ended > 0);
}

TEST_CASE("how masks are filled is nothing to a model that writes from left to right") {
    TextOptions o;
    CHECK_FALSE(fills_masks(o));
    o.fill.best_of = 9;
    CHECK(test::contains(error_of([&] { fills_masks(o); }), "add --infill TEXT"));
    o.infill = " the end";
    CHECK(fills_masks(o));
    CHECK(filling_request(o).stop.max_new_tokens == 12);
    CHECK(filling_request(TextOptions()).stop.max_new_tokens == 0);  // no gap
    o.infill.reset(), o.fill = {}, o.fill.steps = 3;
    CHECK(error_of([&] { fills_masks(o); }) != "");
    o.decoder = "diffusion";
    CHECK(fills_masks(o));
}

TEST_CASE("what goes from left to right is refused, and what does not fit") {
    TextFiller f = filler();
    const auto refused = [&](const auto& change) {
        TextOptions o = gap(6);
        change(o);
        return error_of([&] { f.fill("Hello,", o); });
    };
    using O = TextOptions;
    const std::vector<std::pair<std::string, void (*)(O&)>> changes = {
        {"beam search", [](O& o) { o.num_beams = 3; }},
        {"guide", [](O& o) { o.guide.json = true; }},
        {"draft", [](O& o) { o.assistant_model = "lookup"; }},
        {"repetition", [](O& o) { o.repetition_penalty = 1.2; }},
        {"mirostat", [](O& o) { o.mirostat = 2; }},
        {"banned", [](O& o) { o.suppress.emplace_back("3"); }},
        {"gap of 1", [](O& o) { o.max_new_tokens = 0; }},
        {"canvas has 40 places", [](O& o) { o.max_new_tokens = 60; }},
        {"diffusion-steps", [](O& o) { o.fill.steps = -1; }},
        {"block-length", [](O& o) { o.fill.block_length = -1; }},
        {"diffusion-order", [](O& o) { o.fill.order = "left"; }},
        {"num-return", [](O& o) { o.samples = 0; }}};
    for (const auto& [part, change] : changes) {
        INFO(part);
        CHECK(test::contains(refused(change), part));
    }
    CHECK(refused([](O& o) { o.forced_eos = 3; }) != "");

    TextOptions o;
    CHECK_FALSE(fills_masks(o));
    o.decoder = "diffusion";
    CHECK(fills_masks(o));
    o.decoder = "autoregressive", o.infill = "x";
    CHECK(test::contains(error_of([&] { fills_masks(o); }), "--infill"));
    o.decoder = "both";
    CHECK(
        test::contains(error_of([&] { fills_masks(o); }), "expected autoregressive or diffusion"));
}
