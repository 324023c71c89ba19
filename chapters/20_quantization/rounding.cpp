#include "chapters/20_quantization/rounding.hpp"

#include <algorithm>
#include <cmath>

#include "chapters/20_quantization/plain_quantize.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/math.hpp"

namespace tbt {

namespace {

// Rounds the `count` elements first, first + step, … of the matrix, which share a scale.
void round_share(const float* from, float* to, std::int64_t first, std::int64_t step,
                 std::int64_t count, int bits) {
    std::vector<float> share;
    for (std::int64_t i = 0; i < count; ++i) share.push_back(from[first + i * step]);
    const std::vector<float> back = restored(quantize(share, bits));
    for (std::int64_t i = 0; i < count; ++i) to[first + i * step] = back[index(i)];
}

void check_rounding(const Rounding& how) {
    if (how.bits < 2 || how.bits > 8 || how.group < 1)
        throw Error("rounding: got " + std::to_string(how.bits) + " bits and groups of " +
                    std::to_string(how.group) + ", expected 2 to 8 and 1 or more");
}

}  // namespace

Tensor rounded(const Tensor& w, const Rounding& how, bool embedding) {
    if (w.shape().size() != 2)
        throw Error("rounding: got shape " + to_string(w.shape()) + ", expected a matrix");
    check_rounding(how);
    Tensor result(w.shape());
    const std::int64_t rows = w.dim(0), columns = w.dim(1);
    if (how.share == Rounding::Share::matrix) {
        round_share(w.data(), result.data(), 0, 1, w.size(), how.bits);
        return result;
    }
    // A line is a column of a matrix, or a row of an embedding.
    const std::int64_t lines = embedding ? rows : columns, length = embedding ? columns : rows;
    const std::int64_t step = embedding ? 1 : columns;
    const std::int64_t share = how.share == Rounding::Share::group ? how.group : length;
    for (std::int64_t line = 0; line < lines; ++line)
        for (std::int64_t k = 0; k < length; k += share)
            round_share(w.data(), result.data(), (embedding ? line * columns : line) + k * step,
                        step, std::min(share, length - k), how.bits);
    return result;
}

double signal_to_noise(const Tensor& w, const Tensor& restored) {
    if (restored.shape() != w.shape())
        throw Error("rounding: restored has shape " + to_string(restored.shape()) + ", expected " +
                    to_string(w.shape()));
    double signal = 0, noise = 0;
    for (std::int64_t i = 0; i < w.size(); ++i) {
        const double a = static_cast<double>(w.data()[i]);
        const double error = a - static_cast<double>(restored.data()[i]);
        signal += a * a, noise += error * error;
    }
    return 10 * portable_log(signal / noise) / portable_log(10);
}

double bits_of(const Rounding& how, std::int64_t rows, std::int64_t columns) {
    check_rounding(how);
    check_at_least("rounding: rows", rows, 1), check_at_least("rounding: columns", columns, 1);
    const auto all = static_cast<double>(rows * columns);
    const double share = how.share == Rounding::Share::matrix   ? all
                         : how.share == Rounding::Share::column ? static_cast<double>(rows)
                                                                : how.group;
    return how.bits + 16 / share;
}

}  // namespace tbt
