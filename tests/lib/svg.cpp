// Charts: the ticks of their axes.
#include "tests/catch.hpp"

#include <regex>
#include <string>
#include <vector>

#include "lib/machine/files.hpp"
#include "lib/show/svg.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

// The numbers below a chart of these values.
std::vector<std::string> ticks(const std::vector<double>& values, bool logarithmic) {
    const test::TemporaryFolder folder;
    LineChart chart;
    chart.log_x = logarithmic;
    chart.series.emplace_back();
    for (const double x : values) chart.series[0].points.emplace_back(x, 1);
    write_svg(folder.file("f.svg"), chart);
    const std::string svg = read_file(folder.file("f.svg"));
    const std::regex number("text-anchor=\"middle\" font-size=\"12\" >([^<]*)<");
    return {std::sregex_token_iterator(svg.begin(), svg.end(), number, 1), {}};
}

}  // namespace

TEST_CASE("axes have round numbers: steps of 1, 2 or 5, and powers of ten if logarithmic",
          "[svg]") {
    using Texts = std::vector<std::string>;
    CHECK(ticks({0, 6}, false) == Texts{"0", "1", "2", "3", "4", "5", "6"});
    CHECK(ticks({-1, 10}, false) == Texts{"0", "2", "4", "6", "8", "10"});
    CHECK(ticks({3, 30}, false) == Texts{"5", "10", "15", "20", "25", "30"});
    CHECK(ticks({0, 0.05}, false) == Texts{"0", "0.01", "0.02", "0.03", "0.04", "0.05"});
    CHECK(ticks({-40, 15}, false) == Texts{"-40", "-30", "-20", "-10", "0", "10"});
    CHECK(ticks({1, 1000}, true) == Texts{"1", "10", "100", "1000"});
    CHECK(ticks({0.02, 50}, true) == Texts{"0.1", "1", "10"});
    CHECK(ticks({0, 5, 500}, true) == Texts{"10", "100"});  // 0 has no place there
}
