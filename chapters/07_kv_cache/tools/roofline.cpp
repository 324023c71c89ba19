#include "chapters/07_kv_cache/tools/roofline.hpp"

#include <algorithm>
#include <cstdio>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"

namespace tbt {

namespace {

const Json& section(const Json& json, const std::string& file, const char* name) {
    static const Json none;
    const Json& sections = json.is_object() && json.contains("sections") ? json["sections"] : none;
    if (!sections.is_object() || !sections.contains(name) || !sections[name].is_array()) {
        throw Error(file + ": has no section \"" + name +
                    "\"; make it with: build/bench --only limits,matmul --json " + file);
    }
    return sections[name];
}

double number(const Json& row, const char* key) {
    return row.contains(key) && row[key].is_number() ? row[key].get<double>() : 0;
}

std::string text(const Json& row, const char* key) {
    return row.contains(key) && row[key].is_string() ? row[key].get<std::string>() : "";
}

// Parses a name such as "512×768×3072", "1×768×50257 f16" or "192ᵀ×4096×192".
bool read_shape(std::string name, Product& product) {
    if (const std::size_t at = name.find("ᵀ"); at != std::string::npos)
        name.erase(at, std::string("ᵀ").size());
    if (std::sscanf(name.c_str(), "%lf×%lf×%lf", &product.m, &product.k, &product.n) != 3)
        return false;
    if (name.find("f16") != std::string::npos) product.weight_bytes = 2;
    return true;
}

}  // namespace

double Roofline::limit(double intensity, const Slope& slope) const {
    return std::min(peak, intensity * slope.gigabytes);
}

Roofline read_roofline(const std::string& file, int threads) {
    const Json json = read_json(file);
    const Json &limits = section(json, file, "limits"), &products = section(json, file, "matmul");
    Roofline result;
    result.threads = threads;
    for (const Json& row : limits) {
        if (threads == 0) result.threads = std::max(result.threads, number(row, "threads"));
    }
    for (const Json& row : limits) {
        if (number(row, "threads") != result.threads) continue;
        const std::string name = text(row, "limit");
        if (name == "fused multiply-add") result.peak = number(row, "figure");
        if (name.starts_with("read "))
            result.slopes.push_back({name.substr(5), number(row, "figure")});
    }
    for (const Json& row : products) {
        Product product;
        product.microseconds = number(row, "µs");
        if (number(row, "threads") != result.threads || product.microseconds <= 0) continue;
        if (read_shape(text(row, "M×K×N"), product)) result.products.push_back(product);
    }
    if (result.peak <= 0 || result.slopes.empty() || result.products.empty()) {
        throw Error(file + ": has no figures for " +
                    std::to_string(static_cast<int>(result.threads)) +
                    " threads; choose another number");
    }
    return result;
}

LineChart chart_of(const Roofline& roofline) {
    LineChart chart;
    chart.title = "Where the time goes: matrix products under the machine's limits";
    chart.x_label = "operations per byte moved";
    chart.y_label = "GF/s";
    chart.log_x = chart.log_y = true;
    double drawn = 0;
    for (const Slope& slope : roofline.slopes) {
        // Skip a slope that nearly coincides with the one before.
        const bool last = &slope == &roofline.slopes.back();
        if (drawn > 0 && !last && slope.gigabytes * 1.35 > drawn) continue;
        drawn = slope.gigabytes;
        LineChart::Series roof{"reading " + slope.name, {}, true};
        const double corner = roofline.peak / slope.gigabytes;
        for (const double x : {0.3, corner, 1000.0})
            roof.points.emplace_back(x, roofline.limit(x, slope));
        chart.series.push_back(std::move(roof));
    }
    const struct {
        const char* name;
        double least, most;
    } groups[] = {{"one row: decoding", 1, 1},
                  {"2 to 8 rows: a draft verified", 2, 8},
                  {"more rows: a prompt, training", 9, 1e9}};
    for (const auto& group : groups) {
        LineChart::Series dots{group.name, {}, false, true};
        for (const Product& p : roofline.products) {
            if (p.m >= group.least && p.m <= group.most)
                dots.points.emplace_back(p.intensity(), p.gigaflops());
        }
        if (!dots.points.empty()) chart.series.push_back(std::move(dots));
    }
    return chart;
}

}  // namespace tbt
