#include "lib/show/svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

constexpr int chart_width = 720;

std::string number(double value, const char* format = "%.1f") {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else if (c == '&') out += "&amp;";
        else if (c == '"') out += "&quot;";
        else out += c;
    }
    return out;
}

// An axis: maps values low … high to pixels and has round ticks (powers of ten if logarithmic).
struct Axis {
    double low = 0, high = 1;
    bool logarithmic = false;
    double from = 0, to = 1;
    // Limits the loop in case that adding a step does not change the value, because of rounding.
    static constexpr std::size_t max_ticks = 700;

    double pixel(double value) const {
        const double t = logarithmic ? (std::log10(value) - std::log10(low)) /
                                           (std::log10(high) - std::log10(low))
                                     : (value - low) / (high - low);
        return from + t * (to - from);
    }
    std::vector<double> ticks() const {
        std::vector<double> values;
        if (logarithmic) {
            for (double v = std::pow(10.0, std::ceil(std::log10(low) - 1e-9));
                 v <= high * 1.0001 && values.size() < max_ticks; v *= 10)
                values.push_back(v);
            return values;
        }
        const double rough = (high - low) / 6,
                     power = std::pow(10.0, std::floor(std::log10(rough)));
        double step = 10 * power;
        for (const double nice : {1.0, 2.0, 5.0}) {
            if (nice * power >= rough) {
                step = nice * power;
                break;
            }
        }
        for (double v = std::ceil(low / step - 1e-9) * step;
             v <= high + step * 1e-6 && values.size() < max_ticks; v += step)
            values.push_back(std::abs(v) < step * 1e-6 ? 0 : v);
        return values;
    }
};

Axis axis_over(const LineChart& chart, bool x, bool logarithmic, bool from_zero) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const LineChart::Series& s : chart.series) {
        for (const auto& point : s.points) {
            const double v = x ? point.first : point.second;
            if (!std::isfinite(v) || (logarithmic && v <= 0)) continue;
            low = std::min(low, v), high = std::max(high, v);
        }
    }
    if (!(low <= high)) throw Error("figure \"" + chart.title + "\": there are no points to draw");
    if (from_zero && !logarithmic) low = std::min(low, 0.0);
    if (high <= low) high = low + (low == 0 ? 1 : std::abs(low));
    Axis axis{low, high, logarithmic, 0, 1};
    if (!logarithmic && !x) axis.high += (high - low) * 0.05;
    return axis;
}

}  // namespace

const std::string& svg_colour(int index) {
    // Okabe & Ito's palette for all kinds of colour vision.
    static const std::string colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                          "#E69F00", "#56B4E9", "#8c6d31", "#7f7f7f"};
    return colours[static_cast<std::size_t>(index) % 8];
}

std::string svg_text(double x, double y, const std::string& text, const std::string& anchor,
                     int size, const std::string& extra) {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor +
           "\" font-size=\"" + std::to_string(size) + "\" " + extra + ">" + escaped(text) +
           "</text>\n";
}

std::string svg_rect(double x, double y, double width, double height, const std::string& fill,
                     const std::string& extra) {
    return "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) +
           "\" height=\"" + number(height) + "\" fill=\"" + fill + "\" " + extra + "/>\n";
}

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& stroke,
                     const std::string& extra) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
           "\" y2=\"" + number(y2) + "\" stroke=\"" + stroke + "\" " + extra + "/>\n";
}

void write_svg(const std::string& file, const std::string& title, int width, int height,
               const std::string& elements) {
    const std::string w = std::to_string(width), h = std::to_string(height);
    // Text has the page's text colour if the viewer provides it, otherwise a grey that is readable
    // on light and dark pages.
    write_file(file,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + w + " " + h +
                   "\" width=\"" + w + "\" height=\"" + h +
                   "\" font-family=\"Helvetica, Arial, sans-serif\">\n<title>" + escaped(title) +
                   "</title>\n" +
                   "<style>text{fill:#333} @media (prefers-color-scheme: dark){text{fill:#ccc} "
                   ".paper{fill:#161b22}}</style>\n"
                   "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
                   elements + "</svg>\n");
}

void write_svg(const std::string& file, const BarChart& chart) {
    if (chart.bars.empty())
        throw Error("figure \"" + chart.title + "\": there are no bars to draw");
    constexpr int top = 50, row = 26, left = 150, right = 80;
    double largest = 0;
    for (const auto& b : chart.bars) largest = std::max(largest, b.value);
    const double scale = largest > 0 ? (chart_width - left - right) / largest : 0;
    std::string out = svg_text(20, 28, chart.title, "start", 16, "font-weight=\"bold\"");
    double y = top;
    for (const auto& b : chart.bars) {
        out += svg_text(left - 10, y + 16, b.label, "end");
        out += svg_rect(left, y + 3, std::max(1.0, b.value * scale), row - 8, svg_colour(b.colour),
                        "rx=\"2\"");
        out += svg_text(
            left + b.value * scale + 8, y + 16,
            number(b.value,
                   ("%." + std::to_string(std::clamp(chart.decimals, 0, 12)) + "f").c_str()),
            "start", 12);
        y += row;
    }
    if (!chart.value_label.empty()) out += svg_text(left, y + 18, chart.value_label, "start", 12);
    write_svg(file, chart.title, chart_width, static_cast<int>(y) + 32, out);
}

std::string axis_label(const std::string& label, bool logarithmic) {
    return logarithmic ? label + " (logarithmic)" : label;
}

// Adds the legend, the names of the lines with their colours, in rows between the title and the
// plot, where no line can cross it. Returns its height in pixels.
int add_legend(const LineChart& chart, int left, std::string& out) {
    if (chart.series.size() == 1 && chart.series[0].name.empty()) return 0;
    constexpr int first_row = 50, row = 20;
    double x = left, y = first_row;
    int index = 0;
    for (const LineChart::Series& s : chart.series) {
        const double width = 24 + 7.0 * columns(s.name) + 22;
        if (x > left && x + width > chart_width) x = left, y += row;
        out += svg_rect(x, y - 6, 18, 4, svg_colour(index++));
        out += svg_text(x + 24, y, s.name, "start", 12);
        x += width;
    }
    return static_cast<int>(y) - first_row + row;
}

void write_svg(const std::string& file, const LineChart& chart) {
    std::string legend;
    constexpr int left = 70, right = 20, bottom = 60, plot = 310;
    const int top = 56 + add_legend(chart, left, legend), height = top + plot + bottom;
    Axis x = axis_over(chart, true, chart.log_x, false),
         y = axis_over(chart, false, chart.log_y, chart.y_from_zero);
    x.from = left, x.to = chart_width - right, y.from = height - bottom, y.to = top;
    std::string out = svg_text(20, 28, chart.title, "start", 16, "font-weight=\"bold\"") + legend;
    for (const double v : y.ticks()) {
        out += svg_line(left, y.pixel(v), chart_width - right, y.pixel(v), svg_grey,
                        "stroke-opacity=\"0.25\"");
        out += svg_text(left - 8, y.pixel(v) + 4, number(v, "%.5g"), "end", 12);
    }
    for (const double v : x.ticks()) {
        out += svg_line(x.pixel(v), height - bottom, x.pixel(v), height - bottom + 5, svg_grey);
        out += svg_text(x.pixel(v), height - bottom + 20, number(v, "%.6g"), "middle", 12);
    }
    out += svg_line(left, height - bottom, chart_width - right, height - bottom, svg_grey);
    out += svg_text((left + chart_width - right) / 2.0, height - 18,
                    axis_label(chart.x_label, chart.log_x), "middle");
    out += svg_text(left, top - 8, axis_label(chart.y_label, chart.log_y), "start", 12);
    int index = 0;
    for (const LineChart::Series& s : chart.series) {
        const std::string& colour = svg_colour(index);
        std::string path;
        for (const auto& [px, py] : s.points) {
            if (!std::isfinite(px) || !std::isfinite(py) || (chart.log_x && px <= 0) ||
                (chart.log_y && py <= 0))
                continue;
            const std::string at = number(x.pixel(px), "%.2f") + " " + number(y.pixel(py), "%.2f");
            if (s.dots || s.marks)
                out += "<circle cx=\"" + number(x.pixel(px), "%.2f") + "\" cy=\"" +
                       number(y.pixel(py), "%.2f") + "\" r=\"" + (s.dots ? "4" : "3") +
                       "\" fill=\"" + colour + "\"/>\n";
            if (!s.dots) path += (path.empty() ? "M" : "L") + at;
        }
        if (!path.empty()) {
            out += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour +
                   "\" stroke-width=\"2\"" + (s.dashed ? " stroke-dasharray=\"6 4\"" : "") + "/>\n";
        }
        ++index;
    }
    write_svg(file, chart.title, chart_width, height, out);
}

}  // namespace tbt
