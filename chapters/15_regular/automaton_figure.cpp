#include "chapters/15_regular/automaton_figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "chapters/15_regular/plain_derivative.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

constexpr double radius = 22;

struct Point {
    double x, y;
};

// An SVG element, from a printf format and its numbers.
template <class... Numbers>
std::string element(const char* form, Numbers... numbers) {
    char text[400];
    std::snprintf(text, sizeof text, form, numbers...);
    return text;
}

constexpr const char* stroke =
    "fill=\"none\" stroke=\"#7f7f7f\" stroke-width=\"1.5\" marker-end=\"url(#tip)\"";

std::string label_at(double x, double y, const std::string& label, int size) {
    return svg_text(x, y, label, "middle", size, "font-family=\"monospace\"");
}

// An arrow from one circle to another, bent around the circles between them.
std::string arrow(Point from, Point to, double bend, const std::string& label) {
    const Point middle{(from.x + to.x) / 2, (from.y + to.y) / 2 + bend};
    const auto edge_of = [](Point p, Point towards) {
        const double dx = towards.x - p.x, dy = towards.y - p.y, length = std::hypot(dx, dy);
        return Point{p.x + dx / length * (radius + 2), p.y + dy / length * (radius + 2)};
    };
    const Point a = edge_of(from, middle), b = edge_of(to, middle);
    return element("<path d=\"M%.1f %.1f Q%.1f %.1f %.1f %.1f\" %s/>\n", a.x, a.y, middle.x,
                   middle.y, b.x, b.y, stroke) +
           label_at(middle.x, (a.y + b.y) / 4 + middle.y / 2 - 7, label, 13);
}

std::string loop(Point at, const std::string& label) {
    const double top = at.y - radius;
    return element("<path d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f\" %s/>\n", at.x - 12,
                   top + 1, at.x - 34, top - 42, at.x + 34, top - 42, at.x + 13, top - 1, stroke) +
           label_at(at.x, top - 38, label, 13);
}

std::string circle(Point at, double r) {
    const char* const colour = svg_colour(0).c_str();
    return element(
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" fill-opacity=\"0.2\" "
        "stroke=\"%s\"/>\n",
        at.x, at.y, r, colour, colour);
}

// The column of each state: the most steps that lead to it, counting only steps to later states.
std::vector<std::size_t> columns_of(const PlainAutomaton& automaton) {
    std::vector<std::size_t> column(automaton.states.size(), 0);
    for (std::size_t i = 0; i < automaton.states.size(); ++i) {
        for (const PlainAutomaton::Edge& e : automaton.states[i].edges)
            if (e.to > i) column[e.to] = std::max(column[e.to], column[i] + 1);
    }
    return column;
}

}  // namespace

void write_automaton(const std::string& file, const PlainAutomaton& automaton,
                     const std::string& title) {
    const std::vector<std::size_t> column = columns_of(automaton);
    const std::size_t last = *std::max_element(column.begin(), column.end());
    std::vector<std::size_t> size(last + 1, 0), placed(last + 1, 0);
    for (const std::size_t c : column) ++size[c];
    const double tall = 130 * static_cast<double>(*std::max_element(size.begin(), size.end()));
    std::vector<Point> at;
    for (const std::size_t c : column) {
        const double step = tall / static_cast<double>(size[c]);
        at.push_back({90 + 240 * static_cast<double>(c),
                      60 + (static_cast<double>(placed[c]++) + 0.5) * step});
    }
    std::string arrows, circles;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const PlainAutomaton::State& state = automaton.states[i];
        circles += circle(at[i], radius) + (may_be_empty(state.rest) ? circle(at[i], 17) : "") +
                   svg_text(at[i].x, at[i].y + 5, std::to_string(i), "middle", 14) +
                   label_at(at[i].x, at[i].y + radius + 18,
                            state.rest.name.empty() ? "the end" : visible(state.rest.name), 11);
        for (const PlainAutomaton::Edge& e : state.edges) {
            const bool far = column[e.to] > column[i] + 1, back = column[e.to] <= column[i];
            const double bend = back ? 70 : !far ? 0 : at[e.to].y < at[i].y ? -60 : 60;
            arrows += e.to == i ? loop(at[i], e.on) : arrow(at[i], at[e.to], bend, e.on);
        }
    }
    const char* const tip =
        "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" "
        "fill=\"#7f7f7f\"/></marker></defs>\n";
    write_svg(file, title, 180 + 240 * static_cast<int>(last), static_cast<int>(tall) + 70,
              svg_text(20, 24, title, "start", 14) + tip + arrows + circles);
}

}  // namespace tbt
