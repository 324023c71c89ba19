// A grammar that simulates a world: conditions, changes, mentions; and the stories that ship.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "chapters/19_training/tools/corpus_lint.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/corpus.hpp"
#include "lib/corpus/text_probability.hpp"
#include "lib/corpus/tree.hpp"
#include "lib/json/json.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

const std::string people = R"(
table person: name he him his owner
  Mira | she | her | her | no
  Ada | she | her | her | no
  Tomas | he | him | his | no
)";

Corpus corpus(const std::string& text) { return Corpus::from_text({{"g", people + text}}); }
std::string first(const std::string& text) { return corpus(text).document_of(0, 1, 0).text; }
std::string error_of(const std::string& text) {
    return test::error_of([&] {
        const Corpus c = corpus(text);
        for (std::uint64_t i = 0; i < 20; ++i) c.document_of(0, 1, i);
    });
}

}  // namespace

TEST_CASE("an alternative that does not fit is never drawn, and the others share its part") {
    const Corpus c = corpus(R"(
genre g
  {x=person where name=Mira}{r}
rule r
  {if x.he=he}never
  one
  [3] {if x.name=Mira and x.he!=he}three
)");
    std::map<std::string, int> drawn;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        const auto d = c.document_of(0, 1, i);
        ++drawn[d.text];
        CHECK(d.bits == Approx(std::log2(d.text == "one" ? 4.0 : 4.0 / 3)));
    }
    CHECK(drawn.size() == 2);
    CHECK(std::abs(drawn["three"] - 3000) < 110);  // four standard deviations: 4 √(4000 · 3/16)
}

TEST_CASE("an event changes the world: what is printed, asked and drawn follows") {
    const std::string draw = "genre g\n  {x=person where name=Mira}{y=person where name=Ada}";
    CHECK(first(draw + "{x.owner:=\"y\"}{x.owner}\n") == "y");
    CHECK(first(draw + "{x.owner:=r}{x.owner} {y.owner}\nrule r\n  {y.name}\n") == "Ada no");
    CHECK(first(draw + "{x.owner:=\"y\"}{{if x.owner=y}yes|{if x.owner=no}no}\n") == "yes");
    CHECK(first(draw + "{x.name:=\"Tomas\"}{z=person where name=x.name}{z.he}\n") == "he");
    CHECK(first(draw + "{x.owner:=\"y\"}{x=person where name=Mira}{x.owner}\n") == "no");
    CHECK(
        first("genre g\n  {{if mood=}none|{if mood=sad}sad}{mood:=\"sad\"}{{if mood=sad}, sad|x}\n")
            .starts_with("none"));
}

TEST_CASE("a pronoun is written only where it is clear who is meant") {
    const std::string two = "genre g\n  {a=person where name=Mira}{b=person where name=Ada}";
    CHECK(first(two + "{@a} {@a} {@a.him} {@a.his}\n") == "Mira she her her");
    CHECK(first(two + "{@a} {@b} {@a} {@a} {@b.his}\n") == "Mira Ada Mira she Ada's");
    CHECK(first(two + "{@a} {b=person where name=Tomas}{@b} {@a} {@b.him}\n") ==
          "Mira Tomas she him");
    CHECK(first(two + "{a.name} {@a}\n") == "Mira she");
    CHECK(first(two + "{@a} {a=person where name=Ada}{@a^}\n") == "Mira Ada");
    CHECK(first(two + "{@a^}. {@a^}. {@a^}. {@a^}. {@a^}. {@a^}.\n") ==
          "Mira. She. She. She. Mira. She.");
    CHECK(first("genre g\n  {a=person where name=Tomas}{@a.his} {@a.his}\n") == "Tomas' his");
}

TEST_CASE("what cannot be simulated is said with its place") {
    const std::string g = "genre g\n  {x=person}";
    CHECK(error_of(g + "{{if x.he=it}it|{if x.he=is}is}\n") ==
          "g:7:13: no alternative fits the world as it is");
    CHECK(error_of(g + "{a|b {if x.he=it}}\n") ==
          "g:7:18: {if ...} is the first thing in an alternative or piece");
    CHECK(error_of(g + "{@x.her}\n") == "g:7:20: a mention is {@x}, {@x.him} or {@x.his}");
    CHECK(error_of(g + "{x.hat:=\"red\"}\n").starts_with("g:7:13: 'x' is a row of table 'person'"));
    CHECK(error_of(g + "{if x.he=he}\n").starts_with("g:7:13: {if ...} is the first thing"));
    CHECK(error_of("genre g\n  {if x.he>he}a\n").ends_with("expected = or != in {if ...}"));
    CHECK(error_of(g + "{x.name:=\"red}\n").ends_with("this \" is never closed"));
}

TEST_CASE("of a simulated text only the writer's probability is known") {
    const Corpus c = corpus("genre g\n  {x=person}{@x} sleeps.\n");
    CHECK(Recogniser(c).whole(c.document_of(0, 1, 0).text) == Recogniser::Answer::undecided);
}

TEST_CASE("the world's documents are sound, and all of its rules are used") {
    const Corpus c = Corpus::load("data/corpus/world");
    CHECK(c.unused().empty());
    for (int g = 0; g < count(c.genres); ++g)
        for (std::uint64_t i = 0; i < 40; ++i) {
            const auto d = c.document_of(g, 11, i);
            CHECK(d.bits > 0);
            for (const auto& [what, where] : lint_text(d.text)) FAIL_CHECK(what << ": " << where);
        }
    int events = 0, plots = 0;
    for (const grammar::Rule& rule : c.tree().rules) {
        events += rule.name.starts_with("ev_") ? 1 : 0;
        plots += rule.name.starts_with("plot_") ? 1 : 0;
    }
    CHECK(events >= 40);
    CHECK(plots >= 8);
}

TEST_CASE("a story that was asked for is about what was asked for") {
    const Corpus c = Corpus::load("data/corpus/world");
    const int dragon = c.genre_named("asked_dragon"), lost = c.genre_named("asked_lost");
    for (std::uint64_t i = 0; i < 50; ++i) {
        CHECK(c.document_of(dragon, 3, i).text.find("dragon", 80) != std::string::npos);
        const std::string text = c.document_of(lost, 3, i).text;
        const std::size_t at = text.find("called ");  // a name is copied, however rare
        if (at > text.find('\n')) continue;
        const std::string name = text.substr(at + 7, text.find_first_of(".?, \n", at + 7) - at - 7);
        CHECK(text.find(name, text.find('\n')) != std::string::npos);
    }
}

TEST_CASE("the world beside today's corpus is one corpus, and today's documents stay") {
    const Corpus today = Corpus::load("data/corpus"),
                 both = Corpus::load("data/corpus,data/corpus/world");
    CHECK(both.genres.size() > today.genres.size() + 8);
    for (int g = 0; g < count(today.genres); ++g)
        CHECK(both.document_of(g, 5, 0).text == today.document_of(g, 5, 0).text);
    CHECK_THROWS_AS(Corpus::load("data/corpus,data/none"), Error);
}

TEST_CASE("the world's records are JSON, and what is asked for stands in the sentence before") {
    const Corpus c = Corpus::load("data/corpus/world");
    const int record = c.genre_named("record_world"), asked = c.genre_named("record_asked");
    for (std::uint64_t i = 0; i < 300; ++i) {
        CHECK_NOTHROW(parse_json(c.document_of(record, 2, i).text, "a record"));
        const std::string text = c.document_of(asked, 2, i).text;
        const std::size_t sentence = text.find('\n'), from = text.find('{');
        const Json values = parse_json(text.substr(from), "a record");
        for (const auto& [key, value] : values.items())
            for (const Json& v : value.is_array() ? value : Json::array({value})) {
                const std::string said = v.is_string() ? v.get<std::string>() : json_text(v);
                CHECK(text.find(said) < sentence);
            }
    }
}

TEST_CASE("the world's dates are those of the calendar, its sums are right") {
    const std::vector<std::string> months = {"January",   "February", "March",    "April",
                                             "May",       "June",     "July",     "August",
                                             "September", "October",  "November", "December"};
    const std::vector<int> last = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const auto day_of_year = [&](int day, const std::string& month) {
        const auto m = std::ranges::find(months, month) - months.begin();
        return std::accumulate(last.begin(), last.begin() + m, day);
    };
    const Corpus c = Corpus::load("data/corpus/world");
    int dates = 0, sums = 0;
    for (std::uint64_t i = 0; i < 500; ++i) {
        std::istringstream date(c.document_of(c.genre_named("dates_told"), 4, i).text);
        std::string the, day, order, month, is, next;
        int d = 0, e = 0;
        if (date >> the >> day >> order >> d >> month >> is >> e >> next && the == "The") {
            next.pop_back();
            const int steps = (day_of_year(e, next) - day_of_year(d, month) + 365) % 365;
            CHECK(steps == (order == "after" ? 1 : 364));
            ++dates;
        }
        std::istringstream sum(c.document_of(c.genre_named("sums_told"), 4, i).text);
        std::string sign;
        int a = 0, b = 0, r = 0;
        sum >> a >> sign;
        if (sign == "divided") sum >> is;
        sum >> b >> is >> r;
        CHECK(r == (sign == "plus"    ? a + b
                    : sign == "minus" ? a - b
                    : sign == "times" ? a * b
                                      : a / b));
        ++sums;
    }
    CHECK(dates > 80);  // one document in four says so
    CHECK(sums == 500);
}
