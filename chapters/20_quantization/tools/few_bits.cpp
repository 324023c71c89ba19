#include "chapters/20_quantization/tools/few_bits.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>

#include "chapters/18_transformer/load_plain.hpp"
#include "chapters/20_quantization/demo.hpp"
#include "chapters/20_quantization/plain_gptq.hpp"
#include "chapters/20_quantization/rounding.hpp"
#include "chapters/20_quantization/tools/quantized_model.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/corpus/validation.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/machine/threads.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

constexpr int judged = 40, group = 32;

KnownTexts texts_of(const DocumentSource& source, const Tokenizer& tokenizer, std::uint64_t seed,
                    bool held_out, int documents, std::size_t longest) {
    constexpr std::uint64_t most = 100'000;  // the maximum number of documents to try
    KnownTexts texts;
    const int eos = tokenizer.eos_id();
    for (std::uint64_t i = 0; count(texts.ids) < documents && i < most; ++i) {
        const Document document = source.document(seed, i);
        if (document.held_out != held_out) continue;
        std::vector<int> ids = {eos};
        for (const int id : tokenizer.encode(document.text)) ids.push_back(id);
        ids.push_back(eos);
        if (ids.size() > longest) continue;
        texts.ids.push_back(std::move(ids));
        texts.bytes += static_cast<double>(document.text.size());
        texts.floor_bits += document.bits;
    }
    if (count(texts.ids) < documents)
        throw Error("few bits: the corpus has " + std::to_string(texts.ids.size()) +
                    " such documents, expected " + std::to_string(documents));
    return texts;
}

// The name of a layer's matrix, "h.0.attn.c_attn"; empty for other weights.
std::string matrix_of(const std::string& weight, const Shape& shape) {
    const std::string end = ".weight";
    if (shape.size() != 2 || !weight.starts_with("h.")) return "";
    return weight.substr(0, weight.size() - end.size());
}

// A temporary directory, which the destructor removes.
struct ScratchFolder {
    std::string path = (std::filesystem::temp_directory_path() /
                        ("tbt-few-bits-" + std::to_string(std::random_device()())))
                           .string();
    ScratchFolder() = default;
    ScratchFolder(const ScratchFolder&) = delete;
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

struct Way {
    std::string name;
    int bits = 0;
    bool gptq = false;
};

}  // namespace

KnownTexts held_out_texts(const DocumentSource& source, const Tokenizer& tokenizer, int documents,
                          std::size_t longest) {
    return texts_of(source, tokenizer, validation_seed, true, documents, longest);
}

KnownTexts calibration_texts(const DocumentSource& source, const Tokenizer& tokenizer,
                             int documents, std::size_t longest) {
    return texts_of(source, tokenizer, 20, false, documents, longest);
}

std::vector<std::vector<int>> calibration_pieces(const std::string& text,
                                                 const Tokenizer& tokenizer, std::size_t longest) {
    const std::vector<int> ids = tokenizer.encode(text);
    if (ids.size() < 2 || longest < 1)
        throw Error("gptq: the text to calibrate with has " + std::to_string(ids.size()) +
                    " tokens, expected some thousands");
    std::vector<std::vector<int>> pieces;
    for (std::size_t i = 0; i < ids.size(); i += longest)
        pieces.emplace_back(
            ids.begin() + static_cast<std::ptrdiff_t>(i),
            ids.begin() + static_cast<std::ptrdiff_t>(std::min(i + longest, ids.size())));
    return pieces;
}

std::map<std::string, Square> input_factors(const PlainGpt& model,
                                            const std::vector<std::vector<int>>& texts) {
    std::map<std::string, Square> all;
    const auto each = [&](const auto& work) {
        std::vector<std::pair<const std::string, Square>*> entries;
        for (auto& entry : all) entries.push_back(&entry);
        run_team(default_threads(), [&](const Worker& worker) {
            const Range mine = worker.share(length_of(entries));
            for (std::int64_t i = mine.begin; i < mine.end; ++i)
                work(entries[index(i)]->first, entries[index(i)]->second);
        });
    };
    for (const std::vector<int>& ids : texts) {  // the inputs of one text at a time are kept
        std::map<std::string, Rows> inputs;
        Inside inside;
        inside.inputs = &inputs;
        model.forward(ids, &inside);
        for (const auto& [name, rows] : inputs) all[name];
        each([&](const std::string& name, Square& H) { add_products(inputs.at(name), H); });
    }
    each([](const std::string&, Square& H) { H = upper_factor(damped(std::move(H))); });
    return all;
}

Tensor gptq_rounded(const Tensor& w, const Square& factor, int bits, int of_a_scale) {
    if (w.shape().size() != 2 || index(w.dim(0)) != factor.size())
        throw Error("gptq: got shape " + to_string(w.shape()) + ", expected a matrix of " +
                    std::to_string(factor.size()) + " rows");
    const std::int64_t K = w.dim(0), N = w.dim(1);
    Tensor result(w.shape());
    run_team(default_threads(), [&](const Worker& worker) {
        const Range mine = worker.share(N);
        std::vector<float> column(index(K));
        for (std::int64_t n = mine.begin; n < mine.end; ++n) {
            for (std::int64_t k = 0; k < K; ++k) column[index(k)] = w.data()[k * N + n];
            column = gptq(column, factor, bits, index(of_a_scale));
            for (std::int64_t k = 0; k < K; ++k) result.data()[k * N + n] = column[index(k)];
        }
    });
    return result;
}

void show_few_bits(const std::string& directory, const std::string& corpus) {
    Model model = load_model(directory, {0, WeightType::f32});
    const auto longest = index(model.config().n_positions);
    const auto source = documents_for(directory, corpus);
    const KnownTexts texts = held_out_texts(*source, model.tokenizer, judged, longest);
    const std::map<std::string, Square> factors =
        input_factors(load_plain_gpt(directory),
                      calibration_texts(*source, model.tokenizer, calibrated, longest).ids);
    double tokens = 0;
    for (const auto& ids : texts.ids) tokens += static_cast<double>(ids.size() - 1);
    std::printf(
        "5. %d held-out texts. Matrices in few bits, a scale for %d weights; embedding in 8:\n\n"
        "   %s  bits/byte   KL, bits   first choice the same\n"
        "   %s %10.4f\n",
        judged, group, padded("", 36).c_str(), padded("the corpus's own choices", 36).c_str(),
        texts.floor_bits / texts.bytes);
    const auto row = [&](const std::string& name, Transformer& gpt) {
        const DistributionShift shift = compare_distributions(model.transformer, gpt, texts.ids);
        std::printf("   %s %10.4f %10.5f %12.1f %%\n", padded(name, 36).c_str(),
                    shift.loss * tokens / texts.bytes, shift.kl, 100 * shift.same_first);
        std::fflush(stdout);
    };
    row("float", model.transformer);
    Transformer int4 = load_transformer(directory, {0, WeightType::int4});
    row("4 bits as they run (--weights int4)", int4);
    {
        const ScratchFolder folder;
        write_quantized_model(directory, folder.path, {4, factors});
        Transformer better = load_transformer(folder.path, {});
        row("the same by GPTQ (build/quantize)", better);
    }
    const Safetensors file = Safetensors::open_directory(directory);
    for (const Way& way : {Way{"4 bits, to the nearest", 4, false}, Way{"4 bits, GPTQ", 4, true},
                           Way{"3 bits, to the nearest", 3, false}, Way{"3 bits, GPTQ", 3, true}}) {
        Transformer gpt(model.config(),
                        [&](const std::string& name, const Shape& shape) {
                            Tensor w = file.read_weight(name, shape);
                            if (name == "wte.weight" || name == "lm_head.weight")
                                return rounded(w, {"", 8, Rounding::Share::column}, true);
                            const std::string matrix = matrix_of(name, shape);
                            if (matrix.empty()) return w;
                            if (way.gptq)
                                return gptq_rounded(w, factors.at(matrix), way.bits, group);
                            return rounded(w, {"", way.bits, Rounding::Share::group, group});
                        },
                        {0, WeightType::f32});
        row(way.name, gpt);
    }
}

}  // namespace tbt
