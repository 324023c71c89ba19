#include "chapters/22_diffusion/gaps.hpp"

#include <algorithm>
#include <numeric>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/validation.hpp"

namespace tbt {

Canvas Gap::row(const MaskedModel& model) const {
    Canvas row = model.canvas(tokens);
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(begin),
              row.begin() + static_cast<std::ptrdiff_t>(end), mask_token);
    return row;
}

std::vector<Gap> gaps(const Corpus& corpus, const std::vector<std::string>& genres,
                      const MaskedModel& model, int each, int length) {
    check_at_least("gaps: of each genre", each, 1);
    check_at_least("gaps: tokens", length, 1);
    constexpr std::uint64_t most = 200'000;
    std::vector<Gap> found;
    for (const std::string& name : genres) {
        const int genre = corpus.genre_named(name);
        int of_this = 0;
        for (std::uint64_t i = 0; of_this < each; ++i) {
            if (i == most)
                throw Error("gaps: of " + name + " only " + std::to_string(of_this) +
                            " texts are held out and fit, expected " + std::to_string(each));
            const Document document = corpus.document_of(genre, validation_seed, i);
            if (!document.held_out) continue;
            std::vector<int> tokens = model.tokenizer.encode(document.text);
            if (count(tokens) < 2 * length || count(tokens) >= model.gpt.config().n_positions)
                continue;
            const std::size_t begin = (tokens.size() - index(length)) / 2;
            found.push_back({genre, std::move(tokens), begin, begin + index(length)});
            ++of_this;
        }
    }
    return found;
}

std::string continued(Model& model, const Tokenizer& tokenizer, const Gap& gap) {
    const std::span<const int> all(gap.tokens);
    std::vector<int> ids =
        encode_prompt(model, tokenizer.decode(all.first(gap.begin)), to_int(gap.end - gap.begin));
    KvCache cache(model.config());
    std::vector<int> fresh = ids;
    std::string text = tokenizer.decode(all.first(gap.begin));
    for (std::size_t i = gap.begin; i < gap.end; ++i) {
        const std::span<const float> logits = model.transformer.forward(cache, fresh);
        fresh = {to_int(std::max_element(logits.begin(), logits.end()) - logits.begin())};
        if (fresh[0] == model.tokenizer.eos_id()) break;
        text += model.tokenizer.token_bytes(fresh[0]);
    }
    return text + tokenizer.decode(all.subspan(gap.end));
}

std::vector<double> cross_entropies(MaskedModel& model, const std::vector<Gap>& gaps, int orders) {
    check_at_least("cross-entropies: gaps", count(gaps), 1);
    check_at_least("cross-entropies: orders", orders, 1);
    std::vector<double> f(gaps[0].end - gaps[0].begin);
    const MaskedDistribution distribution = model.distribution();
    for (std::size_t g = 0; g < gaps.size(); ++g) {
        check_size("cross-entropies: a gap", gaps[g].end - gaps[g].begin, f.size());
        for (int order = 0; order < orders; ++order) {
            Rng rng(index(order), g);
            std::vector<std::size_t> places(f.size());
            std::iota(places.begin(), places.end(), gaps[g].begin);
            for (std::size_t i = places.size(); i > 1; --i)
                std::swap(places[i - 1], places[rng.below(i)]);
            Canvas row = gaps[g].row(model);
            const Canvas text = model.canvas(gaps[g].tokens);
            for (std::size_t j = 0; j < f.size(); ++j) {
                f[j] += masked_loss(distribution, row, text) / static_cast<double>(gaps.size()) /
                        orders;
                row[places[j]] = text[places[j]];
            }
        }
    }
    return f;
}

}  // namespace tbt
