#include "chapters/10_generate/tools/recording.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/model.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

namespace {

constexpr std::size_t rows_at_once = 64;
constexpr std::size_t small_wheel = 24;      // up to this many candidates, all slices are shown
constexpr double smallest_slice = 1.0 / 80;  // of more candidates, slices from this width on

std::vector<RecordedToken::Slice> wheel_of(Candidates& c, int chosen) {
    std::vector<RecordedToken::Slice> wheel;
    const auto total = static_cast<double>(c.total_weight());
    double from = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
        const double share = static_cast<double>(c.weights()[i]) / total;
        const bool large = share > 0 && (c.size() <= small_wheel || share >= smallest_slice);
        if (large || c.id(i) == chosen) wheel.push_back({c.id(i), from, from + share});
        from += share;
    }
    return wheel;
}

}  // namespace

RecordedToken recorded_choice(const Chain& chain, std::span<const float> logits,
                              const TextSoFar& text, double u, int chosen) {
    RecordedToken token;
    Trace& t = token.trace;
    t = trace(chain, logits, text, u, chosen, RecordedToken::first_choices);
    const auto drawn = [&](const TracedToken& x) { return x.id == chosen; };
    Candidates c(logits);
    if (std::none_of(t.top.begin(), t.top.end(), drawn))
        t.top.push_back({chosen, c.probability(index(chosen)), 0, -1});
    token.after.resize(t.top.size());
    for (const ChainStep& step : chain.steps()) {
        step.apply(c, text);
        for (std::size_t i = 0; i < t.top.size(); ++i)
            token.after[i].push_back(probability_of(c, t.top[i].id));
    }
    TracedToken& own = *std::find_if(t.top.begin(), t.top.end(), drawn);
    own.final_probability = probability_of(c, chosen);
    token.wheel = wheel_of(c, chosen);
    return token;
}

BatchLogits watched(CachedBatch& batch, std::vector<RecordedPass>& passes) {
    return [&batch, &passes](std::span<const BatchText> texts) {
        const long before = batch.computed();
        std::vector<std::span<const float>> rows = batch(texts);
        passes.push_back({{}, batch.computed() - before});
        for (const BatchText& text : texts)
            passes.back().texts.push_back({text.slot, text.ids.size(), text.rows});
        return rows;
    };
}

ReplayedText replayed_text(const GenerateRequest& request, std::span<const int> prompt,
                           std::span<const int> text, bool drawn, std::size_t sample) {
    ReplayedText all{0, {prompt.begin(), prompt.end()}, prompt.size()};
    all.ids.insert(all.ids.end(), text.begin(), text.end());
    Rng random(request.seed, request.first_stream + sample);
    for (std::size_t i = 0; drawn && i < text.size(); ++i) all.u.push_back(random.uniform());
    return all;
}

void read_again(const BatchLogits& model, const GenerateRequest& request, const ReplayedText& text,
                const std::function<void(std::size_t, std::span<const float>)>& use) {
    const bool slides = request.stop.policy == ContextPolicy::slide;
    Window window = request.window();
    for (std::size_t step = 0; step < text.length();) {
        const std::size_t rows = slides ? 1 : std::min(rows_at_once, text.length() - step);
        std::span<const int> ids = std::span(text.ids).first(text.prompt_length + step + rows - 1);
        if (slides) ids = window.view(ids);
        const BatchText asked{text.slot, ids, rows};
        for (const std::span<const float> row : model({&asked, 1})) use(step++, row);
    }
}

std::vector<RecordedToken> replay(const BatchLogits& model, const GenerateRequest& request,
                                  ReplayedText text, const NoteChoice& note) {
    std::vector<RecordedToken> tokens;
    const Surprise surprise = request.chain.surprise();
    const bool drawn = !text.u.empty();
    read_again(model, request, text, [&](std::size_t step, std::span<const float> logits) {
        const TextSoFar before = text.before(step);
        RecordedToken& token = tokens.emplace_back(
            recorded_choice(request.chain, logits, before, drawn ? text.u[step] : 0,
                            text.ids[text.prompt_length + step]));
        token.has_u = drawn;
        if (note) note(token, before, logits);
        const bool forced = token.guide && token.guide->allowed == 1;
        if (surprise != Surprise::none)
            text.log_probabilities.push_back(forced ? not_known
                                                    : token.trace.log_probability(surprise));
    });
    return tokens;
}

namespace {

constexpr const char* trace_format = "token-by-token trace 2";
// The course's last dated change; there may be later ones.
constexpr const char* course_version = "2026-11-20 and later";

// Three decimals, enough for a shade.
double three(float share) { return std::nearbyint(static_cast<double>(share) * 1000) / 1000; }

Json log_or_null(double probability, Number number) {
    return probability > 0 ? number(portable_log(probability)) : Json(nullptr);
}

// A token's text; a part of a character becomes U+FFFD.
std::string shown_text(const Tokenizer& tokenizer, int id) {
    return id >= 0 && id < tokenizer.vocab_size() ? valid_text(tokenizer.token_bytes(id)) : "";
}

// The same with its id.
Json id_and_text(const Tokenizer& tokenizer, int id) {
    return {{"id", id}, {"token", shown_text(tokenizer, id)}};
}

Json standing_json(const Standing& s, Number number) {
    return {{"rank", s.rank}, {"probability", number(s.probability)}};
}

// What the model, the chain and each of its steps did.
void add_choice(Json& j, const Trace& t, Number number) {
    j["raw"] = {{"candidates", t.raw_candidates},
                {"entropy", number(t.raw_entropy)},
                {"log_probability", number(t.raw_log_probability)}};
    j["processed"] = {{"candidates", t.final_candidates},
                      {"entropy", number(t.final_entropy)},
                      {"log_probability", number(t.final_log_probability)}};
    j["steps"] = Json::array();
    for (const StepTrace& s : t.steps)
        j["steps"].push_back({{"name", s.name},
                              {"parameters", s.parameters},
                              {"before", s.candidates_before},
                              {"after", s.candidates_after},
                              {"mass_removed", number(s.mass_removed)},
                              {"entropy_before", number(s.entropy_before)},
                              {"entropy_after", number(s.entropy_after)},
                              {"chosen_before", standing_json(s.chosen_before, number)},
                              {"chosen_after", standing_json(s.chosen_after, number)}});
}

// What became of one of the likeliest tokens. token: its id and text.
Json fate_json(Json token, const Trace& t, const TracedToken& x, Number number) {
    token["raw"] = log_or_null(x.raw_probability, number);
    token["processed"] = log_or_null(x.final_probability, number);
    token["removed_by"] =
        x.removed_by < 0 ? Json(nullptr)
                         : Json(t.steps[checked_place("step", x.removed_by, t.steps.size())].name);
    return token;
}

Json shares_json(const Tokenizer& tokenizer, const std::vector<GuideState::Share>& all) {
    Json shares = Json::array();
    for (const GuideState::Share& x : all)
        shares.push_back({x.id, shown_text(tokenizer, x.id), six(x.probability)});
    return shares;
}

Json guide_json(const Tokenizer& tokenizer, const GuideState& g) {
    Json j = {{"allowed", g.allowed}, {"complete", g.complete}, {"bytes", g.bytes}};
    if (g.closing_bytes) j["closing_bytes"] = *g.closing_bytes;
    if (g.closing_tokens) j["closing_tokens"] = *g.closing_tokens;
    if (g.remaining) j["remaining"] = *g.remaining;
    if (!g.state.empty()) j["state"] = g.state;
    j["kept"] = shares_json(tokenizer, g.kept);
    j["removed"] = shares_json(tokenizer, g.removed);
    return j;
}

// One choice.
Json token_line(const Tokenizer& tokenizer, const RecordedToken& token) {
    const Trace& t = token.trace;
    Json j = token_json(tokenizer, t.chosen);
    j["u"] = token.has_u ? Json(t.u) : Json(nullptr);
    add_choice(j, t, six);
    j["top"] = Json::array();
    for (std::size_t i = 0; i < t.top.size(); ++i) {
        Json entry = fate_json(token_json(tokenizer, t.top[i].id), t, t.top[i], six);
        entry["after"] = Json::array();
        for (const double p : token.after[i]) entry["after"].push_back(log_or_null(p, six));
        j["top"].push_back(entry);
    }
    j["wheel"] = Json::array();
    for (const RecordedToken::Slice& s : token.wheel)
        j["wheel"].push_back({s.id, shown_text(tokenizer, s.id), six(s.from), six(s.to)});
    if (token.pass > 0) j["pass_filled"] = token.pass;
    if (!token.attention.empty()) {
        j["attention"] = Json::array();
        for (const float share : token.attention) j["attention"].push_back(three(share));
    }
    if (token.guide) j["guide"] = guide_json(tokenizer, *token.guide);
    return j;
}

// A text: its fields are added to j.
Json text_json(Json j, const GeneratedText& text, const StopStrings& stop, Number number) {
    j["text"] = text.text, j["ids"] = text.ids, j["finish_reason"] = to_string(text.reason);
    const std::vector<std::string>& strings = stop.strings();
    if (text.stop_string >= 0)
        j["stop_string"] = strings[checked_place("stop string", text.stop_string, strings.size())];
    if (text.score) j["sum"] = number(text.score->sum), j["score"] = number(text.score->normalised);
    return j;
}

// The same with the log-probabilities of its tokens, for the results of a program.
Json result_json(Json j, const GeneratedText& text, const GenerateRequest& request,
                 const Tokenizer& tokenizer) {
    j = text_json(std::move(j), text, request.stop.strings, exact);
    for (const Trace& t : text.traces) {
        Json token = id_and_text(tokenizer, t.chosen);
        token["raw"] = exact(t.raw_log_probability);
        token["processed"] = exact(t.final_log_probability);
        token["top"] = Json::array();
        for (const TracedToken& x : t.top)
            token["top"].push_back(fate_json(id_and_text(tokenizer, x.id), t, x, exact));
        j["logprobs"].push_back(token);
    }
    return j;
}

// "greedy" if the temperature is 0, else "sampling".
const char* decoder_of(const Chain& chain) {
    for (const ChainStep& step : chain.steps())
        if (step.name == "temperature" && step.parameters == "0") return "greedy";
    return "sampling";
}

Json prompts_json(const Tokenizer& tokenizer, std::span<const ShownPrompt> prompts) {
    Json all = Json::array();
    for (const ShownPrompt& p : prompts)
        all.push_back({{"prompt", p.text},
                       {"prompt_ids", p.ids},
                       {"prompt_tokens", tokens_json(tokenizer, p.ids)}});
    return all;
}

// The hash of all files with weights, in the order of their names; "" if there are none.
std::string hash_of_model(const std::string& directory) {
    std::set<std::string> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        if (entry.path().extension() == ".safetensors") files.insert(entry.path().string());
    Hash hash;
    for (const std::string& file : files) hash.add(MappedFile(file).bytes());
    return files.empty() ? "" : hash.text();
}

}  // namespace

std::string trace_line(const Json& j) { return json_text(j) + "\n"; }

Json exact(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json six(double x) {
    if (!std::isfinite(x)) return nullptr;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return std::strtod(text, nullptr);
}

Json token_json(const Tokenizer& tokenizer, int id) {
    Json j = id_and_text(tokenizer, id);
    if (id < 0 || id >= tokenizer.vocab_size()) return j;
    const std::string_view bytes = tokenizer.token_bytes(id);
    if (find_invalid_utf8(bytes) == std::string_view::npos) return j;
    j["bytes"] = Json::array();
    for (const char byte : bytes) j["bytes"].push_back(static_cast<unsigned char>(byte));
    return j;
}

Json tokens_json(const Tokenizer& tokenizer, const std::vector<int>& ids) {
    Json tokens = Json::array();
    for (const int id : ids) tokens.push_back(shown_text(tokenizer, id));
    return tokens;
}

Json header_json(const RunFacts& run, const TransformerConfig& c, const Chain& chain,
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
            Json j = {{"sample", i}, {"step", step}};
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
        Json j = {{"pass", ++number}, {"computed", pass.computed}};
        j["texts"] = Json::array();
        for (const RecordedPass::Text& t : pass.texts)
            j["texts"].push_back({t.slot, t.length, t.rows});
        out += trace_line(j);
    }
    return out;
}

std::string result_lines(const std::vector<GeneratedText>& texts, const StopStrings& strings) {
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        Json j = {{"result", i}};
        if (texts[i].prompt > 0) j["prompt"] = texts[i].prompt;
        out += trace_line(text_json(std::move(j), texts[i], strings, six));
    }
    return out;
}

Json chain_json(const Chain& chain) {
    Json steps = Json::array();
    for (const ChainStep& step : chain.steps())
        steps.push_back({{"name", step.name}, {"parameters", step.parameters}});
    return steps;
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

std::string trace_header(const std::string& model, const std::string& prompt,
                         const GenerateRequest& request, const std::vector<int>& prompt_ids) {
    return trace_line({{"format", "token-by-token trace 1"},
                       {"model", model},
                       {"prompt", prompt},
                       {"prompt_ids", prompt_ids},
                       {"seed", request.seed},
                       {"samples", request.samples},
                       {"chain", chain_json(request.chain)}});
}

std::string trace_line(const Tokenizer& tokenizer, const Trace& t, std::size_t sample, int step) {
    Json j = {{"sample", sample}, {"step", step}};
    j.update(id_and_text(tokenizer, t.chosen));
    j["u"] = t.u;
    add_choice(j, t, exact);
    j["top"] = Json::array();
    for (const TracedToken& x : t.top)
        j["top"].push_back(fate_json(id_and_text(tokenizer, x.id), t, x, exact));
    return trace_line(j);
}

std::string json_result(const std::string& model, const std::string& prompt,
                        const GenerateRequest& request, const std::vector<int>& prompt_ids,
                        const Tokenizer& tokenizer, const std::vector<GeneratedText>& texts,
                        const std::vector<TokenLogprob>& prompt_tokens) {
    Json j = {{"model", model},
              {"prompt", prompt},
              {"prompt_ids", prompt_ids},
              {"seed", request.seed},
              {"chain", chain_json(request.chain)}};
    for (const TokenLogprob& t : prompt_tokens) {
        Json token = id_and_text(tokenizer, t.id);
        token["raw"] = exact(t.log_probability), token["top"] = Json::array();
        for (const TokenLogprob::Choice& c : t.choices) {
            token["top"].push_back(id_and_text(tokenizer, c.id));
            token["top"].back()["raw"] = exact(c.log_probability);
        }
        j["prompt_logprobs"].push_back(token);
    }
    j["texts"] = Json::array();
    for (const GeneratedText& text : texts)
        j["texts"].push_back(result_json(Json::object(), text, request, tokenizer));
    return trace_line(j);
}

std::string jsonl_result(const std::string& prompt, const GenerateRequest& request,
                         const Tokenizer& tokenizer, const GeneratedText& text) {
    return trace_line(result_json({{"prompt", prompt}}, text, request, tokenizer));
}

}  // namespace tbt
