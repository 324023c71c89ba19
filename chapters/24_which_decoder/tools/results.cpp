#include "chapters/24_which_decoder/tools/results.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "chapters/24_which_decoder/plain_measures.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// Five digits are more than the intervals bear. JSON has no word for "not a number".
Json rounded(double value) {
    if (!std::isfinite(value)) return nullptr;
    return std::stod(format("%.5g", value));
}

Json json_of(const Estimate& e) {
    if (std::isnan(e.mean)) return nullptr;
    return {rounded(e.mean), rounded(e.low), rounded(e.high)};
}

Estimate estimate_of(const Json& json) {
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (json.is_null()) return {none, none, none};
    return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

double number_of(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Measured measured_of(const Json& j) {
    Measured m;
    m.model = j.at("model");
    m.genre = j.at("genre");
    m.decoder = j.at("decoder");
    m.value = j.at("value");
    m.texts = j.at("texts");
    m.undecided = j.at("undecided");
    m.tokens = j.at("tokens");
    m.valid = estimate_of(j.at("valid"));
    m.kl_qp = estimate_of(j.at("kl_qp"));
    m.lost = number_of(j.at("lost"));
    m.kl_pq = estimate_of(j.at("kl_pq"));
    m.divergence = estimate_of(j.at("divergence"));
    m.m_bits = number_of(j.at("m_bits"));
    m.p_bits = number_of(j.at("p_bits"));
    m.searched_bits = j.contains("searched_bits") ? number_of(j.at("searched_bits")) : 0;
    m.microseconds = number_of(j.at("microseconds"));
    const Json& d = j.at("diversity");
    m.diversity.distinct_texts = d.at("texts");
    for (std::size_t n = 0; n < 4; ++n) m.diversity.distinct[n] = d.at("distinct").at(n);
    m.diversity.plot_entropy = d.at("plot_entropy");
    m.diversity.repeated = d.at("repeated");
    m.diversity.alternatives = d.at("alternatives");
    return m;
}

}  // namespace

std::string line_of(const Measured& m) {
    const Diversity& d = m.diversity;
    Json j;
    j["model"] = m.model;
    j["genre"] = m.genre;
    j["decoder"] = m.decoder;
    j["value"] = m.value;
    j["texts"] = m.texts;
    j["undecided"] = m.undecided;
    j["tokens"] = rounded(m.tokens);
    j["valid"] = json_of(m.valid);
    j["kl_qp"] = json_of(m.kl_qp);
    j["lost"] = rounded(m.lost);
    j["kl_pq"] = json_of(m.kl_pq);
    j["divergence"] = json_of(m.divergence);
    j["m_bits"] = rounded(m.m_bits);
    j["p_bits"] = rounded(m.p_bits);
    if (m.searched_bits > 0) j["searched_bits"] = rounded(m.searched_bits);
    Json distinct = Json::array();
    for (const double share : d.distinct) distinct.push_back(rounded(share));
    j["diversity"] = {{"texts", rounded(d.distinct_texts)},
                      {"distinct", distinct},
                      {"plot_entropy", rounded(d.plot_entropy)},
                      {"repeated", rounded(d.repeated)},
                      {"alternatives", d.alternatives}};
    j["microseconds"] = rounded(m.microseconds);
    return json_text(j) + "\n";
}

std::vector<Measured> read_results(const std::string& file) {
    std::vector<Measured> rows;
    if (!file_exists(file)) return rows;
    std::istringstream in(read_file(file));
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (in.eof()) break;  // without its end of line: the run was stopped while it wrote
        const std::string name = file + ", line " + std::to_string(number);
        try {
            rows.push_back(measured_of(parse_json(line, name)));
        } catch (const JsonError&) {
            throw Error(name +
                        ": not a measurement of this program; take the line out, and it is "
                        "measured again");
        }
    }
    return rows;
}

std::string table_of(const std::vector<Measured>& rows, bool with_price) {
    std::string text =
        "decoder                 valid  lost   KL(q‖p)  KL(p‖q)    capped   distinct  repeated"
        "  bits in p" +
        std::string(with_price ? "   µs a token\n" : "\n");
    const auto number = [](double value, int width) {
        return std::isfinite(value) ? format("%*.2f", width, value) : format("%*s", width, "-");
    };
    const auto percent = [](double share, int width) {
        return std::isfinite(share) ? format("  %*.0f %%", width, 100 * share)
                                    : format("  %*s  ", width, "-");
    };
    for (const Measured& m : rows)
        text += padded(m.decoder + " " + m.value, 22) + percent(m.valid.mean, 4) +
                percent(m.lost, 3) + "  " + number(m.kl_qp.mean, 7) + number(m.kl_pq.mean, 9) +
                number(m.divergence.mean, 11) +
                format("%10.2f  %7.1f %%", m.diversity.distinct[3], 100 * m.diversity.repeated) +
                number(m.p_bits, 11) + (with_price ? number(m.microseconds, 13) : "") + "\n";
    return text;
}

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

namespace {

bool is_shown(const std::string& decoder) {
    for (const char* name : {"temperature", "top-k", "top-p", "min-p", "typical-p", "epsilon"})
        if (decoder == name) return true;
    return false;
}

}  // namespace

void write_frontier(const std::string& file, const std::vector<Measured>& rows,
                    const std::string& model, bool against_diversity) {
    LineChart chart;
    chart.title = against_diversity ? "Wrong texts against varied ones: " + model
                                    : "Wrong texts against true texts lost: " + model;
    chart.x_label = against_diversity ? "distinct runs of four words, %" : "true texts lost, %";
    chart.y_label = "texts that are wrong, %";
    std::vector<Summary> all = summaries(rows, model);
    LineChart::Series truth{"the truth", {}, false, true, false};
    for (const Summary& s : all)
        if (s.name() == "the truth") truth.points.emplace_back(100 * s.distinct, 0);
    std::erase_if(all, [](const Summary& s) { return std::isnan(s.divergence.mean); });
    std::vector<std::pair<double, double>> points;  // both better when smaller
    for (const Summary& s : all)
        points.emplace_back(against_diversity ? -100 * s.distinct : 100 * s.lost,
                            100 * (1 - s.valid));
    const std::vector<bool> on = plain_frontier(points);
    LineChart::Series frontier{"frontier", {}, true, false, false};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::pair at{std::abs(points[i].first), points[i].second};
        if (on[i]) frontier.points.push_back(at);
        if (all[i].value.find("T ") != std::string::npos || !is_shown(all[i].decoder)) continue;
        auto series = std::ranges::find(chart.series, all[i].decoder, &LineChart::Series::name);
        if (series == chart.series.end())
            series =
                chart.series.insert(chart.series.end(), {all[i].decoder, {}, false, false, true});
        series->points.push_back(at);
    }
    std::ranges::sort(frontier.points);
    chart.series.push_back(frontier);
    if (against_diversity && !truth.points.empty()) chart.series.push_back(truth);
    write_svg(file, chart);
}

}  // namespace tbt
