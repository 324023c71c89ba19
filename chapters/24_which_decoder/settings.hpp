// The decoders that are compared, each over the range of its parameter.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chapters/06_combining/chain_step.hpp"
#include "chapters/06_combining/dialects.hpp"

namespace tbt {

// What a token is drawn from: (share, chain), one of them but where a coin decides (XTC).
using Mixture = std::vector<std::pair<double, Chain>>;

struct Setting {
    std::string decoder;  // "top-p"
    std::string value;    // "0.9", "0.9, T 1.5"
    SamplingOptions options;
    int beams = 0;  // 0: one text is drawn

    std::string name() const { return decoder + " " + value; }
    Mixture mixture() const;
    Chain chain() const;
};

// Over 50, or those of one decoder. Throws UsageError for a name that none has.
std::vector<Setting> settings(const std::string& decoder = "");
// The few that chapter 24's program shows.
std::vector<Setting> few_settings();

}  // namespace tbt
