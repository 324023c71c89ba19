#include "chapters/23_text_generator/trace_lines.hpp"

#include <algorithm>
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
#include "lib/model/kv_cache.hpp"
#include "lib/text/utf8.hpp"

namespace tbt {

namespace {

// One line. A path or a name that is not UTF-8 is no reason to fail at the very end.
std::string line(const OrderedJson& j) { return json_text(j) + "\n"; }

// Six digits are more than a picture shows, and a third of the file.
OrderedJson six(double x) {
    if (!std::isfinite(x)) return nullptr;
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return std::strtod(text, nullptr);
}

OrderedJson log_of(double probability) {
    return probability > 0 ? six(std::log(probability)) : OrderedJson(nullptr);
}

// A token's text; a part of a character shows as U+FFFD.
std::string as_text(const Tokenizer& tokenizer, int id) {
    return id >= 0 && id < tokenizer.vocab_size() ? valid_text(tokenizer.token_bytes(id)) : "";
}

// The bytes are there where they are no text by themselves.
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
    if (token.guide) {
        const GuideState& g = *token.guide;
        j["guide"] = {{"allowed", g.allowed}, {"complete", g.complete}, {"bytes", g.bytes}};
        if (g.closing_bytes < ByteMachine::never) j["guide"]["closing_bytes"] = g.closing_bytes;
    }
    return j;
}

OrderedJson round_line(const Tokenizer& tokenizer, const RecordedRound& r, std::size_t number) {
    OrderedJson judged = OrderedJson::array(), tokens = OrderedJson::array();
    for (const Round::Judged& x : r.round.judged)
        judged.push_back(
            {{"id", x.id}, {"p", six(x.p)}, {"q", six(x.q)}, {"u", x.u}, {"accepted", x.accepted}});
    for (const int id : r.round.tokens) tokens.push_back(token_json(tokenizer, id));
    return {{"round", number},
            {"sample", r.text},
            {"step", r.step},
            {"drafted", r.round.drafted},
            {"drafted_tokens", tokens_json(tokenizer, r.round.drafted)},
            {"judged", judged},
            {"tokens", tokens},
            {"bonus", r.round.bonus}};
}

// The nodes of all groups in one row: a parent is a node of the file.
std::string lattice_lines(const Tokenizer& tokenizer, const Recording& recording) {
    static const char* const fates[] = {"live", "finished", "pruned"};
    std::string out;
    int first = 0;
    for (const RecordedSearch& search : recording.searches) {
        for (std::size_t group = 0; group < search.groups.size(); ++group) {
            int node = first;
            for (const LatticeNode& n : search.groups[group]) {
                OrderedJson j = {{"node", node++},
                                 {"prompt", search.prompt},
                                 {"group", group},
                                 {"step", n.step}};
                j["parent"] = n.parent < 0 ? OrderedJson(nullptr) : OrderedJson(first + n.parent);
                j.update(token_json(tokenizer, n.token));
                j.update({{"log_probability", six(n.log_probability)},
                          {"sum", six(n.sum)},
                          {"score", six(n.score)},
                          {"fate", fates[static_cast<int>(n.fate)]},
                          {"why", n.why}});
                out += line(j);
            }
            first = node;
        }
    }
    return out;
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

// Of all files with weights, in the order of their names; "" where there are none.
std::string hash_of_model(const std::string& directory) {
    std::set<std::string> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(directory, ignored))
        if (entry.path().extension() == ".safetensors") files.insert(entry.path().string());
    Hash hash;
    for (const std::string& file : files) hash.add(MappedFile(file).bytes());
    return files.empty() ? "" : hash.text();
}

OrderedJson model_json(const Model& model, const std::string& directory) {
    const GptConfig& c = model.config();
    return {{"hash", hash_of_model(directory)},
            {"parameters", parameter_count(c)},
            {"vocabulary", c.vocab_size},
            {"context", c.n_positions},
            {"layers", c.n_layer},
            {"cache_bytes_per_token", KvCache::bytes_per_token(c)}};
}

// What decided: one of the words that the lesson lists.
const char* decoder_of(const TextOptions& o) {
    switch (strategy_of(o)) {
        case Strategy::beam:
            return "beams";
        case Strategy::greedy:
            return "greedy";
        default:
            return "sampling";
    }
}

OrderedJson header_line(const TextGenerator& generator, const TextOptions& o,
                        const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                        const std::vector<GeneratedText>& texts) {
    const Tokenizer& tokenizer = generator.model().tokenizer;
    OrderedJson j = {{"format", "token-by-token trace 2"},
                     {"version", course_version},
                     {"model", o.model},
                     {"weights", model_json(generator.model(), o.model)},
                     {"decoder", decoder_of(o)},
                     {"seed", request.seed},
                     {"samples", request.samples},
                     {"texts", texts.size()}};
    j["chain"] = OrderedJson::array();
    for (const ChainStep& step : request.chain.steps())
        j["chain"].push_back({{"name", step.name}, {"parameters", step.parameters}});
    if (!o.guide.name().empty()) j["guide"] = o.guide.name();
    if (o.drafts())
        j["draft"] = {{"from", o.lookup() ? "lookup" : o.assistant_model},
                      {"coupling", o.coupling}};
    if (strategy_of(o) == Strategy::beam)
        j["beams"] = {{"num_beams", o.num_beams},
                      {"num_beam_groups", o.num_beam_groups},
                      {"length_penalty", o.length_penalty},
                      {"early_stopping", o.early_stopping},
                      {"do_sample", o.do_sample}};
    if (o.guidance_scale != 1) j["guidance_scale"] = o.guidance_scale;
    j["prompts"] = OrderedJson::array();
    for (const ShownPrompt& p : prompts)
        j["prompts"].push_back({{"prompt", p.text},
                                {"prompt_ids", p.ids},
                                {"prompt_tokens", tokens_json(tokenizer, p.ids)}});
    return j;
}

}  // namespace

std::string trace_lines(const TextGenerator& generator, const TextOptions& options,
                        const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                        const std::vector<GeneratedText>& texts, const std::string& command) {
    const Recording& recording = generator.recording();
    const Tokenizer& tokenizer = generator.model().tokenizer;
    OrderedJson header = header_line(generator, options, request, prompts, texts);
    header["command"] = command;
    std::string out = line(header);
    std::size_t number = 0;
    for (std::size_t i = 0; i < recording.tokens.size(); ++i) {
        for (std::size_t step = 0; step < recording.tokens[i].size(); ++step) {
            OrderedJson j = {{"sample", i}, {"step", step}};
            j.update(token_line(tokenizer, recording.tokens[i][step], recording.has_u));
            out += line(j);
        }
    }
    out += lattice_lines(tokenizer, recording);
    for (const RecordedRound& r : recording.rounds) out += line(round_line(tokenizer, r, ++number));
    number = 0;
    for (const RecordedPass& pass : recording.passes) {
        OrderedJson j = {{"pass", ++number}, {"computed", pass.computed}};
        j["texts"] = OrderedJson::array();
        for (const RecordedPass::Text& t : pass.texts)
            j["texts"].push_back({t.slot, t.length, t.rows});
        out += line(j);
    }
    for (std::size_t i = 0; i < texts.size(); ++i) out += line(result_line(texts[i], request, i));
    return out;
}

std::string shell_line(int argc, const char* const* argv) {
    static const std::string plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    std::string out;
    for (int i = 0; i < argc; ++i) {
        const std::string word = argv[i];
        out += i > 0 ? " " : "";
        if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
            out += word;
            continue;
        }
        out += '\'';
        for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        out += '\'';
    }
    return out;
}

}  // namespace tbt
