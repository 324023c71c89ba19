#include "chapters/11_beam_search/gap.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/11_beam_search/exact_search.hpp"
#include "chapters/11_beam_search/report.hpp"
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

std::string seen(const Model& model, int id) {
    return id < model.tokenizer.vocab_size() ? visible(model.tokenizer.token_bytes(id)) : "";
}

// From which token on the first sums stay above the second ones; nothing if they end below.
std::optional<std::size_t> paid_from(const std::vector<double>& a, const std::vector<double>& b) {
    std::size_t i = std::min(a.size(), b.size());
    while (i > 0 && a[i - 1] > b[i - 1]) --i;
    if (i == std::min(a.size(), b.size())) return std::nullopt;
    return i;
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
                     const BeamText& greedy, const BeamSearch& search) {
    const BeamText best = search.results()[0];
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
                    padded(seen(model, greedy.ids[i]), 14).c_str(), g[i], gs[i],
                    padded(seen(model, best.ids[i]), 14).c_str(), b[i], bs[i]);
    }
    std::printf("   score after %3zu tokens %20.4f   after %3zu tokens %16.4f\n\n", g.size(),
                greedy.score, b.size(), best.score);
    if (greedy.score <= best.score) {
        const auto paid = paid_from(bs, gs);
        if (paid)
            std::printf("   From token %zu on the beams' sum stays above greedy's.\n", *paid + 1);
        else
            std::printf(
                "   The beams' text is longer, and the score divides the sum by the length.\n");
    } else if (const auto node = dropped(search.lattice(), greedy.ids)) {
        std::printf("   Greedy's text is the better one! The beams dropped it at token %d (%s).\n",
                    search.lattice()[*node].step, search.lattice()[*node].why.c_str());
    }
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
        exact = ExactSearch(std::ref(cached), request, prompt, best->score, most_expanded).run();
    } catch (const Error& e) {
        std::printf("   (not known: %s)\n", e.what());
        return;
    }
    std::printf("   beams     score       gap  text\n");
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::printf("   %5d %9.4f %9.4f  %s\n", 1 << i, found[i].score,
                    exact.score - found[i].score, shortened(found[i].text, 46).c_str());
    }
    const std::string text = exact.ids.empty() ? best->text : model.tokenizer.decode(exact.ids);
    std::printf("   %s %9.4f            %s\n", exact.proven ? "exact" : "known", exact.score,
                shortened(text, 46).c_str());
    if (exact.proven)
        std::printf("\n   %ld of %d^%d beginnings read; no other can lead to a better text.\n",
                    exact.expanded, model.config().vocab_size, request.stop.max_new_tokens - 1);
    else
        std::printf("\n   Not proven: there may be better ones beyond the %ld beginnings read.\n",
                    exact.expanded);
}

}  // namespace tbt
