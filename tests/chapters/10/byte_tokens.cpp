// Text written token by token with a vocabulary of pieces, whose byte tokens form characters
// together. The judge is the tokenizer's own decoding of all tokens at once.
#include "tests/catch.hpp"

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;

namespace {

const Tokenizer& pieces() {
    static const Tokenizer t = Tokenizer::load("tests/data/tokenizers/tiny-spm");
    return t;
}

int id_of(const std::string& piece) {
    const std::vector<std::string>& all = pieces().vocabulary().pieces;
    return to_int(std::find(all.begin(), all.end(), piece) - all.begin());
}

// Bytes that begin, continue and end characters, an ASCII byte, a piece, and a special token.
std::vector<int> alphabet() {
    std::vector<int> ids;
    for (const char* piece :
         {"<0x2C>", "<0x90>", "<0xBC>", "<0xC3>", "<0xE4>", "<0xF0>", ",", "<s>"})
        ids.push_back(id_of(piece));
    return ids;
}

// Calls what(ids) with all runs of up to `most` tokens.
template <class What>
void all_runs(std::size_t most, std::vector<int>& ids, const What& what) {
    what(ids);
    if (ids.size() == most) return;
    for (const int id : alphabet()) {
        ids.push_back(id);
        all_runs(most, ids, what);
        ids.pop_back();
    }
}

std::string streamed(const std::vector<int>& ids, const StopStrings& stops) {
    const TokenBytes bytes = token_bytes_of(pieces());
    TextStream stream(stops);
    std::string shown;
    for (const int id : ids) shown += stream.push_token(bytes(id));
    shown += stream.finish();
    return shown == stream.text() ? shown : "the pieces do not join to the text";
}

}  // namespace

TEST_CASE("streamed text is the text of all tokens at once, for every run of byte tokens") {
    const StopStrings none;
    std::vector<int> ids;
    int wrong = 0, runs = 0;
    all_runs(5, ids, [&](const std::vector<int>& run) {
        ++runs;
        wrong += streamed(run, none) != pieces().decode_text(run, true);
    });
    REQUIRE(runs == 37449);
    REQUIRE(wrong == 0);
}

TEST_CASE("a stop string ends a run of byte tokens as the end of the text does") {
    const StopStrings comma({","});
    std::vector<int> ids;
    int wrong = 0;
    all_runs(4, ids, [&](const std::vector<int>& run) {
        const auto is_comma = [](int id) { return pieces().token_bytes(id) == ","; };
        const std::vector<int> before(run.begin(), std::find_if(run.begin(), run.end(), is_comma));
        wrong += streamed(run, comma) != pieces().decode_text(before, true);
    });
    REQUIRE(wrong == 0);
}

TEST_CASE("an invalid run of byte tokens is one U+FFFD a byte, also as it is generated") {
    const GenerateRequest request = test::request(4);
    TextWriter writer(request, std::vector<int>{id_of("<s>")}, 0);
    const TokenBytes bytes = token_bytes_of(pieces());
    std::vector<std::string> shown;
    for (const char* piece : {"<0x90>", "<0x2C>", "<0xBC>", ","})
        shown.push_back(writer.step_forced(id_of(piece), bytes));
    REQUIRE(shown == std::vector<std::string>{"", "", "", "\ufffd\ufffd\ufffd,"});
    REQUIRE(writer.result().text == "\ufffd\ufffd\ufffd,");
}
