#include "lib/model/llama_layers.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "lib/model/config_reader.hpp"

namespace tbt {

namespace {

// ---- rotary positions ---------------------------------------------------------------------------

double number_in(const ConfigReader& file, const Json& object, const char* key,
                 std::optional<double> otherwise = {}) {
    const auto member = object.find(key);
    if (member == object.end() || member->is_null()) {
        if (otherwise) return *otherwise;
        file.fail(std::string("the rotary positions lack ") + key + ", expected a number");
    }
    const double value = member->is_number() ? member->get<double>() : 0;
    if (!(value > 0) || !std::isfinite(value)) file.fail(key, *member, "a positive number");
    return value;
}

Rotary rotary_of(const ConfigReader& file, const Json& object, double theta, int positions) {
    Rotary r;
    r.theta = number_in(file, object, "rope_theta", theta);
    const char* key = object.contains("rope_type") ? "rope_type" : "type";
    const Json type = object.value(key, Json("default"));
    if (!type.is_string()) file.fail(key, type, "default, linear or llama3");
    const auto name = type.get<std::string>();
    if (name == "default") return r;
    if (name != "linear" && name != "llama3")
        file.fail(std::string(key) + " of the rotary positions is " + shown(name) +
                  ", expected default, linear or llama3");
    r.scaling = name == "linear" ? RotaryScaling::linear : RotaryScaling::llama3;
    r.factor = number_in(file, object, "factor");
    if (name == "linear") return r;
    r.low_frequency_factor = number_in(file, object, "low_freq_factor");
    r.high_frequency_factor = number_in(file, object, "high_freq_factor");
    const double original = number_in(file, object, "original_max_position_embeddings", positions);
    if (original > largest_size || original != std::floor(original))
        file.fail("original_max_position_embeddings is not a whole number up to 2^24");
    r.original_positions = static_cast<int>(original);
    return r;
}

// The value of rope_scaling if it is not empty, else that of rope_parameters, else an empty object.
Json rotary_object(const ConfigReader& file) {
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
        const Json* object = file.find(key);
        if (object && !object->is_object()) file.fail(key, *object, "an object or null");
        if (object && !object->empty()) return *object;
    }
    return Json::object();
}

}  // namespace

void read_llama_rotaries(const ConfigReader& file, const LlamaFamily& family,
                         TransformerConfig& config) {
    Architecture& a = config.architecture;
    const bool gemma = family.model_type == "gemma3_text";
    const Json object = rotary_object(file);
    const double theta = file.positive_or("rope_theta", family.theta);
    // Gemma's layers with a window have rotary settings of their own: rotaries[1].
    const auto of = [&](const char* kind) {
        const auto member = object.find(kind);
        return member != object.end() && member->is_object() ? *member : object;
    };
    if (gemma) {
        const bool apart = object.contains("sliding_attention");
        const double local = file.positive_or("rope_local_base_freq", 1e4);
        a.rotaries = {rotary_of(file, of("full_attention"), theta, config.n_positions),
                      rotary_of(file, apart ? of("sliding_attention") : Json::object(), local,
                                config.n_positions)};
    } else {
        a.rotaries = {rotary_of(file, object, theta, config.n_positions)};
    }
    const double part = number_in(file, object, "partial_rotary_factor",
                                  file.positive_or("partial_rotary_factor", 1.0));
    a.rotary_size = static_cast<int>(a.head_size * part);
    if (a.rotary_size < 2 || a.rotary_size > a.head_size || a.rotary_size % 2 != 0)
        file.fail("partial_rotary_factor makes " + std::to_string(a.rotary_size) + " of the " +
                  std::to_string(a.head_size) +
                  " components of a head rotate, expected an even number, at most all");
}

namespace {

// ---- windows ------------------------------------------------------------------------------------

// Which layers have a window according to layer_types; empty if that key is missing.
std::vector<bool> windows_listed(const ConfigReader& file, int layers) {
    const Json* types = file.find("layer_types");
    if (!types) return {};
    if (!types->is_array() || count(*types) != layers)
        file.fail("layer_types", *types,
                  "a list of " + std::to_string(layers) + ", one for each layer");
    std::vector<bool> result;
    for (const Json& type : *types) {
        const bool sliding = type == "sliding_attention";
        if (!sliding && type != "full_attention")
            file.fail("layer_types has " + shown(json_text(type)) +
                      ", expected full_attention and sliding_attention");
        result.push_back(sliding);
    }
    return result;
}

std::vector<bool> windows_by_rule(const ConfigReader& file, std::string_view type, int layers) {
    std::vector<bool> result(index(layers), false);
    const bool used = file.flag_or("use_sliding_window", false);
    const int first = file.count_or("max_window_layers", 28),
              every = file.size_or("sliding_window_pattern", 6);
    for (int i = 0; i < layers; ++i) {
        if (type == "mistral" || type == "phi3") result[index(i)] = true;
        if (type == "qwen2" || type == "qwen3") result[index(i)] = used && i >= first;
        if (type == "gemma3_text") result[index(i)] = (i + 1) % every != 0;
    }
    return result;
}

// Does this layer of SmolLM3 have rotary positions? no_rope_layers is 0 for layers without them.
bool has_rotary(const ConfigReader& file, int layer, int layers) {
    const Json* list = file.find("no_rope_layers");
    if (!list) return (layer + 1) % file.size_or("no_rope_layer_interval", 4) != 0;
    if (!list->is_array() || count(*list) != layers)
        file.fail("no_rope_layers", *list,
                  "a list of " + std::to_string(layers) + ", one for each layer");
    return file.integer("no_rope_layers", (*list)[index(layer)], 0, 1) == 1;
}

}  // namespace

void read_llama_layers(const ConfigReader& file, const LlamaFamily& family,
                       TransformerConfig& config) {
    Architecture& a = config.architecture;
    const std::string_view type = family.model_type;
    const int n = config.n_layer;
    const bool has_windows = type != "llama" && type != "olmo2" &&
                             (type != "smollm3" || file.flag_or("use_sliding_window", false));
    const int size = has_windows ? file.size_or_absent("sliding_window", family.window, 0) : 0;
    std::vector<bool> windows = windows_listed(file, n);
    const bool listed = !windows.empty();
    if (!listed) windows = windows_by_rule(file, type, n);
    for (int i = 0; i < n; ++i) {
        LayerKind kind{windows[index(i)] ? size : 0, 0};
        if (listed && windows[index(i)] && kind.window == 0)
            file.fail("layer_types has sliding_attention, but there is no sliding_window");
        if (type == "smollm3") {
            if (!has_rotary(file, i, n)) kind.rotary = -1;
            if (!listed && kind.rotary < 0) kind.window = size;
        }
        if (type == "gemma3_text" && windows[index(i)]) kind.rotary = 1;
        a.layers.push_back(kind);
    }
}

}  // namespace tbt
