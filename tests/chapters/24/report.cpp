#include "tests/catch.hpp"

#include "chapters/24_which_decoder/tools/questions.hpp"
#include "chapters/24_which_decoder/tools/report.hpp"
#include "chapters/24_which_decoder/write_texts.hpp"
#include "lib/core/index.hpp"
#include "lib/files/random_model.hpp"
#include "lib/json/json.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

Corpus corpus(const std::string& text) { return Corpus::from_text({{"test.grammar", text}}); }

}  // namespace

TEST_CASE("an answer is right when the text begins with it and its word ends there") {
    CHECK(answers(" 7.", " 7"));
    CHECK(answers(" 7", " 7"));
    CHECK(answers(" \"baker\", \"home\"", " \"baker\""));
    CHECK(!answers(" 70", " 7"));
    CHECK(!answers(" Mondays", " Monday"));
    CHECK(!answers("7", " 7"));
    CHECK(!answers("", " 7"));
}

TEST_CASE("a text repeats itself when its last words were said three times in a row") {
    CHECK(repeats_itself("It begins. A b c d. A b c d. A b c d."));
    CHECK(repeats_itself("A b c d e A b c d e A b c d e A"));  // a word of the next round
    CHECK(!repeats_itself("A b c d. A b c d."));
    CHECK(!repeats_itself("A b c d. A b c d. A b c e."));
    CHECK(!repeats_itself("la la la la la la"));  // that is a song
    CHECK(!repeats_itself(""));
}

TEST_CASE("a text of byte tokens is what the tokenizer reads in all of its tokens") {
    Model model = small_model(Tokenizer::load("tests/data/tokenizers/tiny-spm"));
    GenerateRequest request;
    request.stop.max_new_tokens = 40;
    // Before a first token, a space would be dropped.
    const std::vector<std::string>& pieces = model.tokenizer.vocabulary().pieces;
    const int comma = to_int(std::find(pieces.begin(), pieces.end(), ",") - pieces.begin());
    int invalid = 0;  // runs with an ASCII byte are one U+FFFD a byte as a whole
    for (const GeneratedText& text :
         write_texts(model, std::vector(20, std::vector{model.tokenizer.eos_id()}), request)) {
        std::vector<int> ids = text.ids;
        ids.insert(ids.begin(), comma);
        REQUIRE("," + text.text == model.tokenizer.decode_text(ids, true));
        invalid += "," + text.text != valid_text(model.tokenizer.decode(ids));
    }
    REQUIRE(invalid > 0);
}

TEST_CASE("a model that says the same of 257 tokens: eight bits, and nine tenths in the nucleus") {
    Model model = small_model();
    model.transformer = Transformer(
        model.config(), [](const std::string&, const Shape& shape) { return Tensor(shape); }, {1});
    const Distributions d = distributions(model, {"one", "another text"});
    CHECK(d.entropy == Approx(std::log2(257.0)));
    CHECK(d.nucleus == 232);  // the first number of tokens not below .9 of 257
    CHECK(d.wide_nuclei == 1);
}

TEST_CASE("only what the corpus writes is asked") {
    const Corpus c = corpus(
        "table day: name next\n  Monday | Tuesday\n  Tuesday | Wednesday\n  Sunday | Monday\n"
        "table person: name job home\n  Mira | baker | Elm\n  Eli | cook | Oak\n"
        "genre g\n  {x=int 1 5}{y=int 1 9}{z=calc x + y}{x} plus {y} is {z}.\n"
        "  {d=day}The day after {d.name} is {d.next}.\n"
        "  {d=day}The day before {d.next} is {d.name}.\n"
        "  {p=person}\\{\"name\": \"{p.name}\", \"job\": \"{p.job}\"\\}\n"
        "genre t hold a\n  {a=int 1 99}Say {a} → dire {a}\\nmore\n");
    const Recogniser recogniser(c);
    CHECK(sums(recogniser).size() == 5 * 9);
    const auto days = calendar(recogniser);
    REQUIRE(days.size() >= 2);
    CHECK(days[0].prompt == "The day after Monday is");
    CHECK(days[0].answer == " Tuesday");
    const auto answer = [&](const std::string& question) {
        const auto found = std::find_if(days.begin(), days.end(),
                                        [&](const Question& q) { return q.prompt == question; });
        return found == days.end() ? "not asked" : found->answer;
    };
    CHECK(answer("The day before Tuesday is") == " Monday");
    CHECK(answer("The day after Tuesday is") == " Wednesday");
    CHECK(answer("The day after Sunday is") == " Monday");
    const auto asked = people(c, recogniser);
    REQUIRE(asked.size() == 2);
    CHECK(asked[1].prompt == "{\"name\": \"Eli\", \"job\":");
    CHECK(asked[1].answer == " \"cook\"");
    const auto lines = translations(c, find_genre(c, "t"), 50, true);
    REQUIRE(!lines.empty());
    CHECK(lines.size() < 12);  // those held out: about three in 99, each once
    for (const Question& q : lines)
        CHECK(q.prompt + q.answer + "\nmore" ==
              "Say " + q.prompt.substr(4, q.prompt.find(' ', 4) - 4) + " → dire" +
                  q.prompt.substr(3, q.prompt.find(' ', 4) - 3) + "\nmore");
    CHECK(find_genre(c, "x") == -1);
    CHECK(translations(c, -1, 50, true).empty());
}

TEST_CASE("lines with every word are those that bring a new one") {
    const auto kept = with_every_word(
        {{"the red house →", ""}, {"the house →", ""}, {"a red door →", ""}, {"a door →", ""}});
    REQUIRE(kept.size() == 2);
    CHECK(kept[1].prompt == "a red door →");
}

TEST_CASE("texts are the same whoever else is written beside them") {
    const test::TemporaryFolder folder;
    write_random_model(folder.path() + "/m", gpt_config(1, 2, 32, 64, 300), {7, WeightType::f32});
    Model model = load_model(folder.path() + "/m");
    WriteOptions options;
    options.max_new_tokens = 12;
    options.temperature = 0.7;
    std::vector<std::string> prompts;
    for (int i = 0; i < 40; ++i) prompts.push_back("text number " + std::to_string(i));
    const auto all = write_texts(model, prompts, options);
    const auto few = write_texts(model, {prompts[0], prompts[1], prompts[2]}, options);
    REQUIRE(all.size() == 40);
    for (std::size_t i = 0; i < 3; ++i) CHECK(all[i].text == few[i].text);
    CHECK(all[0].text != all[1].text);
    options.temperature = 0;
    CHECK(write_texts(model, {prompts[5]}, options)[0].text ==
          write_texts(model, prompts, options)[5].text);
    CHECK(write_texts(model, {}, options).empty());
    // A prompt that fills the context of 64 gets nothing, and changes nothing for the others.
    prompts[4] = std::string(200, '?');
    const auto beside = write_texts(model, prompts, options);
    CHECK(beside[4].text.empty());
    CHECK(!beside[4].ended);
    CHECK(beside[5].text == write_texts(model, {prompts[5]}, options)[0].text);
}

TEST_CASE("the judge's table says what it could not ask, and is JSON for programs") {
    const test::TemporaryFolder folder;
    write_random_model(folder.path() + "/m", gpt_config(1, 2, 32, 128, 300), {7, WeightType::f32});
    Model model = load_model(folder.path() + "/m");
    const Corpus c =
        corpus("genre sums hold x y\n  {x=int 1 9}{y=int 1 9}{z=calc x + y}{x} plus {y} is {z}.\n");
    ReportOptions options;
    options.documents = 2;
    options.failures = 1;
    std::vector<std::string> shown;
    options.show = [&](const std::string& line) { shown.push_back(line); };
    const Report report = report_of(model, c, options);
    std::map<std::string, std::string> figures;
    for (const ReportRow& row : report.rows) figures[row.what] = row.figure;
    CHECK(test::contains(figures.at("sums, differences and products 1..9, greedy"), " of 81 "));
    CHECK(figures.at("days, months, dates, greedy") == "no such sentences");
    CHECK(figures.at("translation, held out, greedy: exact") == "no such genre");
    CHECK(figures.at("stories without a slip (in the language), T .8") == "no such genre");
    CHECK(test::contains(figures.at("genres within .05 bits/byte of their floor, held out"),
                         "0 of 1"));
    REQUIRE(!shown.empty());
    CHECK(shown[0].starts_with("sums, differences"));
    const Json json = json_value(report_json(report, "m", c.hash(), 1.4));
    CHECK(json.at("rows").size() == report.rows.size());
    CHECK(json.at("rows")[0].at("goal") == 0.98);
    CHECK(json.at("rows")[0].at("met") == false);
    CHECK(json.at("rows")[1].at("value").is_null());
    CHECK(json.at("genres").at("sums").at("documents") == 2);
    CHECK(test::contains(report_text(report), "sums, differences and products"));
}

TEST_CASE(
    "entropy floors are those of an enumeration, and no text of a small genre comes about twice") {
    // The mean of the recorded bits is the entropy −Σ p log2 p, where p = 2^−bits of each text and
    // the p of all texts add up to one: then no text was counted under two derivations.
    const Corpus c = corpus(
        "table d: name next\n  Monday | Tuesday\n  [2] Tuesday | Wednesday\n  Friday | Saturday\n"
        "genre days\n  {d=d}{[3]After|Next to} {d.name} comes {d.next}.\n"
        "  {a=d}{b=d where not a}{a.name} and {b.name}.\n"
        "genre sums\n  {x=int 1 9}{y=int 1 9}{z=calc x + y}{x} {plus|[2]and} {y} is {z}.\n");
    for (int g = 0; g < 2; ++g) {
        std::map<std::string, double> bits;
        double mean = 0;
        constexpr int n = 40'000;
        for (std::uint64_t i = 0; i < n; ++i) {
            const Document d = c.document_of(g, 5, i);
            mean += d.bits / n;
            CHECK(bits.emplace(d.text, d.bits).first->second == Approx(d.bits));
        }
        double sum = 0, entropy = 0;
        for (const auto& [text, b] : bits) {
            sum += std::exp2(-b);
            entropy += std::exp2(-b) * b;
        }
        CHECK(sum == Approx(1).epsilon(1e-9));
        CHECK(mean == Approx(entropy).epsilon(0.01));
    }
}

TEST_CASE("the small genres of the corpus have one derivation for each text") {
    const Corpus c = Corpus::load("data/corpus");
    for (const char* name : {"sums", "dates", "hello", "translate", "three"}) {
        const int g = find_genre(c, name);
        if (g < 0) continue;
        std::map<std::string, double> bits;
        int twice = 0, different = 0;
        for (std::uint64_t i = 0; i < 2000; ++i) {
            const Document d = c.document_of(g, 5, i);
            const auto [known, fresh] = bits.emplace(d.text, d.bits);
            if (fresh) continue;
            ++twice;
            different += std::abs(known->second - d.bits) > 1e-6;
        }
        INFO(name << ": " << twice << " texts came again, " << different << " with other bits");
        CHECK(different * 100 <= twice);
    }
}
