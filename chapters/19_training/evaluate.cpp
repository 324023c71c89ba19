#include "chapters/19_training/evaluate.hpp"

#include <cmath>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/model/layers.hpp"

namespace tbt {

Evaluation evaluate_model(const DocumentSource& source, Model& model, std::int64_t documents) {
    const Validation validation(source, model.tokenizer, validation_seed, documents);
    const auto V = index(model.config().vocab_size);
    std::vector<float> log_p(V);
    KvCache cache(model.config());
    const LossFunction loss = [&](const auto& ids, const auto& targets, std::int64_t B,
                                  std::int64_t T) {
        std::vector<double> losses(ids.size());
        for (std::int64_t b = 0; b < B; ++b) {
            const auto first = index(b * T);
            cache.clear();
            const Logits logits =
                model.transformer.forward_all(cache, std::span(ids).subspan(first, index(T)));
            for (std::int64_t t = 0; t < T; ++t) {
                const std::int32_t target = targets[first + index(t)];
                if (target < 0) continue;
                log_softmax(logits.row(t), log_p);
                losses[first + index(t)] = -static_cast<double>(log_p[index(target)]);
            }
        }
        return losses;
    };
    const std::vector<GenreResult> results = validation.run(loss, model.config().n_positions);
    return {results, validation.total(results)};
}

std::string evaluate_directory(const DocumentSource& source, const std::filesystem::path& directory,
                               int threads, std::int64_t documents) {
    TransformerOptions options;
    options.threads = threads;
    Model model = load_model(directory, options);
    const Evaluation evaluation = evaluate_model(source, model, documents);
    return validation_table(evaluation.genres, evaluation.total);
}

}  // namespace tbt
