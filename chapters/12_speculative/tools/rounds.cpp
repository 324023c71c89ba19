#include "chapters/12_speculative/tools/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "chapters/10_generate/tools/recording.hpp"
#include "chapters/12_speculative/plain_speculative.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

std::string shown(const Tokenizer& tokenizer, int id) {
    return tokenizer.is_special(id) ? "<end>" : visible(tokenizer.token_bytes(id));
}

}  // namespace

void show_by_hand() {
    const Distribution p{0.5, 0.3, 0.2}, q{0.2, 0.3, 0.5};
    std::printf(
        "1. A small example: target p = (.5, .3, .2), draft q = (.2, .3, .5). Every outcome of a "
        "round:\n\n");
    std::printf("   correction drawn from    A       B       C       accepted\n");
    for (const bool right : {true, false}) {
        Distribution distribution(3);
        double accepted = 0;
        for (std::size_t x = 0; x < 3; ++x) {  // the draft guesses x
            const double yes = std::min(1.0, p[x] / q[x]);
            accepted += q[x] * yes;
            distribution[x] += q[x] * yes;
            const Distribution rest = right ? plain_residual(p, q) : p;
            const double sum = rest[0] + rest[1] + rest[2];
            for (std::size_t y = 0; y < 3; ++y) distribution[y] += q[x] * (1 - yes) * rest[y] / sum;
        }
        std::printf("   %s  %.4f  %.4f  %.4f  %.4f%s\n",
                    right ? "max(0, p - q)        " : "p, the common mistake", distribution[0],
                    distribution[1], distribution[2], accepted, right ? "   <- p itself" : "");
    }
    std::printf("\n");
}

std::string lane_of(const Tokenizer& tokenizer, const Round& round) {
    std::string lane;
    for (const Round::Judged& x : round.judged) {
        const std::string token = shown(tokenizer, x.id);
        lane += x.accepted ? token + " " : "[" + token + "] ";
    }
    const bool one_more = round.tokens.size() > index(round.accepted());
    if (one_more) lane += (round.bonus ? "+ " : "→ ") + shown(tokenizer, round.tokens.back());
    return lane;
}

void print_judgements(const Tokenizer& tokenizer, const Round& round, Correction correction) {
    for (const Round::Judged& x : round.judged) {
        std::printf("     %s  %8.4f  %8.4f  %8.4f  %7.4f  %s\n",
                    padded(shown(tokenizer, x.id), 12).c_str(), x.p, x.q, std::min(1.0, x.p / x.q),
                    x.u, x.accepted ? "accepted" : "rejected");
    }
    if (round.tokens.size() > index(round.accepted())) {
        std::printf("     %s  %s\n", padded(shown(tokenizer, round.tokens.back()), 12).c_str(),
                    round.bonus                          ? "bonus, from the target's last row"
                    : correction == Correction::residual ? "correction, from the residual"
                                                         : "correction, from p (wrong)");
    }
}

void show_rounds(const Tokenizer& tokenizer, const SpeculativeText& written, bool coupled,
                 Correction correction) {
    constexpr std::size_t detailed = 2, lanes = 10;
    std::printf(
        "2. The first rounds, %s:\n\n",
        coupled ? "draft and target drawing with the same random numbers" : "decision by decision");
    for (std::size_t r = 0; r < std::min(detailed, written.rounds.size()) && !coupled; ++r) {
        std::printf("   round %zu     drafted        p         q   min(1,p/q)     u\n", r + 1);
        print_judgements(tokenizer, written.rounds[r], correction);
        std::printf("\n");
    }
    std::printf("   as lanes (%s, + bonus):\n\n",
                coupled ? "[the draft's], → the target's instead" : "[rejected], → correction");
    for (std::size_t r = 0; r < std::min(lanes, written.rounds.size()); ++r)
        std::printf("   %2zu  %s\n", r + 1, lane_of(tokenizer, written.rounds[r]).c_str());
    if (written.rounds.size() > lanes)
        std::printf("   …   %zu rounds in all\n", written.rounds.size());
    std::printf("\n");
}

void show_counts(const std::string& prompt, const SpeculativeText& written, bool coupled) {
    double judged = 0, accepted = 0, overlap = 0, drafted = 0;
    for (const Round& round : written.rounds) {
        judged += static_cast<double>(round.judged.size());
        drafted += static_cast<double>(round.drafted.size());
        accepted += round.accepted();
        overlap += round.overlap;
    }
    std::printf("3. The text:\n\n%s%s\n\n", prompt.c_str(), written.text.text.c_str());
    std::printf("   %zu tokens in %zu passes of the target: %.2f tokens a pass\n",
                written.text.ids.size(), written.rounds.size(),
                static_cast<double>(written.text.ids.size()) /
                    static_cast<double>(std::max<std::size_t>(written.rounds.size(), 1)));
    if (judged == 0) return;
    std::printf("   %.0f drafted, %.0f verified, %.0f accepted: %.3f of the verified", drafted,
                judged, accepted, accepted / judged);
    if (!coupled) std::printf("; expected from Σ min(p, q): %.3f", overlap / judged);
    std::printf("\n");
}

void write_lanes(const std::string& file, const Tokenizer& tokenizer,
                 const std::vector<Round>& rounds) {
    constexpr int row = 30, left = 70, letter = 8;
    const std::size_t n = std::min<std::size_t>(rounds.size(), 10);
    std::string drawing = svg_text(
        20, 24, "Rounds: drafted tokens accepted, rejected, and the target's own", "start", 15);
    const auto box = [&](double& x, double y, const std::string& text, int colour, bool faint) {
        const double width = letter * (columns(text) + 1);
        drawing += svg_rect(x, y, width, row - 8, svg_colour(colour),
                            faint ? "opacity=\"0.35\" rx=\"3\"" : "rx=\"3\"");
        drawing += svg_text(x + width / 2, y + 16, text, "middle", 12, "style=\"fill:#fff\"");
        x += width + 4;
    };
    for (std::size_t r = 0; r < n; ++r) {
        double x = left;
        const double y = 40 + static_cast<double>(r) * row;
        drawing += svg_text(left - 10, y + 16, std::to_string(r + 1), "end", 12);
        for (const Round::Judged& t : rounds[r].judged)
            box(x, y, shown(tokenizer, t.id), t.accepted ? 0 : 1, false);
        if (rounds[r].tokens.size() > index(rounds[r].accepted()))
            box(x, y, shown(tokenizer, rounds[r].tokens.back()), rounds[r].bonus ? 4 : 2, false);
    }
    double x = left;
    const double y = 48 + static_cast<double>(n) * row;
    for (const auto& [text, colour] :
         {std::pair{"accepted", 0}, {"rejected", 1}, {"correction", 2}, {"bonus", 4}})
        box(x, y, text, colour, false);
    write_svg(file, "Rounds: drafted tokens accepted, rejected, and the target's own", 720,
              static_cast<int>(y) + row, drawing);
}

namespace {

// p, q and u are written only if they were used.
Json judged_json(const Round& round, Number number) {
    Json judged = Json::array();
    for (const Round::Judged& x : round.judged) {
        Json verdict = {{"id", x.id}};
        if (!std::isnan(x.p))
            verdict["p"] = number(x.p), verdict["q"] = number(x.q), verdict["u"] = x.u;
        verdict["accepted"] = x.accepted;
        judged.push_back(verdict);
    }
    return judged;
}

Json round_line(const Tokenizer& tokenizer, const RecordedRound& r, std::size_t number) {
    Json tokens = Json::array();
    for (const int id : r.round.tokens) tokens.push_back(token_json(tokenizer, id));
    Json j = {{"round", number},
              {"sample", r.text},
              {"step", r.step},
              {"drafted", r.round.drafted},
              {"drafted_tokens", tokens_json(tokenizer, r.round.drafted)},
              {"judged", judged_json(r.round, six)},
              {"tokens", tokens},
              {"bonus", r.round.bonus}};
    if (r.guesses.parents.empty()) return j;
    j["tree"] = Json::array();
    for (int i = 0; i < count(r.guesses.ids); ++i) {
        j["tree"].push_back(token_json(tokenizer, r.guesses.ids[index(i)]));
        j["tree"].back()["parent"] =
            r.guesses.parent(i) < 0 ? Json(nullptr) : Json(r.guesses.parent(i));
    }
    return j;
}

}  // namespace

std::string speculative_trace(const Tokenizer& tokenizer, const std::string& prompt,
                              std::span<const int> prompt_ids, const GenerateRequest& request,
                              const std::string& draft, const SpeculativeText& written) {
    std::string lines = trace_line({{"format", "token-by-token rounds 1"},
                                    {"prompt", prompt},
                                    {"prompt_ids", prompt_ids},
                                    {"seed", request.seed},
                                    {"chain", request.chain.to_string()},
                                    {"draft", draft},
                                    {"finish_reason", to_string(written.text.reason)}});
    int number = 0;
    for (const Round& round : written.rounds) {
        Json tokens = Json::array();
        for (const int id : round.tokens)
            tokens.push_back({{"id", id}, {"token", tokenizer.token_bytes(id)}});
        lines += trace_line({{"round", ++number},
                             {"drafted", round.drafted},
                             {"judged", judged_json(round, exact)},
                             {"tokens", tokens},
                             {"bonus", round.bonus}});
    }
    return lines;
}

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
    Json header =
        header_json(drafted.run, model.config(), request.chain, model.tokenizer, {&prompt, 1});
    header["draft"] = {{"from", drafted.draft}, {"coupling", drafted.coupling}};
    return trace_line(header) + token_lines(model.tokenizer, {tokens}) +
           round_lines(model.tokenizer, drafted.rounds) +
           result_lines({text}, request.stop.strings);
}

}  // namespace tbt
