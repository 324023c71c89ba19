#include "lib/train/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "lib/error.hpp"
#include "lib/kernels/rng.hpp"

namespace tbt::train {

void ModelShape::check() const {
    const auto fail = [](const std::string& what) { throw Error("train: " + what); };
    if (layers < 1 || layers > 1000)
        fail("layers is " + std::to_string(layers) + ", expected 1 to 1000");
    if (heads < 1 || channels < 1 || channels % heads != 0) {
        fail("embd is " + std::to_string(channels) + ", expected a multiple of heads, which is " +
             std::to_string(heads));
    }
    if (channels % 16 != 0 || channels > 65536) {
        fail("embd is " + std::to_string(channels) +
             ", expected a multiple of 16, the width of a vector");
    }
    if (context < 1 || context > 65536)
        fail("context is " + std::to_string(context) + ", expected 1 to 65536");
    if (vocabulary < 2 || vocabulary > 1'000'000)
        fail("vocab is " + std::to_string(vocabulary) + ", expected 2 to 1000000");
}

ParameterLayout::ParameterLayout(const ModelShape& shape) {
    shape.check();
    const std::int64_t C = shape.channels;
    const auto add = [this](const std::string& name, Shape dims) {
        const std::int64_t size = element_count(dims);
        const bool decay = dims.size() == 2;
        tensors.push_back({name, std::move(dims), total, size, decay});
        total += (size + 15) / 16 * 16;
    };
    const auto add_linear = [&](const std::string& name, std::int64_t in, std::int64_t out) {
        add(name + ".weight", {in, out});
        add(name + ".bias", {out});
    };
    const auto add_norm = [&](const std::string& name) {
        add(name + ".weight", {C});
        add(name + ".bias", {C});
    };
    add("wte.weight", {shape.vocabulary, C});
    add("wpe.weight", {shape.context, C});
    for (std::int64_t l = 0; l < shape.layers; ++l) {
        const std::string block = "h." + std::to_string(l) + ".";
        add_norm(block + "ln_1");
        add_linear(block + "attn.c_attn", C, 3 * C);
        add_linear(block + "attn.c_proj", C, C);
        add_norm(block + "ln_2");
        add_linear(block + "mlp.c_fc", C, 4 * C);
        add_linear(block + "mlp.c_proj", 4 * C, C);
    }
    add_norm("ln_f");
}

const ParameterInfo& ParameterLayout::operator[](const std::string& name) const {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const ParameterInfo& t) { return t.name == name; });
    if (found == tensors.end()) throw Error("train: there is no parameter named '" + name + "'");
    return *found;
}

std::int64_t ParameterLayout::count() const {
    std::int64_t n = 0;
    for (const ParameterInfo& t : tensors) n += t.size;
    return n;
}

void initialise(std::span<float> parameters, const ParameterLayout& layout, const ModelShape& shape,
                std::uint64_t seed) {
    std::fill(parameters.begin(), parameters.end(), 0.0f);
    Rng rng(seed, 0x696e6974);  // a stream of its own
    const double into_residual = 0.02 / std::sqrt(2.0 * static_cast<double>(shape.layers));
    for (const ParameterInfo& t : layout.tensors) {
        const auto values = parameters.subspan(static_cast<std::size_t>(t.offset),
                                               static_cast<std::size_t>(t.size));
        if (t.decay) {
            double deviation = 0.02;
            if (t.name == "wpe.weight") deviation = 0.01;
            if (t.name.ends_with("c_proj.weight")) deviation = into_residual;
            for (float& w : values) w = static_cast<float>(deviation * rng.normal());
        } else if (t.name.find("ln_") != std::string::npos && t.name.ends_with(".weight")) {
            std::fill(values.begin(), values.end(), 1.0f);
        }
    }
}

}  // namespace tbt::train
