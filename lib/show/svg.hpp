// Writes charts as SVG files, for the figures of the lessons. They are 720 pixels wide and readable
// on light and dark pages.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tbt {

// Horizontal bars, with the label on the left and the value at the end of the bar.
struct BarChart {
    struct Bar {
        std::string label;
        double value = 0;
        int colour = 0;  // index into the palette
    };
    std::string title, value_label;
    std::vector<Bar> bars;
    int decimals = 3;  // digits after the point in printed values
};

// Lines (or points) against a common x axis.
struct LineChart {
    struct Series {
        std::string name;
        std::vector<std::pair<double, double>> points;
        bool dashed = false;
        bool dots = false;   // points instead of a line
        bool marks = false;  // a small point at each corner of the line
    };
    std::string title, x_label, y_label;
    std::vector<Series> series;
    bool log_x = false, log_y = false;  // logarithmic axes; the labels say so
    bool y_from_zero = true;
};

// Write a chart to a file, atomically. Throw Error if the file cannot be written.
void write_svg(const std::string& file, const BarChart& chart);
void write_svg(const std::string& file, const LineChart& chart);
// For other pictures: writes the SVG elements as a picture of this size without a background. The
// title is what a screen reader says and what the pointer shows.
void write_svg(const std::string& file, const std::string& title, int width, int height,
               const std::string& elements);

// SVG elements for such pictures.
std::string svg_text(double x, double y, const std::string& text,
                     const std::string& anchor = "start", int size = 13,
                     const std::string& extra = "");
std::string svg_rect(double x, double y, double width, double height, const std::string& fill,
                     const std::string& extra = "");
std::string svg_line(double x1, double y1, double x2, double y2, const std::string& stroke,
                     const std::string& extra = "");
const std::string& svg_colour(
    int index);  // from a palette of eight that people with colour blindness can tell apart
inline const std::string svg_grey =
    "#7f7f7f";  // for axes and secondary text, on light and dark pages

}  // namespace tbt
