#include "chapters/24_which_decoder/whole_run/results.hpp"

#include <cmath>
#include <sstream>

#include "lib/core/error.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"
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
        } catch (const Json::exception&) {
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

}  // namespace tbt
