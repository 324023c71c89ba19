// The parts of a trace's lines that all decoders have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/output.hpp"
#include "chapters/10_generate/recording/recorded_token.hpp"
#include "lib/machine/json_file.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

struct Model;

inline constexpr const char* trace_format = "token-by-token trace 2";

// What the course's last dated change is called, and that there may be later ones.
inline constexpr const char* course_version = "2026-11-20 and later";

// What was asked for, for the first line.
struct RunFacts {
    std::string command;  // as it was typed, for those who want to type it again
    std::string model;    // its directory
    std::string decoder;  // beams, diffusion, sampling or greedy; empty: one of these two
    std::uint64_t seed = 0;
    int samples = 1;
    std::size_t texts = 1;
};

// One line. A path or a name that is not UTF-8 is no reason to fail at the very end.
std::string trace_line(const OrderedJson& j);

// Six digits are more than a picture shows, and a third of the file.
OrderedJson six(double x);

// id and text, and the bytes where they are no text by themselves.
OrderedJson token_json(const Tokenizer& tokenizer, int id);
// Texts alone.
OrderedJson tokens_json(const Tokenizer& tokenizer, const std::vector<int>& ids);

// The first line; what only some decoders have is added to it.
OrderedJson header_json(const RunFacts& run, const TransformerConfig& config, const Chain& chain,
                        const Tokenizer& tokenizer, std::span<const ShownPrompt> prompts);

// Lines: the choices of each text, the passes of the model, the texts.
std::string token_lines(const Tokenizer& tokenizer,
                        const std::vector<std::vector<RecordedToken>>& texts);
std::string pass_lines(const std::vector<RecordedPass>& passes);
std::string result_lines(const std::vector<GeneratedText>& texts, const StopStrings& strings = {});

OrderedJson chain_json(const Chain& chain);
OrderedJson prompts_json(const Tokenizer& tokenizer, std::span<const ShownPrompt> prompts);

// The texts of one prompt that were drawn from a chain as a trace of their own.
std::string run_trace(RunFacts run, Model& model, const GenerateRequest& request,
                      const ShownPrompt& prompt, const std::vector<GeneratedText>& texts,
                      const std::vector<RecordedPass>& passes);

// Of all files with weights, in the order of their names; "" where there are none.
std::string hash_of_model(const std::string& directory);

}  // namespace tbt
