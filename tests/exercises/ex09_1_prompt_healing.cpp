// Exercise 09_1: prompt healing.
#include "09_1_prompt_healing.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex09_1;

namespace {

const Vocabulary url = {"http", ":", "://", "/", " ", ":/", ""};

std::vector<int> allowed(std::string_view owed, const Vocabulary& bytes) {
    std::vector<float> logits(bytes.size(), 1.0f);
    mask(logits, owed, bytes);
    std::vector<int> ids;
    for (std::size_t id = 0; id < bytes.size(); ++id)
        if (!std::isinf(logits[id])) ids.push_back(static_cast<int>(id));
    return ids;
}

}  // namespace

TEST_CASE("http: gives back its colon, and only tokens with a colon may come", "[ex09_1]") {
    THINK("the last token goes back, and its bytes are owed");
    std::vector<int> ids = {0, 1};
    INPUT(ids, url);
    const std::string owed = take_back(ids, url);
    CHECK(owed == ":");
    CHECK(ids == std::vector<int>{0});
    CHECK(allowed(owed, url) == std::vector<int>{1, 2, 5});
    CHECK(still_owed(owed, "://") == "");
}

TEST_CASE("a token that pays a part leaves the rest owed", "[ex09_1]") {
    INFO("think about: what was one token may come back as two");
    CHECK(allowed("://", url) == std::vector<int>{1, 2, 5});
    CHECK(still_owed("://", ":") == "//");
    INFO("think about: all bytes that both have must agree, not only the first");
    CHECK(allowed("ab", Vocabulary{"a", "ax", "ab", "abc", "acb", "b", ""}) ==
          std::vector<int>{0, 2, 3});
    CHECK(allowed("//", url) == std::vector<int>{3});
    CHECK(still_owed("//", "/") == "/");
    CHECK(still_owed("/", "/") == "");
}

TEST_CASE("when nothing is owed, everything may come, also tokens without bytes", "[ex09_1]") {
    THINK("the empty text is the beginning of every token");
    CHECK(allowed("", url).size() == url.size());
    CHECK(still_owed("", "http") == "");
}

TEST_CASE("a token without bytes may not come while something is owed", "[ex09_1]") {
    INFO("think about: it is the beginning of everything, and pays nothing");
    CHECK(allowed("x", Vocabulary{"", "x", "y"}) == std::vector<int>{1});
}

TEST_CASE("a prompt of one token or none is left alone", "[ex09_1]") {
    THINK("something must be left for the model to read");
    std::vector<int> one = {1}, none;
    INPUT(one, none, url);
    CHECK(take_back(one, url) == "");
    CHECK(one == std::vector<int>{1});
    CHECK(take_back(none, url) == "");
    CHECK(none == std::vector<int>{});
}

TEST_CASE("logits of tokens that may come are not touched", "[ex09_1]") {
    THINK("only what may not come becomes −∞");
    std::vector<float> logits = {5, 4, 3, 2, 1, 0, -1};
    INPUT(logits, url);
    INFO("owed \":\"");
    mask(logits, ":", url);
    CHECK(logits[1] == 4);
    CHECK(logits[2] == 3);
    CHECK(logits[0] == -std::numeric_limits<float>::infinity());
}

TEST_CASE("whatever is drawn, the text begins with the whole prompt", "[ex09_1]") {
    THINK("what is still owed is what the token did not pay; a longer token pays all");
    const Vocabulary abc = {"a", "b", "c", "ab", "bc", "abc", "ca", "", "cab"};
    Rng rng(91);
    for (int round = 0; round < 300; ++round) {
        std::vector<int> ids = random_ids(rng, 2 + rng.below(5), abc.size());
        std::string prompt, text;
        for (const int id : ids) prompt += abc[static_cast<std::size_t>(id)];
        std::string owed = take_back(ids, abc);
        for (int i = 0; i < 8; ++i) {
            INPUT(prompt, owed);
            const std::vector<int> choice = allowed(owed, abc);
            // Every byte is a token, so one of them can always come.
            EXPECT(!choice.empty(), "one token that may come, at least", choice);
            ids.push_back(choice[rng.below(choice.size())]);
            owed = still_owed(owed, abc[static_cast<std::size_t>(ids.back())]);
        }
        for (const int id : ids) text += abc[static_cast<std::size_t>(id)];
        INPUT(prompt);
        CHECK(owed == "");
        EXPECT(text.starts_with(prompt), "a text that begins with the prompt", text);
    }
}
