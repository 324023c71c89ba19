// Where the time goes: each matrix product as a point under the two limits of a machine
// [Williams et al. 2009].
//
//   operations a second <= min(peak, intensity · bandwidth)
//   intensity: operations per byte read and written
//
// One row (decoding) does two operations for each weight that it reads:
// far left, under the slope of the memory. Many rows (reading a prompt) use each weight many times:
// far right, under the flat roof of the arithmetic.
#pragma once

#include <string>
#include <vector>

#include "lib/show/svg.hpp"

namespace tbt {

struct Product {
    double m = 0, k = 0, n = 0;  // x (M, K) · w (K, N)
    double weight_bytes = 4;     // of one number of w
    double microseconds = 0;

    double operations() const { return 2 * m * k * n; }
    double bytes() const { return weight_bytes * k * n + 4 * m * (k + n); }
    double intensity() const { return operations() / bytes(); }
    double gigaflops() const { return operations() / microseconds * 1e-3; }
};

struct Slope {
    std::string name;      // "12 MB"
    double gigabytes = 0;  // a second
};

struct Roofline {
    double threads = 0;
    double peak = 0;  // gigaflops a second
    std::vector<Slope> slopes;
    std::vector<Product> products;

    double limit(double intensity, const Slope& slope) const;
};

// From the JSON of `build/bench --json FILE`: sections limits and matmul, at this number of threads
// (0: the largest). Throws Error when they are not there.
Roofline read_roofline(const std::string& file, int threads);

LineChart chart_of(const Roofline& roofline);

}  // namespace tbt
