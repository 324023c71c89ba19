#include "chapters/21_medusa/demo.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/options.hpp"
#include "chapters/12_speculative/tools/rounds.hpp"
#include "chapters/21_medusa/medusa.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// Prints the distribution of the first token of a round and the mean number of tokens per round.
template <class Judge>
void show_distribution(const char* name, const Judge& judge) {
    Distribution distribution(3);
    double tokens = 0;
    AllOutcomes chance;
    do {
        const std::vector<int> text = judge(chance);
        distribution[index(text[0])] += chance.probability();
        tokens += chance.probability() * static_cast<double>(text.size());
    } while (chance.next());
    std::printf("   %s  %.4f  %.4f  %.4f  %.4f\n", padded(name, 30).c_str(), distribution[0],
                distribution[1], distribution[2], tokens);
}

// For each guess: is it a part of the text?
std::vector<bool> stood_in(const Guesses& guesses, std::span<const int> text) {
    std::vector<bool> stood(guesses.ids.size());
    int at = -1;
    for (const int id : text) {
        if ((at = guesses.child(at, id)) < 0) break;
        stood[index(at)] = true;
    }
    return stood;
}

// Prints one line for each guess, with the guesses after it below.
void print_tree(const Tokenizer& tokenizer, const Guesses& guesses, std::span<const int> text) {
    const std::vector<int> depths = tree_depths(guesses.parents);
    const std::vector<bool> stood = stood_in(guesses, text);
    const auto print_after = [&](const auto& self, int at) -> void {
        for (int i = at + 1; i < count(guesses.ids); ++i) {
            if (guesses.parent(i) != at) continue;
            std::printf("   %*s%s %s\n", 4 * depths[index(i)], "", stood[index(i)] ? "■" : "·",
                        visible(tokenizer.token_bytes(guesses.ids[index(i)])).c_str());
            self(self, i);
        }
    };
    print_after(print_after, -1);
}

// Draws the tree of a round: the boxes of one depth are a column, and the accepted branch is
// filled.
void write_tree(const std::string& file, const Tokenizer& tokenizer, const Guesses& guesses,
                std::span<const int> text) {
    const std::vector<int> depths = tree_depths(guesses.parents);
    const std::vector<bool> stood = stood_in(guesses, text);
    constexpr int row = 34, column = 190, width = 150, left = 20, top = 50;
    std::vector<int> y(guesses.ids.size());
    const std::string title = "A tree of guesses: those that the target drew too are blue";
    std::string drawing = svg_text(left, 28, title, "start", 15);
    // Leaves are one below the other; a parent is beside its first child.
    int next = 0;
    const auto place = [&](const auto& self, int at) -> void {
        for (int i = at + 1; i < count(guesses.ids); ++i) {
            if (guesses.parent(i) != at) continue;
            const int before = next;
            self(self, i);
            if (next == before) ++next;
            y[index(i)] = before;
        }
    };
    place(place, -1);
    for (int i = 0; i < count(guesses.ids); ++i) {
        const double x = left + column * depths[index(i)], line = top + row * y[index(i)];
        if (const int parent = guesses.parent(i); parent >= 0)
            drawing += svg_line(x - column + width, top + row * y[index(parent)] + 12, x, line + 12,
                                svg_grey);
        drawing += svg_rect(x, line, width, row - 8, stood[index(i)] ? svg_colour(0) : svg_grey,
                            "rx=\"3\"");
        drawing += svg_text(x + .5 * width, line + 17,
                            visible(tokenizer.token_bytes(guesses.ids[index(i)])), "middle", 12,
                            "style=\"fill:#fff\"");
    }
    write_svg(file, title, 620, top + row * next + 20, drawing);
}

// What texts took; seconds of processor time.
struct Effort {
    double tokens = 0, passes = 0, seconds = 0;
};

// Writes a text and adds to the effort.
GeneratedText write(CachedBatch& batch, const Tokenizer& tokenizer, std::span<const int> prompt,
                    const GenerateRequest& request, Effort& effort) {
    const BatchLogits model = [&](std::span<const BatchText> texts) {
        return ++effort.passes, batch(texts);
    };
    const std::clock_t start = std::clock();
    GeneratedText text = generate_texts(model, token_bytes_of(tokenizer), prompt, request)[0];
    effort.seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    effort.tokens += static_cast<double>(text.ids.size());
    return text;
}

struct Written {
    GeneratedText text;
    std::vector<GuessedRound> rounds;
};

// nodes 0: without heads.
Written write(MedusaTour& tour, int nodes, Effort& effort) {
    GenerateRequest request = tour.request;
    CachedBatch batch(tour.model.transformer);
    Written written;
    std::shared_ptr<std::vector<GuessedRound>> seen;
    const TreeShape tree = tree_for(tour.heads, nodes);
    if (nodes > 0) {
        guess_with<HeadsDraft>(request, drafts_for(batch, tour.heads, tree),
                               tree_size(tree, false));
        seen = watch_guesses(request);
    }
    written.text = write(batch, tour.model.tokenizer, tour.prompt, request, effort);
    if (seen) written.rounds = *seen;
    return written;
}

}  // namespace

void show_judges() {
    const std::vector<int> parents = {-1, -1, 0, 1, 0};
    std::printf("1. A tree of five guesses: what each guess follows, and what it sees:\n\n");
    const std::vector<std::vector<bool>> mask = tree_mask(parents);
    for (std::size_t i = 0; i < mask.size(); ++i) {
        std::printf("   guess %zu after %-8s  sees the text", i,
                    parents[i] < 0 ? "the text" : ("guess " + std::to_string(parents[i])).c_str());
        for (std::size_t j = 0; j < mask.size(); ++j) std::printf(" %s", mask[i][j] ? "■" : "·");
        std::printf("\n");
    }
    Distribution p{.5, .3, .2}, q{.2, .3, .5};
    const DistributionAfter target = [&](const std::vector<int>&) { return p; };
    const DistributionAfter draft = [&](const std::vector<int>&) { return q; };
    std::printf(
        "\n   p = (.5, .3, .2), draft q = (.2, .3, .5). The first token of a round, every "
        "outcome:\n\n   judge                               A       B       C    tokens\n");
    const GuessTree certain{{2, 1}, {-1, -1}};
    show_distribution("followed: C and B guessed", [&](AllOutcomes& chance) {
        return follow_tree(target, {}, certain, chance);
    });
    for (const int n : {1, 2})
        show_distribution(n == 1 ? "rejection: one guess drawn" : "rejection: two guesses drawn",
                          [&](AllOutcomes& chance) {
                              GuessTree tree;
                              Distribution left = q;
                              for (int i = 0; i < n; ++i) {
                                  tree.tokens.push_back(chance.draw(left)),
                                      tree.parents.push_back(-1);
                                  left[index(tree.tokens.back())] = 0;
                              }
                              return judge_tree(target, draft, {}, tree, chance);
                          });
    show_distribution("typical, ε .3, δ .3: C guessed", [&](AllOutcomes& chance) {
        return typical_tree(target, {}, {{2}, {-1}}, .3, .3, chance);
    });
}

MedusaTour::MedusaTour(const GenerateOptions& options, const MedusaSettings& settings,
                       const std::string& text)
    : model(open_model(options)),
      heads(Heads::load(settings.heads_directory(), options.model,
                        {options.threads, weight_type_named(options.weights)})),
      request(request_of(options, model, 60)),
      prompt(prompt_ids(options, model, text)),
      nodes(settings.medusa_nodes),
      shown_prompt(options.no_escape ? text : unescaped(text)),
      directory(options.model) {}

void show_text(MedusaTour& tour, const MedusaFiles& files) {
    const auto& [trace, figure, html, command] = files;
    check_files(html, trace, figure);
    const PageFile page(html);
    Effort of_plain, effort;
    const Written plain = write(tour, 0, of_plain), fast = write(tour, tour.nodes, effort);
    const std::vector<Round> rounds = coupled_rounds(fast.text.ids, fast.rounds);
    std::printf(
        "2. The first rounds: [the guess at the end of a branch], → the target's instead\n\n");
    constexpr std::size_t shown = 10;
    for (std::size_t r = 0; r < std::min(shown, rounds.size()); ++r)
        std::printf("   %2zu  %s\n", r + 1, lane_of(tour.model.tokenizer, rounds[r]).c_str());
    long guessed = 0, right = 0;
    for (const GuessedRound& round : fast.rounds) guessed += count(round.guesses.ids);
    for (const Round& round : rounds) right += round.accepted();
    std::printf(
        "\n%s%s\n\n   %zu tokens in %.0f passes: %.2f a pass; %ld guessed, %ld right\n   %s\n",
        tour.shown_prompt.c_str(), fast.text.text.c_str(), fast.text.ids.size(), effort.passes,
        effort.tokens / effort.passes, guessed, right,
        fast.text.ids == plain.text.ids ? "token for token the text of plain decoding"
                                        : "NOT the text of plain decoding");
    if (!trace.empty())
        write_file(trace, speculative_trace(tour.model.tokenizer, tour.shown_prompt, tour.prompt,
                                            tour.request, "medusa", {fast.text, rounds}));
    if (page.wanted())
        page.write(drafted_trace({{command, tour.directory, "", tour.request.seed},
                                  "medusa",
                                  "seed",
                                  recorded_rounds(rounds, fast.rounds)},
                                 tour.model, tour.request, {tour.shown_prompt, tour.prompt},
                                 fast.text));
    // Show the first of the rounds with the most right guesses.
    std::size_t best = 0;
    for (std::size_t r = 0; r < rounds.size(); ++r)
        if (rounds[r].accepted() > rounds[best].accepted()) best = r;
    std::size_t begins = 0;
    for (std::size_t r = 0; r < best; ++r) begins += rounds[r].tokens.size();
    const auto round = std::ranges::find(fast.rounds, begins, &GuessedRound::begins);
    if (round == fast.rounds.end()) {
        if (!figure.empty()) throw Error("--figure: no round guessed anything");
        return;
    }
    const auto drawn = std::span(fast.text.ids).subspan(begins);
    std::printf("\n   Round %zu as a tree: ■ what the target drew too\n\n", best + 1);
    print_tree(tour.model.tokenizer, round->guesses, drawn);
    if (!figure.empty()) write_tree(figure, tour.model.tokenizer, round->guesses, drawn);
}

// Rows: heads; columns: the ranks of their guesses.
void print_acceptance(const std::vector<std::vector<double>>& acceptance) {
    std::printf(
        "3. How often a guess was right if all guesses before it were (measured after "
        "training):\n\n   guess     1     2     3     4   one of them\n");
    for (std::size_t k = 0; k < acceptance.size(); ++k) {
        double sum = 0;
        std::printf("   head %zu", k + 1);
        for (const double right : acceptance[k]) std::printf("  %.2f", right), sum += right;
        std::printf("  %.2f\n", sum);
    }
}

void show_trees(MedusaTour& tour, bool times) {
    print_acceptance(tour.heads.config().acceptance);
    std::printf("\n   Trees of more and more guesses:\n\n   guesses  tokens a pass%s\n",
                times ? "   predicted   µs a pass   times as fast" : "   predicted");
    constexpr int texts = 5;
    const auto measure = [&](int nodes) {
        Effort effort;
        for (int i = 0; i < texts; ++i) {
            tour.request.first_stream = static_cast<std::uint64_t>(i);
            write(tour, nodes, effort);
        }
        return std::pair(effort.tokens / effort.passes, effort.seconds / effort.tokens);
    };
    const auto [one, plain] = measure(0);
    for (const int nodes : {0, 1, 2, 3, 4, 6, 8, 12, 16}) {
        const auto [tokens, seconds] = nodes == 0 ? std::pair(one, plain) : measure(nodes);
        std::printf("   %7d  %13.2f  %10.2f", nodes, tokens,
                    nodes == 0 ? 1.0 : tree_for(tour.heads, nodes).tokens(nodes));
        if (times) std::printf("  %10.0f  %14.2f", 1e6 * seconds * tokens, plain / seconds);
        std::printf("\n");
    }
}

namespace {

constexpr int drafted = 4;  // tokens of a drafted chain

enum class Drafter { nobody, lookup, sketch, heads, both, heads_by_the_clock };
constexpr std::size_t counted = 5;  // heads_by_the_clock varies from run to run, so it is left out

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
            guess_with<HeadsDraft>(r, drafts_for(batch, tour_.heads, tree_),
                                   tree_size(tree_, drafter == Drafter::heads_by_the_clock));
        if (drafter == Drafter::both)
            r.foresight.guess = [chain, tree = r.foresight.guess](std::size_t text_number,
                                                                  const TextSoFar& text, Rng random,
                                                                  int room) {
                return both_trees(chain(text_number, text, random, room),
                                  tree(text_number, text, random, room));
            };
        return tbt::write(batch, tour_.model.tokenizer, prompt, r, effort).ids;
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

GenerateOptions drawn_at(double temperature, const GenerateOptions& options) {
    GenerateOptions o = options;
    o.greedy = o.do_sample = false;
    o.preset.reset(), o.watermark.reset(), o.mirostat.reset(), o.dynatemp_range.reset();
    o.temperature = temperature;
    o.top_p = temperature > 0 ? 0.9 : 1.0;
    return o;
}

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
        const GenerateOptions o = drawn_at(temperature, options);
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
