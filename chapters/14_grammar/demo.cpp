#include "chapters/14_grammar/demo.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "chapters/13_json_grammar/plain_mask.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

namespace {

constexpr const char* names[] = {"root", "number", "digit"};

Symbol byte_of(char c) { return {c, c, -1}; }
Symbol range_of(char low, char high) { return {low, high, -1}; }
Symbol rule_of(int rule) { return {0, 0, rule}; }

// What may still come, in the notation of grammars: the next symbol first.
std::string shown(const Symbols& rest) {
    if (rest.empty()) return "(the end)";
    std::string line;
    for (auto symbol = rest.rbegin(); symbol != rest.rend(); ++symbol) {
        if (!line.empty()) line += ' ';
        const auto low = static_cast<char>(symbol->low), high = static_cast<char>(symbol->high);
        if (symbol->rule >= 0) line += names[symbol->rule];
        else if (low == high) line.append("\"").append(1, low).append("\"");
        else line.append("[").append(1, low).append("-").append(1, high).append("]");
    }
    return line;
}

Derivations start_of(const PlainGrammar& rules) { return unfolded(rules, {{rule_of(0)}}); }

int byte_at(const std::string& text, std::size_t i) {
    return to_int(static_cast<unsigned char>(text[i]));
}

// "3 ·May ·June": the number of tokens in a mask, and the first of them by name.
std::string listed(const std::vector<std::string>& tokens, const std::vector<bool>& legal,
                   int end) {
    constexpr std::size_t most = 9;
    std::string line;
    std::size_t count = 0;
    for (std::size_t id = 0; id < legal.size(); ++id) {
        if (!legal[id] || ++count > most) continue;
        line += ' ';
        line += to_int(id) == end ? "<end>" : visible(tokens[id]);
    }
    if (count > most) line += " …";
    return line;
}

}  // namespace

PlainGrammar sums() {
    return {{{rule_of(1)}, {rule_of(1), byte_of('+'), rule_of(0)}},
            {{rule_of(2)}, {rule_of(2), rule_of(1)}},
            {{range_of('0', '9')}}};
}

void show_derivations(const std::string& text) {
    std::printf(
        "1. Every way to read \"%s\" with\n\n"
        "      root   ::= number | number \"+\" root\n"
        "      number ::= digit | digit number\n"
        "      digit  ::= [0-9]\n\n   read    what may still come\n",
        visible(text).c_str());
    const PlainGrammar rules = sums();
    Derivations now = start_of(rules);
    for (std::size_t read = 0;; ++read) {
        std::string before = padded(visible(text.substr(0, read)), 8);
        for (const Symbols& rest : now) {
            std::printf("   %s%s\n", before.c_str(), shown(rest).c_str());
            before = padded("", 8);
        }
        if (now.empty()) std::printf("   %snothing: no sum begins like this\n", before.c_str());
        if (now.empty() || read == text.size()) break;
        now = plain_step(rules, now, byte_at(text, read));
    }
}

void show_sharing() {
    const char* const written = "root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"\"";
    const PlainGrammar rules = {
        {{byte_of('a'), rule_of(0), byte_of('b')}, {byte_of('a'), rule_of(0), byte_of('c')}, {}}};
    GrammarRecognizer recognizer(compile_gbnf(written));
    std::printf("2. %s\n\n   read          derivations  shared  bytes to the end  may end\n",
                written);
    const std::string text = "aaaaaaaabcb";
    Derivations now = start_of(rules);
    Recognizer::State state = recognizer.start();
    for (std::size_t i = 0; i < text.size(); ++i) {
        now = plain_step(rules, now, byte_at(text, i));
        state = recognizer.next(state, static_cast<unsigned char>(text[i]));
        std::printf("   %s %11zu  %6d  %16d  %s\n", padded(text.substr(0, i + 1), 13).c_str(),
                    now.size(), recognizer.derivations(state), recognizer.closing_bytes(state),
                    recognizer.accepts(state) ? "yes" : "no");
    }
}

void show_masks(const std::string& grammar, const std::string& directory) {
    const Tokenizer tokenizer = Tokenizer::load(directory);
    GrammarRecognizer recognizer(compile_gbnf(read_file(grammar), grammar));
    std::vector<std::string> tokens;
    for (int id = 0; id < tokenizer.vocab_size(); ++id)
        tokens.emplace_back(tokenizer.is_special(id) ? "" : tokenizer.token_bytes(id));
    std::printf("3. %s: which of %zu tokens may come next?\n\n", grammar.c_str(), tokens.size());
    std::string text = shortest_text(recognizer);
    std::printf("   after             how many\n");
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const auto state = read_bytes(recognizer, recognizer.start(), text.substr(0, i));
        const std::vector<bool> legal = plain_mask(recognizer, state, tokens, tokenizer.eos_id());
        std::printf("   %s %8td %s\n", padded('"' + visible(text.substr(0, i)) + '"', 16).c_str(),
                    std::count(legal.begin(), legal.end(), true),
                    listed(tokens, legal, tokenizer.eos_id()).c_str());
    }
}

void show_sizes() {
    std::printf(
        "4. The grammars of data/grammars:\n\n   grammar     rules  nodes  shortest text\n");
    for (const char* name : {"report", "arithmetic", "chess", "date", "email", "sql", "json"}) {
        const std::string file = shipped_file("grammars/" + std::string(name) + ".gbnf");
        GrammarRecognizer recognizer(compile_gbnf(read_file(file), file));
        const std::string shortest = shortest_text(recognizer);
        std::printf("   %s %5d %6d  %s\n", padded(name, 11).c_str(), recognizer.grammar().rules(),
                    recognizer.grammar().nodes(), visible(shortest).c_str());
    }
}

void write_derivations(const std::string& file, const std::string& text) {
    constexpr double width = 190, row = 30, left = 20, top = 64, box = 158, high = 22;
    const PlainGrammar rules = sums();
    std::string boxes, lines;
    std::vector<Derivations> columns{start_of(rules)};
    for (std::size_t i = 0; i < text.size(); ++i)
        columns.push_back(plain_step(rules, columns.back(), byte_at(text, i)));
    std::size_t most = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const double x = left + static_cast<double>(i) * width;
        most = std::max(most, columns[i].size());
        boxes += svg_text(x, top - 16, i == 0 ? "at the start" : "after " + text.substr(0, i),
                          "start", 13);
        double y = top;
        for (const Symbols& rest : columns[i]) {
            boxes += svg_rect(x, y, box, high, svg_colour(rest.empty() ? 2 : 0),
                              "fill-opacity=\"0.25\" rx=\"4\"") +
                     svg_text(x + 6, y + 15, shown(rest), "start", 10, "font-family=\"monospace\"");
            if (i + 1 < columns.size()) {
                for (const Symbols& next : plain_step(rules, {rest}, byte_at(text, i))) {
                    const auto at =
                        std::distance(columns[i + 1].begin(), columns[i + 1].find(next));
                    lines += svg_line(x + box, y + high / 2, x + width,
                                      top + static_cast<double>(at) * row + high / 2, svg_grey,
                                      "stroke-width=\"1\"");
                }
            }
            y += row;
        }
    }
    const std::string title =
        "Every way to read " + text + " as a sum: what may still come after each byte";
    write_svg(file, title, static_cast<int>(left + static_cast<double>(columns.size()) * width),
              static_cast<int>(top + static_cast<double>(most) * row + 10),
              svg_text(left, 24, title, "start", 14) + lines + boxes);
}

}  // namespace tbt
