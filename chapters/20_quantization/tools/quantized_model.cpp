#include "chapters/20_quantization/tools/quantized_model.hpp"

#include <cmath>
#include <deque>
#include <filesystem>
#include <vector>

#include "chapters/20_quantization/plain_gptq_groups.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/files/stored_integers.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/model_config.hpp"
#include "lib/quantized/integer_matrix.hpp"

namespace tbt {

namespace {

constexpr const char* copied[] = {"generation_config.json",
                                  "tokenizer.json",
                                  "tokenizer_config.json",
                                  "special_tokens_map.json",
                                  "added_tokens.json",
                                  "chat_template.jinja",
                                  "additional_chat_templates/tool_use.jinja",
                                  "vocab.json",
                                  "merges.txt"};

// Writes config.json with quantization_config, so that programs without support for these weights
// refuse the model. `original` is the hash of the weights that were rounded: heads (chapter 21)
// that were trained for them work with the rounded ones too.
void write_config(const std::string& from, const std::string& to, int bits,
                  const std::string& original) {
    Json config = read_json(join_path(from, "config.json"));
    config["quantization_config"] = {{"bits", bits},
                                     {"quant_method", bits == 8 ? int8_method : int4_method},
                                     {"original", original}};
    write_file(join_path(to, "config.json"), json_text(config, 2) + "\n");
}

WeightType stored_type(const Safetensors& file, const std::string& name) {
    const StoredTensor* view = file.find(name);
    if (!view) view = file.find("transformer." + name);
    return weight_type_named(view ? view->dtype : "").value_or(WeightType::f32);
}

// Rounds a column to the nearest, or by GPTQ. It runs in a team of threads, where nothing may be
// thrown; a column that is not finite gets the unit NaN.
FourBitColumn rounded_column(const std::vector<float>& w, const Square* factor) {
    FourBitColumn column = quantize_in_groups(w);
    return factor && column.unit > 0 ? gptq_in_groups(w, *factor) : column;
}

std::int64_t weight_files(const std::string& directory) {
    std::int64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (entry.path().extension() == ".safetensors")
            bytes += static_cast<std::int64_t>(entry.file_size());
    return bytes;
}

}  // namespace

Int8Columns quantized_columns(const std::string& name, const Tensor& w) {
    if (w.shape().size() != 2)
        throw Error("quantize: " + name + " has shape " + to_string(w.shape()) +
                    ", expected a matrix");
    const bool by_rows = scaled_by_rows(name);
    const std::int64_t K = w.dim(by_rows ? 1 : 0), N = w.dim(by_rows ? 0 : 1),
                       k_step = by_rows ? 1 : N, n_step = by_rows ? K : 1;
    Int8Columns result{Tensor(w.shape()), Tensor({N})};
    std::vector<std::int8_t> q(index(K));
    for (std::int64_t n = 0; n < N; ++n) {
        const float scale = quantize_row(w.data() + n * n_step, K, k_step, q.data());
        if (std::isnan(scale))
            throw Error("quantize: a weight in " + std::string(by_rows ? "row " : "column ") +
                        std::to_string(n) + " of " + name + " is not finite; the model is broken");
        result.scales.data()[n] = scale;
        for (std::int64_t k = 0; k < K; ++k)
            result.q.data()[k * k_step + n * n_step] = static_cast<float>(q[index(k)]);
    }
    return result;
}

Int4Columns quantized_groups(const std::string& name, const Tensor& w, const Square* factor) {
    if (w.shape().size() != 2 || (factor && index(w.dim(0)) != factor->size()))
        throw Error("quantize: " + name + " has shape " + to_string(w.shape()) +
                    ", expected a matrix" +
                    (factor ? " of " + std::to_string(factor->size()) + " rows" : ""));
    const std::int64_t K = w.dim(0), N = w.dim(1);
    if (K > Int4Matrix::max_rows)
        throw Error("quantize: " + name + " has " + std::to_string(K) + " rows, expected at most " +
                    std::to_string(Int4Matrix::max_rows) + " in 4 bits");
    const Int4Names names = int4_names(name, w.shape());
    Int4Columns result{
        std::vector<std::uint8_t>(index(element_count(names.codes_shape)), std::uint8_t{0x88}),
        std::vector<std::uint8_t>(index(element_count(names.multipliers_shape))), Tensor({N})};
    run_team(default_threads(), [&](const Worker& worker) {
        const Range mine = worker.share(N);
        std::vector<float> column(index(K));
        for (std::int64_t n = mine.begin; n < mine.end; ++n) {
            for (std::int64_t k = 0; k < K; ++k) column[index(k)] = w.data()[k * N + n];
            const FourBitColumn four = rounded_column(column, factor);
            result.units.data()[n] = four.unit;
            for (std::int64_t k = 0; k < K; ++k) {
                std::uint8_t& byte = result.codes[index(k / 2 * N + n)];
                const int code = four.q[index(k)] + 8;
                byte = static_cast<std::uint8_t>(k % 2 == 0 ? (byte & 0xf0) | code
                                                            : (byte & 0x0f) | code << 4);
            }
            for (std::size_t g = 0; g < four.m.size(); ++g)
                result.multipliers[g * index(N) + index(n)] = static_cast<std::uint8_t>(four.m[g]);
        }
    });
    for (std::int64_t n = 0; n < N; ++n)
        if (std::isnan(result.units.data()[n]))
            throw Error("quantize: a weight in column " + std::to_string(n) + " of " + name +
                        " is not finite; the model is broken");
    return result;
}

void check_original(const std::string& directory) {
    const Safetensors file = Safetensors::open_directory(directory);
    for (const auto& [name, tensor] : file.tensors())
        if (tensor.dtype == int8_dtype || is_int4(name, tensor))
            throw Error(directory + ": its weights are in " +
                        (tensor.dtype == int8_dtype ? "8" : "4") +
                        " bits already; quantise the original");
}

TransformerConfig check_quantizable(const std::string& from, const std::string& to) {
    TransformerConfig config = read_model_config(from);
    require_gpt2(
        config,
        from +
            ": only a GPT-2 can be written in 8 or 4 bits (--weights int8 works with any model)");
    check_original(from);
    for (const char* name : {"model.safetensors", "model.safetensors.index.json"})
        if (file_exists(join_path(to, name)))
            throw Error(to + ": holds a model already; choose another directory");
    return config;
}

QuantizedSizes write_quantized_model(const std::string& from, const std::string& to,
                                     const Quantization& how) {
    if (how.bits != 8 && how.bits != 4)
        throw Error("quantize: got " + std::to_string(how.bits) + " bits, expected 8 or 4");
    if (how.bits == 8 && !how.gptq.empty())
        throw Error("quantize: GPTQ is for 4 bits, and 8 were asked for");
    const TransformerConfig config = check_quantizable(from, to);
    const Safetensors file = Safetensors::open_directory(from);
    QuantizedSizes sizes;
    std::deque<Tensor> kept;  // owns the memory of the tensors to write
    std::deque<std::vector<std::uint8_t>> bytes;
    std::vector<TensorToWrite> tensors;
    const auto add = [&](const std::string& name, Tensor tensor, WeightType type) {
        kept.push_back(std::move(tensor));
        tensors.push_back({name, kept.back().shape(), kept.back().values(), type});
    };
    const auto add_bytes = [&](const std::string& name, const Shape& shape,
                               std::vector<std::uint8_t> all) {
        bytes.push_back(std::move(all));
        tensors.push_back({.name = name, .shape = shape, .values = {}, .bytes = bytes.back()});
    };
    for (const WeightShape& weight : weight_shapes(config)) {
        Tensor w = file.read_weight(weight.name, weight.shape);
        const bool in_layer = weight.shape.size() == 2 && weight.name.starts_with("h."),
                   shared = weight.name == "wte.weight" && config.tie_word_embeddings;
        sizes.matrices += in_layer;
        if (how.bits == 8 ? in_layer : shared) {
            Int8Columns columns = quantized_columns(weight.name, w);
            add(weight.name, std::move(columns.q), WeightType::int8);
            add(scale_name(weight.name), std::move(columns.scales), WeightType::f32);
        } else if (in_layer) {
            const std::string matrix = weight.name.substr(0, weight.name.rfind('.'));
            Int4Columns four =
                quantized_groups(weight.name, w, how.gptq.empty() ? nullptr : &how.gptq.at(matrix));
            const Int4Names names = int4_names(weight.name, weight.shape);
            add_bytes(names.codes, names.codes_shape, std::move(four.codes));
            add_bytes(names.multipliers, names.multipliers_shape, std::move(four.multipliers));
            add(names.units, std::move(four.units), WeightType::f32);
        } else {
            add(weight.name, std::move(w), stored_type(file, weight.name));
        }
    }
    make_directory(to);
    write_config(from, to, how.bits, file.hash());
    for (const char* name : copied) {
        const std::string copy = join_path(to, name);
        if (!file_exists(join_path(from, name))) continue;
        std::filesystem::create_directories(std::filesystem::path(copy).parent_path());
        write_file(copy, read_file(join_path(from, name)));
    }
    write_safetensors(join_path(to, "model.safetensors"), std::move(tensors));
    sizes.before = weight_files(from), sizes.after = weight_files(to);
    return sizes;
}

}  // namespace tbt
