#include "chapters/23_text_generator/trace_lines.hpp"

#include "chapters/10_generate/recording/trace_json.hpp"
#include "chapters/11_beam_search/search_lines.hpp"
#include "chapters/12_speculative/recorded_round.hpp"
#include "chapters/22_diffusion/filled_trace.hpp"
#include "chapters/23_text_generator/combinations.hpp"
#include "chapters/23_text_generator/recording.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

namespace {

// The decoder: one of the words that trace.md lists.
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
                        const std::vector<GeneratedText>& texts, const std::string& command) {
    const RunFacts run{command,      o.model,         decoder_of(o),
                       request.seed, request.samples, texts.size()};
    OrderedJson j = header_json(run, generator.model().config(), request.chain,
                                generator.model().tokenizer, prompts);
    if (!o.guide.name().empty()) j["guide"] = o.guide.name();
    if (o.guesses())
        j["draft"] = {{"from", o.medusa     ? "medusa"
                               : o.lookup() ? "lookup"
                                            : o.assistant_model},
                      {"coupling", o.coupling}};
    if (strategy_of(o) == Strategy::beam) j["beams"] = beams_json(o, o.do_sample);
    if (o.guidance_scale != 1) j["guidance_scale"] = o.guidance_scale;
    if (o.contrast_model)
        j["contrast"] = {{"model", *o.contrast_model},
                         {"strength", o.contrast.strength},
                         {"plausible", o.contrast.plausible}};
    if (!o.attention.empty()) {
        const AttentionWatch watch = watch_of(o);
        j["attention"] = {{"layer", watch.layer}, {"head", watch.head}};
    }
    return j;
}

}  // namespace

std::string trace_lines(const TextGenerator& generator, const TextOptions& options,
                        const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                        const std::vector<GeneratedText>& texts, const std::string& command) {
    const Recording& recording = generator.recording();
    const Tokenizer& tokenizer = generator.model().tokenizer;
    return trace_line(header_line(generator, options, request, prompts, texts, command)) +
           token_lines(tokenizer, recording.tokens) + search_lines(tokenizer, recording.searches) +
           round_lines(tokenizer, recording.rounds) + pass_lines(recording.passes) +
           result_lines(texts, request.stop.strings);
}

std::string filled_trace_lines(const TextFiller& filler, const TextOptions& o,
                               const GenerateRequest& request, std::span<const ShownPrompt> prompts,
                               const std::vector<GeneratedText>& texts,
                               const std::string& command) {
    return filled_trace({command, filler.directory(), "", request.seed, request.samples},
                        filler.model(), request.chain, prompts,
                        {texts, filler.recording().tokens, o.fill, o.infill});
}

}  // namespace tbt
