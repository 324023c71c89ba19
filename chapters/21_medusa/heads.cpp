#include "chapters/21_medusa/heads.hpp"

#include <algorithm>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/json/json.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/layers.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/weight_names.hpp"
#include "lib/quantized/integer_matrix.hpp"

namespace tbt {

namespace {

constexpr const char* kind = "medusa_heads";

void check_heads(const HeadsConfig& c, const std::string& who) {
    const auto check = [&](const char* name, int value, int least, int most) {
        if (value < least || value > most)
            throw Error(who + ": " + name + " is " + std::to_string(value) + ", expected " +
                        std::to_string(least) + " to " + std::to_string(most));
    };
    check("heads", c.shape.heads, 1, 16);
    check("channels", c.shape.channels, 1, 1 << 16);
    check("inner", c.shape.inner, 1, 1 << 16);
    check("drafted", ::tbt::count(c.drafted), 1, 1 << 20);
    if (!std::is_sorted(c.drafted.begin(), c.drafted.end(), std::less_equal<>()) ||
        c.drafted.front() < 0)
        throw Error(
            who +
            ": the drafted ids are not sorted, or repeat; expected each once, in ascending order");
}

}  // namespace

HeadsConfig read_heads_config(const std::string& directory) {
    const std::string path = join_path(directory, "config.json");
    if (!file_exists(path))
        throw Error(directory +
                    ": no such heads; expected a folder with config.json and "
                    "model.safetensors, as make train-medusa writes it");
    const Json json = read_json(path);
    if (!json.is_object() || json.value("model_type", Json()) != kind)
        throw Error(path + ": model_type is not \"" + kind + "\"; these are no heads");
    HeadsConfig c;
    try {
        const auto size = [&](const char* key) {
            return integer_of<int>(json.at(key), path + ": " + key);
        };
        c.shape = {size("heads"), size("channels"), size("inner")};
        for (const Json& id : json.at("drafted"))
            c.drafted.push_back(integer_of<int>(id, path + ": a drafted id"));
        c.target = json.at("target").get<std::string>();
        c.acceptance = json.at("acceptance").get<std::vector<std::vector<double>>>();
    } catch (const JsonError& e) {
        throw Error(path + ": " + e.what());
    }
    check_heads(c, path);
    return c;
}

void write_heads_config(const std::string& directory, const HeadsConfig& c) {
    const Json json = {{"model_type", kind},     {"target", c.target},
                       {"heads", c.shape.heads}, {"channels", c.shape.channels},
                       {"inner", c.shape.inner}, {"acceptance", c.acceptance},
                       {"drafted", c.drafted}};
    write_file(join_path(directory, "config.json"), json_text(json) + "\n");
}

std::string hash_of_weights(const std::string& directory) {
    const Json config = read_json(join_path(directory, "config.json"));
    const Json* const quantized = member_of(config, "quantization_config");
    const Json* const original = quantized ? member_of(*quantized, "original") : nullptr;
    if (original && original->is_string()) return original->text();
    return Safetensors::open_directory(directory).hash();
}

Tensor embedding_for_heads(const std::string& target) {
    const TransformerConfig shape = read_model_config(target);
    if (!shape.tie_word_embeddings)
        throw Error(target +
                    ": heads read with the matrix that they guess with, and this model has "
                    "two (tie_word_embeddings is false); expected a model with one");
    const std::string_view name =
        shape.architecture.is_gpt2() ? "wte" : weight_names(shape.architecture).embedding;
    return Safetensors::open_directory(target).read_weight(std::string(name) + ".weight",
                                                           {shape.vocab_size, shape.n_embd});
}

Heads Heads::load(const std::filesystem::path& directory, const std::filesystem::path& target,
                  const TransformerOptions& options) {
    const std::string name = directory.string(), of = target.string();
    const HeadsConfig config = read_heads_config(name);
    const std::string hash = hash_of_weights(of);
    if (config.target != hash) {
        throw Error(name + ": these heads belong to a model with the weights " + config.target +
                    ", and " + of + " has " + hash +
                    "; train its own: build/train_heads --target " + of + " --out DIRECTORY");
    }
    const Safetensors weights = Safetensors::open_directory(name);
    const Tensor embedding = embedding_for_heads(of);
    TransformerOptions chosen = options;
    if (!chosen.weights) chosen.weights = WeightType::f16;
    return Heads(
        config,
        [&](const std::string& weight, const Shape& s) { return weights.read_weight(weight, s); },
        embedding, chosen);
}

Heads::Heads(const HeadsConfig& config, const WeightSource& weights, const Tensor& embedding,
             const TransformerOptions& options)
    : config_(config),
      embedding_(embedding),
      threads_(options.threads > 0 ? options.threads : default_threads()) {
    check_heads(config_, "heads");
    const std::int64_t C = channels(), N = length_of(config_.drafted);
    if (embedding_.shape().size() != 2 || embedding_.dim(1) != C)
        throw Error("heads: of " + std::to_string(C) + " channels, and the embedding has shape " +
                    to_string(embedding_.shape()) + "; they don't belong together");
    const WeightType type = options.weights.value_or(WeightType::f32);
    Tensor rows({N, C});
    for (std::int64_t i = 0; i < N; ++i) {
        const int id = config_.drafted[index(i)];
        checked_id("heads", id, index(embedding_.dim(0)));
        const std::span<const float> row = embedding_.row(id);
        std::copy(row.begin(), row.end(), rows.row(i).begin());
    }
    table_ = pack_weights(MatrixView::of(rows.data(), N, C).transposed(), type);
    const std::vector<HeadsShape::Weight> shapes = config_.shape.weights();
    for (std::size_t i = 0; i < shapes.size(); i += 4) {
        const auto tensor = [&](std::size_t j) {
            Tensor w = weights(shapes[i + j].name, shapes[i + j].shape);
            check_shape("heads", shapes[i + j].name.c_str(), w.shape(), shapes[i + j].shape);
            return w;
        };
        const auto matrix = [&](std::size_t j) {
            const Tensor w = tensor(j);
            return pack_weights(MatrixView::of(w.data(), w.dim(0), w.dim(1)), type);
        };
        heads_.push_back({matrix(0), matrix(2), tensor(1), tensor(3)});
    }
}

Heads::Answer Heads::read(int k, std::span<const float> states, std::span<const int> tokens) {
    const Head& head = heads_[checked_place("heads: the head", k, heads_.size())];
    const std::int64_t R = length_of(tokens), C = channels(), F = config_.shape.inner,
                       N = length_of(config_.drafted);
    check_size("heads: states", states.size(), index(R * C));
    joined_.resize(index(R * 2 * C)), inner_.resize(index(R * F)), logits_.resize(index(R * N));
    for (std::int64_t r = 0; r < R; ++r) {
        const int id = to_int(checked_id("heads", tokens[index(r)], index(embedding_.dim(0))));
        float* row = joined_.data() + r * 2 * C;
        std::copy_n(states.data() + r * C, C, row);
        const std::span<const float> token = embedding_.row(id);
        std::copy(token.begin(), token.end(), row + C);
    }
    std::vector<float> next(states.begin(), states.end());  // a copy: states may point to states_
    run_team(threads_, [&](const Worker& worker) {
        matmul(MatrixView::of(joined_.data(), R, 2 * C), head.in, inner_.data(), F,
               {.bias = head.in_bias.data(), .activation = gelu}, worker);
        worker.sync();
        matmul(MatrixView::of(inner_.data(), R, F), head.out, next.data(), C,
               {.bias = head.out_bias.data(), .accumulate = true}, worker);
        worker.sync();
        matmul(MatrixView::of(next.data(), R, C), table_, logits_.data(), N, {}, worker);
    });
    states_ = std::move(next);
    return {states_, logits_};
}

}  // namespace tbt
