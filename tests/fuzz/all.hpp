// The list of targets.
#pragma once

#include "tests/fuzz/command_line.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/languages.hpp"
#include "tests/fuzz/talk.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/fuzz/templates.hpp"

namespace tbt::fuzz {

inline const std::vector<Target>& targets() {
    static const std::vector<Target> all = {
        {"safetensors", read_tensors}, {"gguf", read_gguf},
        {"config", read_config},       {"tokenizer", read_tokenizer},
        {"trace", read_trace_file},    {"checkpoint", read_checkpoint_file},
        {"corpus", read_corpus},       {"json", read_json_text},
        {"gbnf", read_gbnf},           {"regex", read_regex},
        {"schema", read_schema},       {"command_line", read_command_line},
        {"chat", read_chat},           {"template", read_chat_template_text}};
    return all;
}

}  // namespace tbt::fuzz
