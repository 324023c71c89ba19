// Exercise 10_2: five models, fifty queries, and what is odd about an empty manager.
#include "10_2_model_manager.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex10_2;

namespace {

ModelManager five_models() {
    ModelManager m;
    m.pull({"llama3.1:8b", 4.5, {"chat", "reasoning", "summarization"}});
    m.pull({"phi3:3.8b", 2.2, {"chat", "classification"}});
    m.pull({"codellama:7b", 3.8, {"code", "chat"}});
    m.pull({"nomic-embed", .3, {"embedding"}});
    m.pull({"mistral:7b", 4.1, {"chat", "reasoning", "summarization", "classification"}});
    return m;
}

void check_usage(const ModelManager& m, const std::vector<Usage>& expected) {
    const std::vector<Usage> report = m.usage();
    REQUIRE(report.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("line " << i << " of the report");
        CHECK(report[i].name == expected[i].name);
        CHECK(report[i].count == expected[i].count);
        CHECK_NEAR(report[i].percent, expected[i].percent, 1e-9);
    }
}

// Equal counts: by name.
const std::vector<Usage> unused = {{"codellama:7b", 0, 0},
                                   {"llama3.1:8b", 0, 0},
                                   {"mistral:7b", 0, 0},
                                   {"nomic-embed", 0, 0},
                                   {"phi3:3.8b", 0, 0}};

const char* const five =
    "llama3.1:8b 4.5 GB, phi3:3.8b 2.2, codellama:7b 3.8, nomic-embed .3, mistral:7b 4.1";

}  // namespace

TEST_CASE("the smallest model that can do it is chosen", "[ex10_2]") {
    ModelManager m = five_models();
    INFO("m: " << five);
    INFO("think about: smallest among all, or among those that can?");
    CHECK(m.find_best("chat").value_or("none") == "phi3:3.8b");
    CHECK(m.find_best("reasoning").value_or("none") == "mistral:7b");
    CHECK(m.find_best("embedding").value_or("none") == "nomic-embed");
}

TEST_CASE("five models take 14.9 GB and are listed by name", "[ex10_2]") {
    THINK("the sum of the sizes; names by the alphabet");
    INFO("m: " << five);
    const ModelManager m = five_models();
    CHECK_NEAR(m.total(), 14.9, 1e-9);
    std::vector<std::string> names;
    for (const ModelInfo& model : m.list()) names.push_back(model.name);
    CHECK(names == std::vector<std::string>{"codellama:7b", "llama3.1:8b", "mistral:7b",
                                            "nomic-embed", "phi3:3.8b"});
}

TEST_CASE("fifty queries: phi3 25, codellama 10, nomic-embed 8, mistral 7, llama3.1 none",
          "[ex10_2]") {
    ModelManager m = five_models();
    INFO("m: " << five);
    const std::vector<std::pair<std::string, int>> queries = {
        {"chat", 15},     {"code", 10},         {"classification", 10},
        {"embedding", 8}, {"summarization", 4}, {"reasoning", 3}};
    for (const auto& [task, count] : queries)
        for (int i = 0; i < count; ++i) m.find_best(task);
    INFO("think about: a model that was never asked is in the report too");
    check_usage(m, {{"phi3:3.8b", 25, 50},
                    {"codellama:7b", 10, 20},
                    {"nomic-embed", 8, 16},
                    {"mistral:7b", 7, 14},
                    {"llama3.1:8b", 0, 0}});
}

TEST_CASE("a task that nobody can do gives none and is not noted", "[ex10_2]") {
    ModelManager m = five_models();
    INFO("m: " << five);
    CHECK(m.find_best("translation").value_or("none") == "none");
    INFO("think about: what does the report count, questions or uses of a model?");
    check_usage(m, unused);
    m.find_best("chat");
    CHECK_NEAR(m.usage()[0].percent, 100, 1e-9);
}

TEST_CASE("an empty manager has an empty report, no models and no size", "[ex10_2]") {
    THINK("nothing to count is no error");
    ModelManager m;
    CHECK(m.usage().size() == 0);
    CHECK(m.list().size() == 0);
    CHECK(m.total() == 0);
    CHECK(m.find_best("chat").value_or("none") == "none");
    CHECK(m.usage().size() == 0);
}

TEST_CASE("a report without uses has percentages of zero, not NaN", "[ex10_2]") {
    INFO("m: " << five);
    INFO("think about: 0 of 0");
    check_usage(five_models(), unused);
}

TEST_CASE("removing says whether the model was there", "[ex10_2]") {
    THINK("true only when something was there");
    ModelManager m = five_models();
    INFO("m: " << five);
    CHECK(m.remove("phi3:3.8b"));
    CHECK_FALSE(m.remove("phi3:3.8b"));
    CHECK_FALSE(m.remove("phi3"));
    CHECK(m.list().size() == 4);
    CHECK(m.find_best("chat").value_or("none") == "codellama:7b");
}

TEST_CASE("what a removed model did stays in the report", "[ex10_2]") {
    THINK("what was counted was counted; what never was used is gone");
    ModelManager m = five_models();
    INFO("m: " << five);
    m.find_best("embedding");
    m.find_best("code");
    m.remove("nomic-embed");
    m.remove("llama3.1:8b");
    // llama3.1 was never used and is gone.
    check_usage(m, {{"codellama:7b", 1, 50},
                    {"nomic-embed", 1, 50},
                    {"mistral:7b", 0, 0},
                    {"phi3:3.8b", 0, 0}});
}

TEST_CASE("pulling again replaces, and keeps the count", "[ex10_2]") {
    THINK("a model of the same name is replaced; its uses are kept");
    ModelManager m = five_models();
    INFO("m: " << five);
    m.find_best("chat");
    m.pull({"phi3:3.8b", 7.9, {"classification"}});
    CHECK(m.list().size() == 5);
    CHECK_NEAR(m.total(), 14.9 - 2.2 + 7.9, 1e-9);
    CHECK(m.find_best("chat").value_or("none") == "codellama:7b");
    CHECK(m.find_best("classification").value_or("none") == "mistral:7b");
    for (const Usage& u : m.usage())
        if (u.name == "phi3:3.8b") CHECK(u.count == 1);
}

TEST_CASE("bad models are refused and change nothing", "[ex10_2]") {
    THINK("check everything before anything is changed; NaN is not above 0");
    ModelManager m = five_models();
    INFO("m: " << five);
    CHECK_THROWS_AS(m.pull({"", 1, {"chat"}}), Error);
    for (const double size : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        INFO("a size of " << size);
        CHECK_THROWS_AS(m.pull({"phi3:3.8b", size, {"chat"}}), Error);
    }
    CHECK_NEAR(m.total(), 14.9, 1e-9);
}

TEST_CASE("of equal sizes the first name wins, in whichever order they came", "[ex10_2]") {
    THINK("smaller first, of equal ones the name that comes first in the alphabet");
    Rng rng(11);
    for (int round = 0; round < 50; ++round) {
        ModelManager m;
        std::string expected;
        double smallest = 1e9;
        for (int i = 0; i < 8; ++i) {
            const ModelInfo model{
                std::string(1, static_cast<char>('a' + rng.below(26))) + std::to_string(i),
                1 + static_cast<double>(rng.below(3)),
                {rng.below(2) ? "x" : "y"}};
            m.pull(model);
            if (!model.can("x")) continue;
            if (model.gigabytes < smallest ||
                (model.gigabytes == smallest && model.name < expected)) {
                expected = model.name;
                smallest = model.gigabytes;
            }
        }
        INFO("eight models for x or y, of 1, 2 or 3 GB");
        CHECK(m.find_best("x").value_or("") == expected);
    }
}

TEST_CASE("a model that was used and removed is not there to be removed", "[ex10_2]") {
    ModelManager manager;
    manager.pull({"a", 1, {"chat"}});
    manager.find_best("chat");
    CHECK(manager.remove("a"));
    CHECK_FALSE(manager.remove("a"));
    INFO("think about: what was used stays in the report");
    check_usage(manager, {{"a", 1, 100}});
}

TEST_CASE("percentages have fractions", "[ex10_2]") {
    ModelManager manager;
    manager.pull({"a", 1, {"chat"}});
    manager.pull({"b", 2, {"code"}});
    for (const char* task : {"chat", "code", "chat"}) manager.find_best(task);
    check_usage(manager, {{"a", 2, 200 / 3.0}, {"b", 1, 100 / 3.0}});
}
