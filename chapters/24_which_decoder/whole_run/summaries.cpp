#include "chapters/24_which_decoder/whole_run/summaries.hpp"

#include <algorithm>
#include <cmath>

#include "chapters/24_which_decoder/whole_run/results.hpp"
#include "lib/core/error.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

void add(Summary& s, const Measured& m) {
    s.valid += m.valid.mean;
    s.lost += m.lost;
    s.distinct += m.diversity.distinct[3];
    s.repeated += m.diversity.repeated;
    s.tokens += m.tokens;
    s.searched_bits += m.searched_bits;
    s.texts += m.texts;
    s.divergence.mean += m.divergence.mean;
    // Independent genres: squares of half-widths add up.
    s.divergence.low += std::pow(m.divergence.mean - m.divergence.low, 2);
    s.divergence.high += std::pow(m.divergence.high - m.divergence.mean, 2);
    s.genres += 1;
}

void divide(Summary& s) {
    for (double* sum : {&s.valid, &s.lost, &s.distinct, &s.repeated, &s.tokens, &s.searched_bits,
                        &s.divergence.mean})
        *sum /= s.genres;
    s.divergence.low = s.divergence.mean - std::sqrt(s.divergence.low) / s.genres;
    s.divergence.high = s.divergence.mean + std::sqrt(s.divergence.high) / s.genres;
}

std::vector<std::string> models_of(const std::vector<Measured>& rows) {
    std::vector<std::string> models;
    for (const Measured& m : rows)
        if (std::ranges::find(models, m.model) == models.end()) models.push_back(m.model);
    return models;
}

// The best setting of each decoder that draws, the best decoder first.
std::vector<Summary> best_settings(const std::vector<Measured>& rows, const std::string& model) {
    std::vector<Summary> best;
    for (const Summary& s : summaries(rows, model)) {
        if (std::isnan(s.divergence.mean)) continue;
        auto found = std::ranges::find(best, s.decoder, &Summary::decoder);
        if (found == best.end()) best.push_back(s);
        else if (s.divergence.mean < found->divergence.mean) *found = s;
    }
    std::ranges::sort(best, {}, [](const Summary& s) { return s.divergence.mean; });
    return best;
}

std::string row_of(const Summary& s, int width = 26) {
    return format("%s  %6.2f  [%6.2f, %6.2f]   %5.1f %%  %4.1f %%\n",
                  padded(s.name(), width).c_str(), s.divergence.mean, s.divergence.low,
                  s.divergence.high, 100 * s.valid, 100 * s.lost);
}

}  // namespace

std::vector<Summary> summaries(const std::vector<Measured>& rows, const std::string& model) {
    std::vector<Summary> all;
    for (const Measured& m : rows) {
        // A genre of which nothing was found.
        if (m.model != model || m.texts == 0) continue;
        auto found = std::ranges::find_if(
            all, [&](const Summary& s) { return s.decoder == m.decoder && s.value == m.value; });
        if (found == all.end()) {
            Summary fresh;
            fresh.decoder = m.decoder, fresh.value = m.value;
            found = all.insert(all.end(), fresh);
        }
        add(*found, m);
    }
    for (Summary& s : all) divide(s);
    return all;
}

std::string best_of(const std::vector<Measured>& rows) {
    std::string text;
    for (const std::string& model : models_of(rows)) {
        const std::vector<Summary> best = best_settings(rows, model);
        if (best.empty() || model == filling_model) continue;
        text += (text.empty() ? "" : "\n") + model +
                "\n  best setting                divergence, bits a text     valid   lost\n";
        for (const Summary& s : best)
            text += (s.divergence.low <= best[0].divergence.high ? "* " : "  ") + row_of(s);
    }
    return text;
}

std::string searches_of(const std::vector<Measured>& rows) {
    std::string text;
    for (const std::string& model : models_of(rows)) {
        std::string lines;
        for (const Summary& s : summaries(rows, model)) {
            const bool drawn = !std::isnan(s.divergence.mean);
            if ((drawn && model != filling_model) || s.name() == "the truth") continue;
            lines += "  " + padded(s.name(), 32) +
                     format("%6.0f  %5.0f %%", s.texts, 100 * s.valid) +
                     (s.searched_bits > 0 ? format("%9.1f", s.searched_bits) : "        -") +
                     format("%8.1f  %9.2f  %7.1f %%\n", s.tokens, s.distinct, 100 * s.repeated);
        }
        if (lines.empty()) continue;
        text += (text.empty() ? "" : "\n") + model +
                "\n                                   texts    valid   bits m  tokens  distinct"
                "   repeated\n" +
                lines;
    }
    return text;
}

const std::vector<Claim>& claims() {
    static const std::vector<Claim> all = {
        {"Nucleus beats top-k.", {"top-p *", "top-k *"}},
        {"Min-p holds at high temperature.",
         {"min-p 0.1, T 1.5", "top-p 0.9, T 1.5", "top-k 40, T 1.5", "temperature 0.7"}},
        {"Typical sampling is nearer to people.",
         {"typical-p 0.99", "top-p 0.99", "typical-p 0.9", "top-p 0.9"}},
        {"A repetition penalty of 1.2 is free.", {"temperature 1", "repetition 1.2"}},
        {"A low temperature is safer.",
         {"temperature 0.3", "temperature 0.5", "temperature 0.7", "temperature 0.9",
          "temperature 1"}},
        {"Contrast finds what the model has learnt.",
         {"contrast, β *", "min-p 0.01", "DoLa *", "temperature 1"}},
        {"A worse model needs more truncation.",
         {"temperature *", "top-p *", "storyteller-16M: temperature *", "storyteller-16M: top-p *",
          "sketch: temperature *", "sketch: top-p *"}},
        {"Stories: 0.9 to 1.5, top-p 0.95, penalty 1.0 to 1.3.",
         {"guide stories", "preset creative", "preset balanced"}},
        {"General text: 0.7 to 1.0, top-p 0.9, penalty 1.2.",
         {"guide general text", "temperature 0.8", "preset balanced"}},
        {"The default of this course: 0.8 and top-p 0.9.",
         {"T 0.8 and top-p 0.9", "temperature 0.5", "temperature 0.7"}},
        {"Facts want a low temperature.", {"preset factual", "preset conservative"}},
    };
    return all;
}

Summary setting_of(const std::vector<Measured>& rows, const std::string& name) {
    const std::size_t colon = name.find(": ");
    const std::string model = colon == std::string::npos ? "storyteller" : name.substr(0, colon),
                      setting = colon == std::string::npos ? name : name.substr(colon + 2);
    const auto among =
        setting.ends_with(" *") ? best_settings(rows, model) : summaries(rows, model);
    for (const Summary& s : among)
        if (s.name() == setting || s.decoder + " *" == setting) return s;
    throw Error("claims: " + model + ", " + setting + ": was not measured; make decoders does");
}

std::string claims_of(const std::vector<Measured>& rows) {
    std::string text =
        "                                    divergence, bits a text     valid   lost\n";
    for (const Claim& claim : claims()) {
        text += '"' + claim.says + "\"\n";
        for (const std::string& name : claim.settings) {
            Summary s = setting_of(rows, name);
            if (const std::size_t colon = name.find(": "); colon != std::string::npos)
                s.decoder = name.substr(0, colon + 2) + s.decoder;
            text += "  " + row_of(s, 32);
        }
    }
    return text;
}

}  // namespace tbt
