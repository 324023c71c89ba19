#include "tests/catch.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>

#include "chapters/06_combining/trace.hpp"
#include "chapters/24_which_decoder/measure.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "chapters/24_which_decoder/tools/results.hpp"
#include "chapters/24_which_decoder/tools/text_figures.hpp"
#include "lib/core/index.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/temporary.hpp"
#include "tests/support/tiny_gpt.hpp"

using namespace tbt;

TEST_CASE("kl: two coins by hand, nothing for equal ones, infinite for what is never written") {
    // 1/2·log2(1/2 ÷ 1/4) + 1/2·log2(1/2 ÷ 3/4)
    CHECK(std::abs(plain_kl({.5, .5}, {.25, .75}) - (.5 + .5 * std::log2(2.0 / 3))) < 1e-15);
    CHECK(plain_kl({.2, .8}, {.2, .8}) == 0);
    CHECK(std::isinf(plain_kl({.5, .5}, {1, 0})));
    CHECK(plain_kl({1, 0}, {.5, .5}) == 1);
    CHECK_THROWS_AS(plain_kl({1}, {.5, .5}), Error);
}

TEST_CASE("kl: never negative, whatever the two distributions") {
    Rng rng(3);
    for (int round = 0; round < 500; ++round) {
        std::vector<double> q(4), p(4);
        double sum_q = 0, sum_p = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            sum_q += q[i] = rng.uniform();
            sum_p += p[i] = rng.uniform();
        }
        for (std::size_t i = 0; i < 4; ++i) q[i] /= sum_q, p[i] /= sum_p;
        CHECK(plain_kl(q, p) > -1e-15);
    }
}

TEST_CASE("distinct-n: different runs over all runs") {
    const std::vector<std::vector<std::string>> texts{{"a", "b", "a"}, {"a", "b"}};
    CHECK(plain_distinct(texts, 1) == 2.0 / 5);
    CHECK(plain_distinct(texts, 2) == 2.0 / 3);
    CHECK(plain_distinct(texts, 3) == 1);
    CHECK(plain_distinct(texts, 4) == 1);
    CHECK(plain_distinct({}, 1) == 1);
}

TEST_CASE("frontier: points that no other beats") {
    const auto on = plain_frontier({{0, 3}, {1, 1}, {2, 2}, {3, 0}, {1, 1}, {0, 4}});
    CHECK(on == std::vector<bool>{true, true, false, true, true, false});
}

TEST_CASE("score: over all texts of so many tokens every decoder's probabilities add up to one") {
    Transformer gpt = tiny_gpt();
    std::vector<Mixture> mixtures;
    for (const Setting& setting : settings()) {
        if (!setting.is_distribution() || !setting.amateur.empty()) continue;
        mixtures.push_back(setting.mixture());
    }
    REQUIRE(mixtures.size() > 40);
    std::vector<double> sums(mixtures.size());
    double model = 0;
    const int V = gpt.config().vocab_size;
    for (int a = 0; a < V; ++a)
        for (int b = 0; b < V; ++b) {
            const Bits bits = score(gpt, {7, 3, a, b}, 2, mixtures);
            model += std::exp2(-bits.m);
            for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += std::exp2(-bits.q[k]);
        }
    CHECK(std::abs(model - 1) < 1e-6);  // log-probabilities are sums of floats' exponentials
    for (const double sum : sums) CHECK(std::abs(sum - 1) < 1e-12);
}

TEST_CASE("score: mirostat is told how probable the tokens so far were") {
    Transformer gpt = tiny_gpt();
    Setting setting{"mirostat", "", {}};
    setting.options.temperature = 1;
    setting.options.mirostat = 2, setting.options.mirostat_tau = 2,
    setting.options.mirostat_eta = 1;
    const Chain chain = setting.chain();
    const auto probability = [&](std::span<const float> row, const TextSoFar& text, int id) {
        Candidates c;
        c.reset(row);
        chain.apply(c, text);
        return probability_of(c, id);
    };
    int written = 0, changed = 0;
    const int V = gpt.config().vocab_size;
    for (int a = 0; a < V; ++a)
        for (int b = 0; b < V; ++b) {
            const std::vector<int> ids{7, 3, a, b};
            KvCache cache(gpt.config());
            const Logits logits = gpt.forward_all(cache, std::span(ids).first(3));
            Candidates c;
            c.reset(logits.row(1));
            const std::vector<double> told{c.log_probability(index(a))}, untold{0};
            const double first = probability(logits.row(1), {std::span(ids).first(2), 2, {}}, a),
                         second = probability(logits.row(2), {std::span(ids).first(3), 2, told}, b);
            const double q = std::exp2(-score(gpt, ids, 2, {setting.mixture()}).q[0]);
            CHECK(std::abs(q - first * second) < 1e-12);
            written += q > 0;
            changed += first > 0 && second != probability(logits.row(2),
                                                          {std::span(ids).first(3), 2, untold}, b);
        }
    CHECK(written > 0);
    CHECK(changed > 0);
}

TEST_CASE("score: greedy gives its own text everything, and any other nothing") {
    Transformer gpt = tiny_gpt();
    const std::vector<Mixture> greedy{settings("greedy").at(0).mixture()};
    int certain = 0;
    for (int a = 0; a < gpt.config().vocab_size; ++a) {
        const double bits = score(gpt, {7, 3, a}, 2, greedy).q[0];
        CHECK((bits == 0 || std::isinf(bits)));
        certain += bits == 0;
    }
    CHECK(certain == 1);
    CHECK(score(gpt, {7, 3}, 2, greedy).q[0] == 0);
    CHECK_THROWS_AS(score(gpt, {7, 3}, 0, greedy), Error);
    CHECK_THROWS_AS(score(gpt, {7, 3}, 3, greedy), Error);
}

TEST_CASE("kl of the kept: what is left of the truth, as a distribution of its own") {
    const double lost = std::numeric_limits<double>::infinity();
    // Four equal texts; a decoder writes two of them, equally often: the rest of the truth exactly.
    CHECK(kl_of_kept({-1, lost, -1, lost}).mean == 0);
    // The same two, 3/4 and 1/4: KL of (1/2, 1/2) from that.
    const std::vector<double> ratios{std::log2(.25 / .75), lost, std::log2(.25 / .25), lost};
    CHECK(std::abs(kl_of_kept(ratios).mean - plain_kl({.5, .5}, {.75, .25})) < 1e-12);
    CHECK(kl_of_kept({.5, .5}).mean == .5);  // nothing lost, nothing shifted
    CHECK(std::isnan(kl_of_kept({lost, lost}).mean));
}

TEST_CASE("settings: each has a name of its own, and an unknown decoder is refused") {
    std::set<std::string> names;
    for (const Setting& setting : settings()) CHECK(names.insert(setting.name()).second);
    CHECK(few_settings().size() == 9);
    CHECK_THROWS_AS(settings("nucleus"), UsageError);
}

TEST_CASE("bootstrap: 95 % intervals hold the true mean in at least 93 % of 1,000 repetitions") {
    Rng rng(11);
    int held = 0;
    for (int repetition = 0; repetition < 1000; ++repetition) {
        // Skewed, as log-ratios of texts are: squares of normal numbers, mean 1.
        std::vector<double> values(200);
        for (double& v : values) v = std::pow(rng.normal(), 2);
        const Estimate e = bootstrap(values, static_cast<std::uint64_t>(repetition), 400);
        held += e.low <= 1 && 1 <= e.high;
    }
    CHECK(held >= 930);
    CHECK(std::isnan(bootstrap({}).mean));
    CHECK_THROWS_AS(bootstrap({1}, 1, 10), Error);
    const Estimate same = bootstrap({2, 2, 2});
    CHECK((same.mean == 2 && same.low == 2 && same.high == 2));
}

TEST_CASE("language: what is given and what follows multiply to the document's probability") {
    const Corpus corpus = Corpus::from_text(
        {{"t.grammar",
          "genre one 3\n  The weather is {fine|[3] cloudy}{ today| tonight}.\n"
          "genre two 1\n  The weather is cloudy today.\n  A cat sat on an elephant.\n"}});
    const Language language(corpus);
    const Model model = load_model(shipped_model("sketch"));
    const auto passages = language.passages(model.tokenizer, "one", 40, 1, 5);
    for (const Passage& p : passages) {
        CHECK(p.beginning + p.rest ==
              model.tokenizer.decode(std::span(p.ids).subspan(1, p.ids.size() - 2)));
        CHECK(p.ids.front() == model.tokenizer.eos_id());
        CHECK(p.ids.back() == model.tokenizer.eos_id());
        REQUIRE(p.beginning == "The weather");
        // Seven eighths of all documents begin so; two genres can write one of them.
        CHECK(std::abs(std::exp2(-p.beginning_bits) - 7.0 / 8) < 1e-12);
        const double fine = .75 * .25 * .5, cloudy = .75 * .75 * .5;
        const double p_whole = p.rest.find("fine") != std::string::npos ? fine
                               : p.rest == " is cloudy today."          ? cloudy + .25 * .5
                                                                        : cloudy;
        CHECK(std::abs(std::exp2(-p.rest_bits) - p_whole / (7.0 / 8)) < 1e-12);
    }
    CHECK(std::isinf(language.bits(passages[0], " is bright today.")));
    // Not after an article that its word decides.
    CHECK(place_to_cut(model.tokenizer, "A cat sat on an elephant.", 14) == std::string::npos);
    CHECK(place_to_cut(model.tokenizer, "A cat sat on an elephant.", 8) == 9);
    CHECK_THROWS_AS(language.passages(model.tokenizer, "three", 1, 1), Error);
}

TEST_CASE(
    "measure: all that the truth writes is valid, and a decoder that cannot differ has its "
    "divergence in closed form") {
    const Corpus corpus = Corpus::load("data/corpus/world");
    const Language language(corpus);
    Model model = load_model(shipped_model("storyteller"));
    const auto passages = language.passages(model.tokenizer, "people_said_world", 12, 5);
    std::vector<Setting> few = settings("temperature");
    few.push_back(settings("greedy").at(0));
    Setting beams{"beams", "2", {}, 2};
    few.push_back(beams);
    OtherModels others(model, shipped_model("storyteller"));
    DecoderMeasure measure(language, model, others, passages, few, 200, 5);
    CHECK(measure.truth().diversity.distinct_texts > 0);
    CHECK(measure.truth().valid.mean == 1);
    for (std::size_t k = 0; k < few.size(); ++k) {
        const auto start = std::chrono::steady_clock::now();
        const Measured m = measure.run(k, 1);
        const std::chrono::duration<double, std::micro> whole =
            std::chrono::steady_clock::now() - start;
        // At most all of the time: others' texts are drawn beside the first setting's.
        if (k == 0 || few[k].beams > 0)
            CHECK((m.microseconds > 0 && m.microseconds * m.tokens * m.texts <= whole.count()));
        CHECK(m.texts == (few[k].beams > 0 ? 5 : 12));
        CHECK(measure.texts().size() == index(m.texts));
        CHECK((0 <= m.valid.low && m.valid.low <= m.valid.mean && m.valid.mean <= m.valid.high));
        if (few[k].beams == 0) CHECK(m.divergence.mean <= 2 * most_bits);
        const Measured again = measure.run(k, 1);
        CHECK(again.valid.mean == m.valid.mean);
        CHECK(again.tokens == m.tokens);
        // The same as when no other setting writes beside it.
        DecoderMeasure one(language, model, others, passages, {few[k]}, 200, 5);
        const Measured alone = one.run(0, 1);
        CHECK(one.texts() == measure.texts());
        if (m.valid.mean > 0) CHECK(alone.m_bits == Approx(m.m_bits));
        if (few[k].beams > 0) continue;
        if (m.valid.mean > 0) CHECK(alone.kl_qp.mean == Approx(m.kl_qp.mean));
        CHECK(alone.divergence.mean == Approx(m.divergence.mean));
    }
    // Greedy can write one text only: it loses nearly all of the truth.
    CHECK(measure.run(few.size() - 2, 1).lost > .5);
    CHECK(measure.run(5, 1).lost == 0);
}

TEST_CASE("results: a line is read as it was written; anything else is named") {
    const test::TemporaryFolder folder;
    Measured m;
    m.model = "a", m.genre = "b", m.decoder = "top-p", m.value = "0.9";
    m.texts = 7;
    m.kl_qp = {1.5, 1, 2};
    m.kl_pq.mean = std::numeric_limits<double>::quiet_NaN();
    m.diversity.distinct[2] = .25;
    const std::string file = folder.file("lines.jsonl");
    CHECK(read_results(file).empty());
    std::ofstream(file) << line_of(m) << line_of(m);
    const auto rows = read_results(file);
    REQUIRE(rows.size() == 2);
    CHECK(line_of(rows[1]) == line_of(m));
    CHECK(std::isnan(rows[0].kl_pq.mean));
    CHECK(rows[0].kl_qp.high == 2);
    std::ofstream(file, std::ios::app) << "{\"model\": 1";
    CHECK(read_results(file).size() == 2);  // a run that was stopped while it wrote
    std::ofstream(file, std::ios::app) << "}\n";
    CHECK_THROWS_WITH(read_results(file), Catch::Contains("lines.jsonl, line 3"));
}

TEST_CASE("texts of a file: lines of JSON, or what the separator parts; anything else is named") {
    const test::TemporaryFolder folder;
    using Texts = std::vector<std::string>;
    CHECK(texts_in(folder.write("a.txt", "one\ntwo<|endoftext|> \n<|endoftext|>three")) ==
          Texts{"one\ntwo", "three"});
    CHECK(
        texts_in(folder.write("a.jsonl", "{\"text\": \"one\"}\n\n{\"text\": \"two\", \"n\": 1}")) ==
        Texts{"one", "two"});
    CHECK(texts_in(folder.write("w.txt", "\xEF\xBB\xBFone\r\ntwo")) == Texts{"one\ntwo"});
    CHECK(texts_in(folder.write("w.jsonl", "\xEF\xBB\xBF{\"text\": \"one\"}\r\n")) == Texts{"one"});
    CHECK_THROWS_WITH(texts_in(folder.write("b.jsonl", "{\"text\": \"one\"}\n{\"txt\": \"two\"}")),
                      Catch::Contains("b.jsonl, line 2"));
    CHECK_THROWS_WITH(texts_in(folder.write("empty.txt", "\n")), Catch::Contains("has no text"));
    for (const std::string& bytes : {std::string("a\xFFz"), std::string("a\0z", 3)})
        CHECK_THROWS_WITH(texts_in(folder.write("bad.txt", bytes)), Catch::Contains("byte 2"));
}

TEST_CASE("figures of a text: its tokens' bits, in pieces where the context ends") {
    Model model = load_model(shipped_model("sketch"));
    const std::string text = "The weather today is sunny.";
    const TextFigures f = text_figures(model, {text, text});
    std::vector<int> ids{model.tokenizer.eos_id()};
    for (const int id : model.tokenizer.encode(text)) ids.push_back(id);
    CHECK(f.texts == 2);
    CHECK(f.tokens == 2 * (to_int(ids.size()) - 1));
    CHECK(f.bytes == 2 * static_cast<long>(text.size()));
    CHECK(f.bits == 2 * score(model.transformer, ids, 1, {}).m);
    CHECK(std::abs(f.perplexity() - std::exp2(f.bits / static_cast<double>(f.tokens))) < 1e-12);
    CHECK(f.bits_per_byte() == f.bits / static_cast<double>(f.bytes));
    CHECK(f.diversity.distinct_texts == .5);
    CHECK(f.diversity.distinct[0] == .5);
    // Longer than the context: every token but the first of each piece is predicted once.
    std::string longer;
    while (model.tokenizer.encode(longer).size() < 1200) longer += text + " ";
    const TextFigures g = text_figures(model, {longer});
    CHECK(g.tokens == to_int(model.tokenizer.encode(longer).size()));
    CHECK(g.bytes == static_cast<long>(longer.size()));
    CHECK(g.diversity.repeated > .9);
    CHECK_THROWS_AS(text_figures(model, {}), Error);
    // A model whose texts begin with a token of their own has read them so.
    Model other = small_model(Tokenizer::load("tests/data/tokenizers/tiny-llama3"));
    std::vector<int> begun{other.tokenizer.bos_id().value()};
    REQUIRE(begun[0] != other.tokenizer.eos_id());
    for (const int id : other.tokenizer.encode("the sea")) begun.push_back(id);
    CHECK(text_figures(other, {"the sea"}).bits == score(other.transformer, begun, 1, {}).m);
}
