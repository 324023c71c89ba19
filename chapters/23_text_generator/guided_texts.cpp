#include "chapters/23_text_generator/guided_texts.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

std::shared_ptr<const TokenTrie> Languages::trie() {
    const std::lock_guard lock(mutex_);
    if (!trie_) trie_ = std::make_shared<const TokenTrie>(*tokenizer_);
    return trie_;
}

std::shared_ptr<CompiledGrammar> Languages::get(const GuideRequest& guide) {
    if (guide.name().empty()) return nullptr;
    const std::string key = guide.key();
    if (std::shared_ptr<CompiledGrammar> language = known(key)) return language;
    auto compiled = std::make_shared<CompiledGrammar>(recognizer_for(guide), trie());
    GrammarMatcher(compiled).mask();  // here, where nobody else waits for the first one
    // Another thread may have compiled the same guide meanwhile.
    if (std::shared_ptr<CompiledGrammar> language = known(key)) return language;
    const std::lock_guard lock(mutex_);
    recent_.emplace_front(key, compiled);
    forget_oldest();
    return compiled;
}

std::shared_ptr<CompiledGrammar> Languages::known(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(recent_.begin(), recent_.end(),
                                 [&](const auto& entry) { return entry.first == key; });
    if (at == recent_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, at);
    return at->second;
}

void Languages::forget_oldest() {
    for (auto at = recent_.end(); recent_.size() > most && at != recent_.begin();) {
        --at;
        if (at->second.use_count() == 1) at = recent_.erase(at);
    }
}

void GuidedTexts::add(std::span<const int> prompt, int budget, std::string_view beginning) {
    prompts_.push_back({{prompt.begin(), prompt.end()},
                        ConstraintFollower(GrammarMatcher(language_, budget, beginning))});
}

GrammarMatcher& GuidedTexts::follow(const TextSoFar& text) {
    const std::span<const int> prompt = text.ids.first(text.prompt_length);
    for (OfPrompt& p : prompts_) {
        if (std::equal(p.prompt.begin(), p.prompt.end(), prompt.begin(), prompt.end()))
            return p.follower.follow(text.generated());
    }
    throw Error("guided: the prompt of this text was not registered");
}

namespace {

// Applies a step, and undoes it if it bans all candidates. Only penalties and bans can do that, and
// they change logits without dropping candidates.
void apply_unless_all_banned(const std::function<void(Candidates&, const TextSoFar&)>& step,
                             Candidates& c, const TextSoFar& text) {
    const std::vector<float> before(c.logits().begin(), c.logits().end());
    step(c, text);
    if (c.size() != before.size() || c.count() > 0) return;
    for (std::size_t i = 0; i < before.size(); ++i) *c.find(c.id(i)) = before[i];
}

}  // namespace

Chain guided_chain(const Chain& chain, const std::shared_ptr<GuidedTexts>& guide) {
    std::vector<ChainStep> steps;
    steps.push_back(grammar_step(
        [guide](const TextSoFar& text) -> GrammarMatcher& { return guide->follow(text); }));
    for (const ChainStep& step : chain.steps()) {
        steps.push_back(step);
        steps.back().apply = [apply = step.apply](Candidates& c, const TextSoFar& text) {
            if (c.size() > 1) apply_unless_all_banned(apply, c, text);
        };
    }
    return Chain(std::move(steps));
}

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

// The tokens of the bytes that must follow a text, at most `most`; none if there is a choice. A
// last word that may go on is left out, with the blank before it.
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

}  // namespace

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
