#include "lib/files/stored_experts.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

constexpr std::string_view middle = ".experts.";

// The tensor of that name, whose shape is `shape` for each of some experts.
const StoredTensor& part_of(const Safetensors& file, const std::string& name, const char* dtype,
                            const StoredExpert& e, const Shape& shape) {
    const StoredTensor& view = file.expect(name);
    const bool fits = !view.shape.empty() && e.expert < view.shape[0] &&
                      Shape(view.shape.begin() + 1, view.shape.end()) == shape &&
                      (!dtype || view.dtype == dtype);
    if (!fits)
        throw Error(view.file + ": tensor \"" + name + "\" is of " + view.dtype + " and shape " +
                    to_string(view.shape) + ", expected " + (dtype ? dtype : "floats") + " and " +
                    to_string(shape) + " for each expert");
    return view;
}

struct Mxfp4 {
    const StoredTensor *blocks, *scales;
};
Mxfp4 codes_of(const Safetensors& file, const StoredExpert& e, const Shape& shape) {
    const std::int64_t n = shape.at(0), k = shape.at(1);
    if (k % 32 != 0)
        throw Error(file.expect(e.tensor + "_blocks").file + ": tensor \"" + e.tensor +
                    "_blocks\": rows of " + std::to_string(k) +
                    " weights, expected a multiple of 32 in MXFP4");
    return {&part_of(file, e.tensor + "_blocks", "U8", e, {n, k / 32, 16}),
            &part_of(file, e.tensor + "_scales", "U8", e, {n, k / 32})};
}

}  // namespace

std::optional<StoredExpert> stored_expert(const std::string& weight) {
    const std::size_t at = weight.find(middle);
    if (at == std::string::npos) return std::nullopt;
    const std::size_t number = at + middle.size(), dot = weight.find('.', number),
                      end = weight.rfind('.');
    if (dot == std::string::npos || end <= dot) return std::nullopt;
    StoredExpert e;
    const char* const last = weight.data() + dot;
    if (std::from_chars(weight.data() + number, last, e.expert).ptr != last) return std::nullopt;
    e.tensor = weight.substr(0, number) + weight.substr(dot + 1, end - dot - 1);
    e.bias = weight.substr(end) == ".bias";
    return e;
}

std::string first_expert(const std::string& tensor) {
    const std::size_t at = tensor.find(middle), end = tensor.rfind('_');
    if (at == std::string::npos || end == std::string::npos || end < at) return tensor;
    const std::string_view last = std::string_view(tensor).substr(end);
    if (last != "_blocks" && last != "_scales" && last != "_bias") return tensor;
    const std::size_t name = at + middle.size();
    return tensor.substr(0, name) + "0." + tensor.substr(name, end - name) +
           (last == "_bias" ? ".bias" : ".weight");
}

void check_expert(const Safetensors& file, const StoredExpert& e, const Shape& shape) {
    if (e.bias) part_of(file, e.tensor + "_bias", nullptr, e, shape);
    else codes_of(file, e, shape);
}

// MXFP4 of a GGUF file has the scale of 32 numbers first, then bytes with the codes of k and
// k + 16. Here bytes have those of 2k and 2k + 1.
std::optional<BlockRows> expert_blocks(const Safetensors& file, const StoredExpert& e,
                                       const Shape& shape) {
    if (e.bias) return std::nullopt;
    const Mxfp4 codes = codes_of(file, e, shape);
    const GgufBlock* const type = gguf_block(mxfp4_type);
    const std::int64_t groups = shape[1] / 32, all = shape[0] * groups, first = e.expert * all;
    const auto blocks = std::make_shared<std::vector<std::byte>>(index(all * type->bytes));
    const std::byte *from = codes.blocks->bytes.data() + first * 16,
                    *scales = codes.scales->bytes.data() + first;
    const auto code = [&](int k) { return from[k / 2] >> k % 2 * 4 & std::byte{15}; };
    for (std::byte* to = blocks->data(); to < blocks->data() + blocks->size(); from += 16) {
        *to++ = *scales++;
        for (int k = 0; k < 16; ++k) *to++ = code(k) | code(k + 16) << 4;
    }
    BlockRows rows{type, shape[1], {}, {blocks}};
    for (std::int64_t r = 0; r < shape[0]; ++r)
        rows.rows.push_back(blocks->data() + r * groups * type->bytes);
    return rows;
}

Tensor read_expert(const Safetensors& file, const StoredExpert& e, const Shape& shape) {
    Tensor result(shape);
    float* const to = result.data();
    if (e.bias) {
        widen(part_of(file, e.tensor + "_bias", nullptr, e, shape), e.expert * shape.at(0),
              result.values());
    } else {
        constexpr float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
        const Mxfp4 codes = codes_of(file, e, shape);
        const std::int64_t groups = shape[0] * shape[1] / 32, first = e.expert * groups;
        for (std::int64_t g = 0; g < groups; ++g) {
            const auto scale = static_cast<int>(codes.scales->bytes[index(first + g)]);
            for (std::int64_t i = 0; i < 32; ++i) {
                const auto both =
                    static_cast<unsigned>(codes.blocks->bytes[index((first + g) * 16 + i / 2)]);
                const unsigned code = i % 2 == 0 ? both & 15 : both >> 4;
                const float value = code < 8 ? values[code] : -values[code - 8];
                to[g * 32 + i] = std::ldexp(value, scale - 127);
            }
        }
    }
    for (std::int64_t i = 0; i < result.size(); ++i)
        if (!std::isfinite(to[i]))
            throw Error(file.expect(e.tensor + (e.bias ? "_bias" : "_blocks")).file +
                        ": tensor \"" + e.tensor + "\" of expert " + std::to_string(e.expert) +
                        " has a number that is not finite; the file is broken");
    return result;
}

}  // namespace tbt
