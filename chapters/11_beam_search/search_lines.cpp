#include "chapters/11_beam_search/search_lines.hpp"

#include <functional>
#include <utility>

#include "chapters/10_generate/recording/trace_json.hpp"
#include "chapters/11_beam_search/options.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"

namespace tbt {

namespace {

OrderedJson node_line(const Tokenizer& tokenizer, const LatticeNode& n, int number, int first) {
    static const char* const fates[] = {"live", "finished", "pruned"};
    OrderedJson j = {{"node", number}, {"step", n.step}};
    j["parent"] = n.parent < 0 ? OrderedJson(nullptr) : OrderedJson(first + n.parent);
    j.update(token_json(tokenizer, n.token));
    j.update({{"log_probability", six(n.log_probability)},
              {"sum", six(n.sum)},
              {"score", six(n.score)},
              {"fate", fates[static_cast<int>(n.fate)]},
              {"why", n.why}});
    return j;
}

}  // namespace

std::string search_lines(const Tokenizer& tokenizer, const std::vector<RecordedSearch>& searches) {
    std::string out;
    int first = 0;
    for (const RecordedSearch& search : searches) {
        for (std::size_t group = 0; group < search.groups.size(); ++group) {
            int node = first;
            for (const LatticeNode& n : search.groups[group]) {
                OrderedJson j = node_line(tokenizer, n, node++, first);
                j["prompt"] = search.prompt, j["group"] = group;
                out += trace_line(j);
            }
            first = node;
        }
    }
    return out;
}

OrderedJson beams_json(const BeamSettings& settings, bool do_sample) {
    return {{"num_beams", settings.num_beams},
            {"num_beam_groups", settings.num_beam_groups},
            {"length_penalty", settings.length_penalty},
            {"early_stopping", settings.early_stopping},
            {"do_sample", do_sample}};
}

GeneratedText generated_text(BeamText found) {
    return {std::move(found.ids),
            std::move(found.text),
            found.reason,
            found.stop_string,
            {},
            GeneratedText::Score{found.sum, found.score}};
}

std::string search_trace(RunFacts run, Model& model, const BeamSettings& settings,
                         const BeamRequest& request, const ShownPrompt& prompt,
                         const std::vector<std::vector<LatticeNode>>& lattices,
                         const std::vector<BeamText>& texts,
                         const std::vector<RecordedPass>& passes) {
    GenerateRequest replayed;
    replayed.chain = request.chain, replayed.stop = request.stop;
    CachedBatch batch(model.transformer);
    std::vector<std::vector<RecordedToken>> tokens;
    std::vector<GeneratedText> found;
    for (const BeamText& text : texts) {
        tokens.push_back(replay(std::ref(batch), replayed,
                                replayed_text(replayed, prompt.ids, text.ids, false)));
        found.push_back(generated_text(text));
    }
    run.texts = texts.size(), run.samples = to_int(texts.size());
    OrderedJson header =
        header_json(run, model.config(), request.chain, model.tokenizer, {&prompt, 1});
    header["beams"] = beams_json(settings, request.seed.has_value());
    return trace_line(header) + token_lines(model.tokenizer, tokens) +
           search_lines(model.tokenizer, {{0, lattices}}) + pass_lines(passes) +
           result_lines(found, request.stop.strings);
}

}  // namespace tbt
