// --trace and --html: what is recorded is what happened, and the page needs nothing else.
#include "tests/catch.hpp"

#include <regex>

#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/23_text_generator/generation.hpp"
#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/23_text_generator/writing.hpp"
#include "tests/support/random_models.hpp"
#include "tests/support/words.hpp"

using namespace tbt;

namespace {

const test::RandomModels& models() {
    static const test::RandomModels all(48, 1);
    return all;
}
TextGenerator& generator() {
    static TextGenerator tiny(models().target);
    return tiny;
}

std::string traced(TextOptions o, const std::string& prompt, const std::string& command = "make") {
    o.record = true;
    const std::vector<std::vector<int>> ids = {generator().prompt_ids(prompt, o)};
    const std::vector<ShownPrompt> shown = {{prompt, ids[0]}};
    const std::vector<GeneratedText> texts = generator().generate_ids(ids, o);
    const GenerateRequest request = generator().request(o, ids);
    return trace_lines(generator(), o, request, shown, texts, command);
}

std::vector<nlohmann::json> parsed(const std::string& lines) {
    REQUIRE(lines.ends_with('\n'));
    std::vector<nlohmann::json> all;
    for (const std::string& line : test::texts_of(lines.substr(0, lines.size() - 1), "\n"))
        all.push_back(nlohmann::json::parse(line));
    return all;
}

long count_of(const std::string& text, const std::string& pattern) {
    const std::regex what(pattern);
    return std::distance(std::sregex_iterator(text.begin(), text.end(), what), {});
}

// Models with random weights end their texts anywhere.
TextOptions of_length(int tokens) {
    TextOptions o;
    o.max_new_tokens = o.min_new_tokens = tokens;
    return o;
}

}  // namespace

TEST_CASE("a recorded draw is the draw: u lies in the slice of the token") {
    TextOptions o = of_length(30);
    o.record = true;
    for (const double temperature : {0.0, 0.5, 1.5}) {
        o.temperature = temperature, o.top_p = temperature > 0 ? std::optional(0.8) : std::nullopt;
        const GeneratedText text = generator().generate("once", o)[0];
        const std::vector<RecordedToken>& tokens = generator().recording().tokens.at(0);
        REQUIRE(tokens.size() == text.ids.size());
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            REQUIRE(tokens[i].trace.chosen == text.ids[i]);
            const auto own = std::find_if(tokens[i].wheel.begin(), tokens[i].wheel.end(),
                                          [&](const auto& s) { return s.id == text.ids[i]; });
            REQUIRE(own != tokens[i].wheel.end());
            // The draw works on whole numbers: both are off by some 2^-53.
            REQUIRE(tokens[i].trace.u > own->from - 1e-12);
            REQUIRE(tokens[i].trace.u < own->to + 1e-12);
        }
    }
}

TEST_CASE("rounds add up to the text, coupled by seed or judged") {
    for (const char* coupling : {"seed", "rejection"}) {
        for (const std::string& draft : {models().draft, models().target, std::string("lookup")}) {
            CAPTURE(coupling, draft);
            TextOptions o = of_length(30);
            o.record = true, o.assistant_model = draft, o.coupling = coupling;
            if (draft == "lookup") o.logit_bias = {"5=100"};  // a text that repeats itself
            const GeneratedText text = generator().generate("once once once", o)[0];
            for (const RecordedRound& r : generator().recording().rounds) {
                REQUIRE(r.round.judged.size() <= r.round.drafted.size());
                for (std::size_t j = 0; j < r.round.tokens.size(); ++j)
                    REQUIRE(r.round.tokens[j] == text.ids.at(r.step + j));
                for (std::size_t j = 0; j < r.round.judged.size(); ++j) {
                    const Round::Judged& x = r.round.judged[j];
                    REQUIRE(x.accepted == (x.id == r.round.tokens[j]));
                    REQUIRE((x.q > 0 && x.q <= 1));
                    if (x.accepted) REQUIRE(x.p > 0);
                    // A draft that is the target has the target's distribution.
                    if (draft == models().target) REQUIRE(x.p == x.q);
                }
            }
            REQUIRE(!generator().recording().rounds.empty());
        }
    }
}

TEST_CASE("a trace names what guessed its tokens, and how they were coupled") {
    TextOptions o = of_length(12);
    o.assistant_model = "lookup", o.coupling = "rejection";
    const nlohmann::json draft = {{"from", "lookup"}, {"coupling", "rejection"}};
    CHECK(parsed(traced(o, "a"))[0]["draft"] == draft);
}

TEST_CASE("a trace is a line of JSON for each thing, with version 1's fields") {
    TextOptions o = of_length(12);
    o.num_beams = 3, o.samples = 2;
    const auto beams = parsed(traced(o, "a"));
    REQUIRE(beams[0]["format"] == "token-by-token trace 2");
    REQUIRE(beams[0]["decoder"] == "beams");
    REQUIRE(!beams[0].contains("draft"));
    int nodes = 0, results = 0;
    for (const auto& line : beams) {
        if (line.contains("fate")) REQUIRE(line["node"] == nodes);
        nodes += line.contains("node") && line.contains("fate") && line["sum"] <= 0;
        results += line.contains("result") && line.contains("score");
    }
    REQUIRE(nodes >= 3 * 12);
    REQUIRE(results == 2);

    const auto drawn = parsed(traced(of_length(12), "a", "make run"));
    REQUIRE(drawn[0]["command"] == "make run");
    REQUIRE(drawn[0]["weights"]["hash"].get<std::string>().size() == 16);
    int tokens = 0, passes = 0;
    for (const auto& line : drawn) {
        passes += line.contains("pass");
        if (!line.contains("step")) continue;
        ++tokens;
        for (const char* field : {"sample", "id", "token", "u", "raw", "processed", "steps", "top"})
            REQUIRE(line.contains(field));
        REQUIRE(line["top"][0]["after"].size() == line["steps"].size());
    }
    REQUIRE(tokens == 12);
    REQUIRE(passes == generator().effort().passes);
}

TEST_CASE("the page is one file that asks for nothing") {
    const std::string page = trace_page({{"a \"<b>\".html", traced(of_length(5), "once")}});
    for (const char* outside : {"http://", "https://", "src=", "href=", "@import", "fetch\\(",
                                "XMLHttpRequest", "import\\(", "url\\([^#]"})
        REQUIRE(count_of(page, outside) == 0);
    REQUIRE(test::contains(page, "default-src 'none'"));
    REQUIRE(count_of(page, "<script") == 2);  // the trace and the viewer
    REQUIRE(count_of(page, "</script") == 2);
    REQUIRE(count_of(page, "/\\* (scripts|page.css) \\*/|<!-- traces -->") == 0);
    REQUIRE(test::contains(page, "data-name=\"a &quot;&lt;b>&quot;.html\""));
}

TEST_CASE("no text gets out of the page's data") {
    const std::string evil = "</script><script>alert(1)</script><!-- \xF0\x9F\xA6\x8A";
    const std::string lines = traced(of_length(3), evil, evil);
    REQUIRE(parsed(lines)[0]["prompts"][0]["prompt"] == evil);
    const std::string page = trace_page({{evil, lines}});
    REQUIRE(count_of(page, "<script") == 2);
    REQUIRE(test::contains(page, "\xF0\x9F\xA6\x8A"));
    // What is JSON stays the same JSON; what is no UTF-8 becomes U+FFFD.
    REQUIRE(nlohmann::json::parse(for_script("\"a<b\"")) == "a<b");
    REQUIRE(for_script("\xF0\x9F") == "\xEF\xBF\xBD");
    // The bytes of a token that is a part of a character are there.
    bool cut = false;
    const auto all = parsed(traced(of_length(1), "\xF0\x9F\xA6\x8A"));
    for (const auto& token : all[0]["prompts"][0]["prompt_tokens"])
        cut = cut || token == "\xEF\xBF\xBD";
    REQUIRE(cut);
}

TEST_CASE("a trace of one token, and one of thousands") {
    REQUIRE(trace_page({{"one", traced(of_length(1), "a")}}).size() > 50000);
    TextOptions o = of_length(2500);
    o.context = "slide";
    const std::string lines = traced(o, "a");
    REQUIRE(std::count(lines.begin(), lines.end(), '\n') >= 2 * 2500);
    // About as much for each token as for the first.
    REQUIRE(lines.size() < 2500 * 4000);
}

TEST_CASE("a file is a trace, or is refused in a line") {
    const test::TemporaryFolder folder;
    using test::error_of;
    const auto said = [&](const std::string& content) {
        return error_of([&] { read_trace(folder.write("t.jsonl", content)); });
    };
    REQUIRE(test::contains(said("no JSON\n"), "its first line"));
    REQUIRE(test::contains(said(""), "its first line"));
    REQUIRE(test::contains(said("[]\n"), "its format is ''"));
    REQUIRE(test::contains(said("{\"format\":3}\n"), "its format is ''"));
    REQUIRE(test::contains(said("{\"format\":\"token-by-token trace 9\"}\n"),
                           "'token-by-token trace 9'"));
    REQUIRE(said("{\"format\":\"token-by-token rounds 1\"}\n{\"cut") == "");
    REQUIRE(test::contains(error_of([&] { read_trace(folder.file("none")); }), "cannot be opened"));
}

TEST_CASE("a command is one that a shell takes back") {
    const char* const words[] = {"build/x", "-n", "3", "it's $1", ""};
    REQUIRE(shell_line(5, words) == "build/x -n 3 'it'\\''s $1' ''");
}

TEST_CASE(
    "a trace says what a head looked at: shares of the tokens before, whoever wrote the text") {
    TextOptions o;
    o.seed = 4, o.max_new_tokens = 9, o.ignore_eos = true, o.attention = "1.0";
    TextOptions drafted = o, searched = o, sliding = o;
    drafted.assistant_model = models().draft;
    searched.num_beams = 2;
    sliding.context = "slide", sliding.max_new_tokens = 60;  // of a context of 48
    for (const TextOptions& options : {o, drafted, searched, sliding}) {
        const std::vector<nlohmann::json> lines = parsed(traced(options, "The sun"));
        CHECK(lines[0]["attention"] == nlohmann::json{{"layer", 1}, {"head", 0}});
        const std::size_t prompt = lines[0]["prompts"][0]["prompt_ids"].size();
        std::size_t seen = 0;
        for (const nlohmann::json& line : lines) {
            if (!line.contains("raw")) continue;
            const std::vector<double> shares = line["attention"];
            const std::size_t before = prompt + line["step"].get<std::size_t>();
            if (before < 48) CHECK(shares.size() == before);
            else CHECK((shares.size() > 0 && shares.size() <= 48));
            double sum = 0;
            for (const double share : shares) sum += share;
            CHECK(std::abs(sum - 1) <= .0005 * static_cast<double>(shares.size()));  // three digits
            ++seen;
        }
        CHECK(seen >= 9);
    }
    TextOptions none = o;
    none.attention = "";
    CHECK_FALSE(parsed(traced(none, "The sun"))[1].contains("attention"));
}
