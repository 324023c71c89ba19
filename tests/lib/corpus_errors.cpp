// What is wrong with a grammar is said with its place, whatever it is; and genres mixed by shares.
#include "tests/catch.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "chapters/19_training/tools/corpus_lint.hpp"
#include "lib/core/error.hpp"
#include "lib/corpus/corpus.hpp"
#include "lib/corpus/tree.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

Corpus corpus(const std::string& text) { return Corpus::from_text({{"g", text}}); }

// What is said of this grammar, or of one of its first twenty documents.
std::string said_of(const std::string& text) {
    return test::error_of([&] {
        const Corpus c = corpus(text);
        for (std::uint64_t i = 0; i < 20; ++i) c.document(1, i);
    });
}

struct Wrong {
    std::string grammar, message;
};

const std::string one = "genre g\n  a\n";

}  // namespace

TEST_CASE("each mistake in the heads of tables, rules and genres is named", "[corpus]") {
    for (
        const auto& [grammar, message] : std::vector<Wrong>{
            {"  x\n", "g:1:3: an indented line before any table or rule"},
            {"table t\n  x\n" + one, "g:1:8: expected ':' and the names of the columns"},
            {"table t:\n  x\n" + one, "g:1:7: a table needs at least one column"},
            {"table t: a b a\n  x | y | z\n" + one, "g:1:14: two columns named 'a'"},
            {"table t: a\n" + one, "g:1:7: table 't' has no rows"},
            {"table t: a\n  x\n  y\n  x\n" + one,
             "g:4:3: the same row twice (use a weight, as in [2])"},
            {"table t: a\n  {x}\n" + one,
             "g:2:3: a table holds plain text; name a rule in the cell and expand it with {>x.col} "
             "(or write \\{ for the character)"},
            {"rule r x\n  a\n" + one, "g:1:8: not expected here: 'x'"},
            {"rule r\n" + one, "g:1:6: 'r' has no alternatives (indent them under it)"},
            {"genre g 3 keep x\n  a\n",
             "g:1:11: expected a share (a number) or 'hold' after the genre's name"},
            {"genre g hold\n  a\n",
             "g:1:9: 'hold' names at least one value, as in: hold p.name t.name"},
            {"genre g 25%\n  a\ngenre h 25\n  b\n",
             "g:3:7: some genres have a share of the bytes (25%), some of the documents (25); give "
             "all the same kind"},
            {"genre g\n  {t}\ntable t: a\n  x\n",
             "g:2:4: no rule or variable named 't' (it is a table: draw a row with {x=t})"}}) {
        INFO(grammar);
        CHECK(said_of(grammar) == message);
    }
}

TEST_CASE("each mistake between braces is named", "[corpus]") {
    const std::string rest = "\nrule r\n  a\ntable t: c n\n  x | 7\n  y | -2\n";
    for (const auto& [line, message] : std::vector<Wrong>{
             {"a | b",
              "5: a | outside braces (one alternative a line; write \\| for the character)"},
             {"{x:=a|b}", "3: to keep one of several pieces write {x:={a|b}}"},
             {"{}", "4: not understood: '{}' (write \\{ for the character)"},
             {"{%x=t}", "5: not understood: '{%x=t}'"},
             {"{>x=t}", "5: not understood: '{>x=t}'"},
             {"{>r}", "5: {>x.col} needs a column, not '{>r}'"},
             {"{r=t}", "4: 'r' is a rule; give the variable another name"},
             {"{x:r}", "6: expected := "},
             {"{x:=s}", "7: no rule named 's'"},
             {"{r x}", "5: not understood: '{r x}'"},
             {"{x=r}", "6: 'r' is a rule, not a table (to keep its text write {x:=r})"},
             {"{x=t with c=x}", "8: expected 'where' after the table's name"},
             {"{x=t where c x}", "16: expected = or != after the column 'c'"},
             {"{x=t where c=\"x}", "16: this \" is never closed"},
             {"{x=t}{y=t where not x z}", "25: expected the end of the condition"},
             {"{n=int 4 3}", "6: the lower bound is above the upper one"},
             {"{n=int -a 3}", "10: expected a number"},
             {"{n=int 0 1000000001}", "12: a number above 1000000000"},
             {"{n=calc 1 ^ 2}", "13: calc knows + - * / %"},
             {"{3.4 of r}", "6: expected two dots, as in {3..6 of rule}"},
             {"{4..3 of r}", "4: the lower count is above the upper one"},
             {"{3..4 r}", "4: expected 'of', as in {3..6 of rule}"},
             {"{3..4 of s}", "12: no rule named 's'"},
             {"{3 of r by \", \"}", "13: expected 'sep' or the closing brace"},
             {"{3 of r sep ,}", "15: expected a text in double quotes after 'sep'"},
             {"{3 of r sep \",}", "18: the text after 'sep' is never closed"}}) {
        INFO(line);
        const std::string said = said_of("genre g\n  " + line + rest);
        CHECK(said.substr(0, said.find(" (did you")) == "g:2:" + message);
    }
}

TEST_CASE("what a genre can never have is found before it writes", "[corpus]") {
    const std::string rest = "\nrule r\n  a\ntable t: c n\n  x | 7\n  y | -2\n";
    for (const auto& [line, message] : std::vector<Wrong>{
             {"{x=t}{x}", "2:8: 'x' is a row; name one of its columns, as in {x.name}"},
             {"{x:=r}{x.c}", "2:9: 'x' is never drawn from a table"},
             {"{x=t}{n=calc x + 1}", "2:8: 'x' is a row; name one of its columns, as in {x.name}"},
             {"{x=t where not y}{y:=r}", "2:3: 'not y': no row of table 't' is ever drawn as 'y'"},
             {"{x=t where c=y.d}{y=t}", "2:3: 'y' is a row of table 't', which has no column 'd'"},
             {"{x=t}{>x.c}", "6:3: no rule named 'x'"}}) {
        INFO(line);
        const std::string said = said_of("genre g\n  " + line + rest);
        CHECK(said.substr(0, message.size() + 2) == "g:" + message);
        CHECK(said.ends_with(" (in genre 'g')"));
    }
}

TEST_CASE("what a document lacks is said where it is asked for", "[corpus]") {
    const std::string rest = "\nrule r\n  a\ntable t: c n\n  x | 7\n  y | -2\ntable u: d\n  z\n";
    for (const auto& [line, message] : std::vector<Wrong>{
             {"{x}{x:=r}", "3: 'x' has no value yet"},
             {"{x.c}{x=t}", "3: 'x' has not been drawn yet"},
             {"{x=t}{x:=r}{x.c}", "14: 'x' is not a row, so it has no columns"},
             {"{x:=r}{x=t}{x}", "14: 'x' is a row; print a column, as in {x.name}"},
             {"{x=t}{x=u}{x.c}", "13: 'x' is a row of table 'u', which has no column 'c'"},
             {"{x=t where not y}{y=t}", "3: 'y' has not been drawn yet"},
             {"{x=t where c!=x and c!=y}", "3: no row of table 't' fits c!='x' and c!='y'"},
             {"{x=t}{y=t where not x and n=x.n}", "8: no row of table 't' fits not x and n="},
             {"{x:=r}{n=calc x + 1}", "9: 'a' is not a whole number"},
             {"{n=calc 1 / 0}", "3: division by zero"},
             {"{n=calc 1 % 0}", "3: division by zero"},
             {"{n=calc 1000000000 * 1001}", "3: a number above 1000000000000"},
             {"{n=calc 1000000000 * 1000}{m=calc n + n}{m=calc m + 0}",
              "43: a number above 1000000000000"},
             {"{n=int 3 3}{m=int 4 n}", "14: cannot draw a whole number from 4 to 3"},
             {"{n=int 0 3}{m=calc 1000000000 * 4}{n=int -1000000000 m}",
              "37: cannot draw a whole number from -1000000000 to 4000000000"}}) {
        INFO(line);
        const std::string said = said_of("genre g\n  " + line + rest);
        CHECK(said.substr(0, message.size() + 4) == "g:2:" + message);
    }
    CHECK(said_of("genre g\n  {r}\nrule r\n  {1000 of s}\nrule s\n  {1000 of t}\nrule t\n  "
                  "one million bytes\n")
              .find("makes a document of more than 1 MiB") != std::string::npos);
}

TEST_CASE("numbers of the corpus: both bounds, negative ones, division towards zero", "[corpus]") {
    const auto first = [](const std::string& line) {
        return corpus("genre g\n  " + line + "\ntable t: n\n  -12\n").document_of(0, 1, 0).text;
    };
    CHECK(first("{n=int -3 -3}{n}") == "-3");
    CHECK(first("{n=int 1000000000 1000000000}{n}") == "1000000000");
    CHECK(first("{x=t}{n=calc x.n / 5}{n}") == "-2");
    CHECK(first("{x=t}{n=calc x.n % 5}{n}") == "-2");
    CHECK(first("{n=calc 7 - 10}{n=calc n * n}{n}") == "9");
    CHECK(first("{n=calc 1000000000 * 1000}{n=calc n - 1}{n}") == "999999999999");
    // A drawn number costs the logarithm of how many there are; where there is one, nothing.
    CHECK(corpus("genre g\n  {n=int 1 8}{n}\n").document_of(0, 1, 0).bits == 3);
    CHECK(corpus("genre g\n  {n=int 5 5}{n}\n").document_of(0, 1, 0).bits == 0);
    CHECK(corpus("genre g\n  {1..4 of r}\nrule r\n  {a|b}\n").document_of(0, 1, 0).bits ==
          2 + static_cast<double>(corpus("genre g\n  {1..4 of r}\nrule r\n  {a|b}\n")
                                      .document_of(0, 1, 0)
                                      .text.size()));
}

TEST_CASE("what no genre reaches is listed, with its place", "[corpus]") {
    const Corpus c = corpus(
        "table seen: r\n  named\n\ntable unseen: a\n  x\nrule used\n  {x=seen}{>x.r}\nrule named\n"
        "  b\nrule lost\n  {y=unseen}{y.a}{used}\ngenre g\n  {used}\n");
    CHECK(c.unused() == std::vector<std::string>{"g:10:6: rule 'lost' is never used",
                                                 "g:4:7: table 'unseen' is never drawn from"});
    CHECK(corpus(one).unused().empty());
}

TEST_CASE("the first of the nearest names is meant, and none that is far", "[corpus]") {
    using grammar::did_you_mean;
    CHECK(did_you_mean("tree", {"three", "free", "tee"}) == " (did you mean 'three'?)");
    CHECK(did_you_mean("ab", {"abc"}) == " (did you mean 'abc'?)");
    CHECK(did_you_mean("ab", {"abcd"}).empty());
    CHECK(did_you_mean("abc", {"cbad", "abd", "abc "}) == " (did you mean 'abd'?)");
    CHECK(did_you_mean("word", {}).empty());
}

TEST_CASE("genres are mixed by the shares that are asked for", "[corpus]") {
    const std::string text = "genre a\n  {A|B}\ngenre b 9\n  C\ngenre c\n  D\n";
    const GenreMix mix(corpus(text), "c=3,a");
    CHECK(mix.genres == std::vector<std::string>{"c", "a"});
    int of_c = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        const Document d = mix.document(7, i);
        REQUIRE(d.genre == (d.text == "D" ? 0 : 1));
        REQUIRE(d.text != "C");
        CHECK(d.bits == Approx(d.genre == 0 ? std::log2(4. / 3) : 2 + 1));
        of_c += d.genre == 0;
    }
    CHECK(std::abs(of_c - 3000) < 5 * 28);  // sigma = sqrt(4000 · 3/4 · 1/4) = 27.4
    CHECK(mix.hash() == GenreMix(corpus(text), "c=3,a").hash());
    CHECK(mix.hash() != GenreMix(corpus(text), "c=2,a").hash());
    CHECK(mix.hash() != GenreMix(corpus(text + "genre d\n  E\n"), "c=3,a").hash());
    CHECK(GenreMix(corpus(text), "a=1000000").genres.size() == 1);

    const std::string range =
        ", expected NAME=SHARE with a share from 1 to 1000000, or NAME=SHARE% of the bytes";
    for (const std::string item : {"a=0", "a=1000001", "a=", "a=x", "a=2x", "a=-1"})
        CHECK(test::error_of([&] { GenreMix(corpus(text), "c," + item); }) ==
              "genres: '" + item + "'" + range);
    CHECK(test::error_of([&] { GenreMix(corpus(text), ""); }) ==
          "genres: got none, expected a list such as weather=4,everyday=3");
    CHECK_THROWS_AS(GenreMix(corpus(text), "nobody=1"), Error);
    CHECK_THROWS_AS(GenreMix(corpus(text), "a=1%,c=1"), UsageError);
}

TEST_CASE("what is found in documents is counted by genre, with an example", "[corpus]") {
    const std::vector<Finding> findings = lint(
        corpus("genre fine\n  All is well.\ngenre bad\n  It is  an pear\ngenre arrows\n  house "
               "\xe2\x86\x92 maison\ngenre lines\n  It ends.\\n\ngenre bare\n  no end\\n\n"),
        3, 5);
    std::vector<std::pair<std::string, std::string>> found;
    for (const Finding& f : findings) {
        found.emplace_back(f.genre, f.what);
        CHECK(f.documents == 5);
        CHECK_FALSE(f.example.empty());
    }
    CHECK(found ==
          std::vector<std::pair<std::string, std::string>>{{"bad", "'an' before a consonant"},
                                                           {"bad", "no punctuation at the end"},
                                                           {"bad", "two spaces"},
                                                           {"bare", "no punctuation at the end"}});
}

TEST_CASE("each kind of mistake in a text is found, and what only looks like one is not",
          "[corpus]") {
    const auto finds = [](const std::string& text) {
        std::vector<std::string> kinds;
        for (const auto& [what, where] : lint_text(text)) kinds.push_back(what);
        return kinds;
    };
    using Kinds = std::vector<std::string>;
    CHECK(finds("") == Kinds{"empty"});
    CHECK(finds("Two  spaces.") == Kinds{"two spaces"});
    CHECK(finds("She said \"no.") == Kinds{"unbalanced quotes"});
    CHECK(finds("He said: \"Well... it is an hour, and a useful one.\" Yes!").empty());
    CHECK(finds(std::string(1901, 'x')) == Kinds{"longer than 1900 bytes"});
    CHECK(finds(std::string(1900, 'x')).empty());
    CHECK(finds("A line. \nAnother.") == Kinds{"a space at the end of a line"});
    CHECK(finds("Really !") == Kinds{"a space before punctuation"});
    CHECK(finds("Wait ...").empty());
    CHECK(finds("is it? \xe2\x86\x92 est-ce que ?").empty());
    CHECK(finds("is it? \xe2\x86\x92 oui\nno ?") == Kinds{"a space before punctuation"});
    CHECK(finds("One,two.") == Kinds{"no space after punctuation"});
    CHECK(finds("Well.. so.") == Kinds{"two marks of punctuation"});
    CHECK(finds("Well... So.").empty());
    CHECK(finds("It ended. then it began.") == Kinds{"a small letter after a full stop"});
    CHECK(finds("It ended... then it began.").empty());
    CHECK(finds("It is a hour, an one-eyed cat.") ==
          Kinds{"'a' before a vowel", "'an' before a consonant"});
    CHECK(finds("He had had that that day.").empty());
    CHECK(finds("The the end.") == Kinds{"a word twice"});
    CHECK(finds("The end. ") == Kinds{"a space at the end of a line", "white space at the end"});
    CHECK(finds("The end.\n").empty());
    CHECK(finds("The end.\n\n") == Kinds{"white space at the end"});
    CHECK(finds("{\n  \"indented\": 1\n}").empty());
    // The example is the text around the mistake, with its newlines visible.
    const auto found = lint_text("One line.\nIt is an pear.");
    REQUIRE(found.size() == 1);
    CHECK(found[0].second == "One line.\\nIt is an pear.");
}

TEST_CASE("shares of the bytes are those of the bytes, however long a genre's documents are") {
    const std::string text =
        "genre a\n  " + std::string(10, 'a') + "\ngenre b\n  " + std::string(90, 'b') + "\n";
    const GenreMix mix(corpus(text), "a=25%,b=75%");
    double bytes[2] = {0, 0};
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const Document d = mix.document(1, i);
        bytes[d.genre] += static_cast<double>(d.text.size());
    }
    CHECK(bytes[0] / (bytes[0] + bytes[1]) == Approx(0.25).margin(0.01));
}
