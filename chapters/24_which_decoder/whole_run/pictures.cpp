#include "chapters/24_which_decoder/whole_run/pictures.hpp"

#include <algorithm>
#include <cmath>

#include "chapters/24_which_decoder/plain_measures.hpp"
#include "chapters/24_which_decoder/whole_run/summaries.hpp"
#include "lib/show/svg.hpp"

namespace tbt {

namespace {

bool is_shown(const std::string& decoder) {
    for (const char* name : {"temperature", "top-k", "top-p", "min-p", "typical-p", "epsilon"})
        if (decoder == name) return true;
    return false;
}

}  // namespace

void write_frontier(const std::string& file, const std::vector<Measured>& rows,
                    const std::string& model, bool against_diversity) {
    LineChart chart;
    chart.title = against_diversity ? "Wrong texts against varied ones: " + model
                                    : "Wrong texts against true texts lost: " + model;
    chart.x_label = against_diversity ? "distinct runs of four words, %" : "true texts lost, %";
    chart.y_label = "texts that are wrong, %";
    std::vector<Summary> all = summaries(rows, model);
    LineChart::Series truth{"the truth", {}, false, true, false};
    for (const Summary& s : all)
        if (s.name() == "the truth") truth.points.emplace_back(100 * s.distinct, 0);
    std::erase_if(all, [](const Summary& s) { return std::isnan(s.divergence.mean); });
    std::vector<std::pair<double, double>> points;  // both better when smaller
    for (const Summary& s : all)
        points.emplace_back(against_diversity ? -100 * s.distinct : 100 * s.lost,
                            100 * (1 - s.valid));
    const std::vector<bool> on = plain_frontier(points);
    LineChart::Series frontier{"frontier", {}, true, false, false};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::pair at{std::abs(points[i].first), points[i].second};
        if (on[i]) frontier.points.push_back(at);
        if (all[i].value.find("T ") != std::string::npos || !is_shown(all[i].decoder)) continue;
        auto series = std::ranges::find(chart.series, all[i].decoder, &LineChart::Series::name);
        if (series == chart.series.end())
            series =
                chart.series.insert(chart.series.end(), {all[i].decoder, {}, false, false, true});
        series->points.push_back(at);
    }
    std::ranges::sort(frontier.points);
    chart.series.push_back(frontier);
    if (against_diversity && !truth.points.empty()) chart.series.push_back(truth);
    write_svg(file, chart);
}

}  // namespace tbt
