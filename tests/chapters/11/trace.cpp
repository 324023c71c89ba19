// A search as lines of JSON, and what is printed of it.
#include "tests/catch.hpp"

#include <sstream>

#include "chapters/11_beam_search/options.hpp"
#include "chapters/11_beam_search/tools/report.hpp"
#include "chapters/11_beam_search/tools/tour.hpp"
#include "lib/json/json.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/small_model.hpp"

using namespace tbt;

TEST_CASE("in a search's trace each token has its distribution, and no random number") {
    Model model = small_model();
    BeamText found;
    found.ids = {3, 4, 5}, found.text = "x";
    std::istringstream lines(
        search_trace({}, model, {}, {}, {"a", {1, 2}}, {}, {found, found}, {}));
    int tokens = 0, results = 0;
    for (std::string line; std::getline(lines, line);) {
        const Json j = json_value(line);
        results += j.contains("result");
        if (!j.contains("u")) continue;
        CHECK(j["u"].is_null());
        ++tokens;
    }
    CHECK(tokens == 6);
    CHECK(results == 2);
}

namespace {

// A text of the tokens first, first + 1, …, which have these log-probabilities.
struct TextOfTree {
    int first;
    std::vector<float> values;

    BeamText text(double length_penalty) const {
        BeamText t;
        for (std::size_t i = 0; i < values.size(); ++i) {
            t.ids.push_back(first + static_cast<int>(i));
            t.sum += static_cast<double>(values[i]);
        }
        t.score = t.sum / std::pow(static_cast<double>(values.size()), length_penalty);
        return t;
    }
};

// What is printed where greedy decoding and the beams part at the first token.
std::string departure(const TextOfTree& greedy, const TextOfTree& best, double length_penalty = 1) {
    Model model = small_model();
    BeamRequest request;
    // Each token has the value that its text says, wherever the text is.
    request.processor = [&](std::span<float> row, std::span<const int>) {
        for (const TextOfTree& t : {greedy, best})
            for (std::size_t i = 0; i < t.values.size(); ++i) row[index(t.first) + i] = t.values[i];
    };
    return test::written_to(1, [&] {
        print_departure(model, request, {1}, greedy.text(length_penalty), best.text(length_penalty),
                        {});
    });
}

}  // namespace

TEST_CASE("why the beams' text is better: its sum, its length, or greedy's later tokens") {
    const auto says = [](const std::string& shown, const char* words) {
        return shown.find(words) != std::string::npos;
    };
    // Sums: -.51 -.615 -3.615 -6.615, and -1 -1.51 with the end; scores -1.65 and -.755.
    const std::string earlier = departure({10, {-.51f, -.105f, -3, -3}}, {20, {-1, -.51f}});
    CHECK(says(earlier, "The beams' text ends earlier: greedy's sum falls below it later."));
    CHECK_FALSE(says(earlier, "longer"));
    // -1 -2, and -1.1 -2.1 -2.2 with the end: scores -1 and -.733.
    CHECK(says(departure({10, {-1, -1}}, {20, {-1.1f, -1, -.1f}}),
               "The beams' text is longer, and the score divides the sum by the length."));
    // A negative length penalty: neither is the reason.
    CHECK(departure({10, {-.5f, -.1f, -.1f}}, {20, {-1, -.51f}}, -3).ends_with("\n\n"));
    CHECK(says(departure({10, {-1, -2}}, {20, {-1.1f, -.1f}}),
               "From token 2 on the beams' sum stays above greedy's."));
}
