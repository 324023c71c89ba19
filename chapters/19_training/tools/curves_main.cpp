// Draws the training curves of several models into one figure.
//
//   build/curves build/models/gpt2 build/models/llama --out curves.svg
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/svg.hpp"

using namespace tbt;

namespace {

// The columns "tokens" and "training" of a curve.csv (export.hpp), in millions and bits per byte.
LineChart::Series read_curve(const std::string& model) {
    const std::string path = join_path(model, "curve.csv");
    std::istringstream lines(read_file(path));
    std::string line;
    std::getline(lines, line);
    if (!line.starts_with("step,tokens,seconds,learning_rate,training,"))
        throw Error(path +
                    ": is not a curve of build/train; expected step,tokens,… in its first line");
    LineChart::Series series{std::filesystem::path(model).filename().string(), {}};
    while (std::getline(lines, line)) {
        std::vector<double> cells;
        std::istringstream row(line);
        for (std::string cell; cells.size() < 5 && std::getline(row, cell, ',');)
            cells.push_back(std::strtod(cell.c_str(), nullptr));
        if (cells.size() < 5) throw Error(path + ": a line has fewer than five cells: " + line);
        series.points.emplace_back(cells[1] / 1e6, cells[4]);
    }
    return series;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> models;
    std::string out, title = "Training";
    return run_program(
        argc, argv, "Draws the training curves of several models into one figure.",
        [&](CommandLine line) {
            line.option("models", models, "directories that build/train wrote").required();
            line.option("--out", out, "the SVG file to write").required();
            line.option("--title", title, "of the figure").shows_default();
        },
        [&] {
            LineChart chart;
            chart.title = title;
            chart.x_label = "million tokens";
            chart.y_label = "bits per byte, training";
            chart.log_y = true;
            chart.y_from_zero = false;
            for (const std::string& model : models) chart.series.push_back(read_curve(model));
            write_svg(out, chart);
        });
}
