// Chapter 12 with everything around it: stop strings, streams, other tokenizers.
#include "tests/catch.hpp"

#include <sstream>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "lib/text/tokenizer_train.hpp"
#include "tests/support/toy_models.hpp"

using namespace tbt;

TEST_CASE(
    "with a stop string that spans tokens, the distribution of the texts and of their ends is that "
    "of plain "
    "decoding") {
    // a, b and ab: "babb" may end in the middle of a token and begin in another.
    const TokenBytes bytes = [](int id) -> std::string_view {
        return id == 0 ? "a" : id == 1 ? "b" : "ab";
    };
    GenerateRequest request;
    SamplingOptions cuts;
    cuts.temperature = 0.9, cuts.top_p = 0.95, cuts.repetition_penalty = 1.2;
    request.chain = full_chain(cuts, Dialect::ours);
    request.stop.max_new_tokens = 4;
    request.stop.strings = StopStrings({"babb", "bbb"});
    const std::vector<int> prompt{0, 1};
    request.stop.eos = GENERATE(std::vector<int>{}, std::vector<int>{2});
    using Chances = std::map<std::string, double>;
    const auto described = [](const std::vector<int>& ids, const std::string& text,
                              FinishReason reason) {
        std::ostringstream all;
        all << text << ' ' << to_string(reason);
        for (const int id : ids) all << ' ' << id;
        return all.str();
    };
    toy::ToyModel target(5, 1.5);
    Chances expected;
    AllOutcomes random;
    do {
        std::vector<int> ids = prompt, generated;
        TextStream stream(request.stop.strings);
        std::optional<FinishReason> reason;
        Candidates c;
        while (!reason) {
            c.reset(target(ids));
            request.chain.apply(c, {ids, prompt.size()});
            ids.push_back(random.draw(c));
            generated.push_back(ids.back());
            if (!request.stop.is_eos(ids.back())) stream.push_token(bytes(ids.back()));
            reason = why_stop(request.stop, ids.back(), stream, to_int(generated.size()),
                              to_int(ids.size()));
        }
        stream.finish();
        expected[described(generated, stream.text(), *reason)] += random.probability();
    } while (random.next());
    REQUIRE(expected.size() > 10);

    for (const int length : {1, 2, 3, 6}) {
        Chances distribution;
        AllOutcomes chance;
        do {
            ModelDraft draft(toy::ToyModel(8, 1), 100);
            std::string joined;
            const SpeculativeText t = speculative_text(
                target.last(), draft, DraftLength::fixed(length), request, bytes, prompt, chance,
                Correction::residual, false, [&](const std::string& piece) { joined += piece; });
            REQUIRE(joined == t.text.text);
            distribution[described(t.text.ids, t.text.text, t.text.reason)] += chance.probability();
        } while (chance.next());
        REQUIRE(distribution.size() == expected.size());
        for (const auto& [text, p] : expected) {
            INFO(text << ", drafts of " << length);
            REQUIRE(std::abs(distribution[text] - p) <= 1e-12);
        }
    }
}

TEST_CASE("models with other tokens are refused, and the first difference is named") {
    const auto trained = [](const char* text, int vocab) {
        TokenizerTrainer trainer;
        trainer.add_text(text);
        TokenizerOptions options;
        options.vocab_size = vocab;
        return trainer.train(options);
    };
    const Tokenizer ours = trained("aaaa bbbb aaaa bbbb", 260),
                    other = trained("cccc dddd cccc dddd", 260), small = trained("aaaa", 258);
    const auto message = [](const Tokenizer& a, const Tokenizer& b) {
        try {
            check_same_vocabulary(a, b);
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string("none");
    };
    CHECK(message(ours, ours) == "none");
    CHECK(message(ours, small).find("the target has 260 tokens, the draft 258") !=
          std::string::npos);
    CHECK(message(ours, other)
              .find("for the target and 'cc' for the draft; a draft must have the target's "
                    "tokenizer") != std::string::npos);
}
