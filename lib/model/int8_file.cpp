#include "lib/model/int8_file.hpp"

#include <cmath>
#include <cstddef>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

namespace {

// Each row of these is a column of the output matrix.
bool is_embedding(const std::string& weight) {
    return weight.ends_with("wte.weight") || weight.ends_with("lm_head.weight");
}

}  // namespace

std::string scale_name(const std::string& weight) { return weight + "_scale"; }

std::int64_t scale_count(const std::string& weight, const Shape& shape) {
    if (shape.size() != 2)
        throw Error("tensor \"" + weight + "\" of shape " + to_string(shape) +
                    " is of I8, expected matrices only in 8 bits");
    return shape[is_embedding(weight) ? 0 : 1];
}

void restore_int8(const TensorView& view, const std::string& weight, const Tensor& scales,
                  std::span<float> values) {
    const auto fail = [&](const std::string& what) {
        throw Error(view.file + ": tensor \"" + weight + "\": " + what);
    };
    if (view.bytes.size() != values.size() || scales.size() != scale_count(weight, view.shape))
        fail("has shape " + to_string(view.shape) + ", and " + std::to_string(scales.size()) +
             " scales");
    for (std::int64_t i = 0; i < scales.size(); ++i) {
        const float s = scales.data()[i];
        if (!(s >= 0) || !std::isfinite(s))
            fail("scale " + std::to_string(i) + " is " + short_number(static_cast<double>(s)) +
                 ", expected a finite number of 0 or more");
    }
    const auto columns = index(view.shape[1]);
    const bool by_rows = is_embedding(weight);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto q = static_cast<std::int8_t>(view.bytes[i]);
        if (q == -128) fail("number " + std::to_string(i) + " is -128, expected -127 to 127");
        values[i] = scales.data()[by_rows ? i / columns : i % columns] * static_cast<float>(q);
    }
}

}  // namespace tbt
