#include "chapters/22_diffusion/masked_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chapters/03_temperature/plain_temperature.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

MaskedModel::MaskedModel(MaskedGpt network, Tokenizer words)
    : gpt(std::move(network)), tokenizer(std::move(words)) {
    if (tokenizer.vocab_size() != gpt.mask_id())
        throw Error("diffusion: the tokenizer has " + std::to_string(tokenizer.vocab_size()) +
                    " tokens, the model " + std::to_string(gpt.mask_id()) +
                    " and the mask; they don't belong together");
}

MaskedModel MaskedModel::load(const std::filesystem::path& directory,
                              const TransformerOptions& options) {
    const std::string name = directory.string();
    if (name.find('\0') == std::string::npos && !std::filesystem::is_directory(directory))
        throw Error(name + ": no such model directory; make train-diffusion makes one, " +
                    "build/models/diffusion");
    return {MaskedGpt::load(directory, options), Tokenizer::load(name)};
}

std::span<const float> MaskedModel::logits(const Canvas& row, std::size_t place) {
    checked_place("diffusion: places", static_cast<long long>(place), row.size());
    if (row != last_) {
        std::vector<int> ids = row;
        std::replace(ids.begin(), ids.end(), mask_token, gpt.mask_id());
        last_.clear();  // if the pass fails, there are no valid logits
        if (on_pass) on_pass(row);
        logits_ = gpt.forward(ids);
        last_ = row;
        ++passes_;
    }
    return logits_.row(static_cast<std::int64_t>(place));
}

std::vector<double> MaskedModel::operator()(const Canvas& row, std::size_t place) {
    return softmax_at(logits(row, place), 1);
}

MaskedDistribution MaskedModel::distribution() {
    return [this](const Canvas& row, std::size_t place) { return (*this)(row, place); };
}

Canvas MaskedModel::canvas(const std::vector<int>& tokens, int length) const {
    const int most = gpt.config().n_positions;
    if (length == 0) length = most;
    if (length < 0 || length > most || count(tokens) > length)
        throw Error("diffusion: " + std::to_string(tokens.size()) + " tokens on a canvas of " +
                    std::to_string(length) + ", expected no more than the canvas has, and it no " +
                    "more than the model's " + std::to_string(most));
    check_ids("diffusion", tokens, index(tokenizer.vocab_size()));
    Canvas row = tokens;
    row.resize(index(length), tokenizer.eos_id());
    return row;
}

std::string MaskedModel::text(const Canvas& row, const std::string& mask) const {
    std::string text;
    for (const int id : row) {
        if (id == tokenizer.eos_id()) break;
        if (id == mask_token) text += mask;
        else text += tokenizer.token_bytes(id);
    }
    return text;
}

}  // namespace tbt
