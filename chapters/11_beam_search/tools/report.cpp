#include "chapters/11_beam_search/tools/report.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

#include "chapters/10_generate/tools/output.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

std::string node_name(std::size_t node) { return std::string("#").append(std::to_string(node)); }

const char* name_of(Fate fate) {
    return fate == Fate::live ? "live" : fate == Fate::finished ? "finished" : "pruned";
}

Json to_json(const BeamText& t, const BeamRequest& request) {
    Json j = {{"text", t.text},
              {"ids", t.ids},
              {"sum", t.sum},
              {"score", t.score},
              {"finish_reason", to_string(t.reason)}};
    const std::vector<std::string>& strings = request.stop.strings.strings();
    if (t.stop_string >= 0)
        j["stop_string"] = strings[checked_place("stop string", t.stop_string, strings.size())];
    return j;
}

Json header(const std::string& model, const std::string& prompt, const BeamRequest& request,
            const std::vector<int>& prompt_ids) {
    static const char* const names[] = {"true", "false", "never"};
    const BeamOptions& b = request.beams;
    Json j = {{"model", model},
              {"prompt", prompt},
              {"prompt_ids", prompt_ids},
              {"num_beams", b.num_beams},
              {"length_penalty", b.length_penalty},
              {"early_stopping", names[static_cast<int>(b.early_stopping)]}};
    if (request.seed) j["seed"] = *request.seed;
    return j;
}

// A candidate; first: the number of the search's first node.
Json node_json(const LatticeNode& n, int number, int first, const Json& token, Number as) {
    Json j = {{"node", number}, {"step", n.step}};
    j["parent"] = n.parent < 0 ? Json(nullptr) : Json(first + n.parent);
    j.update(token);
    j.update({{"log_probability", as(n.log_probability)},
              {"sum", as(n.sum)},
              {"score", as(n.score)},
              {"fate", name_of(n.fate)},
              {"why", n.why}});
    return j;
}

}  // namespace

void print_beam_texts(const std::vector<BeamText>& texts, const std::string& prompt) {
    const Style style(stdout);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const BeamText& t = texts[i];
        std::printf("%s--- %zu: score %.4f = ln p %.4f over %zu tokens, ended by %s ---\n",
                    i ? "\n" : "", i + 1, t.score, t.sum, t.ids.size(), to_string(t.reason));
        std::printf("%.*s%s%.*s%s\n", count(style.bold), style.bold.data(), prompt.c_str(),
                    count(style.reset), style.reset.data(), t.text.c_str());
    }
}

void print_lattice(const Tokenizer& tokenizer, const std::vector<LatticeNode>& lattice,
                   const std::vector<int>& best, const std::vector<int>& greedy, int steps) {
    const Style style(stdout);
    const std::vector<bool> on_best = path_of(lattice, best), on_greedy = path_of(lattice, greedy);
    int step = 0;
    for (std::size_t i = 0; i < lattice.size() && lattice[i].step <= steps; ++i) {
        const LatticeNode& n = lattice[i];
        if (n.step != step) {
            step = n.step;
            std::printf("   %-27s %8s %9s %8s\n", ("step " + std::to_string(step)).c_str(), "ln p",
                        "sum", "score");
        }
        const std::string from = n.parent < 0 ? "" : node_name(index(n.parent));
        const std::string fate =
            n.why.empty() ? name_of(n.fate) : std::string(name_of(n.fate)).append(": ") + n.why;
        const std::string_view colour = n.fate == Fate::pruned     ? style.dim
                                        : n.fate == Fate::finished ? style.green
                                                                   : std::string_view();
        std::printf("%.*s %c%c %-5s %-5s %s %8.4f %9.4f %8.4f  %s%.*s\n", count(colour),
                    colour.data(), on_best[i] ? '*' : ' ', on_greedy[i] ? 'g' : ' ',
                    node_name(i).c_str(), from.c_str(),
                    padded(seen(tokenizer, n.token), 15).c_str(), n.log_probability, n.sum, n.score,
                    fate.c_str(), count(style.reset), style.reset.data());
    }
}

void write_lattice_figure(const std::string& file, const Tokenizer& tokenizer,
                          const std::string& title, const std::vector<LatticeNode>& lattice,
                          const std::vector<int>& best) {
    constexpr double left = 30, top = 70, row = 40, right = 700, narrowest = 100;
    const std::vector<bool> on_best = path_of(lattice, best);
    const int steps = lattice.empty() ? 1 : lattice.back().step;
    const double column =
        std::max((right - left) / steps, narrowest);  // a long search makes a wide picture
    std::vector<double> x, y;
    int rank = 0, most = 0;
    for (std::size_t i = 0; i < lattice.size(); ++i) {
        rank = i > 0 && lattice[i].step == lattice[i - 1].step ? rank + 1 : 0;
        most = std::max(most, rank);
        x.push_back(left + column * (lattice[i].step - 1) + 26);
        y.push_back(top + row * rank);
    }
    const double width = column - 26;
    std::string out = svg_text(left, 28, title, "start", 15, "font-weight=\"bold\"");
    for (std::size_t i = 0; i < lattice.size(); ++i) {
        const int parent = lattice[i].parent;
        if (parent < 0 || (lattice[i].fate == Fate::pruned && !on_best[i])) continue;
        const std::size_t p = checked_place("lattice: parent", parent, i);
        out += svg_line(x[p] + width - 4, y[p], x[i], y[i], on_best[i] ? svg_colour(1) : svg_grey,
                        on_best[i] ? "stroke-width=\"3\"" : "stroke-width=\"1\"");
    }
    for (std::size_t i = 0; i < lattice.size(); ++i) {
        const LatticeNode& n = lattice[i];
        const std::string colour = on_best[i]               ? svg_colour(1)
                                   : n.fate == Fate::pruned ? svg_grey
                                                            : svg_colour(0);
        const char* look =
            n.fate == Fate::pruned ? "opacity=\"0.12\" rx=\"4\"" : "opacity=\"0.30\" rx=\"4\"";
        char sum[24];
        std::snprintf(sum, sizeof sum, "%.2f", n.sum);
        out += svg_rect(x[i], y[i] - 16, width - 4, 32, colour, look);
        out += svg_text(x[i] + width / 2 - 2, y[i] - 1, seen(tokenizer, n.token), "middle", 12);
        out += svg_text(x[i] + width / 2 - 2, y[i] + 12,
                        n.fate == Fate::finished ? std::string(sum) + " end" : sum, "middle", 10);
    }
    for (int s = 1; s <= steps; ++s)
        out += svg_text(left + column * (s - 1) + 26 + width / 2 - 2, 48,
                        "step " + std::to_string(s), "middle", 11);
    write_svg(file, title, static_cast<int>(left + column * steps + 20),
              static_cast<int>(top + row * (most + 1)), out);
}

std::string beam_trace(const std::string& model, const std::string& prompt,
                       const BeamRequest& request, const std::vector<int>& prompt_ids,
                       const Tokenizer& tokenizer, const std::vector<LatticeNode>& lattice,
                       const std::vector<BeamText>& texts) {
    Json first = {{"format", "token-by-token beams 1"}};
    first.update(header(model, prompt, request, prompt_ids));
    std::string out = trace_line(first);
    for (std::size_t i = 0; i < lattice.size(); ++i) {
        Json token = token_json(tokenizer, lattice[i].token);
        token.erase("bytes");
        out += trace_line(node_json(lattice[i], to_int(i), 0, token, exact));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
        Json j = {{"result", i}};
        j.update(to_json(texts[i], request));
        out += trace_line(j);
    }
    return out;
}

std::string beam_json(const std::string& model, const std::string& prompt,
                      const BeamRequest& request, const std::vector<int>& prompt_ids,
                      const std::vector<BeamText>& texts) {
    Json j = header(model, prompt, request, prompt_ids);
    j["texts"] = Json::array();
    for (const BeamText& t : texts) j["texts"].push_back(to_json(t, request));
    return trace_line(j);
}

std::string search_lines(const Tokenizer& tokenizer, const std::vector<RecordedSearch>& searches) {
    std::string out;
    int first = 0;
    for (const RecordedSearch& search : searches) {
        for (std::size_t group = 0; group < search.groups.size(); ++group) {
            int node = first;
            for (const LatticeNode& n : search.groups[group]) {
                Json j = node_json(n, node++, first, token_json(tokenizer, n.token), six);
                j["prompt"] = search.prompt, j["group"] = group;
                out += trace_line(j);
            }
            first = node;
        }
    }
    return out;
}

Json beams_json(const BeamSettings& settings, bool do_sample) {
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
    Json header = header_json(run, model.config(), request.chain, model.tokenizer, {&prompt, 1});
    header["beams"] = beams_json(settings, request.seed.has_value());
    return trace_line(header) + token_lines(model.tokenizer, tokens) +
           search_lines(model.tokenizer, {{0, lattices}}) + pass_lines(passes) +
           result_lines(found, request.stop.strings);
}

}  // namespace tbt
