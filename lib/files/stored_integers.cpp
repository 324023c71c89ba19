#include "lib/files/stored_integers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/files/safetensors.hpp"
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

Int8Codes read_int8(const Safetensors& file, const std::string& weight, const Shape& shape) {
    const std::int64_t count = scale_count(weight, shape);
    const StoredTensor& view = file.expect(weight, shape);
    const bool by_rows = scaled_by_rows(weight);
    Int8Codes codes{shape[by_rows ? 1 : 0],
                    shape[by_rows ? 0 : 1],
                    {reinterpret_cast<const std::int8_t*>(view.bytes.data()), view.bytes.size()},
                    file.read(scale_name(weight), {count}),
                    by_rows};
    const auto fail = [&](const std::string& what) {
        throw Error(view.file + ": tensor \"" + weight + "\": " + what);
    };
    for (std::int64_t i = 0; i < count; ++i) {
        const float s = codes.scales.data()[i];
        if (!(s >= 0) || !std::isfinite(s))
            fail("scale " + std::to_string(i) + " is " + short_number(static_cast<double>(s)) +
                 ", expected a finite number of 0 or more");
    }
    const auto& q = codes.q;
    if (least_of(q) == -128)
        fail("number " +
             std::to_string(std::find(q.begin(), q.end(), std::int8_t{-128}) - q.begin()) +
             " is -128, expected -127 to 127");
    return codes;
}

void restore_int8(const Int8Codes& codes, std::span<float> values) {
    const auto rows = index(codes.rows), columns = index(codes.columns);
    const float* scales = codes.scales.data();
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] =
            scales[codes.transposed ? i / rows : i % columns] * static_cast<float>(codes.q[i]);
}

namespace {

constexpr std::string_view codes_end = "_codes";

// Its bytes, one each.
std::span<const std::uint8_t> bytes_of(const Safetensors& file, const std::string& name,
                                       const Shape& shape) {
    const StoredTensor& view = file.expect(name, shape);
    if (view.dtype != int4_dtype)
        throw Error(view.file + ": tensor \"" + name + "\" is of " + view.dtype + ", expected " +
                    std::string(int4_dtype));
    return {reinterpret_cast<const std::uint8_t*>(view.bytes.data()), view.bytes.size()};
}

}  // namespace

std::string codes_name(const std::string& weight) { return weight + std::string(codes_end); }

Int4Names int4_names(const std::string& weight, const Shape& shape) {
    if (shape.size() != 2)
        throw Error("tensor \"" + weight + "\" of shape " + to_string(shape) +
                    " is in 4 bits, expected matrices only");
    return {codes_name(weight),
            weight + "_multipliers",
            weight + "_units",
            {(shape[0] + 1) / 2, shape[1]},
            {(shape[0] + int4_group - 1) / int4_group, shape[1]},
            {shape[1]}};
}

bool is_int4(const std::string& name, const StoredTensor& view) {
    return view.dtype == int4_dtype && view.shape.size() == 2 && name.ends_with(codes_end);
}

Int4Codes read_int4(const Safetensors& file, const std::string& weight, const Shape& shape) {
    const Int4Names names = int4_names(weight, shape);
    Int4Codes codes{shape[0], shape[1], bytes_of(file, names.codes, names.codes_shape),
                    bytes_of(file, names.multipliers, names.multipliers_shape),
                    file.read(names.units, names.units_shape)};
    const auto fail = [&](const std::string& name, std::size_t i, const std::string& what) {
        throw Error(file.expect(names.codes, names.codes_shape).file + ": tensor \"" + name +
                    "\": number " + std::to_string(i) + " is " + what);
    };
    // First whether, in vectors, then where.
    std::uint8_t least_low = 15, least_high = 0xf0, largest = 0;
    for (const std::uint8_t byte : codes.codes) {
        least_low = std::min(least_low, static_cast<std::uint8_t>(byte & 15));
        least_high = std::min(least_high, static_cast<std::uint8_t>(byte & 0xf0));
    }
    for (const std::uint8_t m : codes.multipliers) largest = std::max(largest, m);
    for (std::size_t i = 0; (least_low == 0 || least_high == 0) && i < codes.codes.size(); ++i) {
        const int byte = codes.codes[i];
        if ((byte & 15) == 0 || byte >> 4 == 0)
            fail(names.codes, i, std::to_string(byte) + ", expected 1 to 15 in both halves");
    }
    for (std::size_t i = 0; largest > 127 && i < codes.multipliers.size(); ++i)
        if (codes.multipliers[i] > 127)
            fail(names.multipliers, i,
                 std::to_string(codes.multipliers[i]) + ", expected 0 to 127");
    for (std::int64_t n = 0; n < shape[1]; ++n) {
        const float unit = codes.units.data()[n];
        if (!(unit >= 0) || !std::isfinite(unit))
            fail(names.units, index(n),
                 short_number(static_cast<double>(unit)) +
                     ", expected a finite number of 0 or more");
    }
    return codes;
}

void restore_int4(const Int4Codes& codes, std::span<float> values) {
    const float* units = codes.units.data();
    std::size_t i = 0;
    for (std::int64_t k = 0; k < codes.rows; ++k)
        for (std::int64_t n = 0; n < codes.columns; ++n, ++i)
            values[i] = units[n] * static_cast<float>(codes.multiplier(k, n) * codes.code(k, n));
}

}  // namespace tbt
