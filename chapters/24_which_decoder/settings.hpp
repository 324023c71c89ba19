// The decoders that are compared, each over the range of its parameter.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/22_diffusion/filling.hpp"
#include "chapters/23_text_generator/guidance.hpp"

namespace tbt {

// What a token is drawn from: (share, chain), one of them but where a coin decides (XTC).
using Mixture = std::vector<std::pair<double, Chain>>;

struct Setting {
    std::string decoder;  // "top-p"
    std::string value;    // "0.9", "0.9, T 1.5"
    SamplingOptions options;
    int beams = 0;             // 0: one text is drawn
    bool drawn_beams = false;  // the beams' candidates are drawn
    bool exact = false;        // the best text of all, where it can be proven (chapter 11)
    // Contrastive decoding against this shipped model; DoLa against the "low" or "high" layers.
    std::string amateur = {};
    Contrast contrast = {};
    std::optional<FillOptions> fill = {};  // by the model that fills masks (chapter 22)

    // Is q(x) known? Not where texts are searched for, or filled in.
    bool is_distribution() const { return beams == 0 && !fill; }
    // Are its tokens drawn from the model's own logits?
    bool draws_own() const { return is_distribution() && amateur.empty(); }
    std::string name() const { return decoder + " " + value; }
    Mixture mixture() const;
    Chain chain() const;
};

// Over 90, or those of one decoder. Throws UsageError for a name that none has.
std::vector<Setting> settings(const std::string& decoder = "");
// The model that fills masks, and its settings: places in random order and confident first, by
// passes; and three decoders from left to right, for the same passages.
inline const std::string filling_model = "diffusion";
std::vector<Setting> fill_settings();
// The few that chapter 24's program shows.
std::vector<Setting> few_settings();

}  // namespace tbt
