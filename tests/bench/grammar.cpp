// Masks at each step of many texts, one after the other with one recognizer:
// the first text, all of them, and all once more.
#include <algorithm>
#include <memory>

#include "lib/core/rng.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "lib/machine/files.hpp"
#include "tests/bench/masks.hpp"
#include "tests/bench/vocabulary.hpp"

namespace tbt::bench {

// Records as programs write them, indented and not. (The languages of schemas spell é as it is,
// never \u00e9.)
std::string json_text() {
    std::string text = "[";
    for (int i = 0; i < 120; ++i) {
        const std::string n = std::to_string(i);
        text += i == 0 ? "" : ",";
        text += i % 2 == 0 ? "\n  {\n    \"id\": " + n +
                                 ",\n    \"name\": \"Ada Lovelace\",\n    \"tags\": [\"first\", "
                                 "\"program\"],\n    \"score\": 0." +
                                 n + "e-3,\n    \"paid\": true\n  }"
                           : "{\"id\":" + n +
                                 ",\"customer\":{\"name\":\"Grace \\\"Amazing\\\" "
                                 "Hopper\",\"home\":null},\"items\":[{\"product\":\"caf\xc3\xa9 "
                                 "\\n\",\"count\":" +
                                 n + "}],\"paid\":false}";
    }
    return text + "]";
}

namespace {

template <class Words>
std::string any(const Words& words, Rng& rng) {
    return words[rng.below(std::size(words))];
}

std::string name(Rng& rng) {
    static const char* const first[] = {"Ada",     "Grace", "Barbara", "Emmy", "Sofia",
                                        "Hypatia", "René",  "Alan",    "Kurt", "Zoë"};
    static const char* const last[] = {"Lovelace", "Hopper",      "Liskov", "Noether",    "O'Neil",
                                       "Turing",   "Smith-Jones", "Müller", "van Rossum", "Li"};
    return any(first, rng) + " " + any(last, rng);
}

std::vector<std::string> orders(int count) {
    static const char* const products[] = {"oil lamp",   "rope",           "kettle", "apples, red",
                                           "paper (A4)", "nails 5\" long", "tea",    "crème",
                                           "blue paint", "C++ book"};
    Rng rng(3);
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) {
        const std::string space = i % 3 == 2 ? "" : " ";
        std::string items;
        for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
            std::string product = any(products, rng);
            if (const std::size_t quote = product.find('"'); quote != std::string::npos)
                product.insert(quote, 1, '\\');
            const std::string number = "\"count\":" + space + std::to_string(1 + rng.below(9)),
                              what = "\"product\":" + space + "\"" + product + "\"";
            // In the schema's order, as masks have it.
            items += (items.empty() ? "" : "," + space) + "{" + what + "," + space + number + "}";
        }
        texts.push_back("{\"id\":" + space + std::to_string(100 + rng.below(100)) + "," + space +
                        "\"customer\":" + space + "\"" + name(rng) + "\"," + space +
                        "\"items\":" + space + "[" + items + "]," + space + "\"paid\":" + space +
                        (rng.below(2) == 0 ? "true" : "false") + "}");
    }
    return texts;
}

std::vector<std::string> queries(int count) {
    static const char* const columns[] = {"name",      "age",          "home",       "job_title",
                                          "people.id", "price",        "created_at", "total2",
                                          "x",         "customer_name"};
    static const char* const tables[] = {"people", "orders", "line_items", "towns", "t1"};
    static const char* const comparisons[] = {"=", "<>", ">=", "<", "LIKE"};
    Rng rng(4);
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) {
        const auto column = [&] { return any(columns, rng); };
        const auto value = [&] {
            return rng.below(2) == 0 ? std::to_string(rng.below(10000))
                                     : "'" + any(tables, rng) + " " + column() + "'";
        };
        const auto test = [&] {
            const std::string left = column();
            if (rng.below(4) == 0) return left + " IN (" + value() + ", " + value() + ")";
            return left + (rng.below(5) == 0 ? " IS NOT NULL"
                                             : " " + any(comparisons, rng) + " " + value());
        };
        std::string text = "SELECT " + column() + ", " +
                           (rng.below(2) == 0 ? "COUNT(*) AS n" : column()) + " FROM " +
                           any(tables, rng);
        if (rng.below(3) == 0)
            text += " JOIN " + any(tables, rng) + " ON " + column() + " = " + column();
        if (rng.below(4) > 0)
            text += " WHERE " + test() +
                    (rng.below(2) == 0 ? " AND (" + test() + " OR NOT " + test() + ")" : "");
        if (rng.below(3) == 0) text += " GROUP BY " + column();
        if (rng.below(2) == 0) text += " ORDER BY " + column() + " DESC";
        texts.push_back(text + (rng.below(2) == 0 ? " LIMIT 5;" : ";"));
    }
    return texts;
}

template <class Make>
void measure(Table& table, const std::string& name, const std::shared_ptr<const TokenTrie>& trie,
             const std::vector<std::string>& texts, Make make) {
    const MaskTimes t = time_masks(trie, texts, make);
    const Times begin{
        {t.fresh.each.begin(), t.fresh.each.begin() + static_cast<std::ptrdiff_t>(t.first_text)}};
    table.row({name, Cell(static_cast<double>(t.fresh.each.size()), 0),
               Cell(static_cast<double>(t.states), 0), Cell(t.compile_ms, 2), Cell(begin.mean(), 1),
               Cell(t.fresh.mean(), 2), Cell(t.fresh.at(0.5), 2), Cell(t.fresh.at(0.99), 1),
               Cell(t.fresh.at(1), 0), Cell(t.known.mean(), 3)});
}

void run(const Settings&) {
    std::string name;
    std::vector<std::string> tokens = vocabulary(name);
    const int eos = static_cast<int>(tokens.size()) - 1;
    double best = 1e9;
    std::shared_ptr<const TokenTrie> trie;
    for (int i = 0; i < 3; ++i) {
        std::vector<std::string> copy = tokens;
        const double start = now();
        trie = std::make_shared<const TokenTrie>(std::move(copy), eos);
        best = std::min(best, now() - start);
    }
    const std::vector<std::string> text{json_text()};
    std::printf("%s: %zu tokens, tree of %zu nodes built in %.1f ms; times in µs a mask\n",
                name.c_str(), tokens.size(), trie->nodes().size(), best * 1e3);
    Table table("grammar", {"language", "masks", "states", "compile ms", "first text", "mean",
                            "p50", "p99", "max", "seen before"});
    measure(table, "JSON, by hand", trie, text, [] { return std::make_shared<JsonRecognizer>(); });
    measure(table, "json.gbnf", trie, text, [] {
        return std::make_shared<GrammarRecognizer>(
            compile_gbnf(read_file("data/grammars/json.gbnf")));
    });
    const std::string schema = R"({"type":"array","items":{"type":"object"}})",
                      order = read_file("data/schemas/order.json"),
                      sql = read_file("data/grammars/sql.gbnf");
    measure(table, "schema: list of objects", trie, text, [&] {
        SchemaOptions options;
        options.max_whitespace = 12;
        return std::make_shared<GrammarRecognizer>(compile_schema(schema, options));
    });
    measure(table, "schema: order.json", trie, orders(60),
            [&] { return std::make_shared<GrammarRecognizer>(compile_schema(order)); });
    measure(table, "sql.gbnf", trie, queries(60),
            [&] { return std::make_shared<GrammarRecognizer>(compile_gbnf(sql)); });

    TokenMask half(static_cast<int>(tokens.size()));
    Rng rng(2);
    for (int id = 0; id < half.size(); ++id) {
        if (rng.below(2) == 0) half.set(id);
    }
    std::vector<float> logits(tokens.size(), 1.0f);
    const Timing apply =
        interleaved({repeated("apply", [&] { half.apply(logits), keep(logits[1]); })})[0];
    std::printf("applying a mask to the logits: %.2f µs\n", apply.median * 1e6);
}

const Section section{"grammar", 60, "masks under a grammar, µs", run};

}  // namespace

}  // namespace tbt::bench
