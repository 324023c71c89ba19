#include "chapters/10_generate/recording/trace_json.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/model.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

namespace {

// Three decimals, enough for a shade.
double three(float share) { return std::nearbyint(static_cast<double>(share) * 1000) / 1000; }

OrderedJson log_or_null(double probability) {
    return probability > 0 ? six(std::log(probability)) : OrderedJson(nullptr);
}

// A token's text; a part of a character becomes U+FFFD.
std::string shown_text(const Tokenizer& tokenizer, int id) {
    return id >= 0 && id < tokenizer.vocab_size() ? valid_text(tokenizer.token_bytes(id)) : "";
}

OrderedJson standing_json(const Standing& s) {
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
                         {"chosen_before", standing_json(s.chosen_before)},
                         {"chosen_after", standing_json(s.chosen_after)}});
    return steps;
}

OrderedJson top_json(const Tokenizer& tokenizer, const RecordedToken& token) {
    OrderedJson top = OrderedJson::array();
    for (std::size_t i = 0; i < token.trace.top.size(); ++i) {
        const TracedToken& x = token.trace.top[i];
        OrderedJson entry = token_json(tokenizer, x.id);
        entry["raw"] = log_or_null(x.raw_probability);
        entry["processed"] = log_or_null(x.final_probability);
        entry["removed_by"] = x.removed_by < 0
                                  ? OrderedJson(nullptr)
                                  : OrderedJson(token.trace.steps[index(x.removed_by)].name);
        entry["after"] = OrderedJson::array();
        for (const double p : token.after[i]) entry["after"].push_back(log_or_null(p));
        top.push_back(entry);
    }
    return top;
}

OrderedJson shares_json(const Tokenizer& tokenizer, const std::vector<GuideState::Share>& all) {
    OrderedJson shares = OrderedJson::array();
    for (const GuideState::Share& x : all)
        shares.push_back({x.id, shown_text(tokenizer, x.id), six(x.probability)});
    return shares;
}

OrderedJson guide_json(const Tokenizer& tokenizer, const GuideState& g) {
    OrderedJson j = {{"allowed", g.allowed}, {"complete", g.complete}, {"bytes", g.bytes}};
    if (g.closing_bytes) j["closing_bytes"] = *g.closing_bytes;
    if (g.closing_tokens) j["closing_tokens"] = *g.closing_tokens;
    if (g.remaining) j["remaining"] = *g.remaining;
    if (!g.state.empty()) j["state"] = g.state;
    j["kept"] = shares_json(tokenizer, g.kept);
    j["removed"] = shares_json(tokenizer, g.removed);
    return j;
}

// One choice.
OrderedJson token_line(const Tokenizer& tokenizer, const RecordedToken& token) {
    const Trace& t = token.trace;
    OrderedJson j = token_json(tokenizer, t.chosen);
    j["u"] = token.has_u ? OrderedJson(t.u) : OrderedJson(nullptr);
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
        j["wheel"].push_back({s.id, shown_text(tokenizer, s.id), six(s.from), six(s.to)});
    if (token.pass > 0) j["pass_filled"] = token.pass;
    if (!token.attention.empty()) {
        j["attention"] = OrderedJson::array();
        for (const float share : token.attention) j["attention"].push_back(three(share));
    }
    if (token.guide) j["guide"] = guide_json(tokenizer, *token.guide);
    return j;
}

// A text.
OrderedJson result_line(const GeneratedText& text, const StopStrings& stop, std::size_t number) {
    OrderedJson j = {{"result", number},
                     {"text", text.text},
                     {"ids", text.ids},
                     {"finish_reason", to_string(text.reason)}};
    const std::vector<std::string>& strings = stop.strings();
    if (text.stop_string >= 0)
        j["stop_string"] = strings[checked_place("stop string", text.stop_string, strings.size())];
    if (text.score) j["sum"] = six(text.score->sum), j["score"] = six(text.score->normalised);
    return j;
}

}  // namespace

std::string trace_line(const OrderedJson& j) { return json_text(j) + "\n"; }

// Rounds to six digits: a picture shows no more, and the file is smaller.
OrderedJson six(double x) {
    if (!std::isfinite(x)) return nullptr;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return std::strtod(text, nullptr);
}

OrderedJson token_json(const Tokenizer& tokenizer, int id) {
    OrderedJson j = {{"id", id}, {"token", shown_text(tokenizer, id)}};
    if (id < 0 || id >= tokenizer.vocab_size()) return j;
    const std::string_view bytes = tokenizer.token_bytes(id);
    if (find_invalid_utf8(bytes) == std::string_view::npos) return j;
    j["bytes"] = OrderedJson::array();
    for (const char byte : bytes) j["bytes"].push_back(static_cast<unsigned char>(byte));
    return j;
}

OrderedJson tokens_json(const Tokenizer& tokenizer, const std::vector<int>& ids) {
    OrderedJson tokens = OrderedJson::array();
    for (const int id : ids) tokens.push_back(shown_text(tokenizer, id));
    return tokens;
}

// "greedy" if the temperature is 0, else "sampling".
static const char* decoder_of(const Chain& chain) {
    for (const ChainStep& step : chain.steps())
        if (step.name == "temperature" && step.parameters == "0") return "greedy";
    return "sampling";
}

OrderedJson header_json(const RunFacts& run, const TransformerConfig& c, const Chain& chain,
                        const Tokenizer& tokenizer, std::span<const ShownPrompt> prompts) {
    return {{"format", trace_format},
            {"version", course_version},
            {"command", run.command},
            {"model", run.model},
            {"weights",
             {{"hash", hash_of_model(run.model)},
              {"parameters", parameter_count(c)},
              {"vocabulary", c.vocab_size},
              {"context", c.n_positions},
              {"layers", c.n_layer},
              {"cache_bytes_per_token", KvCache::bytes_per_token(c)}}},
            {"decoder", run.decoder.empty() ? decoder_of(chain) : run.decoder},
            {"seed", run.seed},
            {"samples", run.samples},
            {"texts", run.texts},
            {"chain", chain_json(chain)},
            {"prompts", prompts_json(tokenizer, prompts)}};
}

std::string token_lines(const Tokenizer& tokenizer,
                        const std::vector<std::vector<RecordedToken>>& texts) {
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        for (std::size_t step = 0; step < texts[i].size(); ++step) {
            OrderedJson j = {{"sample", i}, {"step", step}};
            j.update(token_line(tokenizer, texts[i][step]));
            out += trace_line(j);
        }
    }
    return out;
}

std::string pass_lines(const std::vector<RecordedPass>& passes) {
    std::string out;
    std::size_t number = 0;
    for (const RecordedPass& pass : passes) {
        OrderedJson j = {{"pass", ++number}, {"computed", pass.computed}};
        j["texts"] = OrderedJson::array();
        for (const RecordedPass::Text& t : pass.texts)
            j["texts"].push_back({t.slot, t.length, t.rows});
        out += trace_line(j);
    }
    return out;
}

std::string result_lines(const std::vector<GeneratedText>& texts, const StopStrings& strings) {
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i)
        out += trace_line(result_line(texts[i], strings, i));
    return out;
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

std::string run_trace(RunFacts run, Model& model, const GenerateRequest& request,
                      const ShownPrompt& prompt, const std::vector<GeneratedText>& texts,
                      const std::vector<RecordedPass>& passes) {
    CachedBatch batch(model.transformer);
    std::vector<std::vector<RecordedToken>> tokens;
    for (std::size_t i = 0; i < texts.size(); ++i)
        tokens.push_back(replay(std::ref(batch), request,
                                replayed_text(request, prompt.ids, texts[i].ids, true, i)));
    run.texts = texts.size();
    return trace_line(
               header_json(run, model.config(), request.chain, model.tokenizer, {&prompt, 1})) +
           token_lines(model.tokenizer, tokens) + pass_lines(passes) +
           result_lines(texts, request.stop.strings);
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
