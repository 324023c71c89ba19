// Measurements put together: means over the genres, tables of the best settings, of searches, of
// what people claim.
#pragma once

#include <string>
#include <vector>

#include "chapters/24_which_decoder/measure.hpp"

namespace tbt {

// Of one setting: means over the genres, which count alike.
struct Summary {
    std::string decoder, value;
    Estimate divergence;  // not a number where q(x) is not known
    double valid = 0, lost = 0, distinct = 0, repeated = 0, tokens = 0;
    double searched_bits = 0;      // searches and fillings
    double texts = 0, genres = 0;  // sums

    std::string name() const { return value.empty() ? decoder : decoder + " " + value; }
};
std::vector<Summary> summaries(const std::vector<Measured>& rows, const std::string& model);

// For each model and decoder the setting of the smallest divergence, the best decoder first; a star
// where its interval reaches that of the best.
std::string best_of(const std::vector<Measured>& rows);

// For each model what is no distribution: beams by their number, the best text of all, canvases
// filled in so many passes; the truth beside them.
std::string searches_of(const std::vector<Measured>& rows);

// What people claim, each with the settings that decide it.
struct Claim {
    std::string says;
    // "top-p 0.98"; "top-p *": the best of this decoder; "storyteller-16M: temperature 0.8".
    std::vector<std::string> settings;
};
const std::vector<Claim>& claims();
// The setting that a claim names. Throws Error where it was not measured.
Summary setting_of(const std::vector<Measured>& rows, const std::string& name);
std::string claims_of(const std::vector<Measured>& rows);

}  // namespace tbt
