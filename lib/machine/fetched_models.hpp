// Models that other programs have fetched to this machine, in the caches of the Hugging Face hub,
// llama.cpp and Ollama. Nothing is ever downloaded.
#pragma once

#include <string>
#include <vector>

namespace tbt {

struct FetchedModel {
    // "HuggingFaceTB/SmolLM2-135M", with a GGUF file's type "bartowski/Qwen2.5-0.5B-GGUF:Q4_K_M",
    // or Ollama's "llama3.2:1b".
    std::string name;
    std::string path;  // a directory with config.json, or a GGUF file
};

// All of them, in the order of their names. The folders are ~/.cache/huggingface/hub (HF_HOME/hub,
// HF_HUB_CACHE), ~/.cache/llama.cpp (LLAMA_CACHE) and ~/.ollama/models (OLLAMA_MODELS).
std::vector<FetchedModel> fetched_models();

// The path of the fetched model with this name. Upper and lower case are the same in a type.
// Without one, the name is that of the directory, of Ollama's "latest", of Q4_K_M or of the first.
// A name that is a path here, or that no model has, is returned as it is.
std::string path_of_model(const std::string& name);

}  // namespace tbt
