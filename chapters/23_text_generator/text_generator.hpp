// The text generator: all techniques of this course in one class. It opens a model and generates
// texts.
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
// The options have transformers' names and can be combined, except for the pairs in the lesson's
// table. Contradictory options throw UsageError, with one line that says what to do. A faulty file,
// or a text that is impossible, throws Error.
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
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/output.hpp"
#include "chapters/11_beam_search/options.hpp"
#include "chapters/12_speculative/options.hpp"
#include "chapters/16_json_schema/guide.hpp"
#include "chapters/21_medusa/options.hpp"
#include "chapters/22_diffusion/filling.hpp"
#include "chapters/23_text_generator/guidance.hpp"

namespace tbt {

// How tokens are chosen. by_options decides as transformers does: beam search if num_beams > 1;
// greedy decoding if `greedy` is set or the temperature is 0; otherwise draws.
enum class Strategy { by_options, greedy, sample, beam };

// All options. An option that is not given has no effect, or chapter 10's default (temperature 0.8,
// top-p 0.9, 200 new tokens).
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
// Texts are used as they are: only the command line reads \n as a line break.
struct TextOptions : GenerateOptions, BeamSettings, DraftSettings, MedusaSettings {
    TextOptions() {
        num_beams = 1;
        no_escape = true;
    }
    Strategy strategy = Strategy::by_options;
    bool guesses() const { return drafts() || medusa; }  // is there a draft, or heads?
    GuideRequest guide;
    bool known_runs = true;  // read runs that the guide knows in one pass; changes no text
    std::string decoder;     // autoregressive or diffusion; empty: diffusion if there is an infill
    std::optional<std::string> infill;  // the text after the gap
    FillOptions fill;
    bool continues_prompt = false;  // the prompt is the beginning of the guided text

    // Classifier-free guidance: s·ln p(token | prompt) + (1−s)·ln p(token | negative prompt); 1 is
    // off. Without a negative prompt, the prompt's last token is used.
    double guidance_scale = 1;
    std::optional<std::string> negative_prompt;
    // The amateur of contrastive decoding (guidance.hpp); named like an assistant model.
    std::optional<std::string> contrast_model;
    Contrast contrast;

    // For a chat. chat_template: the name of a family of chat templates, or a file; empty for the
    // model's own. system: the text before the first turn; empty for none.
    std::string chat_template, system;

    std::uint64_t stream = 0;  // sample i draws from stream `stream` + i of the seed
    int traced_tokens = -1;    // traces with this many likeliest tokens (chapter 06); −1: none
    bool record = false;       // record what a page or a trace shows: TextGenerator::recording()
    std::string attention;     // "2.5": also the attention of head 5 of layer 2; empty: none
};

// The work of a generation.
struct Effort {
    long passes = 0;     // passes of the model, all texts together
    long positions = 0;  // positions that it read
    long guessed = 0;    // tokens that a draft proposed
    long right = 0;      // proposed tokens that were kept
};

struct Recording;
class CompiledGrammar;

class TextGenerator {
public:
    // A model's directory, as on the Hugging Face hub. Throws Error if it is not one.
    explicit TextGenerator(const std::string& directory);
    explicit TextGenerator(const GenerateOptions& options);  // .model, .weights, .threads
    explicit TextGenerator(Model model);
    ~TextGenerator();
    TextGenerator(TextGenerator&&) noexcept;
    TextGenerator& operator=(TextGenerator&&) noexcept;

    // Continues a prompt with options.samples texts; a search returns the best first. Each result
    // has the text (without the prompt; valid UTF-8), its ids, the reason of its end, the stop
    // string, traces (with log-probabilities) if requested, and the score of a search.
    std::vector<GeneratedText> generate(std::string_view prompt, const TextOptions& options = {},
                                        const GenerateObserver& observer = {});
    // Continues several prompts in the same forward passes. Returns the texts of the first prompt,
    // then of the second, … Each text is the same as if its prompt were alone.
    std::vector<GeneratedText> generate(std::span<const std::string> prompts,
                                        const TextOptions& options = {},
                                        const GenerateObserver& observer = {});
    // Only the first text, with the prompt before it.
    std::string operator()(std::string_view prompt, const TextOptions& options = {});

    // A conversation whose history leaves room for answers of options.max_new_tokens (or 100).
    Conversation conversation(const TextOptions& options) const;
    // The answer to a prompt of a conversation, for chat(conversation, answer, …) of chapter 10:
    //   const std::vector<int> prompt = conversation.ask("who are you?");
    //   conversation.answer(generator.answer(prompt, options).text);
    GeneratedText answer(const std::vector<int>& prompt, TextOptions options,
                         const GenerateObserver& observer = {});

    // ---- what the command line needs ----
    // The request that the options make for these prompts; the ids of a prompt. Both throw for
    // impossible options.
    GenerateRequest request(const TextOptions& options,
                            std::span<const std::vector<int>> prompts = {});
    std::vector<int> prompt_ids(std::string_view prompt, const TextOptions& options) const;
    std::vector<GeneratedText> generate_ids(std::span<const std::vector<int>> prompts,
                                            const TextOptions& options,
                                            const GenerateObserver& observer = {});
    const Model& model() const;
    // The model, for other passes over it. Do not use it while a generation runs.
    Model& model();
    // Compiles a guide and keeps it for later generations; null if the request has none. Any thread
    // may call it at any time. Throws as recognizer_for() does.
    std::shared_ptr<CompiledGrammar> language(const GuideRequest& guide);
    std::vector<TokenLogprob> prompt_logprobs(std::span<const int> prompt, int choices);
    Effort effort() const;               // of the last generation
    const Recording& recording() const;  // of the same, if options.record

private:
    struct State;
    std::unique_ptr<State> state_;
};

// The strategy that the options select. Throws UsageError if they contradict each other.
Strategy strategy_of(const TextOptions& options);

}  // namespace tbt
