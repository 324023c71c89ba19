#include "lib/core/gpt.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "lib/core/error.hpp"
#include "lib/core/files.hpp"
#include "lib/core/index.hpp"
#include "lib/core/json.hpp"
#include "lib/core/matmul.hpp"
#include "lib/core/safetensors.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

// ---- the configuration ----
namespace {

constexpr int largest_size = 1 << 24;  // a hundred times what the largest models have

// The members of a config.json. Every function throws Error with the file and the key if the value
// has the wrong type or is out of range.
class ConfigFile {
public:
    explicit ConfigFile(const std::string& path) : path_(path), file_(path) {
        JsonReader reader(file_.text(), path_);
        if (reader.peek() != '{') fail("is " + reader.skip().kind() + ", expected an object");
        members_ = reader.members();
        reader.end();
    }
    [[noreturn]] void fail(const std::string& what) const { throw Error(path_ + ": " + what); }
    [[noreturn]] void fail(const char* key, const JsonReader& got,
                           const std::string& wanted) const {
        fail(std::string(key) + " is " + got.kind() + ", expected " + wanted);
    }
    // None if the key is missing or its value is null.
    std::optional<JsonReader> find(const char* key) const {
        for (auto [k, value] : members_)
            if (k == key && value.peek() != 'n') return value;
        return std::nullopt;
    }
    int size(const char* key, int otherwise = 0) const {
        const auto value = find(key);
        if (!value && otherwise > 0) return otherwise;
        if (!value) fail(std::string(key) + " is missing, expected a positive integer");
        const std::optional<int> n = value->integer(1, largest_size);
        if (!n) fail(key, *value, "an integer from 1 to " + std::to_string(largest_size));
        return *n;
    }
    bool flag(const char* key, bool otherwise) const {
        auto value = find(key);
        if (!value) return otherwise;
        if (value->peek() != 't' && value->peek() != 'f') fail(key, *value, "true or false");
        return *value->boolean_or_null();
    }
    std::string text(const char* key, const std::string& otherwise) const {
        auto value = find(key);
        if (value && value->peek() != '"') fail(key, *value, "a string");
        return value ? value->string() : otherwise;
    }

private:
    std::string path_;
    MappedFile file_;
    std::vector<JsonReader::Member> members_;
};

// Throws Error for settings that change the computation in a way this code does not have.
void check_variant(const ConfigFile& file) {
    const std::string activation = file.text("activation_function", "gelu_new");
    if (activation != "gelu_new" && activation != "gelu_pytorch_tanh")
        file.fail("activation_function is " + shown(activation) +
                  ", expected gelu_new (or gelu_pytorch_tanh)");
    if (!file.flag("scale_attn_weights", true))
        file.fail("scale_attn_weights is false, expected true");
    for (const char* key : {"scale_attn_by_inverse_layer_idx", "add_cross_attention"})
        if (file.flag(key, false)) file.fail(std::string(key) + " is true, expected false");
    auto pruned = file.find("pruned_heads");
    if (pruned && (pruned->peek() != '{' || !pruned->members().empty()))
        file.fail("pruned_heads is not empty, expected a model with all its heads");
    if (file.find("quantization_config"))
        file.fail(
            "its weights have 8 bits or fewer, which the complete generator opens; expected F32, "
            "F16 or BF16");
}

void check_directory(const std::string& directory) {
    checked_path(directory);
    if (file_exists(join_path(directory, "config.json"))) return;
    if (directory.ends_with(".gguf") && file_exists(directory))
        throw Error(directory +
                    ": a GGUF file, which the complete generator opens (make run ARGS=\"--model " +
                    directory + "\"); expected a directory with a GPT-2");
    throw Error(directory + ": " +
                (file_exists(directory) ? "has no config.json" : "no such model directory") +
                "; expected a folder with config.json, model.safetensors and a tokenizer (run from "
                "the repository's root, or name one with --model)");
}

}  // namespace

GptConfig read_gpt_config(const std::string& directory) {
    check_directory(directory);
    const ConfigFile file(join_path(directory, "config.json"));
    const std::string type = file.text("model_type", "missing");
    if (type != "gpt2")
        file.fail("model_type is " + shown(type) +
                  ", expected gpt2; the complete generator opens other models (make run "
                  "ARGS=\"--model " +
                  directory + "\")");
    check_variant(file);
    GptConfig c;
    c.vocab_size = file.size("vocab_size"), c.n_positions = file.size("n_positions");
    c.n_embd = file.size("n_embd"), c.n_layer = file.size("n_layer");
    c.n_head = file.size("n_head");
    c.n_inner = file.size("n_inner", std::min(c.n_embd, largest_size / 4) * 4);
    c.tie_word_embeddings = file.flag("tie_word_embeddings", true);
    if (const auto epsilon = file.find("layer_norm_epsilon")) {
        const auto number = epsilon->number_here();
        c.layer_norm_epsilon =
            number ? std::visit([](auto n) { return static_cast<float>(n); }, *number) : 0;
        if (!(c.layer_norm_epsilon > 0 && c.layer_norm_epsilon < 1))  // 1e-50 is 0 as a float
            file.fail("layer_norm_epsilon", *epsilon, "a small positive number");
    }
    if (c.n_embd % c.n_head != 0)
        file.fail("n_embd is " + std::to_string(c.n_embd) + ", expected a multiple of n_head, " +
                  std::to_string(c.n_head));
    return c;
}

// ---- the network ----
namespace {

// The weights of one layer; shapes are (inputs, outputs).
struct Layer {
    Tensor norm1_gamma, norm1_beta;  // (C)
    WeightMatrix qkv, proj;          // (C, 3C), (C, C)
    Tensor qkv_bias, proj_bias;
    Tensor norm2_gamma, norm2_beta;
    WeightMatrix up, down;  // (C, F), (F, C)
    Tensor up_bias, down_bias;
};

// A buffer whose memory only grows.
struct Buffer {
    Tensor tensor;
    float* get(std::int64_t n) {
        if (n > tensor.size()) tensor = Tensor({n});
        return tensor.data();
    }
};

int default_thread_count() {
    if (const char* const wish = std::getenv("TBT_THREADS"))
        if (const int n = std::atoi(wish); n > 0) return std::min(n, 1024);
#ifdef _OPENMP
    const int n = omp_get_max_threads();
    return std::getenv("OMP_NUM_THREADS") ? n : std::min(n, 8);
#else
    return 1;
#endif
}

}  // namespace

struct Gpt::Parts {
    GptConfig config;
    int threads = 1;
    int text_ids = 0;      // if above 0: the logits of all ids >= text_ids are −∞
    StoredWeights stored;  // stays mapped: the rows of wte are read from there
    Tensor positions;      // wpe (positions, C)
    std::vector<Layer> layers;
    Tensor norm_gamma, norm_beta;
    WeightMatrix output;  // (C, V)
    Buffer x, normed, qkv, mixed, inner, scratch, logits;

    Parts(const std::string& directory, const GptOptions& options)
        : config(read_gpt_config(directory)), stored(StoredWeights::open(directory)) {
        threads = options.threads > 0 ? options.threads : default_thread_count();
        const std::int64_t C = config.n_embd, F = config.n_inner, V = config.vocab_size;
        const auto vector = [&](const std::string& name, std::int64_t n) {
            return stored.read(name, {n});
        };
        const auto matrix = [&](const std::string& name, std::int64_t k, std::int64_t n,
                                bool transposed = false) {
            const bool halves = stored.expect(name, {k, n}).dtype == "F16";
            return WeightMatrix(stored.read(name, {k, n}), options.in_16_bits.value_or(halves),
                                transposed);
        };
        positions = stored.read("wpe.weight", {config.n_positions, C});
        for (int layer = 0; layer < config.n_layer; ++layer) {
            const std::string h = "h." + std::to_string(layer) + ".";
            layers.push_back(
                {vector(h + "ln_1.weight", C), vector(h + "ln_1.bias", C),
                 matrix(h + "attn.c_attn.weight", C, 3 * C), matrix(h + "attn.c_proj.weight", C, C),
                 vector(h + "attn.c_attn.bias", 3 * C), vector(h + "attn.c_proj.bias", C),
                 vector(h + "ln_2.weight", C), vector(h + "ln_2.bias", C),
                 matrix(h + "mlp.c_fc.weight", C, F), matrix(h + "mlp.c_proj.weight", F, C),
                 vector(h + "mlp.c_fc.bias", F), vector(h + "mlp.c_proj.bias", C)});
        }
        norm_gamma = vector("ln_f.weight", C), norm_beta = vector("ln_f.bias", C);
        const std::string head = config.tie_word_embeddings ? "wte.weight" : "lm_head.weight";
        output = matrix(head, V, C, true);
        if (!config.tie_word_embeddings) stored.read("wte.weight", {V, C});  // is it finite?
    }

    // Layer norm of each row of x.
    float* norm(std::int64_t first, std::int64_t rows, const Tensor& gamma, const Tensor& beta) {
        const std::int64_t C = config.n_embd;
        float* const out = normed.get(rows * C);
        for (std::int64_t r = 0; r < rows; ++r)
            layer_norm({x.get(0) + (first + r) * C, index(C)}, gamma.data(), beta.data(),
                       config.layer_norm_epsilon, out + r * C);
        return out;
    }

    // x = wte[token] + wpe[position]
    void embed(std::span<const int> tokens, int past) {
        const std::int64_t C = config.n_embd;
        const StoredTensor& wte = *stored.find("wte.weight");
        float* row = x.get(length_of(tokens) * C);
        for (const int token : tokens) {
            widen(wte, token * C, {row, index(C)});
            const std::span<const float> position = positions.row(past++);
            for (std::int64_t c = 0; c < C; ++c) *row++ += position[index(c)];
        }
    }

    // x += proj(attend(qkv(norm(x))));  x += down(gelu(up(norm(x))))
    void run_layer(const Layer& w, int layer, GptCache& cache, int T) {
        const std::int64_t C = config.n_embd, F = config.n_inner;
        float* const q = qkv.get(T * 3 * C);
        matmul(norm(0, T, w.norm1_gamma, w.norm1_beta), T, w.qkv, q, {.bias = w.qkv_bias.data()},
               threads);
        float* const answers = mixed.get(T * C);
        attend(q, T, cache, layer, answers, scratch.get(attention_scratch(cache, T)), threads);
        matmul(answers, T, w.proj, x.get(0), {.bias = w.proj_bias.data(), .accumulate = true},
               threads);
        float* const features = inner.get(T * F);
        matmul(norm(0, T, w.norm2_gamma, w.norm2_beta), T, w.up, features,
               {.bias = w.up_bias.data(), .activation = gelu}, threads);
        matmul(features, T, w.down, x.get(0), {.bias = w.down_bias.data(), .accumulate = true},
               threads);
    }

    // One pass over new tokens; the logits (rows, V) of all of them or of the last one.
    Logits run(GptCache& cache, std::span<const int> tokens, bool all_logits) {
        check(cache, tokens);
        const std::int64_t C = config.n_embd, V = config.vocab_size;
        const int T = count(tokens);
        embed(tokens, cache.length());
        for (int layer = 0; layer < config.n_layer; ++layer)
            run_layer(layers[index(layer)], layer, cache, T);
        const std::int64_t rows = all_logits ? T : 1;
        float *const states = norm(T - rows, rows, norm_gamma, norm_beta), *const s =
                                                                               logits.get(rows * V);
        matmul(states, rows, output, s, {}, threads);
        for (std::int64_t r = 0; text_ids > 0 && r < rows; ++r)
            std::fill(s + r * V + text_ids, s + (r + 1) * V,
                      -std::numeric_limits<float>::infinity());
        cache.advance(T);
        return {{s, index(rows * V)}, rows, {states, index(rows * C)}};
    }

    void check(const GptCache& cache, std::span<const int> tokens) const {
        if (!cache.fits(config))
            throw Error(
                "transformer: the cache was made for another model; make one from this model's "
                "config()");
        if (tokens.empty())
            throw Error(
                "transformer: a forward pass over no tokens; start from the document separator");
        for (const int token : tokens)
            if (token < 0 || token >= config.vocab_size)
                throw Error("transformer: token id " + std::to_string(token) +
                            " is outside the vocabulary, expected 0 to " +
                            std::to_string(config.vocab_size - 1) +
                            "; is this the tokenizer of this model?");
        cache.check_room(count(tokens));
    }
};

Gpt::Gpt(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Gpt::Gpt(Gpt&&) noexcept = default;
Gpt& Gpt::operator=(Gpt&&) noexcept = default;
Gpt::~Gpt() = default;

Gpt Gpt::load(const std::string& directory, const GptOptions& options) {
    return Gpt(std::make_unique<Parts>(directory, options));
}

const GptConfig& Gpt::config() const { return parts_->config; }
int Gpt::threads() const { return parts_->threads; }

std::span<const float> Gpt::forward(GptCache& cache, std::span<const int> tokens) {
    return parts_->run(cache, tokens, false).values;
}
Logits Gpt::forward_all(GptCache& cache, std::span<const int> tokens) {
    return parts_->run(cache, tokens, true);
}

void Gpt::mask_ids_from(int count) {
    if (count < 1 || count > config().vocab_size)
        throw Error("transformer: " + std::to_string(count) + " ids with a text, expected 1 to " +
                    std::to_string(config().vocab_size));
    parts_->text_ids = count;
}

// ---- a model and its prompts ----
GptModel load_gpt(const std::string& directory, const GptOptions& options) {
    GptModel model{Gpt::load(directory, options), BytePairTokenizer::load(directory)};
    const int ids = model.config().vocab_size, texts = model.tokenizer.vocab_size();
    if (texts > ids)
        throw Error(directory + ": the tokenizer has " + std::to_string(texts) +
                    " tokens, the model only " + std::to_string(ids) +
                    "; they don't belong together");
    if (texts < ids) model.gpt.mask_ids_from(texts);
    return model;
}

void check_prompt_text(std::string_view text) {
    if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos)
        throw Error("prompt: byte " + std::to_string(bad + 1) +
                    " is not valid UTF-8; save the text as UTF-8");
}

void check_prompt_length(std::size_t tokens, int room, int context) {
    if (room < 0)
        throw Error("prompt: room for " + std::to_string(room) + " tokens, expected 0 or more");
    if (tokens + index(room) <= index(context)) return;
    const auto length = static_cast<long long>(tokens);
    const std::string shorter =
        "shorten the prompt to " + std::to_string(context - room) + " tokens";
    const std::string fewer = "ask for at most " + std::to_string(context - length) + " new ones";
    throw Error("prompt: " + std::to_string(length) + " tokens and " + std::to_string(room) +
                " new ones exceed the model's context of " + std::to_string(context) + "; " +
                (room >= context && length >= context ? "make both fewer"
                 : room >= context                    ? fewer
                 : length >= context                  ? shorter
                                                      : shorter + " or " + fewer));
}

std::vector<int> encode_prompt(const GptModel& model, std::string_view text, int room) {
    check_prompt_text(text);
    std::vector<int> ids = model.tokenizer.encode(text);
    if (ids.empty()) ids.push_back(model.tokenizer.eos_id());
    check_prompt_length(ids.size(), room, model.config().n_positions);
    return ids;
}

}  // namespace tbt
