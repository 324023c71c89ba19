#include "tests/catch.hpp"

#include <cmath>
#include <map>

#include "lib/core/error.hpp"
#include "lib/corpus/text_probability.hpp"

using namespace tbt;

namespace {

Corpus corpus(const std::string& text) { return Corpus::from_text({{"test.grammar", text}}); }

double probability_of(const Corpus& c, const std::string& text) {
    return std::exp2(-TextProbability(c).whole(text, 0).bits);
}

// Draws until no text is missing: the probabilities of all texts add up to 1, none is below what
// one of its derivations alone has, and each occurs as often as it says.
void check_exactly(const std::string& grammar, std::uint64_t draws = 20000) {
    const Corpus c = corpus(grammar);
    const TextProbability of(c);
    std::map<std::string, std::pair<int, double>> drawn;  // how often, fewest bits of a document
    for (std::uint64_t i = 0; i < draws; ++i) {
        const auto d = c.document_of(0, 5, i);
        auto& [times, bits] = drawn.try_emplace(d.text, 0, 1e9).first->second;
        ++times;
        bits = std::min(bits, d.bits);
    }
    double sum = 0, chi = 0;
    for (const auto& [text, seen] : drawn) {
        INFO(text);
        const auto result = of.whole(text, 0);
        REQUIRE(result.decided);
        CHECK(result.bits <= seen.second + 1e-9);
        const double p = std::exp2(-result.bits), expected = p * static_cast<double>(draws);
        sum += p;
        chi += (seen.first - expected) * (seen.first - expected) / expected;
    }
    CHECK(std::abs(sum - 1) < 1e-12);
    // χ² has the mean n − 1 and the variance 2(n − 1): five standard deviations.
    const double freedom = static_cast<double>(drawn.size()) - 1;
    CHECK(chi < freedom + 5 * std::sqrt(2 * freedom) + 5);
}

const std::string people =
    "table person: name he job town\n"
    "  Mira | she | baker | Elm\n  [3] Tomas | he | engineer | Elm\n"
    "  Ada | she | honest clerk | Oak\n  [2] Eli | he | baker | Oak\n";

}  // namespace

TEST_CASE("text probability: weights of alternatives multiply, derivations of one text add up",
          "[text-probability]") {
    const Corpus c = corpus("genre g 1\n  [3] a{x|y}\n  [1] {a|b}x\n");
    CHECK(std::abs(probability_of(c, "ax") - (3.0 / 8 + 1.0 / 8)) < 1e-12);
    CHECK(std::abs(probability_of(c, "ay") - 3.0 / 8) < 1e-12);
    CHECK(std::abs(probability_of(c, "bx") - 1.0 / 8) < 1e-12);
    CHECK(probability_of(c, "by") == 0);
    CHECK(TextProbability(c).whole("ax", 0).derivations == 2);
}

TEST_CASE("text probability: rows that the text does not tell apart are summed",
          "[text-probability]") {
    // Of seven parts Mira has one, Tomas three, Ada one, Eli two.
    const Corpus c = corpus(people + "genre g 1\n  {p=person}A {p.job}.\n");
    CHECK(std::abs(probability_of(c, "A baker.") - 3.0 / 7) < 1e-12);
    CHECK(std::abs(probability_of(c, "A engineer.") - 3.0 / 7) < 1e-12);
}

TEST_CASE("text probability: a draw with conditions is a share of the rows that fit",
          "[text-probability]") {
    // q is of p's town and another person: given the one, the other is certain.
    const Corpus c = corpus(
        people +
        "genre g 1\n  {p=person}{q=person where town=p.town and not p}{p.he} and {q.name}.\n");
    CHECK(std::abs(probability_of(c, "she and Tomas.") - 1.0 / 7) < 1e-12);
    CHECK(std::abs(probability_of(c, "he and Ada.") - 2.0 / 7) < 1e-12);
    CHECK(probability_of(c, "she and Ada.") == 0);
}

TEST_CASE("text probability: adds up to one over all texts of small grammars",
          "[text-probability]") {
    check_exactly("genre g 1\n  {x=int 1 4}{y=int x 5}{z=calc x + y}{z} and {x}\n");
    check_exactly("genre g 1\n  {1..3 of word sep \" \"}.\nrule word\n  a\n  [2] b\n  a b\n");
    check_exactly(people + "genre g 1\n  {p=person}{q=person where he!=p.he}{q.town}, {%p.job}\n");
    check_exactly(people +
                  "genre g 1\n  {s:=who}{s^} met {p.name}.{| {s} left.}\n"
                  "rule who\n  {p=person}{%p.job}\n  {p=person where he=she}she\n");
    // The rule is expanded for its variable, before {s} reads what it wrote.
    check_exactly(people +
                  "genre g 1\n  {s:=who}{p.name} was {s}.\n"
                  "rule who\n  {p=person}{%p.job}\n  {p=person}{p.he^}, {p.town}\n");
    check_exactly(people +
                  "genre g 1\n  {p=person}{q=person where not p}{r=person where town!=q.town}"
                  "{p.he} {r.he} {a|b|{p.job}}\n");
    check_exactly(
        "table n: low high\n  1 | 2\n  [2] 1 | 4\n  3 | 4\n"
        "genre g 1\n  {t=n}{x=int t.low t.high}{x}{| of {t.high}}\n");
    check_exactly(
        "table t: word rule\n  big | r1\n  small | r2\n"
        "genre g 1\n  {x=t}{>x.rule} {x.word|a}\n"
        "rule r1\n  a\n  b\nrule r2\n  a\n  [4] c\n");
}

TEST_CASE("text probability: a beginning has the probability of all texts that begin so",
          "[text-probability]") {
    const std::string grammar =
        people + "genre g 1\n  {p=person}{x=int 8 12}{p.name}, {x}{ is a {p.job}| and {p.he}}.\n";
    const Corpus c = corpus(grammar);
    const TextProbability of(c);
    std::map<std::string, double> all;
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const std::string text = c.document_of(0, 1, i).text;
        all[text] = std::exp2(-of.whole(text, 0).bits);
    }
    for (const std::string beginning : {"", "M", "Eli, 1", "Eli, 8", "Tomas, 12 is", "Zo"}) {
        double sum = 0;
        for (const auto& [text, p] : all)
            if (text.starts_with(beginning)) sum += p;
        INFO(beginning);
        CHECK(std::abs(std::exp2(-of.beginning(beginning, 0).bits) - sum) < 1e-12);
    }
}

TEST_CASE("text probability: documents of the corpus are never less probable than their expansion",
          "[text-probability]") {
    const Corpus c = Corpus::load("data/corpus");
    const TextProbability of(c);
    for (int genre = 0; genre < static_cast<int>(c.genres.size()); ++genre) {
        for (std::uint64_t i = 0; i < 5; ++i) {
            const auto d = c.document_of(genre, 9, i);
            const auto result = of.whole(d.text, genre);
            INFO(d.text);
            REQUIRE(result.decided);
            CHECK(result.derivations >= 1);
            CHECK(result.bits <= d.bits + 1e-9);
            CHECK(result.bits > 0);
        }
    }
}

TEST_CASE("text probability: says what is wrong, and where it gave up", "[text-probability]") {
    const Corpus c = corpus("genre g 1\n  {1..9 of word}\nrule word\n  a\n  aa\n");
    CHECK_FALSE(TextProbability(c, 20).whole("aaaaaaaaaaaa", 0).decided);
    CHECK_THROWS_AS(TextProbability(c).whole("a", 1), Error);
    CHECK_THROWS_AS(TextProbability(c).whole("a", -1), Error);
    CHECK(std::isinf(TextProbability(c).whole("", 0).bits));
}
