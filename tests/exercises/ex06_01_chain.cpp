// Exercise 06_01: a chain.
#include "06_01_chain.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/05_top_p/plain_top_p.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex06_01;

namespace {

using Names = std::vector<std::string>;

Step ban(std::size_t id) {
    return {"ban", [id](Row s) { return s[id] = gone, s; }};
}
Step top_k_step(int k) {
    return {"top-k", [k](const Row& s) { return tbt::top_k(s, k); }};
}
Step top_p_step(double p) {
    return {"top-p", [p](const Row& s) { return tbt::top_p(s, 1, p); }};
}
Step temperature(float T) {
    return {"temperature", [T](Row s) {
                for (float& x : s) x /= T;
                return s;
            }};
}
// A step that adds to token 0, so that one can be told from another of its name.
Step marked(const std::string& name, float mark) {
    return {name, [mark](Row s) { return s[0] = 10 * s[0] + mark, s; }};
}

void check_order(const Names& order, const std::vector<Step>& steps, const Names& expected,
                 const std::string& think) {
    Names got;
    std::string given;
    for (const Step& step : steps) given += (given.empty() ? "" : ", ") + step.name;
    INPUT(order);
    INFO("steps " << given);
    THINK(think);
    for (const Step& step : in_order(order, steps)) got.push_back(step.name);
    CHECK(got == expected);
}

const Names ours{"ban", "temperature", "top-k", "top-p"};

template <class Function>
std::string complaint(Function function) {
    try {
        function();
    } catch (const UsageError& e) {
        return std::string("usage: ") + e.what();
    } catch (const Error& e) {
        return std::string("error: ") + e.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("steps come in the order that was given", "[ex06_01]") {
    check_order(ours, {top_p_step(.9), temperature(2), ban(0), top_k_step(3)},
                {"ban", "temperature", "top-k", "top-p"}, "the place of a name in the order");
    check_order({"top-p", "top-k", "temperature", "ban"}, {ban(0), top_p_step(.9)},
                {"top-p", "ban"}, "the place of a name in the order, not the alphabet");
    check_order(ours, {}, {}, "no steps");
    check_order(ours, {top_k_step(2)}, {"top-k"}, "one step");
}

TEST_CASE("steps of the same name stay as they were", "[ex06_01]") {
    std::vector<Step> steps;
    for (int i = 1; i <= 3; ++i) steps.push_back(marked("ban", float(i)));
    steps.insert(steps.begin() + 1, marked("top-k", 9));
    Row s{0, 0};
    for (const Step& step : in_order({"ban", "top-k"}, steps)) s = step.apply(s);
    same(s, Row{1239, 0}, "bans 1, 2, 3 and a top-k between them", "a stable sort");
    std::vector<Step> forty;
    for (int i = 0; i < 40; ++i) forty.push_back(marked("ban", float(i)));
    const std::vector<Step> sorted = in_order({"ban"}, forty);
    for (std::size_t i = 0; i < 40; ++i)
        same(sorted[i].apply({0}), Row{float(i)}, "forty steps of one name", "a stable sort");
}

TEST_CASE("a name that is not in the order is refused", "[ex06_01]") {
    for (const auto& steps : {std::vector<Step>{marked("mirostat", 1)},
                              std::vector<Step>{ban(0), marked("mirostat", 1), top_k_step(2)}}) {
        INFO(steps.size() << " steps, one of them mirostat, which is not in the order");
        const std::string got = complaint([&] { in_order(ours, steps); });
        EXPECT((got.rfind("usage: ", 0) == 0 && got.find("mirostat") != std::string::npos),
               "a UsageError that names mirostat", got);
    }
}

TEST_CASE("steps are applied first to last, and counted", "[ex06_01]") {
    INFO("the steps: ban 0, then top-k 1; the logits {3, 1, 2}");
    const Outcome got = run({ban(0), top_k_step(1)}, {3, 1, 2});
    same(got.row, Row{gone, gone, 2}, "ban 0, then top-k 1, of {3, 1, 2}", "first to last");
    same(got.left, std::vector<int>{2, 1}, "ban 0, then top-k 1, of {3, 1, 2}", "count each time");
    const Outcome none = run({}, {3, gone});
    same(none.row, Row{3, gone}, "no steps", "nothing changes");
    same(none.left, std::vector<int>{}, "no steps", "nothing to count");
}

TEST_CASE("tokens that were masked before are not counted", "[ex06_01]") {
    const Outcome got = run({temperature(2), top_k_step(3)}, {4, gone, 2, gone});
    same(got.left, std::vector<int>{2, 2}, "{4, −∞, 2, −∞}", "left is what is not −∞");
    same(run({temperature(1)}, {0, -3e38f}).left, std::vector<int>{2}, "{0, −3e38}",
         "only −∞ is gone");
}

TEST_CASE("a step that leaves no token is named", "[ex06_01]") {
    INFO("temperature 2, top-k 1, ban 0, of {3, 1, 2}");
    const std::string got = complaint([&] {
        run({temperature(2), top_k_step(1), ban(0)}, {3, 1, 2});
    });
    EXPECT((got.rfind("error: ", 0) == 0 && got.find("ban") != std::string::npos &&
            got.find("top-k") == std::string::npos),
           "an Error that names ban", got);
    // It is noticed at once, not after the last step.
    const Step revives{"revive", [](const Row&) { return Row{1, 2, 3}; }};
    CHECK_THROWS_AS(run({top_k_step(1), ban(0), revives}, {3, 1, 2}), Error);
}

TEST_CASE("random rows: the same as one function after the other", "[ex06_01]") {
    Rng rng(61);
    for (int round = 0; round < 1000; ++round) {
        const Row s = some_row(rng, round);
        const int k = static_cast<int>(rng.below(s.size() + 1));
        const double p = rng.uniform();
        const Row behind_k = tbt::top_k(s, k), behind_p = tbt::top_p(behind_k, 1, p);
        const Outcome got = run(in_order(ours, {top_p_step(p), top_k_step(k)}), s);
        const std::string given =
            in_words(s) + ", k = " + std::to_string(k) + ", p = " + in_words(p);
        same(got.row, behind_p, given, "top-p sees what top-k left");
        same(got.left, std::vector<int>{int(count_kept(behind_k)), int(count_kept(behind_p))},
             given, "count after each step");
    }
}
