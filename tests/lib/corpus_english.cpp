// The compositional English: words and their forms, clauses in every tense, clear pronouns, counted
// probabilities; and the lexicon and documents that ship.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/corpus/corpus.hpp"
#include "lib/corpus/lexicon.hpp"
#include "lib/corpus/telling.hpp"
#include "lib/corpus/tree.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using namespace tbt::grammar;

namespace {

const std::string words = R"(nouns people
  person/people
nouns female
  girl, aunt
nouns male
  boy
nouns kin < people
  aunt
nouns kinf < kin female
  aunt
nouns kinm < kin male
  uncle
nouns namef
  Anna
nouns namem
  Tom
nouns lad < male
  boy
nouns lass < female
  girl
nouns surname
  Miller
nouns thing
  apple
nouns fruit
  apple, peach
nouns food < thing
  pear, bread~, scissors+
adjectives food
  old
verbs
  be=, have=, eat ate eaten, go went gone, stop+, know= knew known, can=, find found found
  cry, lie lay lain
  look, like=
adverbs frequency
  often
adverbs degree
  very
adverbs past_time
  yesterday
chains test
  like the $a:food > find $a; not find $a > be happy
)";

using Files = std::vector<std::pair<std::string, std::string>>;

Corpus english(const std::string& plan) {
    return Corpus::from_text({{"w.lexicon", words}, {"g.grammar", "genre g\n  " + plan + "\n"}});
}
std::string first(const std::string& plan) { return english(plan).document_of(0, 1, 0).text; }
std::string error_of(const std::string& plan) {
    return test::error_of([&] { first(plan); });
}
std::set<std::string> texts(const std::string& plan, std::uint64_t n = 400) {
    const Corpus c = english(plan);
    std::set<std::string> all;
    for (std::uint64_t i = 0; i < n; ++i) all.insert(c.document_of(0, 1, i).text);
    return all;
}

// Follows a given series of choices, then always takes the first.
class Scripted : public Choices {
public:
    explicit Scripted(std::vector<std::size_t> script) : script_(std::move(script)) {}
    std::size_t weighted(const std::vector<std::uint32_t>& weights) override {
        std::size_t i = taken.size() < script_.size() ? script_[taken.size()] : 0;
        while (weights[i] == 0) ++i;
        double total = 0;
        for (const std::uint32_t w : weights) total += w;
        taken.push_back(i);
        seen.push_back(weights);
        probability *= weights[i] / total;
        return i;
    }
    std::vector<std::size_t> taken;
    std::vector<std::vector<std::uint32_t>> seen;
    double probability = 1;

private:
    std::vector<std::size_t> script_;
};

}  // namespace

TEST_CASE("plurals and verb forms follow the rules of English spelling") {
    CHECK(plural_of("box") == "boxes");
    CHECK(plural_of("cherry") == "cherries");
    CHECK(plural_of("toy") == "toys");
    CHECK(with_s("go") == "goes");
    CHECK(with_s("cry") == "cries");
    CHECK(with_s("play") == "plays");
    CHECK(with_ed("stop", true) == "stopped");
    CHECK(with_ed("carry", false) == "carried");
    CHECK(with_ing("lie", false) == "lying");
    CHECK(with_ing("bake", false) == "baking");
    CHECK(with_ing("see", false) == "seeing");
    CHECK(with_ing("be", false) == "being");
}

TEST_CASE("a clause is told in every tense, positive, negative and as a question") {
    const std::map<std::string, std::string> tenses = {{"past", "my aunt ate"},
                                                       {"pres", "my aunt eats"},
                                                       {"fut", "my aunt will eat"},
                                                       {"perf", "my aunt has eaten"},
                                                       {"pastperf", "my aunt had eaten"},
                                                       {"prog", "my aunt is eating"},
                                                       {"pastprog", "my aunt was eating"},
                                                       {"would", "my aunt would eat"},
                                                       {"going", "my aunt is going to eat"},
                                                       {"used", "my aunt used to eat"},
                                                       {"habit", "my aunt often eats"},
                                                       {"now", "my aunt has eaten"},
                                                       {"since", "my aunt had eaten"},
                                                       {"vp past", "ate"},
                                                       {"vp ing", "eating"},
                                                       {"vp inf", "eat"},
                                                       {"vp have", "have eaten"},
                                                       {"vp part", "eaten"},
                                                       {"not past", "my aunt did not eat"},
                                                       {"not pres", "my aunt doesn't eat"},
                                                       {"not fut", "my aunt won't eat"},
                                                       {"q past", "did my aunt eat"},
                                                       {"q fut", "will my aunt eat"},
                                                       {"q perf", "has my aunt eaten"},
                                                       {"I past", "I ate"},
                                                       {"I prog", "I'm eating"},
                                                       {"I not pres", "I do not eat"},
                                                       {"q you past", "did you eat"},
                                                       {"timed past", "yesterday, my aunt ate"}};
    for (const auto& [tense, text] : tenses) {
        INFO(tense);
        CHECK(texts("{!who kinf my}{!" + tense + " eat}").count(text) == 1);
    }
}

TEST_CASE("be, can and verbs of state have their own forms") {
    CHECK(texts("{!who I}{!pres be happy}").count("I am happy") == 1);
    CHECK(texts("{!who we}{!past be happy}") ==
          std::set<std::string>{"we were happy", "Anna and I were happy", "Tom and I were happy",
                                "my aunt and I were happy", "my uncle and I were happy",
                                "my aunt Anna and I were happy", "my uncle Tom and I were happy"});
    CHECK(texts("{!who I}{!q past be happy}") == std::set<std::string>{"was I happy"});
    CHECK(texts("{!who I}{!past can not eat}").count("I could not eat") == 1);
    CHECK(texts("{!who I}{!fut can eat}").count("I will be able to eat") == 1);
    CHECK(texts("{!who I}{!prog know it}") == std::set<std::string>{"I know it"});
    CHECK(texts("{!who I}{!now be happy}").count("I am happy") == 1);
    CHECK(texts("{!who I}{!past never eat}") == std::set<std::string>{"I never ate"});
    CHECK(texts("{!who I}{!past stop and &cry}") == std::set<std::string>{"I stopped and cried"});
    CHECK(texts("{!who I}{!fut stop and &cry}").count("I will stop and cry") == 1);
}

TEST_CASE("a verb agrees with the subject that its clause names") {
    for (const auto& [clause, text] : std::vector<std::pair<std::string, std::string>>{
             {"the people = be happy", "the people are happy"},
             {"the children = go", "the children go"},
             {"his keys = be old", "my keys are old"},
             {"the glass = be old", "the glass is old"},
             {"the news = be old", "the news is old"},
             {"the bus = stop", "the bus stops"},
             {"$fruit+ = be old", "peaches are old"},
             {"$fruit = be old", "peach is old"},
             {"the boss = be happy", "the boss is happy"}}) {
        INFO(clause);
        CHECK(texts("{!who I}{!pres " + clause + "}").count(text) == 1);
    }
}

TEST_CASE("a, an and some fit the noun, and his, him and himself the person") {
    const auto all = texts("{!who I}{!past eat a $food}");
    CHECK(all == std::set<std::string>{"I ate a pear", "I ate an old pear", "I ate some bread",
                                       "I ate some old bread", "I ate some scissors",
                                       "I ate some old scissors"});
    CHECK(texts("{!who I}{!past eat his $thing}").count("I ate my apple") == 1);
    CHECK(first("{!who kinf my}{!past look himself}") == "my aunt looked herself");
    CHECK(first("{!who we}{!past look himself}").find("ourselves") != std::string::npos);
    CHECK(texts("{!who I}{!past eat $food+}").count("I ate pears") == 1);
}

TEST_CASE("of words with a slash between them one is drawn, and of verbs in a chain too") {
    CHECK(texts("{!who I}{!past eat a red/old /at_home}") ==
          std::set<std::string>{"I ate a red", "I ate an old", "I ate a red at home",
                                "I ate an old at home"});
    const auto both =
        Corpus::from_text({{"w.lexicon", words + "chains two\n  look/cry > go\n"},
                           {"g.grammar", "genre g\n  {!who I}{!chain two}{!past 1}\n"}});
    std::set<std::string> all;
    for (std::uint64_t i = 0; i < 100; ++i) all.insert(both.document_of(0, 1, i).text);
    CHECK(all == std::set<std::string>{"I looked", "I cried"});
}

TEST_CASE("a pronoun stands where it is clear who is meant, else the name") {
    CHECK(first("{!who kinf my}{!other lad my}{!past go}. {!O past go}. {!past eat}.") ==
          "my aunt went. my boy went. she ate.");
    CHECK(first("{!who kinf my}{!other lass my}{!past go}. {!O past go}. {!past eat}.") ==
          "my aunt went. my girl went. my aunt ate.");
    // A thing is named again when another one was named since.
    CHECK(texts("{!who I}{!past like $a:fruit}. {!past eat $b:fruit}. {!past eat $a}.") ==
          std::set<std::string>{"I liked apple. I ate peach. I ate the apple.",
                                "I liked peach. I ate apple. I ate the peach."});
    CHECK(first("{!who lad a}{!past go}. {!S.new}, {!S}.") == "a boy went. a boy, he.");
    // After four sentences that begin with the pronoun comes the name.
    CHECK(first("{!who kinf my}{!past go}. {!past go}. {!past go}. {!past go}. {!past eat}.") ==
          "my aunt went. she went. she went. she went. my aunt ate.");
}

TEST_CASE("what a later step tells first is introduced there") {
    const auto all = texts("{!who I}{!chain test}{!past 2} because {!past 1}.", 2000);
    CHECK(all.count("I found the pear because I liked it.") == 1);
    CHECK(all.count("I did not find the bread because I liked it.") == 1);
    CHECK(all.count("I found the old pear because I liked it.") == 1);
}

TEST_CASE("the counted probability of every text equals the enumeration of all choices") {
    const Lexicon lexicon(Files{{"w.lexicon", words}});
    const auto command = [&](const char* text) { return command_of(text, lexicon, ""); };
    const std::vector<Command> plan = {command("who name"), command("chain test"),
                                       command("past 1"), command("past 2")};
    std::map<std::string, double> exact;
    double sum = 0;
    std::vector<std::size_t> script;
    for (;;) {
        Scripted choices(script);
        Telling telling(lexicon, choices);
        std::string out;
        for (const Command& c : plan) telling.run(c, out);
        exact[out] += choices.probability;
        sum += choices.probability;
        // The next series of choices, in the order of an odometer.
        script = choices.taken;
        while (!script.empty()) {
            const auto& w = choices.seen[script.size() - 1];
            std::size_t next = script.back() + 1;
            while (next < w.size() && w[next] == 0) ++next;
            if (next < w.size()) {
                script.back() = next;
                break;
            }
            script.pop_back();
        }
        if (script.empty()) break;
    }
    CHECK(sum == Approx(1).epsilon(1e-12));
    const Corpus c = english("{!who name}{!chain test}{!past 1}{!past 2}");
    std::map<std::string, int> drawn;
    constexpr int n = 20000;
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto d = c.document_of(0, 5, i);
        ++drawn[d.text];
        REQUIRE(exact.count(d.text) == 1);
        CHECK(d.bits >= -std::log2(exact[d.text]) - 1e-9);  // equal, or one of two derivations
    }
    for (const auto& [text, p] : exact) {
        INFO(text);
        CHECK(std::abs(drawn[text] - n * p) < 6 * std::sqrt(n * p) + 1);  // six standard deviations
    }
}

TEST_CASE("a command that is not understood is refused in one line") {
    for (const auto& [plan, message] :
         {std::pair{"{!past}", "verb"},
          {"{!pluperfect eat}", "not understood"},
          {"{!who name}{!past fly}", "no verb 'fly' in the lexicon"},
          {"{!who name}{!past eat a $stone}", "no class of nouns named 'stone'"},
          {"{!who nobody}", "no class of nouns named 'nobody'"},
          {"{!chain nothing}", "there is no 'nothing'"},
          {"{!past eat}", "before it is drawn"}})
        CHECK(test::contains(error_of(plan), message));
    const Files no_lexicon = {{"g.grammar", "genre g\n  {!past eat}\n"}},
                nonsense = {{"w.lexicon", "nonsense x\n  y\n"}},
                undrawn = {{"w.lexicon", words + "chains other\n  eat > find $a\n"}};
    CHECK(test::contains(test::error_of([&] { Corpus::from_text(no_lexicon); }),
                         "needs a file *.lexicon"));
    CHECK(test::error_of([&] { Lexicon{nonsense}; }) ==
          "w.lexicon:1: 'nonsense' is no section; expected nouns, verbs, adjectives, adverbs, "
          "chains or acts");
    CHECK(test::contains(test::error_of([&] { Lexicon{undrawn}; }),
                         "$a is not drawn in every way to come here"));
}

TEST_CASE("each mistake in a lexicon is named with its line") {
    const std::string verb = "verbs\n  eat\n";
    for (const auto& wrong : std::vector<std::pair<std::string, std::string>>{
             {"  x\n", "w.lexicon:1: a line before the first section"},
             {"# a comment\n\n  x\n", "w.lexicon:3: a line before the first section"},
             {"nouns a\n  x,, y\n", "w.lexicon:2: an empty word between two commas"},
             {"nouns a\n  ~\n", "w.lexicon:2: a noun without a name"},
             {"nouns a\n  milk~\nnouns b\n  milk\n",
              "w.lexicon:4: 'milk' is countable in one class and not in another"},
             {"nouns a < b\n  x\n", "lexicon: class 'b' has no nouns"},
             {"verbs\n  eat ate\n",
              "w.lexicon:2: 'eat ate': expected a verb, or its base, past and participle"},
             {"verbs\n  a b c d\n",
              "w.lexicon:2: 'a b c d': expected a verb, or its base, past and participle"},
             {verb + "chains c\n  eat\n", "w.lexicon:4: a chain of one step"},
             {verb + "chains c\n  eat > fly\n", "w.lexicon:4: 'fly': no verb 'fly' in the lexicon"},
             {verb + "acts a | | | often\n  eat\n",
              "w.lexicon:3: no group of adverbs named 'often'"}}) {
        INFO(wrong.first);
        CHECK(test::error_of([&] { Lexicon(Files{{"w.lexicon", wrong.first}}); }) == wrong.second);
    }
    const test::TemporaryFolder folder;
    const std::string empty = folder.write("a.grammar", "");
    CHECK(test::error_of([&] { Corpus::load_files({empty}); }) ==
          empty + ": cannot read this grammar file (is it empty?)");
    CHECK(test::error_of([] {
              Corpus::load("data/none");
          }).starts_with("data/none: cannot read the corpus folder ("));
}

// ---- what ships ---------------------------------------------------------------------------------

namespace {
const Corpus& shipped() {
    static const Corpus c = Corpus::load("data/corpus/english");
    return c;
}
}  // namespace

TEST_CASE("the lexicon has the words of everyday English") {
    const Lexicon& l = *shipped().tree().lexicon;
    CHECK(l.nouns.size() >= 1500);
    CHECK(l.classes.size() >= 60);
    CHECK(l.verbs.size() >= 600);
    std::set<std::string> adjectives, adverbs;
    for (const NounClass& c : l.classes)
        adjectives.insert(c.adjectives.begin(), c.adjectives.end());
    for (const auto& [group, all] : l.adverbs) adverbs.insert(all.begin(), all.end());
    CHECK(adjectives.size() >= 400);
    CHECK(adverbs.size() >= 150);
    std::size_t pairs = 0;
    for (const auto& [section, chains] : l.chains)
        for (const Chain& c : chains)
            for (std::size_t s = 0; s + 1 < c.steps.size(); ++s)
                pairs += c.steps[s].size() * c.steps[s + 1].size();
    CHECK(pairs >= 1500);
}

TEST_CASE("hardly a document of the compositional English is written twice, and each by its seed") {
    std::size_t twice = 0, all = 0;
    for (std::size_t g = 0; g < shipped().genres.size(); ++g) {
        std::set<std::string> seen;
        for (std::uint64_t i = 0; i < 2000; ++i, ++all) {
            const auto d = shipped().document_of(to_int(g), 3, i);
            twice += seen.insert(d.text).second ? 0 : 1;
            if (i < 20) CHECK(d.text == shipped().document_of(to_int(g), 3, i).text);
        }
    }
    INFO(twice << " of " << all);
    CHECK(100 * twice <= all);  // of the shortest sentences, one in a hundred
}

TEST_CASE("documents of the compositional English have no record, no chat and no broken gap") {
    for (std::size_t g = 0; g < shipped().genres.size(); ++g) {
        const bool chat = shipped().genres[g].starts_with("chat_");
        for (std::uint64_t i = 0; i < 1000; ++i) {
            const std::string text = shipped().document_of(to_int(g), 4, i).text;
            INFO(text);
            CHECK(text.starts_with("User: ") == chat);
            if (!chat) CHECK(text.find("User:") == std::string::npos);
            CHECK((text.find("Assistant:") != std::string::npos) == chat);
            for (const char* bad : {"{", "}", "w_", "en_", "$", "=", "  ", " .", " ,", "~", "_",
                                    "..", " a a", " an a ", "his his", "\1"})
                CHECK(text.find(bad) == std::string::npos);
            // A diary may begin "12 May".
            CHECK((text[0] == '"' || (text[0] >= 'A' && text[0] <= 'Z') ||
                   (text[0] >= '1' && text[0] <= '9')));
        }
    }
}
