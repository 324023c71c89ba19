#include "chapters/24_which_decoder/results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

#include "chapters/24_which_decoder/plain_measures.hpp"
#include "lib/error.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

template <class... Values>
std::string format(const char* pattern, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

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
    m.lost = j.at("lost");
    m.kl_pq = estimate_of(j.at("kl_pq"));
    m.divergence = estimate_of(j.at("divergence"));
    m.m_bits = number_of(j.at("m_bits"));
    m.p_bits = number_of(j.at("p_bits"));
    m.microseconds = j.at("microseconds");
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
    OrderedJson j;
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
        const std::string name = file + ", line " + std::to_string(number);
        try {
            rows.push_back(measured_of(parse_json(line, name)));
        } catch (const Json::exception&) {
            throw Error(name +
                        ": not a measurement of this program; take the line out, and it is "
                        "measured again");
        }
    }
    return rows;
}

std::string table_of(const std::vector<Measured>& rows) {
    std::string text =
        "decoder                 valid  lost   KL(q‖p)  KL(p‖q)    capped   distinct  repeated"
        "  bits in p\n";
    const auto number = [](double value, int width) {
        return std::isfinite(value) ? format("%*.2f", width, value) : format("%*s", width, "-");
    };
    for (const Measured& m : rows)
        text += padded(m.decoder + " " + m.value, 22) +
                format("  %4.0f %%  %3.0f %%  ", 100 * m.valid.mean, 100 * m.lost) +
                number(m.kl_qp.mean, 7) + number(m.kl_pq.mean, 9) + number(m.divergence.mean, 11) +
                format("%10.2f  %7.1f %%", m.diversity.distinct[3], 100 * m.diversity.repeated) +
                number(m.p_bits, 11) + "\n";
    return text;
}

namespace {

// Means over the genres.
struct Summary {
    std::string decoder, value;
    Estimate divergence;
    double valid = 0, lost = 0, genres = 0;
};

std::vector<Summary> summaries(const std::vector<Measured>& rows, const std::string& model) {
    std::vector<Summary> all;
    for (const Measured& m : rows) {
        if (m.model != model) continue;
        auto found = std::ranges::find_if(
            all, [&](const Summary& s) { return s.decoder == m.decoder && s.value == m.value; });
        if (found == all.end()) found = all.insert(all.end(), {m.decoder, m.value, {}, 0, 0, 0});
        found->valid += m.valid.mean;
        found->lost += m.lost;
        found->divergence.mean += m.divergence.mean;
        // Independent genres: squares of half-widths add up.
        found->divergence.low += std::pow(m.divergence.mean - m.divergence.low, 2);
        found->divergence.high += std::pow(m.divergence.high - m.divergence.mean, 2);
        found->genres += 1;
    }
    for (Summary& s : all) {
        s.valid /= s.genres;
        s.lost /= s.genres;
        s.divergence.mean /= s.genres;
        s.divergence.low = s.divergence.mean - std::sqrt(s.divergence.low) / s.genres;
        s.divergence.high = s.divergence.mean + std::sqrt(s.divergence.high) / s.genres;
    }
    return all;
}

std::vector<std::string> models_of(const std::vector<Measured>& rows) {
    std::vector<std::string> models;
    for (const Measured& m : rows)
        if (std::ranges::find(models, m.model) == models.end()) models.push_back(m.model);
    return models;
}

}  // namespace

std::string best_of(const std::vector<Measured>& rows) {
    std::string text;
    for (const std::string& model : models_of(rows)) {
        std::vector<Summary> best;
        for (const Summary& s : summaries(rows, model)) {
            if (s.decoder == "beams") continue;
            auto found = std::ranges::find(best, s.decoder, &Summary::decoder);
            if (found == best.end()) best.push_back(s);
            else if (s.divergence.mean < found->divergence.mean) *found = s;
        }
        std::ranges::sort(best, {}, [](const Summary& s) { return s.divergence.mean; });
        text += (text.empty() ? "" : "\n") + model +
                "\n  best setting                divergence, bits a text     valid   lost\n";
        for (const Summary& s : best)
            text += format("%s %s  %6.2f  [%6.2f, %6.2f]   %5.1f %%  %4.1f %%\n",
                           s.divergence.low <= best[0].divergence.high ? "*" : " ",
                           padded(s.decoder + " " + s.value, 26).c_str(), s.divergence.mean,
                           s.divergence.low, s.divergence.high, 100 * s.valid, 100 * s.lost);
    }
    return text;
}

void write_frontier(const std::string& file, const std::vector<Measured>& rows,
                    const std::string& model) {
    LineChart chart;
    chart.title = "Wrong texts against true texts lost: " + model;
    chart.x_label = "true texts lost, %";
    chart.y_label = "texts that are wrong, %";
    std::vector<Summary> all = summaries(rows, model);
    std::erase_if(all, [](const Summary& s) { return s.decoder == "beams"; });  // no distribution
    std::vector<std::pair<double, double>> points;
    for (const Summary& s : all) points.emplace_back(100 * s.lost, 100 * (1 - s.valid));
    const std::vector<bool> on = plain_frontier(points);
    LineChart::Series frontier{"frontier", {}, true, false};
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (on[i]) frontier.points.push_back(points[i]);
        if (all[i].value.find("T ") != std::string::npos) continue;
        auto series = std::ranges::find(chart.series, all[i].decoder, &LineChart::Series::name);
        const bool shown = all[i].decoder == "temperature" || all[i].decoder == "top-k" ||
                           all[i].decoder == "top-p" || all[i].decoder == "min-p" ||
                           all[i].decoder == "typical-p" || all[i].decoder == "epsilon";
        if (!shown) continue;
        if (series == chart.series.end())
            series = chart.series.insert(chart.series.end(), {all[i].decoder, {}, false, false});
        series->points.push_back(points[i]);
    }
    std::ranges::sort(frontier.points);
    chart.series.push_back(frontier);
    write_svg(file, chart);
}

}  // namespace tbt
