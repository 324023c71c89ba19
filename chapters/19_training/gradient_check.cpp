#include "chapters/19_training/gradient_check.hpp"

#include <cmath>
#include <cstdio>

#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/model/model_config.hpp"
#include "lib/show/terminal.hpp"
#include "lib/train/trainer.hpp"

namespace tbt {

namespace {

constexpr int tokens = 12, vocabulary = 24;
// Small enough that the loss is nearly linear, large enough compared with the rounding of floats.
constexpr float epsilon = 1.0f / 128;

}  // namespace

TransformerConfig tiny_gpt2() { return gpt_config(1, 2, 16, tokens, vocabulary); }

TransformerConfig tiny_llama() { return llama_config(1, 2, 1, 32, 48, tokens, vocabulary); }

std::vector<GradientCheck> check_gradients(const TransformerConfig& shape) {
    train::Trainer net(shape, 1, 1);
    Rng rng(19);
    for (const train::ParameterInfo& t : net.layout().tensors)
        for (float& w : net.of(t)) w = static_cast<float>(rng.normal() * 0.5);
    net.parameters_changed();
    std::vector<std::int32_t> ids(tokens), targets(tokens);
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>(rng.below(vocabulary));
    for (std::int32_t& id : targets) id = static_cast<std::int32_t>(rng.below(vocabulary));
    const auto loss = [&] {
        net.parameters_changed();
        double sum = 0;
        for (const double nats : net.losses(ids, targets, 1, tokens)) sum += nats;
        return sum / tokens;
    };

    net.gradient(ids, targets, 1, tokens);
    const std::vector<float> gradient(net.gradients().begin(), net.gradients().end());
    std::vector<GradientCheck> checks;
    for (const train::ParameterInfo& t : net.layout().tensors) {
        std::size_t place = index(t.offset);
        for (std::size_t i = place; i < index(t.offset + t.size); ++i)
            if (std::abs(gradient[i]) > std::abs(gradient[place])) place = i;
        float& w = net.parameters()[place];
        const float before = w;
        w = before + epsilon;
        const double above = loss(), up = static_cast<double>(w);
        w = before - epsilon;
        const double below = loss(), down = static_cast<double>(w);
        w = before;
        checks.push_back(
            {t.name, static_cast<double>(gradient[place]), (above - below) / (up - down)});
    }
    return checks;
}

void show_gradients() {
    const std::pair<const char*, TransformerConfig> models[] = {{"A GPT-2", tiny_gpt2()},
                                                                {"\nA Llama", tiny_llama()}};
    for (const auto& [name, shape] : models) {
        std::printf(
            "%s of one layer. Of each tensor the number that the loss depends on most:\n\n"
            "   %s    backward   by small changes\n",
            name, padded("", 46).c_str());
        for (const GradientCheck& check : check_gradients(shape))
            std::printf("   %s %11.4f %18.4f\n", padded(check.weight, 46).c_str(), check.backward,
                        check.difference);
    }
}

}  // namespace tbt
