// Exercise 10_3: the surest text and the most frequent answer.
#include "10_3_best_of_n.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex10_3;

TEST_CASE("the mean decides, not the sum", "[ex10_3]") {
    // Means −1, −0.5, −0.75; the sums −1, −2, −1.5 would choose the first.
    INFO("think about: a text is not worse for being longer");
    CHECK(best_of({{-1}, {-.5, -.5, -.5, -.5}, {-.5, -1}}) == 1);
}

TEST_CASE("nor the single best token", "[ex10_3]") {
    THINK("the mean of all tokens of the text");
    CHECK(best_of({{-.01, -4}, {-1, -1}}) == 1);
}

TEST_CASE("of equal means the earlier text wins", "[ex10_3]") {
    THINK("a later text has to be better, not just as good");
    CHECK(best_of({{-2}, {-1}, {-1, -1}, {-.5, -1.5}}) == 1);
}

TEST_CASE("a text without tokens is passed over", "[ex10_3]") {
    INFO(
        "think about: the mean of nothing is 0 / 0, and its sum, 0, is greater than any "
        "log-probability");
    CHECK(best_of({{}, {-7}, {}}) == 1);
    CHECK(best_of({{}, {}}) == 0);
    CHECK(best_of({{-3}}) == 0);
}

TEST_CASE("certainty is the best score there is", "[ex10_3]") {
    THINK("ln 1 is 0, and no mean is greater");
    CHECK(best_of({{-1e-9}, {0, 0}, {-1000}}) == 1);
}

TEST_CASE("writing each text twice over changes nothing", "[ex10_3]") {
    THINK("the sum doubles, and so does the number");
    Rng rng(3);
    for (int round = 0; round < 100; ++round) {
        std::vector<std::vector<double>> texts(2 + rng.below(6)), doubled;
        for (auto& text : texts) {
            for (std::uint64_t n = 1 + rng.below(9); n > 0; --n)
                text.push_back(-static_cast<double>(rng.below(64)) / 8);
        }
        for (const auto& text : texts) {
            doubled.push_back(text);
            // The same mean, to the last bit.
            doubled.back().insert(doubled.back().end(), text.begin(), text.end());
        }
        INPUT(texts);
        CHECK(best_of(doubled) == best_of(texts));
    }
}

TEST_CASE("three times 18 beats one 26 and one 14", "[ex10_3]") {
    THINK("count, then take the greatest count");
    CHECK(vote({"18", "26", "18", "14", "18"}) == "18");
}

TEST_CASE("of equally frequent answers the one that came first wins", "[ex10_3]") {
    INFO("think about: an order that the alphabet gives is not the order in which they came");
    CHECK(vote({"9", "7", "7", "9"}) == "9");
    CHECK(vote({"7", "9", "9", "7"}) == "7");
    CHECK(vote({"z", "b", "a"}) == "z");
    THINK("two answers are the same if they are written the same");
    CHECK(vote({"Yes", "no", "yes", "no"}) == "no");
    CHECK(vote({"7 ", "8", "7", " 7", "8"}) == "8");
}

TEST_CASE("an empty answer is no vote", "[ex10_3]") {
    THINK("\"\" is passed over, unless there is nothing else");
    CHECK(vote({"", "", "no"}) == "no");
    CHECK(vote({"no", "", ""}) == "no");
    CHECK(vote({"", ""}) == "");
    CHECK(vote({}) == "");
}

TEST_CASE("no answer has more votes than the winner, and none with as many came earlier",
          "[ex10_3]") {
    THINK("of equal counts the one that came first");
    Rng rng(8);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> answers;
        for (std::uint64_t n = rng.below(12); n > 0; --n)
            answers.push_back(rng.below(4) ? std::string(1, static_cast<char>('w' - rng.below(5)))
                                           : "");
        const std::string winner = vote(answers);
        const auto votes = [&](const std::string& a) {
            return std::count(answers.begin(), answers.end(), a);
        };

        INPUT(answers, winner);
        bool earlier = true;
        for (const std::string& a : answers) {
            if (a == winner) earlier = false;
            if (a.empty()) continue;
            EXPECT(votes(a) <= votes(winner) - (earlier ? 1 : 0),
                   "an answer with the most votes, of several the one that came first", winner);
        }
    }
}

TEST_CASE("every token of a text counts, and counts alike", "[ex10_3]") {
    INFO("think about: not the last token, nor the least sure one, but the mean of all");
    CHECK(best_of({{-3, -.1}, {-1, -1}}) == 1);
    CHECK(best_of({{-1, -1}, {-.1, -1.5}}) == 1);
    CHECK(best_of({{-.1, -3}, {-3, -.1}, {-1.5, -1.5}}) == 2);
    INFO("think about: floats know seven digits");
    CHECK(best_of({{-1 - 1e-10}, {-1}}) == 1);
    CHECK(best_of({{-1}, {-1 + 1e-10}, {-1}}) == 1);
}

TEST_CASE("any texts: the greatest mean, the first of several", "[ex10_3]") {
    Rng rng(103);
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::vector<double>> texts(1 + rng.below(5));
        for (auto& text : texts) {
            text.resize(rng.below(4));
            for (double& x : text) x = -static_cast<double>(rng.below(5)) / 4;  // ties
        }
        std::size_t expected = 0;
        double best = -1e300;
        for (std::size_t t = 0; t < texts.size(); ++t) {
            double mean = 0;
            for (const double x : texts[t]) mean += x / static_cast<double>(texts[t].size());
            if (texts[t].empty() || mean <= best + 1e-12) continue;
            best = mean, expected = t;
        }
        INFO("round " << round << ": " << texts.size() << " texts");
        REQUIRE(best_of(texts) == expected);
    }
}
