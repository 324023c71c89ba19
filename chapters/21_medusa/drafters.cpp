#include "chapters/21_medusa/drafters.hpp"

#include <cstdio>
#include <ctime>

#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/options.hpp"
#include "chapters/21_medusa/measure.hpp"
#include "chapters/21_medusa/medusa.hpp"
#include "lib/core/error.hpp"
#include "lib/files/model.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

constexpr int drafted = 4;  // tokens of a drafted chain

enum class Drafter { nobody, lookup, sketch, heads, both, heads_by_the_clock };
constexpr std::size_t counted = 5;  // heads_by_the_clock varies from run to run, so it is left out

struct Effort {
    double tokens = 0, passes = 0, seconds = 0;
};

class Drafters {
public:
    Drafters(MedusaTour& tour, const TransformerOptions& options)
        : tour_(tour),
          sketch_(load_model(shipped_model("sketch"), draft_options(options))),
          tree_(tree_for(tour.heads, tour.nodes)) {
        check_same_vocabulary(tour.model.tokenizer, sketch_.tokenizer);
    }

    // Writes the texts of a request with each drafter. All must write the same texts as the first.
    std::vector<Effort> compare(const GenerateRequest& request, int seeds, std::size_t drafters) {
        std::vector<Effort> efforts(drafters);
        for (const std::string& prompt : measured_prompts)
            for (int seed = 0; seed < seeds; ++seed) {
                GenerateRequest r = request;
                r.first_stream = static_cast<std::uint64_t>(seed);
                const std::vector<int> ids = encode_prompt(tour_.model, prompt);
                std::vector<int> text;
                for (std::size_t d = 0; d < efforts.size(); ++d) {
                    const std::vector<int> own = write(static_cast<Drafter>(d), r, ids, efforts[d]);
                    if (d == 0) text = own;
                    if (own != text) throw Error("medusa: a draft changed the text");
                }
            }
        return efforts;
    }

private:
    std::vector<int> write(Drafter drafter, GenerateRequest r, std::span<const int> prompt,
                           Effort& effort) {
        CachedBatch batch(tour_.model.transformer);
        CachedModel small(sketch_.transformer);
        const DraftLength length = DraftLength::fixed(drafted);
        if (drafter == Drafter::lookup)
            guess_with<PromptLookup>(
                r, [](std::size_t) { return PromptLookup(); }, length);
        if (drafter == Drafter::sketch || drafter == Drafter::both)
            guess_with<ModelDraft>(
                r,
                [&](std::size_t) {
                    return ModelDraft(std::ref(small), sketch_.config().n_positions);
                },
                length);
        const auto chain = r.foresight.guess;
        if (drafter >= Drafter::heads)
            guess_with_heads(
                r,
                [&](std::size_t slot) {
                    return HeadsDraft(tour_.heads, tree_, [&batch, slot](std::span<const int> ids) {
                        return batch.state(slot, ids);
                    });
                },
                tree_size(tree_, drafter == Drafter::heads_by_the_clock));
        if (drafter == Drafter::both)
            r.foresight.guess = [chain, tree = r.foresight.guess](std::size_t text_number,
                                                                  const TextSoFar& text, Rng random,
                                                                  int room) {
                return both_trees(chain(text_number, text, random, room),
                                  tree(text_number, text, random, room));
            };
        const BatchLogits model = [&](std::span<const BatchText> texts) {
            return ++effort.passes, batch(texts);
        };
        const std::clock_t start = std::clock();
        const GeneratedText text =
            generate_texts(model, token_bytes_of(tour_.model.tokenizer), prompt, r)[0];
        effort.seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        effort.tokens += static_cast<double>(text.ids.size());
        return text.ids;
    }

    MedusaTour& tour_;
    Model sketch_;
    TreeShape tree_;
};

void print_row(const std::string& name, const std::vector<double>& values) {
    std::printf("   %s", padded(name, 14).c_str());
    for (const double x : values) std::printf("  %6.2f", x);
    std::printf("\n");
}

}  // namespace

void show_drafters(MedusaTour& tour, const GenerateOptions& options, bool times) {
    Drafters drafters(tour, {options.threads, weight_type_named(options.weights)});
    std::printf(
        "4. The same texts by each draft: lookup and sketch guess chains of %d, heads trees of "
        "%d.\n\n   tokens a pass    none  lookup  sketch   heads    both\n",
        drafted, tour.nodes);
    std::vector<std::pair<std::string, std::vector<double>>> gains;
    for (const auto& [name, temperature] :
         {std::pair("T = 0", 0.0), std::pair("T = 0.8, p .9", 0.8),
          std::pair("T = 1.2, p .9", 1.2)}) {
        GenerateOptions o = options;
        o.temperature = temperature;
        o.top_p = temperature > 0 ? 0.9 : 1.0;
        const std::vector<Effort> efforts = drafters.compare(
            request_of(o, tour.model, 60), temperature > 0 ? 2 : 1, times ? counted + 1 : counted);
        std::vector<double> tokens, gain;
        for (const Effort& e : efforts) {
            tokens.push_back(e.tokens / e.passes);
            gain.push_back(efforts[0].seconds / e.seconds);
        }
        tokens.resize(counted);
        print_row(name, tokens);
        gains.emplace_back(name, gain);
    }
    if (!times) return;
    std::printf("\n   times as fast    none  lookup  sketch   heads    both  adaptive\n");
    for (const auto& [name, gain] : gains) print_row(name, gain);
}

}  // namespace tbt
