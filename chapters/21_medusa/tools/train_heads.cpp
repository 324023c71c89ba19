#include "chapters/21_medusa/tools/train_heads.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/21_medusa/heads.hpp"
#include "chapters/21_medusa/medusa.hpp"
#include "chapters/21_medusa/tools/head_trainer.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/batches.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/corpus/validation.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

constexpr int ranks = 4, longest = 60;

// The tree with all ranks at all depths: 4 + 16 + 64 guesses for three heads.
TreeShape full_tree(int heads) {
    int nodes = 0;
    for (int k = 0, level = ranks; k < heads; ++k, level *= ranks) nodes += level;
    const std::vector<double> equal(ranks, 0.25);
    return best_tree(std::vector<std::vector<double>>(index(heads), equal), nodes);
}

// Follows the text that was written and counts which places of the tree it reached and which rank
// was right there.
void count_ranks(const Guesses& guesses, std::span<const int> text,
                 std::vector<std::vector<double>>& right, std::vector<double>& reached) {
    int at = -1;
    for (std::size_t depth = 0; depth < std::min(text.size(), right.size()); ++depth) {
        int rank = -1, next = -1;
        for (int i = at + 1, r = 0; i < count(guesses.ids); ++i) {
            if (guesses.parent(i) != at) continue;
            if (guesses.ids[index(i)] == text[depth]) rank = r, next = i;
            ++r;
        }
        ++reached[depth];
        if (next < 0) return;
        if (rank < ranks) ++right[depth][index(rank)];
        at = next;
    }
}

// The result at [k][r] is how often the guess of rank r at depth k was the token that the target
// drew, among all positions where the guesses before it were right. It is counted with trees of all
// ranks while the target continues measured_prompts, greedily and sampled (T .8, top-p .9).
std::vector<std::vector<double>> measure_acceptance(Model& target, Heads& heads) {
    const TreeShape tree = full_tree(std::min(heads.count(), 3));
    std::vector<std::vector<double>> right(index(std::min(heads.count(), 3)),
                                           std::vector<double>(ranks));
    std::vector<double> reached(right.size());
    for (const double temperature : {0.0, 0.8})
        for (const std::string& prompt : measured_prompts) {
            SamplingOptions o;
            o.temperature = temperature, o.top_p = temperature > 0 ? 0.9 : 1;
            GenerateRequest r;
            r.chain = full_chain(o, Dialect::ours);
            r.stop.max_new_tokens = longest, r.stop.context = target.config().n_positions;
            CachedBatch batch(target.transformer);
            guess_with<HeadsDraft>(r, drafts_for(batch, heads, tree),
                                   DraftLength::fixed(count(tree.parents)));
            const auto seen = watch_guesses(r);
            const std::vector<int> ids =
                generate_texts(std::ref(batch), token_bytes_of(target.tokenizer),
                               encode_prompt(target, prompt), r)[0]
                    .ids;
            for (const GuessedRound& round : *seen)
                if (!round.guesses.empty() && round.begins < ids.size())
                    count_ranks(round.guesses, std::span(ids).subspan(round.begins), right,
                                reached);
        }
    for (std::size_t k = 0; k < right.size(); ++k)
        for (double& x : right[k]) x = std::round(1e3 * x / std::max(reached[k], 1.0)) / 1e3;
    return right;
}

}  // namespace

void measure_heads(const std::string& directory, const std::string& target, int threads) {
    Model model = load_model(target, {threads, {}});
    Heads heads = Heads::load(directory, target, {threads, {}});
    HeadsConfig config = heads.config();
    config.acceptance = measure_acceptance(model, heads);
    for (const std::vector<double>& head : config.acceptance) {
        std::fprintf(stderr, "right, by rank:");
        for (const double x : head) std::fprintf(stderr, "  %.3f", x);
        std::fprintf(stderr, "\n");
    }
    write_heads_config(directory, config);
}

namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// The corpus with held-out and other documents exchanged, so that batches have only held-out ones.
class HeldOut : public DocumentSource {
public:
    explicit HeldOut(const DocumentSource& corpus) : corpus_(corpus) { genres = corpus.genres; }
    Document document(std::uint64_t seed, std::uint64_t index) const override {
        Document d = corpus_.document(seed, index);
        d.held_out = !d.held_out;  // a batch takes what is not held out
        return d;
    }
    std::string hash() const override { return corpus_.hash(); }

private:
    const DocumentSource& corpus_;
};

// The `wanted` most frequent ids of a batch (filled up with the lowest other ids if it has fewer),
// in ascending order.
std::vector<int> most_frequent(const Batch& batch, int vocabulary, int wanted) {
    std::vector<long> times(index(vocabulary));
    for (const int id : batch.targets) ++times[index(id)];
    std::vector<int> ids(index(vocabulary));
    std::iota(ids.begin(), ids.end(), 0);
    std::ranges::stable_sort(ids, [&](int a, int b) { return times[index(a)] > times[index(b)]; });
    ids.resize(index(std::min(wanted, vocabulary)));
    long covered = 0;
    for (const int id : ids) covered += times[index(id)];
    std::fprintf(stderr, "%zu tokens are drafted: %.1f %% of the text\n", ids.size(),
                 100.0 * static_cast<double>(covered) / static_cast<double>(batch.targets.size()));
    std::ranges::sort(ids);
    return ids;
}

struct Curve {
    std::string csv = "step,tokens,loss";
    HeadScores scores;  // the last
    void begin(int heads) {
        for (int k = 1; k <= heads; ++k)
            csv += ",overlap_" + std::to_string(k) + ",agree_" + std::to_string(k);
        csv += "\n";
    }
    void add(std::int64_t step, std::int64_t tokens, const HeadScores& s) {
        scores = s;
        char text[64];
        std::snprintf(text, sizeof text, "%lld,%lld,%.4f", static_cast<long long>(step),
                      static_cast<long long>(tokens), s.loss);
        csv += text;
        std::fprintf(stderr, "step %lld: held out %.3f nats;", static_cast<long long>(step),
                     s.loss);
        for (std::size_t k = 0; k < s.overlap.size(); ++k) {
            std::snprintf(text, sizeof text, ",%.4f,%.4f", s.overlap[k], s.agree[k]);
            csv += text;
            std::fprintf(stderr, "  overlap %.3f agree %.3f", s.overlap[k], s.agree[k]);
        }
        csv += "\n";
        std::fprintf(stderr, "\n");
    }
};

std::string card(const HeadTrainingOptions& o, std::int64_t parameters, const Curve& curve) {
    char text[256];
    std::string card =
        "---\nlanguage:\n- en\nlicense: mit\ntags:\n- medusa\n- speculative-decoding\n---\n\n"
        "# Heads for " +
        o.target + "\n\n" + std::to_string(o.shape.heads) +
        " residual heads, each of which guesses one token further from the target's last state "
        "and the tokens drafted so far (chapter 21 of the course). They have " +
        std::to_string(parameters) + " parameters and draft " + std::to_string(o.draft_vocab) +
        " different tokens. They use the target's embedding and output matrix, so they work with "
        "its weights only; `config.json` has the hash of these weights.\n\n"
        "`recipe.json` has all options; `make train-medusa` follows it.\n\n"
        "| head | Σ min(p, q) on held-out texts | the same first choice |\n|---|---|---|\n";
    for (std::size_t k = 0; k < curve.scores.overlap.size(); ++k) {
        std::snprintf(text, sizeof text, "| %zu | %.3f | %.3f |\n", k + 1, curve.scores.overlap[k],
                      curve.scores.agree[k]);
        card += text;
    }
    return card;
}

std::span<const std::int32_t> row_of(const Batch& batch, std::int64_t b) {
    return std::span(batch.ids).subspan(index(b * batch.T), index(batch.T));
}

std::vector<const HeadTrainer::Text*> pointers(const std::vector<HeadTrainer::Text>& texts) {
    std::vector<const HeadTrainer::Text*> all;
    for (const HeadTrainer::Text& text : texts) all.push_back(&text);
    return all;
}

// Writes all files at the end of a training run.
void write_heads(const HeadTrainingOptions& o, HeadTrainer& trainer, const HeadsConfig& config,
                 const std::string& corpus_hash, const Curve& curve, double seconds) {
    make_directory(o.out);
    std::vector<TensorToWrite> tensors;
    const std::vector<float> exported = trainer.exported();
    const std::span<const float> all = exported;
    for (const train::ParameterInfo& t : trainer.layout().tensors)
        tensors.push_back(
            {t.name, t.shape, all.subspan(index(t.offset), index(t.size)), WeightType::f16});
    write_safetensors(join_path(o.out, "model.safetensors"), std::move(tensors));
    write_heads_config(o.out, config);
    const std::int64_t tokens = o.steps * o.batch * o.sequence;
    const Json recipe = {
        {"corpus",
         {{"folder", o.corpus.empty() ? trained_on(o.target).corpus : o.corpus},
          {"hash", corpus_hash}}},
        {"target", {{"folder", o.target}, {"weights", config.target}}},
        {"options",
         {{"heads", o.shape.heads},
          {"inner", o.shape.inner},
          {"draft_vocab", o.draft_vocab},
          {"batch", o.batch},
          {"sequence", o.sequence},
          {"steps", o.steps},
          {"warmup", o.warm_up},
          {"lr", o.learning_rate},
          {"seed", o.seed},
          {"parts", o.parts}}},
        {"parameters", trainer.layout().count()},
        {"stored", "float16"},
        {"steps_done", o.steps},
        {"tokens", tokens},
        {"held_out", {{"overlap", curve.scores.overlap}, {"agree", curve.scores.agree}}},
        {"hours", std::round(seconds / 36) / 100}};
    write_file(join_path(o.out, "recipe.json"), json_text(recipe, 2) + "\n");
    write_file(join_path(o.out, "curve.csv"), curve.csv);
    write_file(join_path(o.out, "README.md"), card(o, trainer.layout().count(), curve));
}

}  // namespace

void train_heads(const HeadTrainingOptions& given) {
    HeadTrainingOptions o = given;
    if (o.out.empty()) throw UsageError("--out: expected a directory for the heads");
    if (o.smoke) o.steps = 4, o.warm_up = 1, o.sequence = 32, o.draft_vocab = 64;
    if (o.threads <= 0) o.threads = default_threads();
    if (o.steps < 1 || o.warm_up < 0 || o.draft_vocab < 1 || !(o.learning_rate > 0))
        throw UsageError("train heads: steps, tokens that are drafted and the rate are above 0");
    Model target = load_model(o.target, {o.threads, WeightType::f32});
    const TransformerConfig& shape = target.config();
    o.shape.channels = shape.n_embd;
    if (o.sequence > shape.n_positions)
        throw UsageError("--sequence: got " + std::to_string(o.sequence) +
                         ", expected at most the target's context, " +
                         std::to_string(shape.n_positions));
    const Tensor embedding = embedding_for_heads(o.target);
    const auto corpus = documents_for(o.target, o.corpus);
    const HeldOut rest(*corpus);
    BatchSource source(*corpus, target.tokenizer, o.seed);
    BatchSource held_out(rest, target.tokenizer, validation_seed);
    const Batch validation = held_out.next(o.smoke ? 2 : 16, o.sequence);
    HeadsConfig config{o.shape, {}, hash_of_weights(o.target), {}};
    config.drafted =
        most_frequent(BatchSource(*corpus, target.tokenizer, o.seed + 1).next(256, 512),
                      target.tokenizer.vocab_size(), o.draft_vocab);
    HeadTrainer trainer(target.transformer, embedding, o.shape, config.drafted, o.seed, o.parts,
                        o.threads);
    train::AdamW optimiser(trainer.layout(), {});
    std::vector<HeadTrainer::Text> judged;
    for (std::int64_t b = 0; b < validation.B; ++b)
        judged.push_back(trainer.read(row_of(validation, b)));
    Curve curve;
    curve.begin(o.shape.heads);
    const double start = now();
    double said = start;
    for (std::int64_t step = 0; step < o.steps; ++step) {
        // Each step has new texts: heads would memorise texts that are used twice.
        const Batch batch = source.next(o.batch, o.sequence);
        std::vector<HeadTrainer::Text> texts;
        for (std::int64_t b = 0; b < batch.B; ++b) texts.push_back(trainer.read(row_of(batch, b)));
        const HeadScores scores = trainer.gradient(pointers(texts));
        optimiser.step(trainer.parameters(), trainer.gradients(), step + 1,
                       train::learning_rate(step, o.warm_up, o.steps, o.learning_rate), o.threads);
        trainer.parameters_changed();
        const bool last = step + 1 == o.steps;
        if (last || (step + 1) % 100 == 0)
            curve.add(step + 1, (step + 1) * o.batch * o.sequence, trainer.score(pointers(judged)));
        if (!last && now() - said > 30) {
            said = now();
            std::fprintf(stderr, "step %lld/%lld  loss %.3f  %.0f tokens/s\n",
                         static_cast<long long>(step) + 1, static_cast<long long>(o.steps),
                         scores.loss,
                         static_cast<double>((step + 1) * o.batch * o.sequence) / (said - start));
        }
    }
    write_heads(o, trainer, config, corpus->hash(), curve, now() - start);
}

}  // namespace tbt
