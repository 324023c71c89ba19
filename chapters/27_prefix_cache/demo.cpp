#include "chapters/27_prefix_cache/demo.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

#include "chapters/10_generate/options.hpp"
#include "chapters/26_serving/engine.hpp"
#include "chapters/27_prefix_cache/plain_prefix_tree.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/show/svg.hpp"

namespace tbt {

namespace {

constexpr std::size_t page_letters = 4, system_tokens = 400, questions = 20;
constexpr int short_answer = 24, long_answer = 80;
const std::vector<std::string> three = {"be brief: red?", "be brief: rose?", "be kind"};

// Texts of letters in the plain pages and the plain tree: what part 1 and its picture show.
struct PageByHand {
    int number = 0;  // in the order in which they were taken
    std::string letters;
    bool copied = false;  // from one that begins alike
};

struct TextByHand {
    std::string text;
    std::size_t known = 0;  // of its letters, when it began
    std::vector<PageByHand> pages;
};

// Each of the three begins when the one before it has ended.
std::vector<TextByHand> read_by_hand() {
    std::size_t most = 0;
    for (const std::string& text : three) most += text.size();
    PlainPages pages(most, page_letters);
    PlainPrefixTree tree(page_letters);
    std::map<PlainPage*, int> numbers;
    std::vector<TextByHand> read;
    for (const std::string& text : three) {
        const Tokens ids(text.begin(), text.end());
        const PlainPrefix prefix = tree.find(ids);
        PlainTable table = fork({prefix.pages, prefix.tokens});
        for (std::size_t i = prefix.tokens; i < ids.size(); ++i) append(pages, table, ids[i]);
        TextByHand& shown = read.emplace_back(TextByHand{text, prefix.tokens, {}});
        for (std::size_t p = 0; p < table.table.size(); ++p) {
            const int next = static_cast<int>(numbers.size());
            const bool fresh = numbers.try_emplace(table.table[p], next).second;
            const auto& content = table.table[p]->content;
            const std::size_t here = std::min(content.size(), ids.size() - p * page_letters);
            shown.pages.push_back({numbers[table.table[p]], text.substr(p * page_letters, here),
                                   fresh && p < prefix.pages.size()});
        }
        tree.put(ids, table.table);
        for (PlainPage* page : table.table) --page->owners;
    }
    return read;
}

// A system prompt with examples, and twenty questions.
std::vector<std::vector<int>> prompts_of(const Model& model) {
    std::string system = "The assistant answers in one short sentence.\n";
    for (int i = 1; i < 60; ++i)
        system += "User: What is " + std::to_string(i % 9 + 1) + " + " + std::to_string(i % 7 + 1) +
                  "?\nAssistant: " + std::to_string(i % 9 + 1 + i % 7 + 1) + ".\n";
    std::vector<int> ids = model.tokenizer.encode(system);
    ids.resize(system_tokens, ids.back());
    const char* asked[] = {"Who are you?", "Tell me a story.", "What is the weather today?",
                           "What is your name?"};
    std::vector<std::vector<int>> prompts;
    for (std::size_t i = 0; i < questions; ++i) {
        const std::string number = std::to_string(i + 3);
        const std::string question = i % 2 == 0 ? "What is " + number + " + 4?" : asked[i / 2 % 4];
        prompts.push_back(ids);
        for (const int id : model.tokenizer.encode("\nUser: " + question + " Please, " + number +
                                                   " words.\nAssistant:"))
            prompts.back().push_back(id);
    }
    return prompts;
}

// Exactly so many tokens: the end of text is not listened to.
GenerateRequest answer_of(const Model& model, std::size_t question, int tokens) {
    GenerateOptions o;
    o.max_new_tokens = tokens;
    o.seed = question;
    GenerateRequest request = request_of(o, model);
    request.stop.eos.clear();
    return request;
}

// What one after the other costs.
struct Cost {
    long tokens = 0;                // that were computed
    std::vector<long> first_token;  // of them, until the first token of each
    std::vector<double> seconds;    // the same by the clock
    int pages = 0;                  // at the end
};

Cost one_by_one(Model& model, bool remembers) {
    const std::vector<std::vector<int>> prompts = prompts_of(model);
    PrefixCache cache(model.transformer, 0, remembers);
    CachedBatch batch(cache);
    Engine engine(&batch, token_bytes_of(model.tokenizer), model.config().vocab_size,
                  PlainScheduler(1));
    Cost cost;
    for (std::size_t q = 0; q < questions; ++q) {
        const auto begin = std::chrono::steady_clock::now();
        const long before = batch.computed();
        engine.add(prompts[q], answer_of(model, q, short_answer));
        engine.step();
        cost.first_token.push_back(batch.computed() - before);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        cost.seconds.push_back(time.count());
        while (engine.step()) {
        }
    }
    cost.tokens = batch.computed();
    cost.pages = remembers ? cache.used() : 0;
    return cost;
}

double median_of_later(std::vector<double> values) {
    std::sort(values.begin() + 1, values.end());
    return values[1 + (values.size() - 1) / 2];
}

}  // namespace

void show_pages() {
    std::printf("1. Three texts, one after the other, in pages of %zu letters:\n\n", page_letters);
    std::size_t letters = 0, separate = 0;
    std::set<int> pages;
    for (const TextByHand& text : read_by_hand()) {
        std::printf("   %-17s known %2zu, read %2zu  ", ("\"" + text.text + "\"").c_str(),
                    text.known, text.text.size() - text.known);
        for (const PageByHand& page : text.pages) {
            std::printf("  %d%s [%s]", page.number, page.copied ? " (a copy)" : "",
                        page.letters.c_str());
            pages.insert(page.number);
        }
        std::printf("\n");
        letters += text.text.size() - text.known;
        separate += text.pages.size();
    }
    std::printf("\n   %zu letters read, and %zu pages where texts by themselves need %zu.\n",
                letters, pages.size(), separate);
}

void show_questions(Model& model) {
    std::printf(
        "2. %zu questions after the same system prompt of %zu tokens, %d new tokens each:\n\n"
        "                  tokens computed  until the first token\n",
        questions, system_tokens, short_answer);
    long without = 0;
    for (const bool remembers : {false, true}) {
        const Cost cost = one_by_one(model, remembers);
        const auto [least, most] =
            std::minmax_element(cost.first_token.begin() + 1, cost.first_token.end());
        std::printf("   %-13s  %15ld  %ld for question 1, then %ld to %ld\n",
                    remembers ? "with the tree" : "without", cost.tokens, cost.first_token[0],
                    *least, *most);
        if (!remembers) without = cost.tokens;
        else
            std::printf("\n   %.1f times less work. What is remembered fills %d pages.\n",
                        static_cast<double>(without) / static_cast<double>(cost.tokens),
                        cost.pages);
    }
}

void show_preemption(Model& model, int slots) {
    const std::vector<std::vector<int>> prompts = prompts_of(model);
    const TokenBytes bytes = token_bytes_of(model.tokenizer);
    std::vector<GeneratedText> alone;
    for (std::size_t q = 0; q < questions; ++q) {
        CachedBatch fresh(model.transformer);
        alone.push_back(generate_texts(std::ref(fresh), bytes, prompts[q],
                                       answer_of(model, q, long_answer))[0]);
    }
    std::printf(
        "3. The same questions all at once, %d at a time, %d new tokens each:\n\n"
        "   limit of pages  most used  preemptions  tokens computed  differ\n",
        slots, long_answer);
    for (const int limit : {0, 30, 16, 12, 10, 9}) {
        PrefixCache cache(model.transformer, limit);
        CachedBatch batch(cache);
        Engine engine(&batch, bytes, model.config().vocab_size, PlainScheduler(slots, 64));
        for (std::size_t q = 0; q < questions; ++q)
            engine.add(prompts[q], answer_of(model, q, long_answer));
        int most = 0, different = 0;
        while (engine.step()) most = std::max(most, cache.used());
        for (std::size_t q = 0; q < questions; ++q)
            different += engine.take(to_int(q)).text.ids != alone[q].ids;
        std::printf("   %-14s  %9d  %11ld  %15ld  %6d\n",
                    limit == 0 ? "none" : std::to_string(limit).c_str(), most, engine.preemptions(),
                    batch.computed(), different);
    }
}

void show_times(Model& model) {
    const double without = median_of_later(one_by_one(model, false).seconds),
                 with = median_of_later(one_by_one(model, true).seconds);
    std::printf(
        "4. Time to first token, the median of questions 2 to %zu on %d threads:\n\n"
        "   without %.2f ms, with the tree %.2f ms: %.3f of it\n",
        questions, model.transformer.threads(), 1e3 * without, 1e3 * with, with / without);
}

void write_pages_figure(const std::string& file) {
    constexpr int left = 20, width = 76, height = 30, row = 58;
    std::string all;
    int top = 20;
    for (const TextByHand& text : read_by_hand()) {
        all += svg_text(left, top + 12,
                        text.text + "  (known " + std::to_string(text.known) + ", read " +
                            std::to_string(text.text.size() - text.known) + ")");
        int x = left;
        std::size_t letter = 0;
        for (const PageByHand& page : text.pages) {
            const bool shared = letter + page.letters.size() <= text.known;
            all += svg_rect(x, top + 20, width - 4, height, svg_colour(page.number),
                            shared ? "fill-opacity=\"0.25\"" : "fill-opacity=\"0.8\"");
            all += svg_text(x + (width - 4) / 2.0, top + 40,
                            std::to_string(page.number) + ": " + page.letters, "middle");
            x += width, letter += page.letters.size();
        }
        top += row;
    }
    write_svg(file, "Three texts in pages of four letters; pages that were known are pale",
              2 * left + 4 * width + 200, top, all);
}

}  // namespace tbt
