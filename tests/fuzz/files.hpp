// Targets that read the files of a model.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "chapters/10_generate/generation_config.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/21_medusa/heads.hpp"
#include "lib/core/unicode.hpp"
#include "lib/corpus/corpus.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/gguf_model.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/json/json.hpp"
#include "lib/model/model_config.hpp"
#include "lib/text/tokenizer.hpp"
#include "lib/train/checkpoint.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::fuzz {

// One folder for the whole run, on a disk in memory where there is one.
inline const test::TemporaryFolder& folder() {
    static const test::TemporaryFolder one;
    return one;
}

inline void read_tensors(std::string_view bytes) {
    const Safetensors file =
        Safetensors::open(folder().write("model.safetensors", std::string(bytes)));
    for (const auto& [name, view] : file.tensors()) {
        promise(view.bytes.size() <= bytes.size(), "a tensor lies within its file");
        if (element_count(view.shape) <= 1 << 16) file.read(name, view.shape);
    }
}

inline void read_config(std::string_view bytes) {
    folder().write("config.json", std::string(bytes));
    folder().write("generation_config.json", std::string(bytes));
    GenerateOptions o;
    o.model = folder().path();
    try {
        use_generation_config(o);
    } catch (const Error&) {
    }
    try {
        read_heads_config(folder().path());
    } catch (const Error&) {
    }
    const TransformerConfig config = read_model_config(folder().path());
    parameter_count(config);
}

inline void read_gguf(std::string_view bytes) {
    const GgufFile file(folder().write("model.gguf", std::string(bytes)));
    for (const auto& [name, tensor] : file.tensors()) {
        promise(tensor.bytes.size() <= bytes.size(), "a tensor lies within its file");
        try {
            if (element_count(tensor.shape) <= 1 << 16) file.read(name, tensor.shape);
        } catch (const Error&) {
        }
    }
    try {
        gguf_tokenizer(file).encode("Hello, wörld!  123\n");
    } catch (const Error&) {
    }
    const TransformerConfig config = gguf_config(file);
    if (parameter_count(config) <= 1 << 16) OpenedWeights(file, config, {});
}

// The first byte says which file it is; the others are missing, or merges.txt after a zero byte.
inline void read_tokenizer(std::string_view bytes) {
    if (bytes.empty()) return;
    for (const char* name : {"tokenizer.json", "vocab.json", "merges.txt", "tokenizer_config.json"})
        std::filesystem::remove(folder().file(name));
    const std::string text(bytes.substr(1));
    const std::size_t zero = std::min(text.find('\0'), text.size());
    if (bytes[0] == 'v') {
        folder().write("vocab.json", text.substr(0, zero));
        folder().write("merges.txt", zero < text.size() ? text.substr(zero + 1) : "");
    } else {
        folder().write("tokenizer.json", text.substr(0, zero));
        if (zero < text.size()) folder().write("tokenizer_config.json", text.substr(zero + 1));
    }
    const Tokenizer tokenizer = Tokenizer::load(folder().path());
    const std::string sample = "Hello, wörld!  123\n" + text.substr(0, 100);
    const std::string back = tokenizer.decode(tokenizer.encode(sample));
    if (tokenizer.vocabulary().rules.is_gpt2())  // others may normalise the text
        promise(back == sample, "decode(encode(x)) is x");
}

inline void read_trace_file(std::string_view bytes) {
    trace_page({read_trace(folder().write("trace.jsonl", std::string(bytes)))});
}

inline void read_checkpoint_file(std::string_view bytes) {
    const std::string path = folder().write("checkpoint", std::string(bytes));
    train::read_checkpoint_header(path);
    std::vector<float> block(16);
    train::read_checkpoint(path, {block});
}

inline void read_corpus(std::string_view bytes) {
    const Corpus corpus = Corpus::from_text({{"fuzz.grammar", std::string(bytes)}});
    for (std::uint64_t i = 0; i < 3; ++i) {
        const Document document = corpus.document(1, i);
        promise(document.text == corpus.document(1, i).text, "a document depends on its number");
    }
    corpus.unused();
}

}  // namespace tbt::fuzz
