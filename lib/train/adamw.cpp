#include "lib/train/adamw.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/simd.hpp"
#include "lib/machine/threads.hpp"
#include "lib/train/muon.hpp"

namespace tbt::train {
namespace {

using simd::Lanes;
constexpr std::int64_t lanes = simd::lane_count;

Lanes square_root(const Lanes& x) {
    Lanes r;
    for (int i = 0; i < simd::batch_count; ++i) r.part[i] = simd::sqrt(x.part[i]);
    return r;
}

// cos x for 0 ≤ x ≤ π, by the series around π/2. Those of C libraries differ in the last bit.
double cosine(double x) {
    const double y = std::numbers::pi / 2 - x;  // cos x = sin y = y − y³/3! + y⁵/5! − …
    double term = y, sum = y;
    for (int n = 2; n < 26; n += 2) {
        term *= -y * y / (n * (n + 1));
        sum += term;
    }
    return sum;
}

double power(double base, std::int64_t n) {
    double result = 1;
    for (; n > 0; n /= 2, base *= base) {
        if (n % 2 == 1) result *= base;
    }
    return result;
}

}  // namespace

double learning_rate(std::int64_t step, std::int64_t warm_up, std::int64_t steps, double peak) {
    if (step < 0 || warm_up < 0 || steps < 0)
        throw Error("train: step " + std::to_string(step) + " of " + std::to_string(steps) +
                    " with " + std::to_string(warm_up) + " to warm up, expected 0 or more of each");
    if (step < warm_up) return peak * static_cast<double>(step + 1) / static_cast<double>(warm_up);
    const double done =
        std::min(1.0, static_cast<double>(step - warm_up) /
                          static_cast<double>(std::max<std::int64_t>(1, steps - warm_up)));
    return peak * (0.1 + 0.9 * 0.5 * (1.0 + cosine(std::numbers::pi * done)));
}

double norm(std::span<const float> gradients, int threads) {
    constexpr std::int64_t part = 4096;
    const auto n = length_of(gradients);
    std::vector<double> sums(index((n + part - 1) / part));
    run_team(threads, [&](const Worker& worker) {
        const Range mine = worker.share(length_of(sums));
        for (std::int64_t p = mine.begin; p < mine.end; ++p) {
            double sum = 0;
            for (std::int64_t i = p * part; i < std::min(n, (p + 1) * part); ++i) {
                const double g = gradients[index(i)];
                sum += g * g;
            }
            sums[index(p)] = sum;
        }
    });
    double sum = 0;
    for (const double s : sums) sum += s;
    return std::sqrt(sum);
}

AdamW::AdamW(const ParameterLayout& layout, const AdamWOptions& options)
    : layout_(layout),
      options_(options),
      m_(allocate_floats(layout.total)),
      v_(allocate_floats(layout.total)) {
    std::fill_n(m_.get(), layout.total, 0.0f);
    std::fill_n(v_.get(), layout.total, 0.0f);
}

double AdamW::step(std::span<float> parameters, std::span<const float> gradients, std::int64_t t,
                   double rate, int threads) {
    check_size("train: parameters", parameters.size(), index(layout_.total));
    check_size("train: gradients", gradients.size(), index(layout_.total));
    if (t < 1) throw Error("train: step " + std::to_string(t) + ", expected 1 or more");
    const double length = norm(gradients, threads);
    const double clip = length > static_cast<double>(options_.largest_norm)
                            ? static_cast<double>(options_.largest_norm) / length
                            : 1.0;
    const double correction_1 = 1 - power(static_cast<double>(options_.beta_1), t);
    const double correction_2 = 1 - power(static_cast<double>(options_.beta_2), t);
    // η m̂ / (√v̂ + ε) = (η / c₁) · m / (√v / √c₂ + ε)
    const Lanes scale = Lanes::all(static_cast<float>(clip)),
                epsilon = Lanes::all(options_.epsilon);
    const Lanes rate_1 = Lanes::all(static_cast<float>(rate / correction_1)),
                root_2 = Lanes::all(static_cast<float>(1 / std::sqrt(correction_2)));
    const Lanes beta_1 = Lanes::all(options_.beta_1), rest_1 = Lanes::all(1 - options_.beta_1);
    const Lanes beta_2 = Lanes::all(options_.beta_2), rest_2 = Lanes::all(1 - options_.beta_2);
    run_team(threads, [&](const Worker& worker) {
        for (const ParameterInfo& info : layout_.tensors) {
            if (options_.muon && info.layer) continue;
            const Lanes keep = Lanes::all(
                info.decay
                    ? static_cast<float>(1 - rate * static_cast<double>(options_.weight_decay))
                    : 1.0f);
            // Tensors are padded with zeros to a multiple of 16; the padding stays zero.
            const Range mine = worker.share((info.size + lanes - 1) / lanes * lanes, lanes);
            for (std::int64_t i = info.offset + mine.begin; i < info.offset + mine.end;
                 i += lanes) {
                const Lanes g = Lanes::load(gradients.data() + i) * scale;
                const Lanes m = fma(beta_1, Lanes::load(m_.get() + i), rest_1 * g);
                const Lanes v = fma(beta_2, Lanes::load(v_.get() + i), rest_2 * g * g);
                m.store(m_.get() + i);
                v.store(v_.get() + i);
                const Lanes change = rate_1 * m / fma(square_root(v), root_2, epsilon);
                (fma(keep, Lanes::load(parameters.data() + i), Lanes::zero() - change))
                    .store(parameters.data() + i);
            }
        }
    });
    if (options_.muon) muon_step(parameters, gradients, static_cast<float>(clip), rate, threads);
    return length;
}

// A free thread takes the next matrix. The result does not depend on which thread that is.
void AdamW::muon_step(std::span<float> parameters, std::span<const float> gradients, float clip,
                      double rate, int threads) {
    constexpr float momentum = 0.95f;
    struct Part {
        const ParameterInfo* info;
        std::int64_t begin, columns;  // of the matrix's columns
    };
    std::vector<Part> parts;
    for (const ParameterInfo& info : layout_.tensors) {
        if (!info.layer) continue;
        // GPT-2 has q, k and v side by side in one matrix.
        const std::int64_t n = info.name.ends_with("c_attn.weight") ? 3 : 1,
                           columns = info.shape[1] / n;
        for (std::int64_t i = 0; i < n; ++i) parts.push_back({&info, i * columns, columns});
    }
    std::atomic<std::size_t> next = 0;
    run_team(threads, [&](const Worker&) {
        MuonScratch scratch;
        std::vector<float> x;
        for (std::size_t i = next++; i < parts.size(); i = next++) {
            const ParameterInfo& info = *parts[i].info;
            const std::int64_t rows = info.shape[0], columns = parts[i].columns;
            x.resize(index(rows * columns));
            const auto each = [&](auto&& work) {
                for (std::int64_t r = 0, to = 0; r < rows; ++r)
                    for (std::int64_t c = 0; c < columns; ++c, ++to)
                        work(index(info.offset + r * info.shape[1] + parts[i].begin + c),
                             x[index(to)]);
            };
            each([&](std::size_t at, float& change) {
                const float g = gradients[at] * clip;
                float& m = m_.get()[at];
                m = momentum * m + (1 - momentum) * g;
                change = momentum * m + (1 - momentum) * g;
            });
            orthogonalise(x, rows, columns, scratch);
            const auto longer = static_cast<double>(std::max(rows, columns));
            const auto scale = static_cast<float>(rate * 0.2 * std::sqrt(longer)),
                       keep = static_cast<float>(1 -
                                                 rate * static_cast<double>(options_.weight_decay));
            each([&](std::size_t at, float change) {
                parameters[at] = keep * parameters[at] - scale * change;
            });
        }
    });
}

}  // namespace tbt::train
