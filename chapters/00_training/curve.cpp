#include <algorithm>
#include <cmath>
#include <cstdio>

#include "export.hpp"

namespace tbt {
namespace {

std::string format(const char* pattern, double a, double b = 0, double c = 0, double d = 0) {
    char text[256];
    std::snprintf(text, sizeof text, pattern, a, b, c, d);
    return text;
}

// From data to the picture: tokens linear from left to right, bits per byte on a logarithmic scale.
struct Frame {
    static constexpr double left = 70, right = 740, top = 50, bottom = 370;
    double most_tokens, low, high;

    double x(double tokens) const { return left + (right - left) * tokens / most_tokens; }
    double y(double bits) const {
        return bottom - (bottom - top) * (std::log(std::clamp(bits, low, high)) - std::log(low)) / (std::log(high) - std::log(low));
    }
};

std::string line(const std::vector<std::pair<double, double>>& points, const Frame& frame, const char* colour) {
    std::string path = "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + std::string(colour) + "\" points=\"";
    for (const auto& [tokens, bits] : points) path += format("%.1f,%.1f ", frame.x(tokens), frame.y(bits));
    return path + "\"/>\n";
}

std::string text(double x, double y, const std::string& content, const char* extra = "") {
    return format("<text x=\"%.1f\" y=\"%.1f\" ", x, y) + extra + ">" + content + "</text>\n";
}

}  // namespace

std::string curve_csv(const std::vector<CurvePoint>& curve, const std::vector<std::string>& genres) {
    std::string csv = "step,tokens,seconds,learning_rate,training,validation";
    for (const std::string& genre : genres) csv += "," + genre;
    csv += '\n';
    for (const CurvePoint& p : curve) {
        csv += std::to_string(p.step) + "," + std::to_string(p.tokens) + format(",%.1f,%.6g,%.5f", p.seconds, p.learning_rate, p.bits_per_byte);
        for (std::size_t i = 0; i <= genres.size(); ++i) csv += i < p.validation.size() ? format(",%.5f", p.validation[i]) : ",";
        csv += '\n';
    }
    return csv;
}

std::string curve_svg(const std::vector<CurvePoint>& curve, double floor, const std::string& title) {
    std::vector<std::pair<double, double>> training, validation;
    for (const CurvePoint& p : curve) {
        const auto tokens = static_cast<double>(p.tokens);
        if (p.bits_per_byte > 0) training.emplace_back(tokens, p.bits_per_byte);
        if (!p.validation.empty()) validation.emplace_back(tokens, p.validation[0]);
    }
    Frame frame{1, floor > 0 ? floor * 0.9 : 0.1, 1};
    for (const auto* points : {&training, &validation}) {
        for (const auto& [tokens, bits] : *points) {
            frame.most_tokens = std::max(frame.most_tokens, tokens);
            frame.high = std::max(frame.high, bits);
        }
    }
    std::string svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 430\" font-family=\"sans-serif\" font-size=\"13\">\n"
        "<rect width=\"800\" height=\"430\" fill=\"white\"/>\n";
    svg += text(Frame::left, 28, title, "font-size=\"16\"");
    for (const double bits : {0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        if (bits < frame.low || bits > frame.high) continue;
        svg += format("<line x1=\"70\" x2=\"740\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", frame.y(bits), frame.y(bits));
        svg += text(62, frame.y(bits) + 4, format("%g", bits), "text-anchor=\"end\"");
    }
    for (int i = 0; i <= 4; ++i) {
        const double tokens = frame.most_tokens * i / 4;
        svg += text(frame.x(tokens), 390, format("%.1fM", tokens / 1e6), "text-anchor=\"middle\"");
    }
    svg += text(405, 415, "tokens", "text-anchor=\"middle\"");
    svg += text(18, 210, "bits per byte", "text-anchor=\"middle\" transform=\"rotate(-90 18 210)\"");
    if (floor > 0) {
        svg += format("<line x1=\"70\" x2=\"740\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#444\" stroke-dasharray=\"6 4\"/>\n", frame.y(floor), frame.y(floor));
        svg += text(738, frame.y(floor) - 6, format("entropy floor %.3f", floor), "text-anchor=\"end\"");
    }
    svg += line(training, frame, "#9bbcdc") + line(validation, frame, "#c03028");
    svg += text(738, 66, "training", "text-anchor=\"end\" fill=\"#6a94bd\"");
    svg += text(738, 84, "held out", "text-anchor=\"end\" fill=\"#c03028\"");
    return svg + "</svg>\n";
}

}  // namespace tbt
