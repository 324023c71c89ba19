#include "chapters/12_speculative/recorded_round.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "chapters/10_generate/recording/trace_json.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

namespace {

OrderedJson round_line(const Tokenizer& tokenizer, const RecordedRound& r, std::size_t number) {
    OrderedJson judged = OrderedJson::array(), tokens = OrderedJson::array();
    for (const Round::Judged& x : r.round.judged) {
        // p, q and u are written only if they were used.
        OrderedJson verdict = {{"id", x.id}};
        if (!std::isnan(x.p)) verdict["p"] = six(x.p), verdict["q"] = six(x.q), verdict["u"] = x.u;
        verdict["accepted"] = x.accepted;
        judged.push_back(verdict);
    }
    for (const int id : r.round.tokens) tokens.push_back(token_json(tokenizer, id));
    OrderedJson j = {{"round", number},
                     {"sample", r.text},
                     {"step", r.step},
                     {"drafted", r.round.drafted},
                     {"drafted_tokens", tokens_json(tokenizer, r.round.drafted)},
                     {"judged", judged},
                     {"tokens", tokens},
                     {"bonus", r.round.bonus}};
    if (r.guesses.parents.empty()) return j;
    j["tree"] = OrderedJson::array();
    for (int i = 0; i < count(r.guesses.ids); ++i) {
        j["tree"].push_back(token_json(tokenizer, r.guesses.ids[index(i)]));
        j["tree"].back()["parent"] =
            r.guesses.parent(i) < 0 ? OrderedJson(nullptr) : OrderedJson(r.guesses.parent(i));
    }
    return j;
}

}  // namespace

std::vector<RecordedRound> recorded_rounds(const std::vector<Round>& rounds,
                                           std::span<const GuessedRound> guessed) {
    std::vector<RecordedRound> all;
    std::size_t step = 0;
    for (const Round& round : rounds) {
        all.push_back({0, step, round});
        const auto tree = std::find_if(guessed.begin(), guessed.end(),
                                       [&](const GuessedRound& g) { return g.begins == step; });
        if (tree != guessed.end()) all.back().guesses = tree->guesses;
        step += round.tokens.size();
    }
    return all;
}

std::string round_lines(const Tokenizer& tokenizer, const std::vector<RecordedRound>& rounds) {
    std::string out;
    std::size_t number = 0;
    for (const RecordedRound& r : rounds) out += trace_line(round_line(tokenizer, r, ++number));
    return out;
}

std::string drafted_trace(const DraftedRun& drafted, Model& model, const GenerateRequest& request,
                          const ShownPrompt& prompt, const GeneratedText& text) {
    CachedBatch batch(model.transformer);
    const bool drawn = drafted.coupling == "seed";
    const std::vector<RecordedToken> tokens =
        replay(std::ref(batch), request, replayed_text(request, prompt.ids, text.ids, drawn));
    OrderedJson header =
        header_json(drafted.run, model.config(), request.chain, model.tokenizer, {&prompt, 1});
    header["draft"] = {{"from", drafted.draft}, {"coupling", drafted.coupling}};
    return trace_line(header) + token_lines(model.tokenizer, {tokens}) +
           round_lines(model.tokenizer, drafted.rounds) +
           result_lines({text}, request.stop.strings);
}

}  // namespace tbt
