#include "chapters/11_beam_search/tools/tour.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/08_penalties/penalties.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/output.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/11_beam_search/exact_search.hpp"
#include "chapters/11_beam_search/plain_beam_search.hpp"
#include "chapters/11_beam_search/tools/report.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

constexpr long most_expanded = 5000;  // beginnings read before the proof is given up: seconds

// Sums of the first 1, 2, … values.
std::vector<double> running_sums(const std::vector<double>& values) {
    std::vector<double> sums;
    double sum = 0;
    for (const double v : values) sums.push_back(sum += v);
    return sums;
}

// From which token on the first sums stay above the second ones; nothing if they end below.
std::optional<std::size_t> paid_from(const std::vector<double>& a, const std::vector<double>& b) {
    std::size_t i = std::min(a.size(), b.size());
    while (i > 0 && a[i - 1] > b[i - 1]) --i;
    if (i == std::min(a.size(), b.size())) return std::nullopt;
    return i;
}

// Why the beams' text has the better score, by the sums of the two.
void print_reason(const std::vector<double>& beams, const std::vector<double>& greedy) {
    if (const auto paid = paid_from(beams, greedy))
        std::printf("   From token %zu on the beams' sum stays above greedy's.\n", *paid + 1);
    else if (beams.size() > greedy.size())
        std::printf("   The beams' text is longer, and the score divides the sum by the length.\n");
    else if (!beams.empty() && greedy.back() < beams.back())
        std::printf("   The beams' text ends earlier: greedy's sum falls below it later.\n");
}

// The node where the search gave a text up, if it had it that far.
std::optional<std::size_t> dropped(const std::vector<LatticeNode>& lattice,
                                   const std::vector<int>& ids) {
    const std::vector<bool> on_path = path_of(lattice, ids);
    for (std::size_t i = lattice.size(); i-- > 0;)
        if (on_path[i] && lattice[i].fate == Fate::pruned) return i;
    return std::nullopt;
}

}  // namespace

BeamText greedy_text(CachedBatch& batch, BeamRequest request, std::span<const int> prompt) {
    request.beams = {1, request.beams.length_penalty, EarlyStopping::yes, 1};
    request.keep_lattice = false;
    return beam_search(std::ref(batch), request, prompt)[0];
}

std::vector<double> log_probabilities(Transformer& gpt, const BeamRequest& request,
                                      const std::vector<int>& prompt,
                                      const std::vector<int>& generated) {
    if (generated.empty()) return {};
    // One pass: the logits after the prompt's last token and after each generated
    // one but the last.
    CachedModel model(gpt);
    std::vector<int> ids = prompt;
    ids.insert(ids.end(), generated.begin(), generated.end() - 1);
    const Logits logits = model.last(ids, count(generated));
    std::vector<double> values;
    for (std::size_t i = 0; i < generated.size(); ++i) {
        Candidates c(logits.row(to_int(i)));
        std::vector<float> row;
        for (std::size_t j = 0; j < c.size(); ++j)
            row.push_back(static_cast<float>(c.log_probability(j)));
        if (request.processor) request.processor(row, std::span(ids).first(prompt.size() + i));
        values.push_back(static_cast<double>(row[checked_id("beams", generated[i], row.size())]));
    }
    return values;
}

std::string shortened(const std::string& text, int width) {
    const std::string line = visible(text);
    return columns(line) > width ? padded(line, width) : line;
}

void print_departure(Model& model, const BeamRequest& request, const std::vector<int>& prompt,
                     const BeamText& greedy, const BeamText& best,
                     const std::vector<LatticeNode>& lattice) {
    if (best.ids == greedy.ids) {
        std::printf("\nGreedy decoding finds the same text: it never leaves the best path.\n");
        return;
    }
    const auto ways =
        std::mismatch(best.ids.begin(), best.ids.end(), greedy.ids.begin(), greedy.ids.end());
    const auto parting = index(ways.first - best.ids.begin());
    const std::vector<double> g = log_probabilities(model.transformer, request, prompt, greedy.ids),
                              b = log_probabilities(model.transformer, request, prompt, best.ids);
    const std::vector<double> gs = running_sums(g), bs = running_sums(b);
    std::printf("\nGreedy decoding and the beams diverge at token %zu:\n\n", parting + 1);
    std::printf("   %5s  %-14s %8s %9s   %-14s %8s %9s\n", "token", "greedy", "ln p", "sum",
                "beams", "ln p", "sum");
    for (std::size_t i = parting > 0 ? parting - 1 : 0;
         i < std::min({parting + 6, g.size(), b.size()}); ++i) {
        std::printf("   %5zu  %s %8.4f %9.4f   %s %8.4f %9.4f\n", i + 1,
                    padded(seen(model.tokenizer, greedy.ids[i]), 14).c_str(), g[i], gs[i],
                    padded(seen(model.tokenizer, best.ids[i]), 14).c_str(), b[i], bs[i]);
    }
    std::printf("   score after %3zu tokens %20.4f   after %3zu tokens %16.4f\n\n", g.size(),
                greedy.score, b.size(), best.score);
    if (greedy.score <= best.score) {
        print_reason(bs, gs);
    } else if (const auto node = dropped(lattice, greedy.ids)) {
        std::printf("   Greedy's text is the better one! The beams dropped it at token %d (%s).\n",
                    lattice[*node].step, lattice[*node].why.c_str());
    }
}

// A text of the exact search as the beams' are shown: without its end and the stop string.
static std::string shown_text(const BeamRequest& request, const std::vector<int>& ids) {
    TextStream stream(request.stop.strings);
    for (const int id : ids)
        if (!request.stop.is_eos(id)) stream.push_token(request.bytes(id));
    stream.finish();
    return stream.text();
}

void print_gap(Model& model, BeamRequest request, const std::vector<int>& prompt, int horizon) {
    request.stop.max_new_tokens = std::min(request.stop.max_new_tokens, horizon);
    request.keep_lattice = false;
    CachedBatch batch(model.transformer);
    std::vector<BeamText> found;
    for (const int B : {1, 2, 4, 8, 16}) {
        request.beams.num_beams = B, request.beams.num_return_sequences = 1;
        found.push_back(beam_search(std::ref(batch), request, prompt)[0]);
    }
    const auto best =
        std::max_element(found.begin(), found.end(),
                         [](const BeamText& a, const BeamText& b) { return a.score < b.score; });
    std::printf("\nThe best text of at most %d tokens:\n\n", request.stop.max_new_tokens);
    CachedModel cached(model.transformer);
    ExactText exact;
    try {
        exact = exact_search(std::ref(cached), request, prompt, best->score, most_expanded);
    } catch (const Error& e) {
        std::printf("   (not known: %s)\n", e.what());
        return;
    }
    std::printf("   beams     score       gap  text\n");
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::printf("   %5d %9.4f %9.4f  %s\n", 1 << i, found[i].score,
                    exact.score - found[i].score, shortened(found[i].text, 46).c_str());
    }
    const std::string text = exact.ids.empty() ? best->text : shown_text(request, exact.ids);
    std::printf("   %s %9.4f            %s\n", exact.proven ? "exact" : "known", exact.score,
                shortened(text, 46).c_str());
    if (exact.proven)
        std::printf("\n   %ld of %d^%d beginnings read; no other can lead to a better text.\n",
                    exact.expanded, model.config().vocab_size, request.stop.max_new_tokens - 1);
    else
        std::printf("\n   Not proven: there may be better ones beyond the %ld beginnings read.\n",
                    exact.expanded);
}

namespace {

BeamRequest request_for(const Model& model, int beams, int max_new_tokens, double length_penalty) {
    BeamRequest r;
    r.beams.num_beams = beams;
    r.beams.length_penalty = length_penalty;
    r.stop.eos = model.config().eos_token_ids;
    r.stop.context = model.config().n_positions;
    r.stop.max_new_tokens = max_new_tokens;
    r.bytes = token_bytes_of(model.tokenizer);
    return r;
}

// The probabilities of the next token after each text; the last entry stands for all others.
using Tree = std::vector<std::pair<std::vector<int>, std::vector<double>>>;

// A tree as a model. The prompt is one token.
NextLogits tree_model(Tree tree) {
    const auto logits = std::make_shared<std::vector<float>>();
    return [tree = std::move(tree), logits](std::span<const int> ids) {
        const std::vector<int> text(ids.begin() + 1, ids.end());
        const auto at = std::find_if(tree.begin(), tree.end() - 1,
                                     [&](const auto& e) { return e.first == text; });
        logits->clear();
        for (const double p : at->second) logits->push_back(static_cast<float>(portable_log(p)));
        return std::span<const float>(*logits);
    };
}

void show_tree(const Tree& tree, int steps) {
    for (const int B : {1, 2, 3, 4}) {
        const NextLogits model = tree_model(tree);
        const PlainBeam best = plain_beam_search(model, {0}, B, steps, -1)[0];
        std::string text, factors;
        std::vector<int> ids{0};
        for (std::size_t i = 1; i < best.ids.size(); ++i) {
            Candidates c(model(ids));
            char factor[16];
            std::snprintf(factor, sizeof factor, "%s%.2f", i == 1 ? "" : " × ",
                          c.probability(index(best.ids[i])));
            factors += factor;
            text += static_cast<char>('A' + best.ids[i]);
            ids.push_back(best.ids[i]);
        }
        std::printf("   %d beam%s  %s   %s = %.4f\n", B, B == 1 ? " " : "s", text.c_str(),
                    factors.c_str(), portable_exp(best.sum));
    }
}

}  // namespace

void show_trees() {
    const std::vector<double> even{.34, .33, .33};
    std::printf(
        "1. Two beams can lose. A .40, B .35, C .25; then A: .34 .33 .33, B: .50 .50 0;\n"
        "   after AA one token is certain, after all else .34 .33 .33:\n\n");
    show_tree({{{}, {.4, .35, .25}}, {{1}, {.5, .5, 0}}, {{0, 0}, {1, 0, 0}}, {{}, even}}, 3);
    std::printf("\n   Usually they win. A .60, B .40; then A: .40 .35 .25, B: .90 .05 .05:\n\n");
    show_tree({{{}, {.6, .4, 0}}, {{0}, {.4, .35, .25}}, {{1}, {.9, .05, .05}}, {{}, even}}, 2);
}

void show_probes(Model& model) {
    constexpr int tokens = 8, beams = 8;
    CachedBatch batch(model.transformer);
    std::printf("2. The next %d tokens and their probability together:\n", tokens);
    for (const char* prompt : {"The old lighthouse keeper", "Once upon a time",
                               "Explain gravity:", "The three main components of a transformer are",
                               "In the year 2050,"}) {
        const std::vector<int> ids = encode_prompt(model, prompt, tokens);
        const BeamRequest request = request_for(model, beams, tokens, 0);
        const BeamText greedy = greedy_text(batch, request, ids);
        const BeamText best = beam_search(std::ref(batch), request, ids)[0];
        CachedModel cached(model.transformer);
        const ExactText exact = exact_search(std::ref(cached), request, ids, best.sum);
        const auto line = [](const char* who, double sum, const std::string& text) {
            std::printf("   %-8s %.4f  %s\n", who, portable_exp(sum), shortened(text, 58).c_str());
        };
        std::printf("\n   %s …\n", prompt);
        line("greedy", greedy.sum, greedy.text);
        line("8 beams", best.sum, best.ids == greedy.ids ? "the same" : best.text);
        line("optimum", exact.score,
             exact.ids.empty() ? "the beams'" : shown_text(request, exact.ids));
    }
}

void show_lengths(Model& model) {
    constexpr int budget = 100;
    constexpr double penalties[] = {0, 1, 2};
    constexpr int widths[] = {1, 4, 16};
    CachedBatch batch(model.transformer);
    std::printf("3. Tokens of the best text by length penalty (α) and beams (B):\n\n   %-24s", "");
    for (const double alpha : penalties) std::printf("   α = %-9s", short_number(alpha).c_str());
    std::printf("\n   %-24s", "");
    for (int i = 0; i < 3; ++i) std::printf("  B  1    4   16");
    std::printf("\n");
    for (const char* prompt : {"Explain gravity:", "The meaning of life is", "In the year 2050,",
                               "User: hi\nAssistant:", "Hello"}) {
        const std::vector<int> ids = encode_prompt(model, prompt, budget);
        std::printf("   %s", padded(visible(prompt), 24).c_str());
        for (const double alpha : penalties) {
            for (const int B : widths)
                std::printf(" %4zu", beam_search(std::ref(batch),
                                                 request_for(model, B, budget, alpha), ids)[0]
                                         .ids.size());
            std::printf(" ");
        }
        std::printf("\n");
    }
}

void show_blandness(Model& model) {
    constexpr int tokens = 100;
    const std::vector<const char*> prompts{"The weather today is",      "Once upon a time",
                                           "In the year 2050,",         "The meaning of life is",
                                           "The old lighthouse keeper", "The key advantage is"};
    CachedBatch batch(model.transformer);
    std::printf("4. %zu prompts, %d tokens each:\n\n", prompts.size(), tokens);
    std::printf("                    mean ln p   repeated 4-grams   distinct 2-grams\n");
    for (const int B : {1, 2, 4, 8, 16, 0}) {  // 0: drawn, with nothing cut
        double mean = 0, repeated = 0, distinct = 0;
        for (const char* prompt : prompts) {
            const std::vector<int> ids = encode_prompt(model, prompt, tokens);
            BeamRequest r = request_for(model, std::max(1, B), tokens, 1);
            r.stop.eos.clear();  // texts of one length
            GenerateRequest draws;
            draws.stop = r.stop;
            draws.seed = 1;
            const std::vector<int> text =
                B > 0 ? beam_search(std::ref(batch), r, ids)[0].ids
                      : generate_texts(std::ref(batch), r.bytes, ids, draws)[0].ids;
            double sum = 0;
            for (const double x : log_probabilities(model.transformer, r, ids, text)) sum += x;
            mean += sum / tokens / static_cast<double>(prompts.size());
            repeated += repeated_ngrams(text, 4) / static_cast<double>(prompts.size());
            distinct += distinct_ngrams(text, 2) / static_cast<double>(prompts.size());
        }
        const std::string who = B == 0   ? "drawn"
                                : B == 1 ? "greedy"
                                         : std::to_string(B).append(" beams");
        std::printf("   %-14s %11.4f %18.3f %18.3f\n", who.c_str(), mean, repeated, distinct);
    }
}

void show_diversity(Model& model) {
    constexpr int tokens = 16;
    const char* prompt = "My friend";
    const std::vector<int> ids = encode_prompt(model, prompt, tokens);
    CachedBatch batch(model.transformer);
    BeamRequest request = request_for(model, 4, tokens, 1);
    request.beams.num_return_sequences = 4;
    const auto show = [&](const char* title, const std::vector<BeamText>& texts) {
        std::printf("   %s\n", title);
        for (const BeamText& t : texts)
            std::printf("   %7.4f  …%s\n", t.score, shortened(t.text, 84).c_str());
    };
    std::printf("5. Four texts that begin with \"%s\":\n\n", prompt);
    show("4 beams: one text in four editions", beam_search(std::ref(batch), request, ids));
    std::printf("\n");
    show("4 groups of 1 beam, diversity penalty 1 (subtracted from the scores)",
         diverse_beam_search(std::ref(batch), request, 4, 1, ids));
    std::printf("\n");
    request.seed = 1;
    show("4 beams whose candidates are drawn (beam sampling)",
         beam_search(std::ref(batch), request, ids));
}

}  // namespace tbt
