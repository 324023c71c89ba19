#include "chapters/12_speculative/show.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "chapters/12_speculative/plain_speculative.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/json_file.hpp"
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

void print_judgements(const Tokenizer& tokenizer, const Round& round) {
    for (const Round::Judged& x : round.judged) {
        std::printf("     %s  %8.4f  %8.4f  %8.4f  %7.4f  %s\n",
                    padded(shown(tokenizer, x.id), 12).c_str(), x.p, x.q, std::min(1.0, x.p / x.q),
                    x.u, x.accepted ? "accepted" : "rejected");
    }
    if (round.tokens.size() > index(round.accepted())) {
        std::printf(
            "     %s  %s\n", padded(shown(tokenizer, round.tokens.back()), 12).c_str(),
            round.bonus ? "bonus, from the target's last row" : "correction, from the residual");
    }
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

std::string speculative_trace(const Tokenizer& tokenizer, const std::string& prompt,
                              std::span<const int> prompt_ids, const GenerateRequest& request,
                              const std::string& draft, const SpeculativeText& written) {
    const auto line = [](const OrderedJson& object) { return json_text(object) + "\n"; };
    std::string lines = line({{"format", "token-by-token rounds 1"},
                              {"prompt", prompt},
                              {"prompt_ids", prompt_ids},
                              {"seed", request.seed},
                              {"chain", request.chain.to_string()},
                              {"draft", draft},
                              {"finish_reason", to_string(written.text.reason)}});
    int number = 0;
    for (const Round& round : written.rounds) {
        OrderedJson judged = OrderedJson::array(), tokens = OrderedJson::array();
        for (const Round::Judged& x : round.judged) {
            OrderedJson verdict{{"id", x.id}};
            if (!std::isnan(x.p)) verdict["p"] = x.p, verdict["q"] = x.q, verdict["u"] = x.u;
            verdict["accepted"] = x.accepted;
            judged.push_back(std::move(verdict));
        }
        for (const int id : round.tokens)
            tokens.push_back({{"id", id}, {"token", tokenizer.token_bytes(id)}});
        lines += line({{"round", ++number},
                       {"drafted", round.drafted},
                       {"judged", judged},
                       {"tokens", tokens},
                       {"bonus", round.bonus}});
    }
    return lines;
}

}  // namespace tbt
