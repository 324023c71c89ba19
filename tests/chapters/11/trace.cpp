// A search as lines of JSON.
#include "tests/catch.hpp"

#include <sstream>
#include <string>
#include <vector>

#include "chapters/11_beam_search/options.hpp"
#include "chapters/11_beam_search/tools/report.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "tests/support/small_model.hpp"

using namespace tbt;

TEST_CASE("in a search's trace each token has its distribution, and no random number", "[ch11]") {
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
