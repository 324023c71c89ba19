// Chapter 0: the corpus. Tiny grammars, small enough to enumerate.
#include "tests/catch.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "lib/core/error.hpp"
#include "lib/corpus/corpus.hpp"

using tbt::Corpus;

namespace {

Corpus corpus(const std::string& text) { return Corpus::from_text({{"test.grammar", text}}); }

std::string first(const std::string& text) { return corpus(text).document_of(0, 1, 0).text; }

// The message of the error that this grammar (and, when it loads, its first 50 documents) gives.
std::string error_of(const std::string& text) {
    try {
        const Corpus c = corpus(text);
        for (std::uint64_t i = 0; i < 50; ++i) c.document_of(0, 1, i);
    } catch (const tbt::Error& error) {
        return error.what();
    }
    return "no error";
}

std::set<std::string> all_of(const Corpus& c, std::uint64_t documents) {
    std::set<std::string> texts;
    for (std::uint64_t i = 0; i < documents; ++i) texts.insert(c.document_of(0, 1, i).text);
    return texts;
}

const std::string small_world = R"(
table person: name he job
  Mira | she | baker
  [3] Tomas | he | engineer
  Ada | she | honest clerk
table town: name kind
  Elmford | village
  Saltwick | harbour
)";

}  // namespace

TEST_CASE("the same seed and index give the same document") {
    const std::string text =
        small_world +
        "genre g 1\n  {p=person}{t=town}{p.name} goes to {t.name} {1..9 of w}\nrule w\n  a\n  b\n";
    const Corpus a = corpus(text), b = corpus(text);
    for (std::uint64_t i = 0; i < 100; ++i) {
        CHECK(a.document(7, i).text == b.document(7, i).text);
        CHECK(a.document(7, i).bits == b.document(7, i).bits);
    }
    CHECK(a.hash() == b.hash());
    std::set<std::string> texts;
    for (std::uint64_t i = 0; i < 100; ++i) texts.insert(a.document(8, i).text);
    CHECK(texts.size() > 50);
}

TEST_CASE("the documents of a seed never change") {
    // A change of the generator or of the order of the draws would retrain every model: notice it.
    const Corpus c = corpus("genre g\n  {n=int 0 9}{m=int 0 99}{n} {m} {a|b|c}\n");
    CHECK(c.document_of(0, 1, 0).text == "7 89 c");
    CHECK(c.document_of(0, 1, 1).text == "3 48 a");
    CHECK(c.document_of(0, 2, 0).text == "0 17 c");
}

TEST_CASE("the probabilities of all documents add up to one and match the frequencies") {
    const Corpus c = corpus(
        small_world +
        "rule r\n  [2] x\n  {1..2 of s sep \"-\"}\nrule s\n  [0.5] y\n  [1.5] {z|[3]w}\n"
        "genre g 1\n  {p=person}{p.name} {r}\n  {q=person where he=she}{q.job} {n=int 3 5}{n}\n");
    constexpr std::uint64_t n = 200'000;
    std::map<std::string, double> probability, count;
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto d = c.document_of(0, 3, i);
        const auto [known, fresh] = probability.emplace(d.text, std::exp2(-d.bits));
        CHECK(known->second == Approx(std::exp2(-d.bits)).epsilon(1e-12));
        count[d.text] += 1;
    }
    double sum = 0;
    for (const auto& [text, p] : probability) {
        sum += p;
        // Five standard deviations of a binomial count; 51 texts, so a false alarm about once in
        // 30,000 seeds.
        const double sigma = std::sqrt(static_cast<double>(n) * p * (1 - p));
        CHECK(std::abs(count[text] - static_cast<double>(n) * p) < 5 * sigma);
    }
    CHECK(probability.size() == 3 * (1 + 3 + 9) + 2 * 3);
    CHECK(sum == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("a document drawn with its genre counts the bits of that choice too") {
    const Corpus c = corpus("genre one 1\n  a\ngenre two 3\n  {b|c}\n");
    int twos = 0;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        const auto d = c.document(1, i);
        twos += d.genre;
        CHECK(d.bits == Approx(d.genre == 0 ? 2.0 : std::log2(4.0 / 3.0) + 1.0));
    }
    CHECK(std::abs(twos - 3000) < 5 * 28);  // sigma = sqrt(4000 * 3/4 * 1/4) = 27.4
}

TEST_CASE("variables keep a document consistent") {
    const Corpus c = corpus(small_world +
                            "rule r\n  {p.he^} is {%p.job}.\ngenre g\n  {p=person}{p.name}: {r}\n");
    CHECK(all_of(c, 200) == std::set<std::string>{"Mira: She is a baker.",
                                                  "Tomas: He is an engineer.",
                                                  "Ada: She is an honest clerk."});
}

TEST_CASE("where draws only the rows that fit") {
    const Corpus c = corpus(small_world +
                            "genre g\n  {p=person where he=she}{q=person where he!=p.he}{r=person "
                            "where not p and not q}{p.name} {q.name} {r.name}\n");
    CHECK(all_of(c, 200) == std::set<std::string>{"Mira Tomas Ada", "Ada Tomas Mira"});
}

TEST_CASE("a and an follow the sound of the next word") {
    const Corpus c = corpus(
        "table w: w\n  apple\n  hour\n  house\n  useful thing\n  umbrella\n  one-eyed cat\n  "
        "onion\n  uninvited guest\n  European\n  8\ngenre g\n  {x=w}{%x.w}\n");
    CHECK(all_of(c, 400) == std::set<std::string>{"an apple", "an hour", "a house",
                                                  "a useful thing", "an umbrella", "a one-eyed cat",
                                                  "an onion", "an uninvited guest", "a European",
                                                  "an 8"});
}

TEST_CASE("notation: every form prints what the README says") {
    CHECK(first("genre g\n  a\\n\\sb\\\\ \\{\\} \\| \\[ \\#  # comment\n") == "a\n b\\ {} | [ #");
    CHECK(first("genre g\n  one \\\n     two\n") == "one two");
    CHECK(first("genre g\n  {x:=r}{x}{x^}\nrule r\n  ab\n") == "abAb");
    CHECK(first("genre g\n  {x:={r} and {r^}}{x}\nrule r\n  ab\n") == "ab and Ab");
    CHECK(first("genre g\n  {n=int 4 4}{z=calc n * 3}{z=calc z - 2}{z}\n") == "10");
    CHECK(first("table t: r\n  go\ngenre g\n  {x=t}{>x.r^}\nrule go\n  gone\n") == "Gone");
    CHECK(first("genre g\n  {3 of r sep \", \"}\nrule r\n  a\n") == "a, a, a");
    CHECK(first("genre g\n  {[0]x|[2]y }z\n") == "y z");
    CHECK(first("genre g\n  [3, 4] C#\n") == "[3, 4] C#");
    CHECK(first("genre g\n  {r^}\nrule r\n  \xc3\xa9t\xc3\xa9\n") == "\xc3\x89t\xc3\xa9");
    CHECK(first("table t: n v\n  a | 12\ngenre g\n  {x=t}{z=calc x.v + 1}{z}\n") == "13");
}

TEST_CASE("hold puts about one combination in 32 aside, always the same ones") {
    std::string text = "table n: n\n";
    for (int i = 0; i < 60; ++i) text += "  n" + std::to_string(i) + "\n";
    text += "genre g hold x.n y.n\n  {x=n}{y=n}{x.n} {y.n} {z=int 1 3}{z}\n";
    const Corpus c = corpus(text);
    std::map<std::string, bool> held;
    int count = 0;
    for (std::uint64_t i = 0; i < 30'000; ++i) {
        const auto d = c.document_of(0, 5, i);
        const std::string key = d.text.substr(0, d.text.rfind(' '));
        CHECK(held.emplace(key, d.held_out).first->second == d.held_out);
        count += d.held_out;
    }
    // 3600 combinations, each held with probability 1/32: 112 +- 10.
    CHECK(count > 30'000 / 32 * 0.6);
    CHECK(count < 30'000 / 32 * 1.4);
}

TEST_CASE("errors name the file, the line and the column") {
    const std::string g = "genre g\n";
    CHECK(error_of(small_world + g + "  {p=persn}{p.name}\n") ==
          "test.grammar:10:6: no table named 'persn' (did you mean 'person'?)");
    CHECK(error_of(g + "  hello {wrld}\nrule world\n  x\n") ==
          "test.grammar:2:10: no rule or variable named 'wrld' (did you mean 'world'?)");
    CHECK(error_of(g + "  one \\\n    two {r\n") == "test.grammar:3:9: this { is never closed");
    CHECK(error_of(g + "  a } b\n") ==
          "test.grammar:2:5: a } without its {  (write \\} for the character)");
    CHECK(error_of(g + "  a\n  a\n") ==
          "test.grammar:3:3: the same alternative as in line 2 (use a weight, as in [2])");
    CHECK(error_of(g + "  {a|a}\n") ==
          "test.grammar:2:6: the same piece twice: 'a' (use a weight, as in {[2]a|b})");
    CHECK(error_of(g + "  a\nrule g\n  b\n") ==
          "test.grammar:3:6: 'g' is already defined at test.grammar:1:7");
    CHECK(error_of(small_world + g + "  {p=person}{p.nam}\n") ==
          "test.grammar:10:13: 'p' is a row of table 'person', which has no column 'nam' (did you "
          "mean 'name'?) (in genre 'g')");
    CHECK(error_of(small_world + g + "  {p=person where jb=baker}{p.name}\n") ==
          "test.grammar:10:19: table 'person' has no column 'jb' (did you mean 'job'?)");
    CHECK(error_of(small_world + g + "  {p=person where job=backer}{p.name}\n") ==
          "test.grammar:10:23: no row of table 'person' has 'backer' in column 'job' (did you mean "
          "'baker'?)");
    CHECK(error_of(small_world + g + "  {p=person where name=Mira and he=he}{p.name}\n") ==
          "test.grammar:10:3: no row of table 'person' fits name='Mira' and he='he'");
    CHECK(error_of("table t: a b\n  1 | 2\n  3\n" + g + "  x\n") ==
          "test.grammar:3:3: table 't' has 2 columns, but this row has 1 values");
    CHECK(error_of("table t: r\n  gon\ngenre g\n  {x=t}{>x.r}\nrule gone\n  x\n") ==
          "test.grammar:2:3: no rule named 'gon' (did you mean 'gone'?) (in genre 'g')");
    CHECK(error_of(g + "  {r}\nrule r\n  a{r}\n") ==
          "test.grammar:4:4: rule 'r' goes on without an end (more than 200 rules within rules)");
    CHECK(error_of(small_world + "genre g hold p.name\n  {p=person}{p.name}\n  y" +
                   std::string(70, 'x') + "\n") ==
          "test.grammar:9:7: genre 'g' holds 'p.name', but a document of it ended without that "
          "value: \"y" +
              std::string(59, 'x') + "...\"");
    CHECK(error_of(small_world + g + "  {a|{p=person}b} {p.name}\n") ==
          "test.grammar:10:19: 'p' has not been drawn yet");
    CHECK(error_of("x\n") ==
          "test.grammar:1:1: a line that is not indented begins with table, rule or genre, not "
          "with 'x'");
    CHECK(error_of("rule r\n  x\n") ==
          "the grammar files have no genre, so there is nothing to expand");
    CHECK(error_of(g + "  \\q\n") ==
          "test.grammar:2:3: unknown escape (known: \\n \\s \\\\ \\{ \\} \\| \\[ \\] \\# \\\")");
    CHECK_THROWS_AS(Corpus::load("/no/such/folder"), tbt::Error);
    CHECK_THROWS_AS(corpus("genre g\n  x\n").genre_named("h"), tbt::Error);
}

TEST_CASE("the corpus of this course loads, and its documents are sound") {
    const Corpus c = Corpus::load("data/corpus");
    CHECK(c.genres.size() >= 10);
    for (int g = 0; g < static_cast<int>(c.genres.size()); ++g) {
        for (std::uint64_t i = 0; i < 500; ++i) {
            const auto d = c.document_of(g, 11, i);
            CHECK(!d.text.empty());
            CHECK(d.text.size() <= 1900);
            CHECK(d.bits > 0);
        }
    }
}
