#include "chapters/10_generate/recording/report.hpp"

#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "chapters/10_generate/recording/trace_json.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

std::string seen(const Tokenizer& tokenizer, int id) {
    return id < tokenizer.vocab_size() ? visible(tokenizer.token_bytes(id))
                                       : "token " + std::to_string(id);
}

// A token's text. A part of a character becomes U+FFFD; so the id is always written too.
std::string as_text(const Tokenizer& tokenizer, int id) {
    return id < tokenizer.vocab_size() ? valid_text(tokenizer.token_bytes(id)) : "";
}

// JSON has no infinity.
OrderedJson finite_or_null(double x) {
    return std::isfinite(x) ? OrderedJson(x) : OrderedJson(nullptr);
}

double log_of(double probability) {
    return probability > 0 ? portable_log(probability) : -INFINITY;
}

std::string percent(double p) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", 100 * p);
    return text;
}

[[gnu::format(printf, 2, 3)]] void append(std::string& out, const char* format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out += text;
}

// One line. Invalid UTF-8 in a path or name is replaced instead of failing at the very end.
std::string line(const OrderedJson& j) { return json_text(j) + "\n"; }

const std::string& step_name(const Chain& chain, int step) {
    return chain.steps()[checked_place("step", step, chain.steps().size())].name;
}

OrderedJson to_json(const Standing& s) {
    return {{"rank", s.rank}, {"probability", s.probability}};
}

OrderedJson to_json(const Tokenizer& tokenizer, const Chain* chain, const TracedToken& t) {
    OrderedJson j = {{"id", t.id},
                     {"token", as_text(tokenizer, t.id)},
                     {"raw", finite_or_null(log_of(t.raw_probability))},
                     {"processed", finite_or_null(log_of(t.final_probability))}};
    if (chain)
        j["removed_by"] =
            t.removed_by < 0 ? OrderedJson(nullptr) : OrderedJson(step_name(*chain, t.removed_by));
    return j;
}

OrderedJson to_json(const Tokenizer& tokenizer, const PromptToken& t) {
    OrderedJson j = {{"id", t.id},
                     {"token", as_text(tokenizer, t.id)},
                     {"raw", finite_or_null(t.log_probability)},
                     {"top", OrderedJson::array()}};
    for (const PromptToken::Choice& c : t.choices)
        j["top"].push_back({{"id", c.id},
                            {"token", as_text(tokenizer, c.id)},
                            {"raw", finite_or_null(c.log_probability)}});
    return j;
}

// The fields of one text.
OrderedJson to_json(const GeneratedText& text, const GenerateRequest& request,
                    const Tokenizer& tokenizer) {
    OrderedJson entry = {
        {"text", text.text}, {"ids", text.ids}, {"finish_reason", to_string(text.reason)}};
    const std::vector<std::string>& strings = request.stop.strings.strings();
    if (text.stop_string >= 0)
        entry["stop_string"] =
            strings[checked_place("stop string", text.stop_string, strings.size())];
    if (text.score) {
        entry["sum"] = text.score->sum;
        entry["score"] = text.score->normalised;
    }
    if (!text.traces.empty()) {
        entry["logprobs"] = OrderedJson::array();
        for (const Trace& t : text.traces) {
            OrderedJson token = {{"id", t.chosen},
                                 {"token", as_text(tokenizer, t.chosen)},
                                 {"raw", finite_or_null(t.raw_log_probability)},
                                 {"processed", finite_or_null(t.final_log_probability)},
                                 {"top", OrderedJson::array()}};
            for (const TracedToken& other : t.top)
                token["top"].push_back(to_json(tokenizer, &request.chain, other));
            entry["logprobs"].push_back(token);
        }
    }
    return entry;
}

}  // namespace

std::string explanation(const Tokenizer& tokenizer, const Chain& chain, const Trace& t, int step) {
    std::string out = std::to_string(step + 1) + ". " + seen(tokenizer, t.chosen);
    append(out, ", drawn with u = %.6f\n", t.u);
    out +=
        "   step                        kept    cut  mass cut  entropy   token's rank and "
        "probability\n";
    const auto standing_of = [](const Standing& s) {
        return s.rank == 0 ? std::string("      removed")
                           : padded("", 5 - to_int(std::to_string(s.rank).size())) +
                                 std::to_string(s.rank) + "  " + percent(s.probability);
    };
    const Standing raw{t.steps.empty() ? std::size_t{0} : t.steps[0].chosen_before.rank,
                       portable_exp(t.raw_log_probability)};
    append(out, "   %s %7zu                   %7.3f  %s\n", padded("the model", 24).c_str(),
           t.raw_candidates, t.raw_entropy,
           standing_of(raw.rank ? raw : Standing{0, raw.probability}).c_str());
    for (const StepTrace& s : t.steps) {
        const std::string name = s.parameters.empty() ? s.name : s.name + " " + s.parameters;
        append(out, "   %s %7zu %6zu  %8.4f  %7.3f  %s\n", padded(name, 24).c_str(),
               s.candidates_after, s.candidates_before - s.candidates_after, s.mass_removed,
               s.entropy_after, standing_of(s.chosen_after).c_str());
    }
    for (const TracedToken& token : t.top) {
        append(out, "   %s %9s  ", padded(seen(tokenizer, token.id), 24).c_str(),
               percent(token.raw_probability).c_str());
        if (token.removed_by >= 0) out += "cut by " + step_name(chain, token.removed_by) + "\n";
        else
            out += "-> " + percent(token.final_probability) +
                   (token.id == t.chosen ? "  <- drawn\n" : "\n");
    }
    return out + "\n";
}

void print_log_probabilities(const Tokenizer& tokenizer, const GeneratedText& text) {
    std::printf("   token                raw  processed   first choices (raw)\n");
    for (const Trace& t : text.traces) {
        std::printf("   %s %9.4f  %9.4f  ", padded(seen(tokenizer, t.chosen), 14).c_str(),
                    t.raw_log_probability, t.final_log_probability);
        for (const TracedToken& token : t.top)
            std::printf(" %s %.2f", seen(tokenizer, token.id).c_str(),
                        log_of(token.raw_probability));
        std::printf("\n");
    }
}

void write_surprise_figure(const std::string& file, const Tokenizer& tokenizer,
                           const std::string& prompt, const GeneratedText& text) {
    constexpr double left = 24, right = 696, letter = 8.2, row = 40;
    constexpr double bits_of_full_shade = 6;
    const std::string mono = "style=\"font-family:monospace\"";
    double x = left, y = 66;
    std::string out = svg_text(
        left, 28, "How surprised was the model? The bits of each token, −log₂ of its probability",
        "start", 15, "font-weight=\"bold\"");
    const auto put = [&](const std::string& label, const std::string& below, double shade) {
        const double width = std::max(letter * columns(label) + 6, 25.0);
        if (x + width > right) x = left, y += row;
        if (shade >= 0) {
            char opacity[48];
            std::snprintf(opacity, sizeof opacity, "opacity=\"%.2f\" rx=\"3\"",
                          0.06 + 0.74 * std::min(1.0, shade));
            out += svg_rect(x, y - 15, width - 2, 20, svg_colour(1), opacity);
        }
        out += svg_text(x + (width - 2) / 2, y, label, "middle", 14, mono);
        out += svg_text(x + (width - 2) / 2, y + 16, below, "middle", 9);
        x += width;
    };
    put(visible(prompt), "prompt", -1);
    for (const Trace& t : text.traces) {
        const double bits = -t.raw_log_probability / portable_log(2.0);
        char number[16];
        std::snprintf(number, sizeof number, "%.1f", bits);
        put(seen(tokenizer, t.chosen), number, bits / bits_of_full_shade);
    }
    write_svg(file, "How surprised was the model? The bits of each token", 720,
              static_cast<int>(y) + 40, out);
}

std::string trace_header(const std::string& model, const std::string& prompt,
                         const GenerateRequest& request, const std::vector<int>& prompt_ids) {
    const OrderedJson j = {
        {"format", "token-by-token trace 1"}, {"model", model},       {"prompt", prompt},
        {"prompt_ids", prompt_ids},           {"seed", request.seed}, {"samples", request.samples},
        {"chain", chain_json(request.chain)}};
    return line(j);
}

std::string trace_line(const Tokenizer& tokenizer, const Trace& t, std::size_t sample, int step) {
    OrderedJson j = {{"sample", sample},
                     {"step", step},
                     {"id", t.chosen},
                     {"token", as_text(tokenizer, t.chosen)},
                     {"u", t.u}};
    j["raw"] = {{"candidates", t.raw_candidates},
                {"entropy", t.raw_entropy},
                {"log_probability", t.raw_log_probability}};
    j["processed"] = {{"candidates", t.final_candidates},
                      {"entropy", t.final_entropy},
                      {"log_probability", t.final_log_probability}};
    j["steps"] = OrderedJson::array();
    for (const StepTrace& s : t.steps) {
        j["steps"].push_back({{"name", s.name},
                              {"parameters", s.parameters},
                              {"before", s.candidates_before},
                              {"after", s.candidates_after},
                              {"mass_removed", s.mass_removed},
                              {"entropy_before", s.entropy_before},
                              {"entropy_after", s.entropy_after},
                              {"chosen_before", to_json(s.chosen_before)},
                              {"chosen_after", to_json(s.chosen_after)}});
    }
    j["top"] = OrderedJson::array();
    for (const TracedToken& token : t.top) {
        const std::string by =
            token.removed_by < 0
                ? ""
                : t.steps[checked_place("step", token.removed_by, t.steps.size())].name;
        OrderedJson entry = to_json(tokenizer, nullptr, token);
        entry["removed_by"] = by.empty() ? OrderedJson(nullptr) : OrderedJson(by);
        j["top"].push_back(entry);
    }
    return line(j);
}

std::string json_result(const std::string& model, const std::string& prompt,
                        const GenerateRequest& request, const std::vector<int>& prompt_ids,
                        const Tokenizer& tokenizer, const std::vector<GeneratedText>& texts,
                        const std::vector<PromptToken>& prompt_tokens) {
    OrderedJson j = {{"model", model},
                     {"prompt", prompt},
                     {"prompt_ids", prompt_ids},
                     {"seed", request.seed},
                     {"chain", chain_json(request.chain)}};
    for (const PromptToken& token : prompt_tokens)
        j["prompt_logprobs"].push_back(to_json(tokenizer, token));
    j["texts"] = OrderedJson::array();
    for (const GeneratedText& text : texts) j["texts"].push_back(to_json(text, request, tokenizer));
    return line(j);
}

std::string jsonl_result(const std::string& prompt, const GenerateRequest& request,
                         const Tokenizer& tokenizer, const GeneratedText& text) {
    OrderedJson j = {{"prompt", prompt}};
    j.update(to_json(text, request, tokenizer));
    return line(j);
}

}  // namespace tbt
