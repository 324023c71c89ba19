// Lists the models that other programs have fetched to this machine, and whether they open here.
// Nothing is downloaded, and of a model only the beginning of its files is read.
//
//   build/fetched_models
//   make chat ARGS="--model HuggingFaceTB/SmolLM2-135M-Instruct"     one of its names
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/gguf_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/fetched_models.hpp"
#include "lib/model/model_config.hpp"

using namespace tbt;

namespace {

// A line of the table.
struct Line {
    std::string name, kind, parameters, context, memory, opens;
};

std::string with_unit(std::int64_t n, double unit, const char* name) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f%s", static_cast<double>(n) < 10 * unit ? 1 : 0,
                  static_cast<double>(n) / unit, name);
    return text;
}
std::string parameters_text(std::int64_t n) {
    return n < 1'000'000'000 ? with_unit(n, 1e6, "M") : with_unit(n, 1e9, "B");
}

// The weights' type and their bytes in memory, and whether the file has those of this model.
void add_weights(Line& line, const std::string& path, const TransformerConfig& config) {
    std::int64_t bytes = 0;
    if (is_model_file(path)) {
        const GgufFile file(path);
        bytes = file.bytes_in_memory();
        std::map<std::string, std::size_t> types;  // and their bytes: files mix several
        for (const auto& [name, tensor] : file.tensors())
            types[tensor.block->name] += tensor.bytes.size();
        std::string most;
        for (const auto& [type, size] : types)
            if (most.empty() || size > types[most]) most = type;
        line.kind += ", " + most;
    } else {
        const WeightType type = stored_type(Safetensors::open_directory(path));
        bytes = plan_memory(config, type, 1, 1).weights();
        line.kind += ", " + std::string(names_of(type).option);
    }
    line.memory =
        bytes < 1 << 30 ? with_unit(bytes, 1 << 20, " MiB") : with_unit(bytes, 1 << 30, " GiB");
    if (is_model_file(path)) OpenedWeights(GgufFile(path), config, {});
    else OpenedWeights(path, config, {});
}

Line line_of(const FetchedModel& model) {
    Line line{model.name, "", "", "", "", "yes"};
    try {
        const TransformerConfig config = read_model_config(model.path);
        line.kind = config.architecture.model_type;
        line.parameters = parameters_text(parameter_count(config));
        line.context = std::to_string(config.n_positions);
        add_weights(line, model.path, config);
    } catch (const Error& error) {
        std::string why = error.what();  // without the path, which may be long
        if (why.starts_with(model.path)) {
            const std::size_t after = why.find_first_not_of("/: ", model.path.size());
            why = after == std::string::npos ? why : why.substr(after);
        }
        line.opens = "no: " + why;
    }
    return line;
}

void print_models() {
    const std::vector<FetchedModel> models = fetched_models();
    if (models.empty()) {
        std::printf(
            "No models were found in the caches of the Hugging Face hub, llama.cpp and Ollama.\n"
            "hf download HuggingFaceTB/SmolLM2-135M-Instruct fetches a small one (pip install "
            "huggingface_hub).\n");
        return;
    }
    std::vector<Line> lines{{"model", "kind", "weights", "context", "memory", "opens"}};
    for (const FetchedModel& model : models) lines.push_back(line_of(model));
    std::size_t name = 0, kind = 0;
    for (const Line& line : lines)
        name = std::max(name, line.name.size()), kind = std::max(kind, line.kind.size());
    for (const Line& l : lines)
        std::printf("%-*s  %-*s  %8s  %8s  %9s  %s\n", static_cast<int>(name), l.name.c_str(),
                    static_cast<int>(kind), l.kind.c_str(), l.parameters.c_str(), l.context.c_str(),
                    l.memory.c_str(), l.opens.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    return run_program(
        argc, argv, "Lists the models that other programs have fetched to this machine.",
        [](CommandLine) {}, [] { print_models(); });
}
