// How fast chapter 24 can tell whether a text is in the language, and how probable it is there:
// texts of 200 tokens or so, true ones and ones with a word changed.
#include <algorithm>
#include <string>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/corpus/text_probability.hpp"
#include "lib/files/model.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

struct Texts {
    std::vector<std::string> texts;
    double tokens = 0;  // mean
};

// Documents of a genre with 100 tokens or more, of the first that are drawn.
Texts long_documents(const Corpus& corpus, const Tokenizer& tokenizer, int genre, int wanted) {
    Texts t;
    for (std::uint64_t i = 0; i < 2000 && static_cast<int>(t.texts.size()) < wanted; ++i) {
        std::string text = corpus.document_of(genre, 24, i).text;
        const std::size_t tokens = tokenizer.encode(text).size();
        if (tokens < 100) continue;
        t.tokens += static_cast<double>(tokens);
        t.texts.push_back(std::move(text));
    }
    t.tokens /= std::max(1.0, static_cast<double>(t.texts.size()));
    return t;
}

std::string with_another_word(std::string text) {
    const std::size_t middle = text.find(' ', text.size() / 2);
    return middle == std::string::npos ? text : text.insert(middle, " xylophone");
}

// Seconds for 2,000 texts of 200 tokens at this speed.
double of_two_thousand(const Timing& t, const Texts& texts) {
    return t.median / static_cast<double>(texts.texts.size()) * 2000 * 200 / texts.tokens;
}

void run(const Settings&) {
    const Corpus corpus = Corpus::load("data/corpus");
    const Recogniser recogniser(corpus);
    const TextProbability probability(corpus);
    const Tokenizer tokenizer = Tokenizer::load(shipped_model("storyteller").string());
    Table table("language",
                {"genre", "tokens", "is it? s", "a word wrong s", "how probable? s", "asked"});
    for (const char* name : {"story", "weather", "keypoints", "dialogue_day"}) {
        const int genre = corpus.genre_named(name);
        const Texts t = long_documents(corpus, tokenizer, genre, quick() ? 2 : 40);
        if (t.texts.empty()) continue;
        std::vector<std::string> wrong;
        for (const std::string& text : t.texts) wrong.push_back(with_another_word(text));
        const auto each = [](const std::vector<std::string>& texts, const auto& ask) {
            return repeated("texts", [&texts, ask] {
                for (const std::string& text : texts) keep(static_cast<float>(ask(text)));
            });
        };
        const auto is_it = [&, genre](const std::string& text) {
            return static_cast<int>(recogniser.whole(text, genre));
        };
        const auto bits = [&, genre](const std::string& text) {
            return probability.whole(text, genre).steps;
        };
        const std::vector<Timing> times =
            interleaved({each(t.texts, is_it), each(wrong, is_it), each(t.texts, bits)}, 3);
        table.row({name, Cell(t.tokens, 0), Cell(of_two_thousand(times[0], t), 2),
                   Cell(of_two_thousand(times[1], t), 2), Cell(of_two_thousand(times[2], t), 2),
                   "≤ 60 s"});
    }
}

const Section section{"language", 70,
                      "chapter 24: 2,000 texts of 200 tokens, in the language, and how probable?",
                      run};

}  // namespace

}  // namespace tbt::bench
