#include "chapters/20_quantization/quality.hpp"

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/20_quantization/rounding.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/model/layers.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

constexpr int texts = 12, length = 100;

// Texts that the model writes, sampled at T = 1 without a prompt.
std::vector<std::vector<int>> own_texts(Model& model) {
    std::vector<std::vector<int>> all;
    const int eos = model.tokenizer.eos_id();
    for (int i = 0; i < texts; ++i) {
        Rng rng(20, static_cast<std::uint64_t>(i));
        KvCache cache(model.config());
        std::vector<int> ids{eos};
        while (to_int(ids.size()) < length) {
            const std::span<const float> row =
                model.transformer.forward(cache, std::span(ids).last(1));
            ids.push_back(draw(row, 1.0, rng.uniform()));
            if (ids.back() == eos) break;
        }
        all.push_back(ids);
    }
    return all;
}

}  // namespace

DistributionShift compare_distributions(Transformer& exact, Transformer& other,
                                        const std::vector<std::vector<int>>& all) {
    const auto V = index(exact.config().vocab_size);
    check_size("compare distributions: the other vocabulary", index(other.config().vocab_size), V);
    check_at_least("compare distributions: texts", static_cast<long long>(all.size()), 1);
    for (const std::vector<int>& ids : all) {
        check_at_least("compare distributions: the ids of a text",
                       static_cast<long long>(ids.size()), 2);
        check_ids("compare distributions", ids, V);
    }
    DistributionShift shift;
    std::vector<float> p, q;
    double positions = 0;
    for (const std::vector<int>& ids : all) {
        KvCache one(exact.config()), two(other.config());
        const Logits a = exact.forward_all(one, ids), b = other.forward_all(two, ids);
        for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
            const std::span<const float> s = a.row(static_cast<std::int64_t>(t)),
                                         r = b.row(static_cast<std::int64_t>(t));
            p.resize(s.size()), q.resize(s.size());
            log_softmax(s, p), log_softmax(r, q);
            double kl = 0;
            for (std::size_t v = 0; v < p.size(); ++v) {
                const double lp = static_cast<double>(p[v]), lq = static_cast<double>(q[v]);
                kl += portable_exp(lp) * (lp - lq);
            }
            constexpr double bits = 1.4426950408889634;
            shift.kl += kl * bits;
            shift.loss -= static_cast<double>(q[index(ids[t + 1])]) * bits;
            shift.same_first += argmax(s) == argmax(r);
            ++positions;
        }
    }
    shift.kl /= positions, shift.loss /= positions, shift.same_first /= positions;
    return shift;
}

void show_quality(const std::string& directory) {
    Model model = load_model(directory, {0, WeightType::f32});
    const std::vector<std::vector<int>> all = own_texts(model);
    const Safetensors file = Safetensors::open_directory(directory);
    std::printf(
        "3. On %d texts of its own: bits a token, and how far the distribution is from float's\n\n",
        texts);
    std::printf("   %s  bits/token   KL, bits   first choice the same\n", padded("", 36).c_str());
    const auto row = [&](const std::string& name, Transformer& gpt) {
        const DistributionShift shift = compare_distributions(model.transformer, gpt, all);
        std::printf("   %s %10.4f %11.5f %12.1f %%\n", padded(name, 36).c_str(), shift.loss,
                    shift.kl, 100 * shift.same_first);
        std::fflush(stdout);
    };
    row("float", model.transformer);
    Transformer half = load_transformer(directory, {0, WeightType::f32, WeightType::f16});
    row("keys and values in 16 (cache f16)", half);
    Transformer int8 = load_transformer(directory, {0, WeightType::int8});
    row("weights and activations in 8 (int8)", int8);
    using Share = Rounding::Share;
    for (const Rounding& way : {Rounding{"weights in 8, a scale a column", 8, Share::column},
                                Rounding{"weights in 8, a scale a matrix", 8, Share::matrix},
                                Rounding{"weights in 4, a scale a column", 4, Share::column},
                                Rounding{"weights in 4, a scale for 32", 4, Share::group, 32},
                                Rounding{"weights in 3, a scale for 32", 3, Share::group, 32}}) {
        Transformer gpt(model.config(),
                        [&](const std::string& name, const Shape& shape) {
                            Tensor w = file.read_weight(name, shape);
                            if (shape.size() != 2 || name == "wpe.weight") return w;
                            return rounded(w, way, name == "wte.weight");
                        },
                        {0, WeightType::f32});
        row(way.name, gpt);
    }
}

}  // namespace tbt
