// Hostile arguments to lib/text and lib/show.
#include "tests/catch.hpp"

#include <climits>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/tokenizer.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/random_model.hpp"
#include "lib/show/short_number.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"
#include "lib/text/piece_encoder.hpp"
#include "lib/text/text_splitter.hpp"
#include "lib/text/tokenizer.hpp"
#include "lib/text/tokenizer_files.hpp"
#include "lib/text/tokenizer_train.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;
using namespace tbt::api;

TEST_CASE("api: UTF-8 and bytes", "[api]") {
    for (const std::string& text : hostile_texts) {
        HOLDS(decode_utf8(text, text.size()), decode_utf8(text, SIZE_MAX));
        HOLDS(find_invalid_utf8(text), visible_bytes(text), bytes_of_visible(text));
        REFUSES(pretoken_end(text, text.size()), pretoken_end(text, SIZE_MAX),
                cl100k_pretoken_end(text, text.size(), 3), digits_end(text, SIZE_MAX, 1),
                white_space_length(text, text.size()));
        HOLDS(in_form(text, TextRules::Normalizer::Kind::nfkd));
        HOLDS(valid_utf8(text));
        HOLDS(for_each_pretoken(text, [](std::string_view) {}));
    }
    std::string text;
    for (const std::int32_t c : {-1, INT_MIN, 0xd800, 0xdfff, 0x110000, INT_MAX})
        REFUSES(append_utf8(text, c));
    REQUIRE(text.empty());
}

TEST_CASE("api: merges", "[api]") {
    MergeTable merges;
    REQUIRE(merges.find(0, 0) == nullptr);
    REQUIRE(merges.find(-1, INT_MIN) == nullptr);
    merges.reset(1);
    merges.add({1, 2, 0, 3});
    REFUSES(merges.add({-1, 2, 0, 3}));
    REFUSES(for (int i = 0; i < 5; ++i) merges.add({i + 5, 2, 0, 3}));
    REQUIRE(merges.find(7, 8) == nullptr);
    PieceEncoder encoder;
    std::vector<int> ids;
    REFUSES(encoder.encode({merges, std::vector<int>(255)}, "x", ids),
            encoder.encode({merges, {}}, "x", ids));
    HOLDS(encoder.encode({merges, {}}, "", ids));
}

TEST_CASE("api: tokenizers", "[api]") {
    const test::TemporaryFolder folder;
    Tokenizer tokenizer = babble_tokenizer(300);
    for (const int id : hostile_ids) {
        REFUSES(tokenizer.token_bytes(id), tokenizer.decode(std::vector<int>{0, id}),
                tokenizer.decode_text(std::vector<int>{0, id}));
        REQUIRE_FALSE(tokenizer.drop_added_from(id));
        REQUIRE_FALSE(tokenizer.is_special(id));
    }
    for (const std::string& text : hostile_texts) {
        REQUIRE(tokenizer.decode(tokenizer.encode(text, SpecialTokens::parse)) == text);
        HOLDS(tokenizer.id_of(text));
        REFUSES(Tokenizer::load(text), read_tokenizer_files(text));
    }
    HOLDS(tokenizer.save(folder.path(), -1));
    REFUSES(tokenizer.save("", 10), Tokenizer(Vocabulary{}));
    const auto broken = [](auto&& change) {
        Vocabulary v = babble_tokenizer(300).vocabulary();
        change(v);
        return outcome([&] { Tokenizer{std::move(v)}; }) != "";
    };
    for (const int id : hostile_ids) {
        REQUIRE(broken([&](Vocabulary& v) { v.added.push_back({id, true}); }));
        REQUIRE(broken([&](Vocabulary& v) { v.merges.push_back({id, 0}); }));
        REQUIRE(broken([&](Vocabulary& v) { v.merges.push_back({0, id}); }));
        REQUIRE(broken([&](Vocabulary& v) { v.eos_id = id; }));
        REQUIRE(broken([&](Vocabulary& v) { v.bos_id = id; }));
    }
    REQUIRE(broken([](Vocabulary& v) { v.tokens.emplace_back(); }));
    REQUIRE(broken([](Vocabulary& v) { v.tokens.push_back("a"); }));
    REQUIRE(broken([](Vocabulary& v) { v.tokens.clear(); }));
    REQUIRE(broken([](Vocabulary& v) { v.merges.push_back({0, 1}); }));
    const Tokenizer taken = std::move(tokenizer);
    REFUSES(tokenizer.encode("x"), tokenizer.token_bytes(0));
    REQUIRE(tokenizer.vocab_size() == 0);
}

TEST_CASE("api: learning a tokenizer", "[api]") {
    TokenizerTrainer trainer;
    HOLDS(trainer.train());
    for (const std::string& text : hostile_texts) HOLDS(trainer.add_text(text));
    const auto refused = [&](auto&& change) {
        TokenizerOptions o;
        o.vocab_size = 300;
        change(o);
        return outcome([&] { trainer.train(o); }) != "";
    };
    for (const int bad : {-1, 0, INT_MIN}) {
        REQUIRE(refused([&](TokenizerOptions& o) { o.vocab_size = bad; }));
        REQUIRE(refused([&](TokenizerOptions& o) { o.max_token_bytes = bad; }));
        REQUIRE(refused([&](TokenizerOptions& o) { o.min_count = bad; }));
    }
    REQUIRE(refused([](TokenizerOptions& o) { o.vocab_size = INT_MAX; }));
    REQUIRE(refused([](TokenizerOptions& o) { o.special = {""}; }));
    REQUIRE(refused([](TokenizerOptions& o) { o.special = {"<x>", "<x>"}; }));
    REQUIRE_FALSE(refused([](TokenizerOptions& o) { o.special = {}; }));
}

TEST_CASE("api: a terminal", "[api]") {
    for (const double number : hostile_numbers) HOLDS(bar(number, 10), short_number(number));
    for (const int width : {-1, 0, INT_MIN}) {
        REQUIRE(bar(0.7, width).empty());
        HOLDS(padded("text", width));
    }
    REQUIRE(bar(1, INT_MAX).size() < 1000000);
    REQUIRE(padded("text", INT_MAX).size() < 1000000);
    for (const std::string& text : hostile_texts)
        HOLDS(visible(text), columns(text), padded(text, 2), padded(text, 0));
    HOLDS(Style(nullptr));
}

TEST_CASE("api: figures", "[api]") {
    const test::TemporaryFolder folder;
    const std::string file = folder.file("f.svg");
    REFUSES(write_svg(file, BarChart{}), write_svg(file, LineChart{}), write_svg("", "", 1, 1, ""));
    for (const int i : {-1, INT_MIN, INT_MAX}) HOLDS(svg_colour(i), write_svg(file, "", i, i, ""));
    for (const double number : hostile_numbers) {
        BarChart bars;
        bars.bars = {{"a", number, -7}, {"b", 1, 0}};
        for (const int decimals : {-1, INT_MAX}) {
            bars.decimals = decimals;
            HOLDS(write_svg(file, bars));
        }
        HOLDS(svg_text(number, number, "\xff", "", INT_MIN), svg_rect(number, 0, 0, 0, ""));
        for (const bool logarithmic : {false, true}) {
            LineChart lines;
            lines.log_x = lines.log_y = logarithmic;
            lines.series = {{"", {{1, number}, {number, 1}, {-number, number}, {2, 2}}}};
            HOLDS(write_svg(file, lines));
            // Values so close together that no step between them can be written.
            lines.series = {{"", {{1e17, 1e17}, {1e17 + 16, 1e17 + 16}}}};
            HOLDS(write_svg(file, lines));
        }
    }
}
