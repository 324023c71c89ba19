// The mask under a beam search, with penalties, stop strings and streams:
// what each of them promises still holds.
#include "tests/catch.hpp"

#include "chapters/10_generate/generate.hpp"
#include "chapters/13_json_grammar/grammar_step.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "tests/support/beams.hpp"
#include "tests/support/guided.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

const std::vector<std::string> tokens = {"[", "]", "1", ",1", "[]", "[1", "\"", "é", ""};
constexpr int eos = 8, budget = 5;
constexpr std::size_t V = 9;

std::shared_ptr<CompiledGrammar> small_json() {
    return language(std::make_shared<JsonRecognizer>(JsonOptions{0, false, false}),
                    std::make_shared<const TokenTrie>(tokens, eos));
}

TokenBytes bytes_of_tokens() {
    return [](int id) { return std::string_view(tokens[index(id)]); };
}

// Every text that the constraint lets end, with the model's own log-probability.
struct Scored {
    double sum;
    std::vector<int> ids;
};
void all_texts(const GrammarMatcher& constraint, test::RandomModel model, std::vector<int>& ids,
               double sum, std::vector<Scored>& found) {
    if (constraint.ended() || constraint.remaining() == 0) {
        found.push_back({sum, {ids.begin() + 1, ids.end()}});
        return;
    }
    const std::span<const float> row = model(ids);
    const std::vector<float> logits(row.begin(), row.end());
    for (int id = 0; id < static_cast<int>(V); ++id) {
        GrammarMatcher next = constraint;
        if (!next.allows(id)) continue;
        next.advance(id);
        ids.push_back(id);
        all_texts(next, model, ids, sum + test::log_probability(logits, id), found);
        ids.pop_back();
    }
}

BatchLogits one_by_one(test::RandomModel& model, std::vector<std::vector<float>>& rows) {
    return [&](std::span<const BatchText> texts) {
        rows.clear();
        for (const BatchText& t : texts) {
            const auto row = model(t.ids);
            rows.emplace_back(row.begin(), row.end());
        }
        return std::vector<std::span<const float>>(rows.begin(), rows.end());
    };
}

}  // namespace

TEST_CASE("a beam search under a grammar finds the legal texts that are most probable, in order") {
    const auto shared = small_json();
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        test::RandomModel model(seed, static_cast<int>(V));
        std::vector<int> ids{2};
        std::vector<Scored> every;
        all_texts(GrammarMatcher(shared, budget), model, ids, 0, every);
        std::sort(every.begin(), every.end(),
                  [](const Scored& a, const Scored& b) { return a.sum > b.sum; });
        REQUIRE(every.size() > 50);

        std::vector<std::vector<float>> rows;
        BeamRequest request;
        request.beams.num_beams = to_int(every.size());  // wide enough to lose nothing
        request.beams.num_return_sequences = 20;
        request.beams.length_penalty = 0;  // compare sums
        request.stop.eos = {eos};
        request.stop.max_new_tokens = budget;
        request.bytes = bytes_of_tokens();
        request.processor = grammar_processor(GrammarMatcher(shared, budget), 1);
        const std::vector<BeamText> found =
            beam_search(one_by_one(model, rows), request, std::vector<int>{2});
        REQUIRE(found.size() == 20);
        JsonRecognizer recognizer;
        for (std::size_t i = 0; i < found.size(); ++i) {
            CAPTURE(seed, i, found[i].text);
            REQUIRE(accepts_text(recognizer, found[i].text));
            REQUIRE(found[i].ids == every[i].ids);
            REQUIRE(std::abs(found[i].sum - every[i].sum) <=
                    1e-5);  // log-probabilities pass through floats
        }
    }
}

TEST_CASE("narrow beams and drawn beams under a grammar still end valid, within the budget") {
    const auto shared = small_json();
    JsonRecognizer recognizer;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        test::RandomModel model(seed, static_cast<int>(V), 4);
        std::vector<std::vector<float>> rows;
        BeamRequest request;
        request.beams.num_beams = request.beams.num_return_sequences =
            1 + static_cast<int>(seed % 4);
        request.stop.eos = {eos};
        request.stop.max_new_tokens = 1 + static_cast<int>(seed % 7);
        request.bytes = bytes_of_tokens();
        if (seed % 2 == 0) request.seed = seed;
        request.processor =
            grammar_processor(GrammarMatcher(shared, request.stop.max_new_tokens), 1);
        for (const BeamText& text :
             beam_search(one_by_one(model, rows), request, std::vector<int>{2})) {
            CAPTURE(seed, text.text);
            REQUIRE(accepts_text(recognizer, text.text));
            REQUIRE(text.ids.size() <= index(request.stop.max_new_tokens));
        }
    }
}

TEST_CASE("a stop string cuts a guided text off, and what was streamed is what was written") {
    const auto shared = small_json();
    GenerateRequest request;
    request.chain = in_order(Dialect::ours, {grammar_step(GrammarMatcher(shared, 12))});
    request.stop.eos = {eos};
    request.stop.max_new_tokens = 12;
    request.stop.strings = StopStrings(std::vector<std::string>{",1]"});
    request.samples = 300;
    std::vector<float> row(V, 0.0f);
    const BatchLogits logits = [&](std::span<const BatchText> texts) {
        return std::vector<std::span<const float>>(texts.size(), row);
    };
    JsonRecognizer recognizer;
    int cut = 0, whole = 0;
    std::vector<std::string> streamed(300);
    GenerateObserver observer;
    observer.on_text = [&](std::size_t sample, const std::string& piece) {
        streamed[sample] += piece;
    };
    const auto texts =
        generate_texts(logits, bytes_of_tokens(), std::vector<int>{2}, request, observer);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const GeneratedText& text = texts[i];
        CAPTURE(text.text);
        REQUIRE(streamed[i] == text.text);
        REQUIRE(text.text.find(",1]") == std::string::npos);
        if (text.reason == FinishReason::stop_string) {
            ++cut;
            REQUIRE(read_bytes(recognizer, recognizer.start(), text.text + ",1]") !=
                    Recognizer::dead);
        } else {
            ++whole;
            REQUIRE(accepts_text(recognizer, text.text));
        }
    }
    REQUIRE((cut > 5 && whole > 5));
}
