// The roofline chart: each matrix product as a point under the two limits of a machine [Williams et
// al. 2009].
//
//   operations per second <= min(peak, intensity · bandwidth)
//   intensity: operations per byte read and written
//
// One row (decoding) does two operations for each weight that it reads, so its point is far left,
// under the slope of the memory. Many rows (reading a prompt) use each weight many times, so their
// point is far right, under the flat roof of the arithmetic.
#pragma once

#include <string>
#include <vector>

#include "lib/show/svg.hpp"

namespace tbt {

struct Product {
    double m = 0, k = 0, n = 0;  // x (M, K) · w (K, N)
    double weight_bytes = 4;     // bytes of one number of w
    double microseconds = 0;

    double operations() const { return 2 * m * k * n; }
    double bytes() const { return weight_bytes * k * n + 4 * m * (k + n); }
    double intensity() const { return operations() / bytes(); }
    double gigaflops() const { return operations() / microseconds * 1e-3; }
};

struct Slope {
    std::string name;      // "12 MB"
    double gigabytes = 0;  // per second
};

struct Roofline {
    double threads = 0;
    double peak = 0;  // gigaflops: 10^9 operations per second
    std::vector<Slope> slopes;
    std::vector<Product> products;

    double limit(double intensity, const Slope& slope) const;
};

// Reads the sections limits and matmul of a file from `build/bench --json FILE`, for this number of
// threads (0: the largest). Throws Error if they are missing.
Roofline read_roofline(const std::string& file, int threads);

LineChart chart_of(const Roofline& roofline);

}  // namespace tbt
