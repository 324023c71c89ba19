// Charts as SVG files: the figures of the lessons. Readable on light and dark
// pages, 720 pixels wide.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tbt {

// Horizontal bars with a label on the left and the value after the bar.
struct BarChart {
    struct Bar {
        std::string label;
        double value = 0;
        int colour = 0;  // index into the palette
    };
    std::string title, value_label;
    std::vector<Bar> bars;
    int decimals = 3;  // of the printed values
};

// Lines (or points) over a common x axis.
struct LineChart {
    struct Series {
        std::string name;
        std::vector<std::pair<double, double>> points;
        bool dashed = false;
        bool dots = false;  // points instead of a line
    };
    std::string title, x_label, y_label;
    std::vector<Series> series;
    bool log_x = false, log_y = false;  // said after the labels
    bool y_from_zero = true;
};

// Written beside and renamed. Throws Error when the file cannot be written.
void write_svg(const std::string& file, const BarChart& chart);
void write_svg(const std::string& file, const LineChart& chart);
// For pictures of another kind: puts a background-neutral frame of the given size
// around SVG elements. The title is what a screen reader says and a pointer shows.
void write_svg(const std::string& file, const std::string& title, int width, int height,
               const std::string& elements);

// Building stones for such pictures.
std::string svg_text(double x, double y, const std::string& text,
                     const std::string& anchor = "start", int size = 13,
                     const std::string& extra = "");
std::string svg_rect(double x, double y, double width, double height, const std::string& fill,
                     const std::string& extra = "");
std::string svg_line(double x1, double y1, double x2, double y2, const std::string& stroke,
                     const std::string& extra = "");
const std::string& svg_colour(
    int index);  // a palette of eight, distinguishable also without colour vision
inline const std::string svg_grey =
    "#7f7f7f";  // axes and secondary text, fits light and dark pages

}  // namespace tbt
