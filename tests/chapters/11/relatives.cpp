// Beam search's relatives: exact search, groups of beams, drawn beams; and the command line.
#include "tests/catch.hpp"

#include <filesystem>
#include <sstream>

#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/11_beam_search/exact_search.hpp"
#include "chapters/11_beam_search/options.hpp"
#include "chapters/11_beam_search/tools/report.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/command_line.hpp"
#include "tests/support/beams.hpp"
#include "tests/support/words.hpp"

using namespace tbt;
using namespace tbt::test;
using Catch::Contains;

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

void read(const std::string& line, BeamSettings& settings, GenerateOptions& options) {
    read_command_line(test::words_of(line), [&](OptionTable& app) {
        add_beam_options(app, settings);
        add_sampling_options(app, options);
        add_samples_option(app, options);
    });
}

std::string refusal(const std::string& line) {
    BeamSettings settings;
    GenerateOptions options;
    static const Model model = zero_model();
    try {
        read(line, settings, options);
        beam_request_of(options, settings, model, 2, 20);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "nothing was refused";
}

}  // namespace

TEST_CASE("exact search finds the best of all texts and proves it with a fraction of them") {
    constexpr int V = 5, depth = 5, eos = 2;
    long read = 0, all_read = 0;
    for (const double alpha : {0.0, 0.5, 1.0, 2.0, -1.0}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            RandomModel model(seed, V);
            std::vector<Text> all;
            std::vector<int> ids{1};
            all_texts(model, ids, 1, depth, eos, 0, all);
            const Text best =
                *std::max_element(all.begin(), all.end(), [&](const Text& a, const Text& b) {
                    return length_normalised(a.sum, a.ids.size(), alpha) <
                           length_normalised(b.sum, b.ids.size(), alpha);
                });
            const BeamRequest request = beams(3, depth, {eos}, alpha);
            const std::vector<int> prompt{1};
            const ExactText exact = exact_search(model, request, prompt, nothing);
            INFO("alpha " << alpha << ", seed " << seed);
            REQUIRE(exact.ids == best.ids);
            REQUIRE(exact.proven);
            REQUIRE(std::abs(exact.sum - best.sum) <= 1e-11);
            // No beam search does better, and from its own score there is nothing to be found.
            REQUIRE(search(model, request, prompt)[0].score <= exact.score);
            REQUIRE(exact_search(model, request, prompt, exact.score).ids.empty());
            read += exact.expanded, all_read += static_cast<long>(all.size());
        }
    }
    REQUIRE(read < all_read / 4);
}

TEST_CASE("exact search knows processors and stop strings, and gives up openly") {
    const std::vector<std::string> bytes{"a", "b", "c", "ab"};
    const std::vector<int> prompt{0};
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        BeamRequest request = beams(256, 4, {}, 0.7);
        request.bytes = [&](int id) -> std::string_view { return bytes[index(id)]; };
        request.stop.strings = StopStrings({"bc"});
        SamplingOptions o;
        o.no_repeat_ngram_size = 2, o.repetition_penalty = 1.2;
        request.processor = processor_of(full_chain(o, Dialect::ours), 1);
        const BeamText everything =
            search(RandomModel(seed, 4), request)[0];  // as many beams as texts
        const ExactText exact = exact_search(RandomModel(seed, 4), request, prompt, nothing);
        REQUIRE(exact.ids == everything.ids);
        REQUIRE(exact.score == everything.score);
    }
    // One token more: only the prompt is read.
    REQUIRE(exact_search(RandomModel(0, 4), beams(1, 1), prompt, nothing).expanded == 1);
    const BeamRequest request = beams(1, 6);
    REQUIRE_FALSE(exact_search(RandomModel(0, 50, 0.1), request, prompt, nothing, 20).proven);
    BeamRequest raised = beams(1, 3);
    raised.processor = [](std::span<float> row, std::span<const int>) { row[0] = 1; };
    REQUIRE_THROWS_WITH(exact_search(RandomModel(0, 5), raised, prompt, nothing),
                        Contains("above 0"));
}

TEST_CASE("one group is beam search; groups without a penalty all find the same") {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const BatchLogits model = one_at_a_time(RandomModel(seed, 12));
        const std::vector<int> prompt{3};
        const BeamRequest request = beams(4, 6, {5}, 1, 4);
        const std::vector<BeamText> plain = beam_search(model, request, prompt),
                                    one = diverse_beam_search(model, request, 1, 0.7, prompt);
        REQUIRE(plain.size() == one.size());
        for (std::size_t i = 0; i < plain.size(); ++i) {
            REQUIRE(plain[i].ids == one[i].ids);
            REQUIRE(std::abs(plain[i].score - one[i].score) <= 1e-6);  // float log-probabilities
        }
        const std::vector<BeamText> two = diverse_beam_search(model, request, 2, 0, prompt);
        REQUIRE(two[0].ids == two[1].ids);
        REQUIRE(two[2].ids == two[3].ids);
    }
}

TEST_CASE("a later group pays for every earlier beam that took its token in the same step") {
    // A distribution without memory: .5 .3 .2. Four groups of one beam and λ = 0.6:
    //   group 1: 0 (ln .5 = -.693). group 2: 0 costs -1.293, 1 is -1.204: takes 1.
    //   group 3: 0 costs -1.293, 1 costs -1.804, 2 is -1.609: takes 0.
    //   group 4: 0 costs -1.893, twice taken, 1 costs -1.804, 2 is -1.609: takes 2.
    const std::vector<float> logits{std::log(.5f), std::log(.3f), std::log(.2f)};
    const auto distribution = [&](std::span<const int>) { return std::span<const float>(logits); };
    const std::vector<int> prompt{1};
    const auto found =
        diverse_beam_search(one_at_a_time(distribution), beams(4, 2, {}, 1, 4), 4, 0.6, prompt);
    const auto expect = [&](const BeamText& t, std::vector<int> ids, double sum) {
        REQUIRE(t.ids == ids);
        REQUIRE(std::abs(t.sum - sum) <= 1e-6);  // float log-probabilities
    };
    expect(found[0], {0, 0}, 2 * std::log(.5));
    expect(found[1], {1, 1}, 2 * std::log(.3));
    expect(found[2], {0, 0}, 2 * (std::log(.5) - .6));
    expect(found[3], {2, 2}, 2 * std::log(.2));
    REQUIRE_THROWS_WITH(
        diverse_beam_search(one_at_a_time(distribution), beams(4, 2), 3, 1, std::vector<int>{1}),
        Contains("divisor of the 4 beams"));
    REQUIRE_THROWS_WITH(
        diverse_beam_search(one_at_a_time(distribution), beams(4, 2), 2, -1, std::vector<int>{1}),
        Contains("diversity-penalty"));
}

TEST_CASE("drawn beams: the distribution of the better of two draws without replacement") {
    // One beam, one token: two candidates are drawn, the better is kept.
    const std::array<double, 4> p{.4, .3, .2, .1};
    std::vector<float> logits;
    for (const double x : p) logits.push_back(static_cast<float>(std::log(x)));
    const auto distribution = [&](std::span<const int>) { return std::span<const float>(logits); };
    std::array<double, 4> expected{}, counted{};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j)
            expected[i] += p[i] * p[j] / (1 - p[i]) + p[j] * p[i] / (1 - p[j]);
    constexpr int draws = 20000;
    BeamRequest request = beams(1, 1);
    for (int i = 0; i < draws; ++i) {
        request.seed = static_cast<std::uint64_t>(i);
        ++counted[index(search(distribution, request)[0].ids[0])];
    }
    REQUIRE(counted[3] == 0);
    double chi_square = 0;
    for (std::size_t i = 0; i < 3; ++i)
        chi_square += std::pow(counted[i] - draws * expected[i], 2) / (draws * expected[i]);
    REQUIRE(chi_square <= 18.4);  // 2 degrees of freedom: one false alarm in 10^4
    // The same seed, the same texts; the scores are the distribution's, without the noise.
    request = beams(4, 8, {}, 1, 4), request.seed = 5;
    const std::vector<BeamText> a = search(RandomModel(1, 20), request),
                                b = search(RandomModel(1, 20), request);
    request.seed = 6;
    const std::vector<BeamText> c = search(RandomModel(1, 20), request);
    REQUIRE(a[0].ids == b[0].ids);
    REQUIRE((a[0].ids != c[0].ids || a[1].ids != c[1].ids));
    for (const BeamText& t : a) REQUIRE(t.score == length_normalised(t.sum, 8, 1));
}

TEST_CASE("the command line of beams: what contradicts a search is refused") {
    REQUIRE(
        refusal(
            "--num-beams 3 --length-penalty 0.6 --early-stopping never --num-return-sequences 2") ==
        "nothing was refused");
    REQUIRE(refusal("--do-sample --temperature 0.7 --seed 3 --top-k 5") == "nothing was refused");
    REQUIRE(refusal("--dialect transformers --no-repeat-ngram-size 3") == "nothing was refused");
    REQUIRE(refusal("--temperature 0 --top-p 1 --top-k 0 --seed 1") == "nothing was refused");
    for (const std::string given : {"--temperature 0.7", "--top-k 5", "--top-p 0.5", "--min-p 0.1",
                                    "--typical-p 0.5", "--xtc-probability 0.5"})
        REQUIRE(refusal(given) == "nothing was refused");  // it is ignored, with a line
    for (const std::string given : {"--preset factual", "--watermark 5"})
        REQUIRE_THAT(refusal(given), Contains("draws nothing") && Contains("--do-sample"));
    REQUIRE_THAT(refusal("--greedy"), Contains("--num-beams 1"));
    REQUIRE_THAT(refusal("--context slide"), Contains("--context slide"));
    REQUIRE_THAT(refusal("--early-stopping maybe"), Contains("expected true, false or never"));
    REQUIRE_THAT(refusal("--num-beams 0"), Contains("num-beams: got 0"));
    REQUIRE_THAT(refusal("--num-beams 2 --num-return-sequences 3"), Contains("expected 1 to 2"));
    REQUIRE(refusal("--diversity-penalty 1") == "nothing was refused");
}

TEST_CASE("a search says which options of draws have no effect on it") {
    const auto notes = [](const std::string& line) {
        BeamSettings settings;
        GenerateOptions options;
        read(line, settings, options);
        return without_effect(options, settings);
    };
    for (const std::string line :
         {"--temperature 0.7", "--top-k 5", "--top-p 0.5", "--min-p 0.1", "--typical-p 0.5",
          "--epsilon-cutoff 0.1", "--eta-cutoff 0.1", "--dynatemp-range 0.1", "--top-n-sigma 1",
          "--xtc-probability 0.5", "--min-tokens-to-keep 2"}) {
        CAPTURE(line);
        const std::string name = line.substr(0, line.find(' '));
        CHECK(
            notes(line) ==
            std::vector{name + " has no effect on beams without --do-sample: the best are taken"});
        CHECK(notes("--do-sample " + line).empty());
    }
    // These are refused, and then nothing else is said of them.
    for (const char* line : {"--mirostat 2", "--watermark 5", "--preset factual"})
        CHECK(notes(line).empty());
    for (const std::string line :
         {"--temperature 1", "--temperature 0", "--top-k 0", "--top-p 1", "--min-p 0",
          "--typical-p 1", "--epsilon-cutoff 0", "--eta-cutoff 0", "--dynatemp-range 0",
          "--top-n-sigma 0", "--xtc-probability 0", "--mirostat 0", "--min-tokens-to-keep 1",
          "--greedy --num-return-sequences 2", "--num-beam-groups 2 --diversity-penalty 1"}) {
        CAPTURE(line);
        CHECK(notes(line).empty());
    }
    CHECK(notes("--diversity-penalty 1") ==
          std::vector<std::string>{"--diversity-penalty has no effect without --num-beam-groups"});
}

TEST_CASE("the lattice tells how each candidate came and went") {
    const Model model = zero_model();
    BeamRequest request = beams(3, 6, {7}, 1, 3);
    request.keep_lattice = true;
    const std::vector<int> prompt{1};
    const BeamSearch s = run_beam_search(one_at_a_time(RandomModel(8, 9)), request, prompt);
    const std::vector<LatticeNode>& nodes = s.lattice();
    std::size_t finished = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const LatticeNode& n = nodes[i];
        const double before = n.parent < 0 ? 0 : nodes[index(n.parent)].sum;
        REQUIRE(std::abs(before + n.log_probability - n.sum) <= 1e-12);
        REQUIRE(n.score == length_normalised(n.sum, index(n.step), 1));
        if (n.parent >= 0) REQUIRE(nodes[index(n.parent)].step == n.step - 1);
        REQUIRE(n.why.empty() == (n.fate == Fate::live));
        finished += n.fate == Fate::finished;
    }
    const std::vector<BeamText> texts = s.results();
    REQUIRE(finished == texts.size());
    // A text's path leads to a finished node with its score.
    for (const BeamText& t : texts) {
        const std::vector<bool> path = path_of(nodes, t.ids);
        REQUIRE(std::count(path.begin(), path.end(), true) == static_cast<long>(t.ids.size()));
        const auto last = index(path.rend() - std::find(path.rbegin(), path.rend(), true)) - 1;
        REQUIRE(nodes[last].fate == Fate::finished);
        REQUIRE(nodes[last].score == t.score);
    }
    // One JSON line each: header, nodes, texts.
    std::istringstream lines(beam_trace("m", "p", request, prompt, model.tokenizer, nodes, texts));
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        REQUIRE(json_value(line).is_object());
    REQUIRE(count == 1 + nodes.size() + texts.size());
    REQUIRE(json_value(beam_json("m", "p", request, prompt, texts))["texts"].size() ==
            texts.size());
}
