#include "lib/files/safetensors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/files/stored_experts.hpp"
#include "lib/files/stored_integers.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/kernels/weight_type.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

const StoredTensor* Safetensors::find(const std::string& name) const {
    const auto entry = tensors().find(name);
    return entry == tensors().end() ? nullptr : &entry->second;
}

const StoredTensor& Safetensors::expect(const std::string& name) const {
    const StoredTensor* view = find(name);
    if (!view) throw Error(name_ + ": has no tensor \"" + name + "\"");
    return *view;
}

const StoredTensor& Safetensors::expect(const std::string& name, const Shape& shape) const {
    const StoredTensor* view = find(name);
    if (!view) throw Error(name_ + ": has no tensor \"" + name + "\" of shape " + to_string(shape));
    if (view->shape != shape) {
        throw Error(view->file + ": tensor \"" + name + "\" has shape " + to_string(view->shape) +
                    ", expected " + to_string(shape));
    }
    return *view;
}

Tensor Safetensors::read(const std::string& name, const Shape& shape) const {
    const StoredTensor& view = expect(name, shape);
    if (!weight_type_named(view.dtype))
        throw Error(view.file + ": tensor \"" + name + "\" is of " + view.dtype +
                    ", expected F32, F16 or BF16");
    Tensor tensor(shape);
    widen(view, 0, tensor.values());
    forget(view);
    return tensor;
}

namespace {

// What a name may begin with in a file, and instead on the hub.
constexpr std::pair<std::string_view, std::string_view> beginnings[] = {
    {"transformer.", ""}, {"language_model.", ""}, {"model.language_model.", "model."}};

std::string replaced(const std::string& name, std::string_view begin, std::string_view instead) {
    return std::string(instead) + name.substr(begin.size());
}

}  // namespace

std::string weight_name(const std::string& stored) {
    for (const auto& [in_file, on_hub] : beginnings)
        if (stored.starts_with(in_file)) return replaced(stored, in_file, on_hub);
    return stored;
}

std::string Safetensors::on_file(const std::string& name) const {
    if (find(name)) return name;
    for (const auto& [in_file, on_hub] : beginnings) {
        if (name.starts_with(on_hub)) {
            if (const std::string stored = replaced(name, on_hub, in_file); find(stored))
                return stored;
        }
    }
    return name;
}

namespace {

// A weight that is NaN or infinite would make the logits NaN, so it is reported now, with its name.
void check_finite(const std::string& file, const std::string& name, const Tensor& tensor) {
    const float* w = tensor.data();
    const auto broken =
        std::find_if_not(w, w + tensor.size(), [](float x) { return std::isfinite(x); });
    if (broken == w + tensor.size()) return;
    throw Error(file + ": tensor \"" + name + "\": number " + std::to_string(broken - w) + " is " +
                short_number(static_cast<double>(*broken)) +
                ", expected finite weights; was the training broken off by an overflow?");
}

}  // namespace

std::string Safetensors::hash() const {
    Hash hash;
    for (const auto& [name, tensor] : tensors()) hash.add(name).add(tensor.bytes);
    return hash.text();
}

// Where the weight is, if the file has all experts' weights in one tensor.
std::optional<StoredExpert> Safetensors::with_other_experts(const std::string& name) const {
    if (find(on_file(name))) return std::nullopt;
    const std::optional<StoredExpert> e = stored_expert(name);
    return e && find(e->tensor + (e->bias ? "_bias" : "_blocks")) ? e : std::nullopt;
}

bool Safetensors::in_4_bits(const std::string& name) const {
    return !find(on_file(name)) && find(codes_name(name));
}

std::optional<Int4Codes> Safetensors::stored_int4(const std::string& name,
                                                  const Shape& shape) const {
    if (!in_4_bits(name)) return std::nullopt;
    return read_int4(*this, name, shape);
}

std::optional<Int8Codes> Safetensors::stored_int8(const std::string& name,
                                                  const Shape& shape) const {
    const std::string stored = on_file(name);
    if (with_other_experts(name) || in_4_bits(name) || expect(stored, shape).dtype != int8_dtype)
        return std::nullopt;
    return read_int8(*this, stored, shape);
}

std::shared_ptr<const MappedFile> Safetensors::file_of(const std::string& name) const {
    const StoredTensor* view = find(on_file(name));
    for (const auto& file : stored_.files())
        if (view && file->path() == view->file) return file;
    return nullptr;
}

Tensor Safetensors::read_weight(const std::string& name, const Shape& shape) const {
    if (const auto expert = with_other_experts(name)) return read_expert(*this, *expert, shape);
    if (const std::optional<Int4Codes> codes = stored_int4(name, shape)) {
        Tensor tensor(shape);
        restore_int4(*codes, tensor.values());
        forget_weight(name);
        return tensor;
    }
    if (const std::optional<Int8Codes> codes = stored_int8(name, shape)) {
        Tensor tensor(shape);
        restore_int8(*codes, tensor.values());
        forget_weight(name);
        return tensor;
    }
    const std::string stored = on_file(name);
    Tensor tensor = read(stored, shape);
    check_finite(find(stored)->file, stored, tensor);
    return tensor;
}

std::optional<StoredView> Safetensors::stored_weight(const std::string& name,
                                                     const Shape& shape) const {
    if (in_4_bits(name) || with_other_experts(name)) return std::nullopt;
    const StoredTensor& view = expect(on_file(name), shape);
    const std::optional<WeightType> type = weight_type_named(view.dtype);
    if (!type || shape.size() != 2 ||
        reinterpret_cast<std::uintptr_t>(view.bytes.data()) % index(bytes_of(*type)) != 0)
        return std::nullopt;
    return StoredView(view.bytes.data(), *type, shape[0], shape[1]);
}

std::optional<BlockRows> Safetensors::stored_blocks(const std::string& name,
                                                    const Shape& shape) const {
    const auto expert = with_other_experts(name);
    return expert ? expert_blocks(*this, *expert, shape) : std::nullopt;
}

void Safetensors::forget(const StoredTensor& view) const {
    for (const auto& file : stored_.files()) file->forget(view.bytes);
}

void Safetensors::forget_weight(const std::string& name) const {
    if (const StoredTensor* view = find(in_4_bits(name) ? codes_name(name) : on_file(name)))
        forget(*view);
}

void Safetensors::check_weight(const std::string& name, const Shape& shape) const {
    if (const auto expert = with_other_experts(name)) return check_expert(*this, *expert, shape);
    if (in_4_bits(name)) {
        const Int4Names names = int4_names(name, shape);
        expect(names.codes, names.codes_shape);
        expect(names.multipliers, names.multipliers_shape);
        expect(names.units, names.units_shape);
        return;
    }
    const std::string stored = on_file(name);
    if (expect(stored, shape).dtype == int8_dtype)
        expect(scale_name(stored), {scale_count(stored, shape)});
}

}  // namespace tbt
