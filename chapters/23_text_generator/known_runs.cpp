#include "chapters/23_text_generator/known_runs.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

namespace {
constexpr int most_tokens = 16;
constexpr std::size_t max_bytes = 64;

// Drops a last word that may go on, and the blank before it: blank and word are mostly one token.
std::string whole_words(std::string bytes) {
    const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    while (!bytes.empty() && inside(bytes.back())) bytes.pop_back();
    while (!bytes.empty() && bytes.back() == ' ') bytes.pop_back();
    return bytes;
}
}  // namespace

std::vector<int> known_run(GuidedTexts& guide, const Tokenizer& tokenizer, const TextSoFar& text,
                           int most) {
    const GrammarMatcher& here = guide.follow(text);
    Recognizer& recognizer = here.language().recognizer();
    const std::string_view last =
        text.generated().empty() ? std::string_view() : tokenizer.token_bytes(text.ids.back());
    const unsigned char before = last.empty() ? 0 : static_cast<unsigned char>(last.back());
    std::string bytes = known_bytes(recognizer, here.state(), before, max_bytes);
    if (!recognizer.accepts(read_bytes(recognizer, here.state(), bytes)))
        bytes = whole_words(bytes);
    std::vector<int> ids(text.ids.begin(), text.ids.end()), run;
    for (const int id : tokenizer.encode(bytes, SpecialTokens::as_text, TextPlace::inside)) {
        // The budget may require a split into other tokens.
        if (count(run) >= most || !guide.follow({ids, text.prompt_length}).allows(id)) break;
        ids.push_back(id), run.push_back(id);
    }
    return run;
}

void guess_known_runs(GenerateRequest& request, const std::shared_ptr<GuidedTexts>& guide,
                      const Tokenizer& tokenizer, AfterRun after_run) {
    Foresight& foresight = request.foresight;
    const auto runs = std::make_shared<std::map<std::size_t, int>>();
    foresight.guess = [=, guess = std::move(foresight.guess), &tokenizer](
                          std::size_t i, const TextSoFar& text, Rng random, int room) -> Guesses {
        std::vector<int> run = known_run(*guide, tokenizer, text, std::min(room, most_tokens));
        (*runs)[i] = count(run);
        if (guess && run.empty()) return guess(i, text, random, room);
        if (!guess || after_run == AfterRun::wait) return run;
        std::vector<int> ids(text.ids.begin(), text.ids.end());
        for (const int id : run) ids.push_back(id), random.uniform();
        const Guesses more = guess(i, {ids, text.prompt_length}, random, room - count(run));
        run.insert(run.end(), more.ids.begin(), more.ids.end());
        return run;
    };
    foresight.judged = [runs, judged = std::move(foresight.judged)](std::size_t i, int guessed,
                                                                    int right) {
        const int run = (*runs)[i];
        if (judged && guessed > run) judged(i, guessed - run, std::max(0, right - run));
    };
}

}  // namespace tbt
