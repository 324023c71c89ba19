#include "chapters/23_text_generator/text_generator.hpp"

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "chapters/10_generate/options.hpp"
#include "chapters/23_text_generator/command_line.hpp"
#include "chapters/23_text_generator/generation.hpp"
#include "chapters/23_text_generator/guidance.hpp"
#include "chapters/23_text_generator/guided_texts.hpp"
#include "lib/chat/chat_template.hpp"
#include "lib/chat/model_chat.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/model/processes.hpp"

namespace tbt {

namespace {

ChatOptions options_of_today() {
    ChatOptions options;
    // For templates that write the date: that of this place, as transformers'.
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    options.now = now + (localtime_r(&now, &parts) ? parts.tm_gmtoff : 0);
    return options;
}

// Refuses a system text that the template would ignore, as Phi-3's does.
void check_takes_system(const ChatTemplate& chat, const std::string& system) {
    const ChatMessage hello{"user", "hello"}, told[] = {{"system", system}, hello};
    const ChatOptions options = options_of_today();
    if (chat.render(told, options).text() == chat.render({&hello, 1}, options).text())
        throw UsageError(
            "--system: this chat template has no place for it; say it in the first message");
}

// The template of a chat: of the family or file `choice`, or else of the model in this directory or
// file. Null for lines User: and Assistant: (chapter 10), as our models learnt it: for our models,
// for the choice "storyteller", and for a model without a directory. Throws UsageError with the
// list
// of families if the model has no template.
std::shared_ptr<const ChatTemplate> form_of_chat(const std::string& model,
                                                 const Tokenizer& tokenizer,
                                                 const std::string& choice) {
    if (model.empty() && choice.empty()) return nullptr;
    auto chat = std::make_shared<const ChatTemplate>(chat_template_for(model, tokenizer, choice));
    return chat->source() == chat_family("storyteller") ? nullptr : chat;
}

// Makes prompts in that form. The tokenizer must outlive the result. Throws UsageError for a system
// text that the form has no place for.
Conversation::Prompt prompts_for(std::shared_ptr<const ChatTemplate> chat,
                                 const Tokenizer& tokenizer, const std::string& system) {
    if (!chat) {  // a paragraph before the lines
        const std::string before = system.empty() ? "" : std::string(trimmed(system)) + "\n\n";
        return lines_prompt([&tokenizer, before](std::string_view text) {
            return tokenizer.encode(before + std::string(text));
        });
    }
    if (!system.empty()) check_takes_system(*chat, system);
    return [chat, &tokenizer, system](const std::vector<Turn>& turns, std::string_view user) {
        std::vector<ChatMessage> messages;
        if (!system.empty()) messages.push_back({"system", system});
        for (const Turn& turn : turns) {
            messages.push_back({"user", turn.user});
            messages.push_back({"assistant", turn.assistant});
        }
        messages.push_back({"user", std::string(user)});
        return chat_ids(tokenizer, *chat, messages, options_of_today());
    };
}

// Sets the options that the name of a strategy stands for.
TextOptions spelled_out(TextOptions o) {
    if (o.strategy == Strategy::greedy) o.greedy = true;
    if (o.strategy == Strategy::beam && o.num_beams == 1) o.num_beams = 4;
    return o;
}

int answer_tokens(const TextOptions& o) {
    return o.max_new_tokens.value_or(std::max(100, o.min_new_tokens.value_or(0)));
}

}  // namespace

struct TextGenerator::State {
    State(Model opened, std::string opened_from)
        : directory(std::move(opened_from)), model(std::move(opened)), batch(model.transformer) {}

    std::string directory;  // empty if the caller has opened the model
    Model model;
    CachedBatch batch;  // keeps its cache between generations: a chat's history is read once
    Languages languages{model.tokenizer};
    std::string assistant_name;
    std::unique_ptr<Model> assistant;
    std::unique_ptr<CachedBatch> assistant_batch;
    // By the draft and its greatest length: what was learnt by the clock is kept for later texts.
    std::map<std::pair<std::string, int>, DraftLength> timed_drafts;
    std::string amateur_name;
    std::unique_ptr<Model> amateur;
    std::unique_ptr<CachedBatch> amateur_batch;
    std::string heads_name;
    std::unique_ptr<Heads> heads;
    std::map<std::string, std::shared_ptr<const ChatTemplate>> chat_forms;  // by the choice
    Effort effort;
    Recording recording;
    bool watched = false;  // its passes are recorded

    // Each form is read once.
    std::shared_ptr<const ChatTemplate> chat_form(const TextOptions& o) {
        const std::string& choice = o.chat_template;
        if (const auto known = chat_forms.find(choice); known != chat_forms.end())
            return known->second;
        return chat_forms[choice] = form_of_chat(directory, model.tokenizer, choice);
    }
    void open_assistant_of(const TextOptions& o);
    DraftLength draft_length_of(const TextOptions& o);
    void open_heads_of(const TextOptions& o);
    GenerateRequest plain_request(const TextOptions& o) const;
    void hold_to_guide(Generation& g);
    void guide_by_negative_prompt(Generation& g);
    void contrast_with_amateur(Generation& g);
    std::vector<std::span<const float>> pass(std::span<const BatchText> texts);
    // The arguments must outlive the generation.
    Generation prepare(const TextOptions& o, std::span<const std::vector<int>> prompts,
                       const GenerateObserver& observer);
};

void TextGenerator::State::open_assistant_of(const TextOptions& o) {
    if (!o.drafts() || o.lookup() || assistant_name == o.assistant_model) return;
    assistant = open_assistant(o, model.tokenizer, draft_options(transformer_options(o)));
    assistant_batch = std::make_unique<CachedBatch>(assistant->transformer);
    assistant_name = o.assistant_model;
}

DraftLength TextGenerator::State::draft_length_of(const TextOptions& o) {
    const std::int64_t weights = o.lookup() ? 0 : parameter_count(assistant->config());
    const double cost = cost_of_guess(weights, parameter_count(model.config()));
    const DraftLength length = o.length(cost);
    // Several processes must draft alike, and each has a clock of its own.
    if (length.is_timed() && default_processes()) return DraftLength::adaptive(length.most(), cost);
    if (!length.is_timed()) return length;
    return timed_drafts.try_emplace({o.assistant_model, length.most()}, length).first->second;
}

void TextGenerator::State::contrast_with_amateur(Generation& g) {
    const TextOptions& o = g.options;
    if (!o.contrast_model) return;
    if (amateur_name != *o.contrast_model) {
        DraftSettings settings;
        settings.assistant_model = *o.contrast_model;
        TransformerOptions options = transformer_options(o);
        options.weights.reset();
        amateur = open_assistant(settings, model.tokenizer, options);
        amateur_batch = std::make_unique<CachedBatch>(amateur->transformer);
        amateur_name = *o.contrast_model;
    }
    if (amateur->config().n_positions < model.config().n_positions)
        throw Error("--contrast-model " + amateur_name + ": its context has " +
                    std::to_string(amateur->config().n_positions) + " tokens, the model's " +
                    std::to_string(model.config().n_positions) + "; take one that has as many");
    g.model = with_contrast(g.model, std::ref(*amateur_batch), o.contrast);
}

void TextGenerator::State::open_heads_of(const TextOptions& o) {
    const std::string name = o.heads_directory().string();
    if (!o.medusa || (heads && heads_name == name)) return;
    if (directory.empty())
        throw Error(
            "--medusa: heads are for a model in a directory; open the model by its directory");
    heads = std::make_unique<Heads>(Heads::load(name, directory, transformer_options(o)));
    heads_name = name;
}

// The text of a prompt, without the tokens that the model expects around any text.
static std::string text_of(const Tokenizer& tokenizer, std::span<const int> prompt) {
    const std::vector<int>& before = tokenizer.vocabulary().rules.before;
    const std::vector<int>& after = tokenizer.vocabulary().rules.after;
    if (prompt.size() >= after.size() && std::equal(after.rbegin(), after.rend(), prompt.rbegin()))
        prompt = prompt.first(prompt.size() - after.size());
    if (prompt.size() >= before.size() && std::equal(before.begin(), before.end(), prompt.begin()))
        prompt = prompt.subspan(before.size());
    // An empty text is the token that separates documents.
    if (prompt.size() == 1 && tokenizer.vocabulary().eos_id == prompt[0]) return "";
    return tokenizer.decode_text(prompt);
}

// Makes the guide the first step of the chain, with the budget of each prompt's text.
void TextGenerator::State::hold_to_guide(Generation& g) {
    const TextOptions& o = g.options;
    if (o.guide.name().empty()) return;
    g.guide = std::make_shared<GuidedTexts>(languages.get(o.guide));
    const int eos = languages.trie()->eos();
    if (eos < 0) throw Error("guided: this model has no end-of-text token, so no text can end");
    StopRules& stop = g.request.stop;
    if (!stop.is_eos(eos)) stop.eos.push_back(eos);
    const bool spaced = (!o.guide.schema.empty() || !o.guide.tools.empty()) &&
                        o.guide.layout != "any" && o.continues_prompt;
    for (const std::vector<int>& prompt : g.prompts) {
        int budget = stop.max_new_tokens;
        if (stop.policy == ContextPolicy::refuse)
            budget = std::min(budget, stop.context - count(prompt));
        try {
            g.guide->add(prompt, budget,
                         o.continues_prompt ? text_of(model.tokenizer, prompt) : std::string());
        } catch (const UsageError& error) {  // the beginning, which may only be spaced otherwise
            if (!spaced) throw;
            throw UsageError(error.what() +
                             std::string("; --json-layout any takes other white space, too"));
        } catch (const Error& error) {
            if (budget == stop.max_new_tokens) throw;
            throw Error(error.what() + (" (the context has " + std::to_string(stop.context)) +
                        " tokens, the prompt " + std::to_string(prompt.size()) + " of them)");
        }
    }
    g.request.chain = guided_chain(g.request.chain, g.guide);
    g.request.foresight.forced = [guide = g.guide](const TextSoFar& text) {
        return guide->forced(text);
    };
}

void TextGenerator::State::guide_by_negative_prompt(Generation& g) {
    const TextOptions& o = g.options;
    if (o.guidance_scale == 1) return;
    std::vector<GuidancePrompts> both;
    for (const std::vector<int>& prompt : g.prompts) {
        GuidancePrompts p{prompt.size(), {prompt.back()}};
        if (o.negative_prompt) p.negative = encode_prompt(model, *o.negative_prompt);
        // Both texts must fit into the context.
        const auto longer = std::max(p.negative.size(), prompt.size());
        const int room = model.config().n_positions - to_int(longer);
        StopRules& stop = g.request.stop;
        if (o.max_new_tokens && room < *o.max_new_tokens)
            throw Error("--negative-prompt: its " + std::to_string(p.negative.size()) +
                        " tokens leave room for " + std::to_string(room) +
                        " new ones; shorten it, or ask for fewer");
        stop.max_new_tokens = std::min(stop.max_new_tokens, room);
        both.push_back(std::move(p));
    }
    g.model = with_guidance(
        g.model, o.guidance_scale, g.slots * g.prompts.size(),
        [both = std::move(both), slots = g.slots](std::size_t slot) -> const GuidancePrompts& {
            return both[slot / slots];
        });
}

// The request of chapters 03 to 11, without what later chapters add.
GenerateRequest TextGenerator::State::plain_request(const TextOptions& o) const {
    GenerateRequest r;
    if (strategy_of(o) == Strategy::beam) {
        const BeamRequest beams = beam_request_of(o, o, model, 1);
        r.chain = beams.chain, r.stop = beams.stop, r.samples = o.samples;
        r.seed = o.seed.value_or(0);
    } else {
        r = request_of(o, model);
    }
    r.first_stream = o.stream;
    r.traced_tokens = o.traced_tokens;
    return r;
}

std::vector<std::span<const float>> TextGenerator::State::pass(std::span<const BatchText> texts) {
    ++effort.passes;
    return watched ? tbt::watched(batch, recording.passes)(texts) : batch(texts);
}

Generation TextGenerator::State::prepare(const TextOptions& o,
                                         std::span<const std::vector<int>> prompts,
                                         const GenerateObserver& observer) {
    check_combination(o);
    open_assistant_of(o);
    open_heads_of(o);
    const BatchLogits counted = [this](std::span<const BatchText> texts) { return pass(texts); };
    const int slots = strategy_of(o) == Strategy::beam ? o.num_beams : o.samples;
    Generation g{o, model, prompts, observer, plain_request(o), counted, index(slots)};
    if (o.record) g.recording = &recording;
    if (assistant && o.drafts() && !o.lookup()) {
        g.assistant = std::ref(*assistant_batch);
        g.assistant_context = assistant->config().n_positions;
    }
    if (o.drafts()) g.draft_length = draft_length_of(o);
    if (o.medusa) {
        g.heads = heads.get();
        g.tree = tree_for(*heads, o.medusa_nodes);
        g.state = [this](std::size_t slot, std::span<const int> ids) {
            return batch.state(slot, ids);
        };
    }
    guide_by_negative_prompt(g);
    contrast_with_amateur(g);
    hold_to_guide(g);
    return g;
}

TextGenerator::TextGenerator(Model model)
    : state_(std::make_unique<State>(std::move(model), std::string())) {}
TextGenerator::TextGenerator(const GenerateOptions& options)
    : state_(std::make_unique<State>(open_model(options), options.model)) {}
TextGenerator::TextGenerator(const std::string& directory)
    : state_(std::make_unique<State>(load_model(directory), directory)) {}

TextGenerator::~TextGenerator() = default;
TextGenerator::TextGenerator(TextGenerator&&) noexcept = default;
TextGenerator& TextGenerator::operator=(TextGenerator&&) noexcept = default;

const Model& TextGenerator::model() const { return state_->model; }
Model& TextGenerator::model() { return state_->model; }
std::shared_ptr<CompiledGrammar> TextGenerator::language(const GuideRequest& guide) {
    return state_->languages.get(guide);
}
std::vector<TokenLogprob> TextGenerator::prompt_logprobs(std::span<const int> prompt, int choices) {
    return tbt::prompt_logprobs(state_->model.transformer, prompt, choices);
}
Effort TextGenerator::effort() const { return state_->effort; }
const Recording& TextGenerator::recording() const { return state_->recording; }

GenerateRequest TextGenerator::request(const TextOptions& given,
                                       std::span<const std::vector<int>> prompts) {
    const TextOptions o = spelled_out(given);
    AttentionWatch head = watch_of(o);
    if (!o.attention.empty()) Watching(state_->model.transformer, &head);  // throws if unknown
    return state_->prepare(o, prompts, {}).request;
}

std::vector<int> TextGenerator::prompt_ids(std::string_view prompt, const TextOptions& o) const {
    return tbt::prompt_ids(o, state_->model, prompt);
}

std::vector<GeneratedText> TextGenerator::generate(std::string_view prompt, const TextOptions& o,
                                                   const GenerateObserver& observer) {
    const std::string alone(prompt);
    return generate({&alone, 1}, o, observer);
}

std::vector<GeneratedText> TextGenerator::generate(std::span<const std::string> prompts,
                                                   const TextOptions& o,
                                                   const GenerateObserver& observer) {
    check_combination(o, prompts.size());
    std::vector<std::vector<int>> ids;
    for (const std::string& prompt : prompts) ids.push_back(prompt_ids(prompt, o));
    return generate_ids(ids, o, observer);
}

std::string TextGenerator::operator()(std::string_view prompt, const TextOptions& o) {
    return std::string(prompt) + generate(prompt, o)[0].text;
}

std::vector<GeneratedText> TextGenerator::generate_ids(std::span<const std::vector<int>> prompts,
                                                       const TextOptions& given,
                                                       const GenerateObserver& observer) {
    const TextOptions o = spelled_out(given);
    check_combination(o, prompts.size());
    state_->effort = {}, state_->recording = {};
    const long read = state_->batch.computed();
    AttentionWatch head = watch_of(o);
    const Watching watching(state_->model.transformer, o.attention.empty() ? nullptr : &head);
    Generation g = state_->prepare(o, prompts, observer);
    if (!o.attention.empty()) g.watch = &head;
    state_->watched = o.record;
    std::vector<GeneratedText> texts = write_texts(g, state_->effort);
    state_->watched = false;
    state_->effort.positions = state_->batch.computed() - read;
    if (!o.record) return texts;
    const Effort effort = state_->effort;
    replay(g, texts, state_->recording);
    state_->effort = effort;
    return texts;
}

Conversation TextGenerator::conversation(const TextOptions& o) const {
    const Tokenizer& tokenizer = state_->model.tokenizer;
    const int context = state_->model.config().n_positions;
    return {prompts_for(state_->chat_form(o), tokenizer, o.system),
            // An answer of any length has at least half of the context.
            o.unlimited() ? context / 2 : context - answer_tokens(o)};
}

GeneratedText TextGenerator::answer(const std::vector<int>& prompt, TextOptions o,
                                    const GenerateObserver& observer) {
    o.max_new_tokens = answer_tokens(o);
    // A text under a guide ends by itself, and may contain "User:".
    if (o.guide.name().empty() && !state_->chat_form(o)) o.stop_strings = chat_stop_strings;
    return std::move(generate_ids({&prompt, 1}, o, observer)[0]);
}

}  // namespace tbt
