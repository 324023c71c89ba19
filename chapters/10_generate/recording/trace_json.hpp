// The parts of a trace's lines that all decoders share.
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

// The course's last dated change; there may be later ones.
inline constexpr const char* course_version = "2026-11-20 and later";

// The facts of a run, for the first line.
struct RunFacts {
    std::string command;  // the command line as typed
    std::string model;    // its directory
    std::string decoder;  // beams, diffusion, sampling or greedy; empty: one of the last two
    std::uint64_t seed = 0;
    int samples = 1;
    std::size_t texts = 1;
};

// One line. Invalid UTF-8 in a path or name is replaced instead of failing at the very end.
std::string trace_line(const OrderedJson& j);

// Rounds to six digits: a picture shows no more, and the file is smaller.
OrderedJson six(double x);

// The id and text of a token, and its bytes if they are not valid text.
OrderedJson token_json(const Tokenizer& tokenizer, int id);
// Only the texts of tokens.
OrderedJson tokens_json(const Tokenizer& tokenizer, const std::vector<int>& ids);

// The first line, without the fields that only some decoders have.
OrderedJson header_json(const RunFacts& run, const TransformerConfig& config, const Chain& chain,
                        const Tokenizer& tokenizer, std::span<const ShownPrompt> prompts);

// All other lines: the choices of each text, the passes of the model, the texts.
std::string token_lines(const Tokenizer& tokenizer,
                        const std::vector<std::vector<RecordedToken>>& texts);
std::string pass_lines(const std::vector<RecordedPass>& passes);
std::string result_lines(const std::vector<GeneratedText>& texts, const StopStrings& strings = {});

OrderedJson chain_json(const Chain& chain);
OrderedJson prompts_json(const Tokenizer& tokenizer, std::span<const ShownPrompt> prompts);

// The trace of the texts of one prompt that were drawn from a chain.
std::string run_trace(RunFacts run, Model& model, const GenerateRequest& request,
                      const ShownPrompt& prompt, const std::vector<GeneratedText>& texts,
                      const std::vector<RecordedPass>& passes);

// The hash of all files with weights, in the order of their names; "" if there are none.
std::string hash_of_model(const std::string& directory);

}  // namespace tbt
