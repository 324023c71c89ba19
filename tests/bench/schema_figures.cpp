#include "tests/bench/schema_figures.hpp"

#include <time.h>

#include <algorithm>

#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "tests/bench/vocabulary.hpp"
#include "tests/support/counted_new.hpp"

namespace tbt::bench {

double thread_seconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double microseconds(std::vector<double> times, double share) {
    if (times.empty()) return 0;
    std::sort(times.begin(), times.end());
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))] * 1e6;
}
double mean_microseconds(const std::vector<double>& times) {
    double sum = 0;
    for (const double t : times) sum += t;
    return times.empty() ? 0 : sum / static_cast<double>(times.size()) * 1e6;
}

namespace {

// A text by a model that knows nothing but ends its strings: quotes and commas are likelier.
void write(const std::shared_ptr<CompiledGrammar>& language, int budget, Rng rng,
           const std::vector<bool>& is_structure, Steps& steps) {
    GrammarMatcher constraint(language, budget);
    std::vector<int> legal, structure;
    while (!constraint.ended() && constraint.remaining() > 0) {
        const std::size_t before = allocations;
        const double start = thread_seconds();
        const TokenMask& mask = constraint.mask();
        steps.times.push_back(thread_seconds() - start);
        steps.allocations += allocations - before;
        legal.clear(), structure.clear();
        mask.each([&](int id) {
            legal.push_back(id);
            if (is_structure[static_cast<std::size_t>(id)]) structure.push_back(id);
        });
        if (legal.empty()) break;
        const std::vector<int>& from = !structure.empty() && rng.below(3) == 0 ? structure : legal;
        constraint.advance(from[rng.below(from.size())]);
    }
    if (!constraint.complete()) throw Error("bench: a text was not complete within its budget");
}

void add(Steps& to, const Steps& from) {
    to.times.insert(to.times.end(), from.times.begin(), from.times.end());
    to.allocations += from.allocations;
}
double allocations_of(const Steps& s) {
    return s.times.empty()
               ? 0
               : static_cast<double>(s.allocations) / static_cast<double>(s.times.size());
}

}  // namespace

constexpr int most_tokens = 2000;

void measure_schema(SchemaFigures& f, const std::string& schema,
                    const std::shared_ptr<const TokenTrie>& trie, Rng& rng) {
    std::vector<bool> is_structure;
    for (int id = 0; id < trie->vocabulary(); ++id)
        is_structure.push_back(trie->bytes(id).find_first_of("\",}]:") != std::string::npos);
    SchemaOptions options;
    options.warn = [](const std::string&) {};
    options.closed = true;
    const double start = thread_seconds();
    const auto language = std::make_shared<CompiledGrammar>(
        std::make_shared<GrammarRecognizer>(compile_schema(schema, options)), trie);
    f.compile.push_back(thread_seconds() - start);
    const double before = thread_seconds();
    GrammarMatcher(language, most_tokens).mask();
    f.first.push_back(thread_seconds() - before);
    const Rng draws = rng;
    for (Steps* steps : {&f.masks, &f.again})
        write(language, most_tokens, draws, is_structure, *steps);
    rng.below(2);
    const int least = language->closing().enough(language->recognizer().start());
    write(language, least + 10, rng, is_structure, f.tight);
    write(language, least, rng, is_structure, f.tight);
    f.memory = std::max(f.memory, language->memory());
    ++f.texts;
}

void SchemaFigures::add(const SchemaFigures& other) {
    compile.insert(compile.end(), other.compile.begin(), other.compile.end());
    first.insert(first.end(), other.first.begin(), other.first.end());
    bench::add(masks, other.masks);
    bench::add(tight, other.tight);
    bench::add(again, other.again);
    memory = std::max(memory, other.memory);
    texts += other.texts;
}

std::shared_ptr<const TokenTrie> schema_vocabulary() {
    std::string name;
    std::vector<std::string> tokens = vocabulary(name);
    const int eos = static_cast<int>(tokens.size()) - 1;
    std::printf(
        "%s; times of the thread in µs: to compile, of the first mask, of each on the way of a "
        "text of at most 2000 tokens, and of each of texts with a budget of the fewest tokens and "
        "of ten more; new: calls of operator new a step, for the first time and of the same text "
        "once more\n",
        name.c_str());
    return std::make_shared<const TokenTrie>(std::move(tokens), eos);
}

SchemaTable::SchemaTable(const std::string& section)
    : table_(section, {"schemas", "number", "compile", "p99 to compile", "worst to compile",
                       "first", "worst", "mean", "median", "p99", "worst ", "new", "again",
                       "near the end", "p99 ", "worst  ", "MB"}) {}

void SchemaTable::row(const std::string& what, const SchemaFigures& g) {
    table_.row({what, Cell(static_cast<double>(g.texts), 0), Cell(mean_microseconds(g.compile), 0),
                Cell(microseconds(g.compile, .99), 0), Cell(microseconds(g.compile, 1), 0),
                Cell(mean_microseconds(g.first), 0), Cell(microseconds(g.first, 1), 0),
                Cell(mean_microseconds(g.masks.times), 1), Cell(microseconds(g.masks.times, .5), 1),
                Cell(microseconds(g.masks.times, .99), 0), Cell(microseconds(g.masks.times, 1), 0),
                Cell(allocations_of(g.masks), 1), Cell(allocations_of(g.again), 2),
                Cell(mean_microseconds(g.tight.times), 0),
                Cell(microseconds(g.tight.times, .99), 0), Cell(microseconds(g.tight.times, 1), 0),
                Cell(static_cast<double>(g.memory) / 1e6, 1)});
}

}  // namespace tbt::bench
