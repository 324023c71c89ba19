#include "chapters/23_text_generator/trace_lines.hpp"

#include "chapters/23_text_generator/recording.hpp"
#include "chapters/23_text_generator/trace_json.hpp"
#include "lib/check.hpp"
#include "lib/index.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

namespace {

std::string token_lines(const Tokenizer& tokenizer, const Recording& recording) {
    std::string out;
    for (std::size_t i = 0; i < recording.tokens.size(); ++i) {
        for (std::size_t step = 0; step < recording.tokens[i].size(); ++step) {
            OrderedJson j = {{"sample", i}, {"step", step}};
            j.update(token_line(tokenizer, recording.tokens[i][step], recording.has_u));
            out += trace_line(j);
        }
    }
    return out;
}

std::string result_lines(const std::vector<GeneratedText>& texts, const GenerateRequest& request) {
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i)
        out += trace_line(result_line(texts[i], request, i));
    return out;
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
                out += trace_line(j);
            }
            first = node;
        }
    }
    return out;
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
    OrderedJson j = {
        {"format", trace_format},     {"version", course_version},
        {"model", o.model},           {"weights", model_json(generator.model(), o.model)},
        {"decoder", decoder_of(o)},   {"seed", request.seed},
        {"samples", request.samples}, {"texts", texts.size()}};
    j["chain"] = chain_json(request.chain);
    if (!o.guide.name().empty()) j["guide"] = o.guide.name();
    if (o.guesses())
        j["draft"] = {{"from", o.medusa     ? "medusa"
                               : o.lookup() ? "lookup"
                                            : o.assistant_model},
                      {"coupling", o.coupling}};
    if (strategy_of(o) == Strategy::beam)
        j["beams"] = {{"num_beams", o.num_beams},
                      {"num_beam_groups", o.num_beam_groups},
                      {"length_penalty", o.length_penalty},
                      {"early_stopping", o.early_stopping},
                      {"do_sample", o.do_sample}};
    if (o.guidance_scale != 1) j["guidance_scale"] = o.guidance_scale;
    if (o.contrast_model)
        j["contrast"] = {{"model", *o.contrast_model},
                         {"strength", o.contrast.strength},
                         {"plausible", o.contrast.plausible}};
    j["prompts"] = prompts_json(tokenizer, prompts);
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
    std::string out = trace_line(header) + token_lines(tokenizer, recording);
    std::size_t number = 0;
    out += lattice_lines(tokenizer, recording);
    for (const RecordedRound& r : recording.rounds)
        out += trace_line(round_line(tokenizer, r, ++number));
    number = 0;
    for (const RecordedPass& pass : recording.passes) {
        OrderedJson j = {{"pass", ++number}, {"computed", pass.computed}};
        j["texts"] = OrderedJson::array();
        for (const RecordedPass::Text& t : pass.texts)
            j["texts"].push_back({t.slot, t.length, t.rows});
        out += trace_line(j);
    }
    return out + result_lines(texts, request);
}

std::string filled_trace_lines(const TextFiller& filler, const TextOptions& o,
                               const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                               const std::vector<GeneratedText>& texts,
                               const std::string& command) {
    const Tokenizer& tokenizer = filler.model().tokenizer;
    const GptConfig& c = filler.model().gpt.config();
    OrderedJson header = {{"format", trace_format},
                          {"version", course_version},
                          {"model", filler.directory()},
                          {"weights",
                           {{"hash", hash_of_model(filler.directory())},
                            {"parameters", parameter_count(c)},
                            {"vocabulary", c.vocab_size},
                            {"context", c.n_positions},
                            {"layers", c.n_layer}}},
                          {"decoder", "diffusion"},
                          {"seed", request.seed},
                          {"samples", request.samples},
                          {"texts", texts.size()},
                          {"chain", chain_json(request.chain)},
                          {"order", o.fill.order},
                          {"steps", o.fill.steps},
                          {"block_length", o.fill.block_length}};
    if (o.infill) header["behind"] = *o.infill;
    header["prompts"] = prompts_json(tokenizer, prompts);
    header["command"] = command;
    return trace_line(header) + token_lines(tokenizer, filler.recording()) +
           result_lines(texts, request);
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
