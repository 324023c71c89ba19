#include "lib/model/int8_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/threads.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {
namespace {

// The least number, or 0. On all threads: it is the first to read the pages of the file.
std::int8_t least_of(std::span<const std::int8_t> q) {
    std::vector<std::int8_t> least(index(default_threads()));
    run_team(default_threads(), [&](const Worker& worker) {
        const Range part = worker.share(length_of(q), 4096);
        std::int8_t here = 0;  // without looking where: in vectors
        for (std::int64_t i = part.begin; i < part.end; ++i) here = std::min(here, q[index(i)]);
        least[index(worker.rank)] = here;
    });
    return *std::min_element(least.begin(), least.end());
}

}  // namespace

// Each row of these is a column of the output matrix.
bool scaled_by_rows(const std::string& weight) {
    return weight.ends_with("wte.weight") || weight.ends_with("lm_head.weight");
}

std::string scale_name(const std::string& weight) { return weight + "_scale"; }

std::int64_t scale_count(const std::string& weight, const Shape& shape) {
    if (shape.size() != 2)
        throw Error("tensor \"" + weight + "\" of shape " + to_string(shape) +
                    " is of I8, expected matrices only in 8 bits");
    return shape[scaled_by_rows(weight) ? 0 : 1];
}

std::span<const std::int8_t> read_int8(const TensorView& view, const std::string& weight,
                                       const Tensor& scales) {
    const auto fail = [&](const std::string& what) {
        throw Error(view.file + ": tensor \"" + weight + "\": " + what);
    };
    if (length_of(view.bytes) != element_count(view.shape) ||
        scales.size() != scale_count(weight, view.shape))
        fail("has shape " + to_string(view.shape) + ", and " + std::to_string(scales.size()) +
             " scales");
    for (std::int64_t i = 0; i < scales.size(); ++i) {
        const float s = scales.data()[i];
        if (!(s >= 0) || !std::isfinite(s))
            fail("scale " + std::to_string(i) + " is " + short_number(static_cast<double>(s)) +
                 ", expected a finite number of 0 or more");
    }
    const std::span q(reinterpret_cast<const std::int8_t*>(view.bytes.data()), view.bytes.size());
    if (least_of(q) == -128)
        fail("number " +
             std::to_string(std::find(q.begin(), q.end(), std::int8_t{-128}) - q.begin()) +
             " is -128, expected -127 to 127");
    return q;
}

void restore_int8(const TensorView& view, const std::string& weight, const Tensor& scales,
                  std::span<float> values) {
    const std::span<const std::int8_t> q = read_int8(view, weight, scales);
    check_size(weight.c_str(), values.size(), q.size());
    const auto columns = index(view.shape[1]);
    const bool by_rows = scaled_by_rows(weight);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = scales.data()[by_rows ? i / columns : i % columns] * static_cast<float>(q[i]);
}

}  // namespace tbt
