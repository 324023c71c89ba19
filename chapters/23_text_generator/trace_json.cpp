#include "chapters/23_text_generator/trace_json.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "chapters/23_text_generator/recording.hpp"
#include "lib/check.hpp"
#include "lib/index.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/text/utf8.hpp"

namespace tbt {

namespace {

OrderedJson log_of(double probability) {
    return probability > 0 ? six(std::log(probability)) : OrderedJson(nullptr);
}

// A token's text; a part of a character shows as U+FFFD.
std::string as_text(const Tokenizer& tokenizer, int id) {
    return id >= 0 && id < tokenizer.vocab_size() ? valid_text(tokenizer.token_bytes(id)) : "";
}

OrderedJson to_json(const Standing& s) {
    return {{"rank", s.rank}, {"probability", six(s.probability)}};
}

OrderedJson steps_json(const Trace& t) {
    OrderedJson steps = OrderedJson::array();
    for (const StepTrace& s : t.steps)
        steps.push_back({{"name", s.name},
                         {"parameters", s.parameters},
                         {"before", s.candidates_before},
                         {"after", s.candidates_after},
                         {"mass_removed", six(s.mass_removed)},
                         {"entropy_before", six(s.entropy_before)},
                         {"entropy_after", six(s.entropy_after)},
                         {"chosen_before", to_json(s.chosen_before)},
                         {"chosen_after", to_json(s.chosen_after)}});
    return steps;
}

OrderedJson top_json(const Tokenizer& tokenizer, const RecordedToken& token) {
    OrderedJson top = OrderedJson::array();
    for (std::size_t i = 0; i < token.trace.top.size(); ++i) {
        const TracedToken& x = token.trace.top[i];
        OrderedJson entry = token_json(tokenizer, x.id);
        entry["raw"] = log_of(x.raw_probability);
        entry["processed"] = log_of(x.final_probability);
        entry["removed_by"] = x.removed_by < 0
                                  ? OrderedJson(nullptr)
                                  : OrderedJson(token.trace.steps[index(x.removed_by)].name);
        entry["after"] = OrderedJson::array();
        for (const double p : token.after[i]) entry["after"].push_back(log_of(p));
        top.push_back(entry);
    }
    return top;
}

}  // namespace

std::string trace_line(const OrderedJson& j) { return json_text(j) + "\n"; }

// Six digits are more than a picture shows, and a third of the file.
OrderedJson six(double x) {
    if (!std::isfinite(x)) return nullptr;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return std::strtod(text, nullptr);
}

OrderedJson token_json(const Tokenizer& tokenizer, int id) {
    OrderedJson j = {{"id", id}, {"token", as_text(tokenizer, id)}};
    if (id < 0 || id >= tokenizer.vocab_size()) return j;
    const std::string_view bytes = tokenizer.token_bytes(id);
    if (find_invalid_utf8(bytes) == std::string_view::npos) return j;
    j["bytes"] = OrderedJson::array();
    for (const char byte : bytes) j["bytes"].push_back(static_cast<unsigned char>(byte));
    return j;
}

OrderedJson tokens_json(const Tokenizer& tokenizer, const std::vector<int>& ids) {
    OrderedJson tokens = OrderedJson::array();
    for (const int id : ids) tokens.push_back(as_text(tokenizer, id));
    return tokens;
}

OrderedJson token_line(const Tokenizer& tokenizer, const RecordedToken& token, bool has_u) {
    const Trace& t = token.trace;
    OrderedJson j = token_json(tokenizer, t.chosen);
    j["u"] = has_u ? OrderedJson(t.u) : OrderedJson(nullptr);
    j["raw"] = {{"candidates", t.raw_candidates},
                {"entropy", six(t.raw_entropy)},
                {"log_probability", six(t.raw_log_probability)}};
    j["processed"] = {{"candidates", t.final_candidates},
                      {"entropy", six(t.final_entropy)},
                      {"log_probability", six(t.final_log_probability)}};
    j["steps"] = steps_json(t);
    j["top"] = top_json(tokenizer, token);
    j["wheel"] = OrderedJson::array();
    for (const RecordedToken::Slice& s : token.wheel)
        j["wheel"].push_back({s.id, as_text(tokenizer, s.id), six(s.from), six(s.to)});
    if (token.pass > 0) j["pass_filled"] = token.pass;
    if (token.guide) {
        const GuideState& g = *token.guide;
        j["guide"] = {{"allowed", g.allowed}, {"complete", g.complete}, {"bytes", g.bytes}};
        if (g.closing_bytes < ByteMachine::never) j["guide"]["closing_bytes"] = g.closing_bytes;
    }
    return j;
}

OrderedJson result_line(const GeneratedText& text, const GenerateRequest& request,
                        std::size_t number) {
    OrderedJson j = {{"result", number},
                     {"text", text.text},
                     {"ids", text.ids},
                     {"finish_reason", to_string(text.reason)}};
    const std::vector<std::string>& strings = request.stop.strings.strings();
    if (text.stop_string >= 0)
        j["stop_string"] = strings[checked_place("stop string", text.stop_string, strings.size())];
    if (text.score) j["sum"] = six(text.score->sum), j["score"] = six(text.score->normalised);
    return j;
}

OrderedJson chain_json(const Chain& chain) {
    OrderedJson steps = OrderedJson::array();
    for (const ChainStep& step : chain.steps())
        steps.push_back({{"name", step.name}, {"parameters", step.parameters}});
    return steps;
}

OrderedJson prompts_json(const Tokenizer& tokenizer, std::span<const ShownPrompt> prompts) {
    OrderedJson all = OrderedJson::array();
    for (const ShownPrompt& p : prompts)
        all.push_back({{"prompt", p.text},
                       {"prompt_ids", p.ids},
                       {"prompt_tokens", tokens_json(tokenizer, p.ids)}});
    return all;
}

std::string hash_of_model(const std::string& directory) {
    std::set<std::string> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        if (entry.path().extension() == ".safetensors") files.insert(entry.path().string());
    Hash hash;
    for (const std::string& file : files) hash.add(MappedFile(file).bytes());
    return files.empty() ? "" : hash.text();
}

}  // namespace tbt
