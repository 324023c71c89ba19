// Exercise 10_01: when is a text over, and why?
#include "10_01_when_over.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex10_01;

namespace {

const char* const names[] = {"not_yet", "end_of_text", "stop_string", "length", "context"};

void check(const Text& text, const Limits& limits, End expected, const std::string& think) {
    INFO("ids " << in_words(text.ids) << ", " << text.prompt_length << " of them prompt"
                << (text.stop_string_seen ? ", a stop string was seen" : "") << "; end-of-text ids "
                << in_words(limits.end_of_text_ids) << ", max_new_tokens " << limits.max_new_tokens
                << ", context " << limits.context);
    THINK(think);
    CHECK(std::string(names[int(end_of(text, limits))]) == names[int(expected)]);
}

}  // namespace

TEST_CASE("a text goes on until something says stop", "[ex10_01]") {
    check({{5, 6, 7, 8}, 3, false}, {{0}, 2, 9}, End::not_yet, "one of two tokens");
    check({{5, 6, 7}, 3, false}, {{0}, 2, 9}, End::not_yet, "none of two tokens");
    check({{5, 6, 7, 8, 9}, 3, false}, {{0}, 2, 9}, End::length, "two of two tokens");
    check({{5, 6, 7, 8}, 3, false}, {{0}, 7, 4}, End::context, "four of four places");
    check({{5, 6, 7, 8}, 3, true}, {{0}, 2, 9}, End::stop_string, "chapter 09 has seen one");
    check({{5, 6, 7, 0}, 3, false}, {{0}, 2, 9}, End::end_of_text, "the last token is 0");
}

TEST_CASE("the first that is true is the answer", "[ex10_01]") {
    check({{5, 6, 7, 8, 0}, 3, true}, {{0}, 2, 5}, End::end_of_text, "all four are true");
    check({{5, 6, 7, 8, 9}, 3, true}, {{0}, 2, 5}, End::stop_string, "three are true");
    check({{5, 6, 7, 8, 9}, 3, false}, {{0}, 2, 5}, End::length, "two are true");
}

TEST_CASE("an end of text in the prompt means nothing", "[ex10_01]") {
    check({{0, 0, 0}, 3, false}, {{0}, 2, 9}, End::not_yet, "nothing was generated");
    check({{0, 0, 0, 5}, 3, false}, {{0}, 2, 9}, End::not_yet, "the last token is not 0");
}

TEST_CASE("there may be several end-of-text tokens, or none", "[ex10_01]") {
    check({{5, 3}, 1, false}, {{0, 3, 7}, 5, 9}, End::end_of_text, "3 is the second of them");
    check({{5, 7}, 1, false}, {{0, 3, 7}, 5, 9}, End::end_of_text, "7 is the last of them");
    check({{5, 0}, 1, false}, {{}, 5, 9}, End::not_yet, "0 is a token like others");
    check({{5, 3, 4}, 1, false}, {{3}, 5, 9}, End::not_yet, "only the last token counts");
}

TEST_CASE("nothing wanted, or no room: over before the first token", "[ex10_01]") {
    check({{5, 6}, 2, false}, {{0}, 0, 9}, End::length, "0 of 0 tokens");
    check({{5, 6}, 2, false}, {{0}, 3, 2}, End::context, "the prompt fills the context");
    check({{5, 6}, 2, false}, {{0}, 3, 1}, End::context, "the prompt is longer than the context");
    check({{5, 6, 7, 8}, 1, false}, {{0}, 2, 9}, End::length, "three of two tokens");
}

TEST_CASE("an empty prompt", "[ex10_01]") {
    check({{}, 0, false}, {{0}, 2, 9}, End::not_yet, "there is no last token");
    check({{}, 0, false}, {{0}, 0, 9}, End::length, "there is no last token");
    check({{0}, 0, false}, {{0}, 2, 9}, End::end_of_text, "generated");
}

TEST_CASE("any text and any limits: the list, from the top", "[ex10_01]") {
    Rng rng(101);
    for (int round = 0; round < 5000; ++round) {
        Text text;
        text.ids = random_ids(rng, rng.below(6), 4);
        text.prompt_length = int(rng.below(text.ids.size() + 1));
        text.stop_string_seen = rng.below(4) == 0;
        Limits limits{{}, int(rng.below(5)), int(rng.below(7))};
        for (int id = 0; id < 4; ++id)
            if (rng.below(3) == 0) limits.end_of_text_ids.push_back(id);
        const int generated = int(text.ids.size()) - text.prompt_length;
        bool ended = false;
        for (const int id : limits.end_of_text_ids)
            ended = ended || (generated > 0 && text.ids.back() == id);
        const End expected = ended                                    ? End::end_of_text
                             : text.stop_string_seen                  ? End::stop_string
                             : generated >= limits.max_new_tokens     ? End::length
                             : int(text.ids.size()) >= limits.context ? End::context
                                                                      : End::not_yet;
        check(text, limits, expected, "the list, from the top");
    }
}
