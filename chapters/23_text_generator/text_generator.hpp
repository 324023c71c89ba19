// Everything that this course teaches as one class: a model in, texts out.
//
//   TextGenerator generator("data/models/storyteller");
//
//   TextOptions options;                              // facts: the most probable tokens
//   options.strategy = Strategy::greedy;
//   generator.generate("Explain gravity:", options);
//
//   options = {};                                     // stories: draws
//   options.temperature = 0.9, options.top_p = 0.95;
//   generator.generate("Once upon a time,", options);
//
//   options = {};                                     // a search, held to a JSON Schema
//   options.num_beams = 4;
//   options.guide.schema = "data/schemas/person.json";
//   generator.generate("A person:\n", options);
//
// The options have transformers' names, and any that make sense together work together;
// the lesson has the table of pairs. What contradicts is refused with UsageError, in one line that
// says what to do; a file that is at fault, or a text that cannot be, with Error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/10_generate/chat.hpp"
#include "chapters/10_generate/options/options.hpp"
#include "chapters/10_generate/prompt_logprobs.hpp"
#include "chapters/11_beam_search/options.hpp"
#include "chapters/12_speculative/options.hpp"
#include "chapters/16_json_schema/guide.hpp"
#include "chapters/21_medusa/options.hpp"
#include "chapters/22_diffusion/filling.hpp"
#include "chapters/23_text_generator/contrast.hpp"

namespace tbt {

// How tokens are chosen. By the options, as transformers decides: beams if num_beams > 1,
// the most probable token if greedy or the temperature is 0, otherwise draws.
enum class Strategy { by_options, greedy, sample, beam };

// All that can be asked for. An option that is not given has no effect, or chapter 10's default
// (temperature 0.8, top-p 0.9, 200 new tokens).
//
//   of chapters 03 to 10   temperature, top_k, top_p, …, stop_strings, max_new_tokens, seed,
//                          samples (transformers' num_return_sequences), context = "slide"
//   of 11                  num_beams, num_beam_groups, length_penalty, early_stopping
//   of 12                  assistant_model or prompt_lookup_num_tokens, num_assistant_tokens,
//                          coupling = "seed" (the same text as without) or "rejection" (its
//                          distribution)
//   of 21                  medusa, medusa_heads, medusa_nodes; coupling as of 12
//   of 22                  decoder = "diffusion", infill, fill: for TextFiller (filled_texts.hpp)
//   of 13 to 16            guide.grammar, .regex, .schema, .tools, .choice, .integers, .json
//
// Texts are taken as they are: only the command line reads \n as a line break.
struct TextOptions : GenerateOptions, BeamSettings, DraftSettings, MedusaSettings {
    TextOptions() {
        num_beams = 1;
        no_escape = true;
    }
    Strategy strategy = Strategy::by_options;
    bool guesses() const { return drafts() || medusa; }  // tokens ahead, of a draft or of heads
    GuideRequest guide;
    bool known_runs = true;  // what the guide knows is read in one pass; no text depends on it
    std::string decoder;     // autoregressive, or diffusion; empty: by the infill
    std::optional<std::string> infill;  // the text after the gap
    FillOptions fill;
    bool continues_prompt = false;  // the prompt is the beginning of what the guide describes

    // Classifier-free guidance: s·ln p(token | prompt) + (1−s)·ln p(token | negative prompt).
    // 1: none. Without a negative prompt, the prompt's last token stands for it.
    double guidance_scale = 1;
    std::optional<std::string> negative_prompt;
    // Away from what this model would say, by contrast.hpp; as an assistant model is named.
    std::optional<std::string> contrast_model;
    Contrast contrast;

    // Of a conversation: the name of a family of chat templates or a file, empty for the model's
    // own; and what is said before the first turn, empty for nothing.
    std::string chat_template, system;

    std::uint64_t stream = 0;  // of the seed: sample i draws from stream + i
    int traced_tokens = -1;    // traces with so many first choices (chapter 06); −1: none
    bool record = false;       // keep what a page or a trace shows: TextGenerator::recording()
    std::string attention;     // "2.5": also what head 5 of layer 2 looks at; empty: no head
};

// What a generation took.
struct Effort {
    long passes = 0;     // of the model, all texts together
    long positions = 0;  // that it read
    long guessed = 0;    // tokens a draft proposed …
    long right = 0;      // … and how many of them stayed
};

struct Recording;
class CompiledGrammar;

class TextGenerator {
public:
    // A directory as on the Hugging Face hub. Throws Error when it is not one.
    explicit TextGenerator(const std::string& directory);
    explicit TextGenerator(const GenerateOptions& options);  // .model, .weights, .threads
    explicit TextGenerator(Model model);
    ~TextGenerator();
    TextGenerator(TextGenerator&&) noexcept;
    TextGenerator& operator=(TextGenerator&&) noexcept;

    // Continues a prompt: options.samples texts, of a search the best first. In each result:
    // text (without the prompt; valid UTF-8), ids, reason of the end, stop_string, traces
    // (with log-probabilities) if asked for, and the score of a search.
    std::vector<GeneratedText> generate(std::string_view prompt, const TextOptions& options = {},
                                        const GenerateObserver& observer = {});
    // Several prompts in the same forward passes: the texts of the first, then of the second, …
    // Each text is the same as if its prompt were alone.
    std::vector<GeneratedText> generate(std::span<const std::string> prompts,
                                        const TextOptions& options = {},
                                        const GenerateObserver& observer = {});
    // Just the first text, with the prompt in front.
    std::string operator()(std::string_view prompt, const TextOptions& options = {});

    // A conversation in which answers of options.max_new_tokens (or 100) fit beside the history.
    Conversation conversation(const TextOptions& options) const;
    // The answer to what a conversation asks: chat(conversation, answer, …) of chapter 10.
    //   const std::vector<int> prompt = conversation.ask("who are you?");
    //   conversation.answer(generator.answer(prompt, options).text);
    GeneratedText answer(const std::vector<int>& prompt, TextOptions options,
                         const GenerateObserver& observer = {});

    // ---- what the command line needs ----
    // The request that the options make for these prompts, or the ids of one. Throws as they do.
    GenerateRequest request(const TextOptions& options,
                            std::span<const std::vector<int>> prompts = {});
    std::vector<int> prompt_ids(std::string_view prompt, const TextOptions& options) const;
    std::vector<GeneratedText> generate_ids(std::span<const std::vector<int>> prompts,
                                            const TextOptions& options,
                                            const GenerateObserver& observer = {});
    const Model& model() const;
    // For whoever runs passes of his own over it, not while a generation runs.
    Model& model();
    // What a text is held to, compiled and kept; null: nothing. May be called by any thread at any
    // time, so that a generation finds it there. Throws as recognizer_for() does.
    std::shared_ptr<CompiledGrammar> language(const GuideRequest& guide);
    std::vector<PromptToken> prompt_logprobs(std::span<const int> prompt, int choices);
    Effort effort() const;               // of the last generation
    const Recording& recording() const;  // of the same, if options.record

private:
    struct State;
    std::unique_ptr<State> state_;
};

// What the options come to. Throws UsageError on those that contradict each other.
Strategy strategy_of(const TextOptions& options);

}  // namespace tbt
