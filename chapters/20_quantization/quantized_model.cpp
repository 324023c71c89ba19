#include "chapters/20_quantization/quantized_model.hpp"

#include <cmath>
#include <filesystem>
#include <vector>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/kernels/int8_matrix.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/model/int8_file.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/safetensors.hpp"
#include "lib/model/safetensors_write.hpp"

namespace tbt {

namespace {

constexpr const char* copied[] = {
    "generation_config.json",  "tokenizer.json", "tokenizer_config.json",
    "special_tokens_map.json", "vocab.json",     "merges.txt"};

void check_folders(const std::string& from, const std::string& to, const Safetensors& file) {
    for (const auto& [name, tensor] : file.tensors())
        if (tensor.dtype == int8_dtype)
            throw Error(from + ": its weights are in 8 bits already; quantise the original");
    for (const char* name : {"model.safetensors", "model.safetensors.index.json"})
        if (file_exists(join_path(to, name)))
            throw Error(to + ": holds a model already; choose another directory");
}

// With what others must know: a reader that does not know these weights stops here.
void write_config(const std::string& from, const std::string& to) {
    Json config = read_json(join_path(from, "config.json"));
    config["quantization_config"] = {{"bits", 8}, {"quant_method", int8_method}};
    write_file(join_path(to, "config.json"), json_text(config, 2) + "\n");
}

WeightType stored_type(const Safetensors& file, const std::string& name) {
    const TensorView* view = file.find(name);
    if (!view) view = file.find("transformer." + name);
    return weight_type_named(view ? view->dtype : "").value_or(WeightType::f32);
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
    const std::int64_t K = w.dim(0), N = w.dim(1);
    Int8Columns result{Tensor(w.shape()), Tensor({N})};
    std::vector<std::int8_t> q(index(K));
    for (std::int64_t n = 0; n < N; ++n) {
        const float scale = quantize_row(w.data() + n, K, N, q.data());
        if (std::isnan(scale))
            throw Error("quantize: a weight in column " + std::to_string(n) + " of " + name +
                        " is not finite; the model is broken");
        result.scales.data()[n] = scale;
        for (std::int64_t k = 0; k < K; ++k)
            result.q.data()[k * N + n] = static_cast<float>(q[index(k)]);
    }
    return result;
}

QuantizedSizes write_quantized_model(const std::string& from, const std::string& to) {
    const GptConfig config = read_model_config(from);
    const Safetensors file = Safetensors::open_directory(from);
    check_folders(from, to, file);
    QuantizedSizes sizes;
    std::vector<Tensor> kept;  // what the tensors to write look into
    std::vector<TensorToWrite> tensors;
    const auto add = [&](const std::string& name, Tensor tensor, WeightType type) {
        kept.push_back(std::move(tensor));
        tensors.push_back({name, kept.back().shape(), kept.back().values(), type});
    };
    for (const WeightShape& weight : weight_shapes(config)) {
        Tensor w = file.read_weight(weight.name, weight.shape);
        if (weight.shape.size() != 2 || !weight.name.starts_with("h.")) {
            add(weight.name, std::move(w), stored_type(file, weight.name));
            continue;
        }
        Int8Columns columns = quantized_columns(weight.name, w);
        add(weight.name, std::move(columns.q), WeightType::int8);
        add(scale_name(weight.name), std::move(columns.scales), WeightType::f32);
        ++sizes.matrices;
    }
    make_directory(to);
    write_config(from, to);
    for (const char* name : copied)
        if (file_exists(join_path(from, name)))
            write_file(join_path(to, name), read_file(join_path(from, name)));
    write_safetensors(join_path(to, "model.safetensors"), std::move(tensors));
    sizes.before = weight_files(from), sizes.after = weight_files(to);
    return sizes;
}

}  // namespace tbt
