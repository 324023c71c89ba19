#include "chapters/19_training/hub/model_card.hpp"

#include <cmath>
#include <cstdio>

#include "lib/chat/chat_template.hpp"

namespace tbt {
namespace {

std::string with_unit(std::int64_t n) {
    char text[32];
    if (n >= 1'000'000)
        std::snprintf(text, sizeof text, "%.1f million", static_cast<double>(n) / 1e6);
    else std::snprintf(text, sizeof text, "%lld", static_cast<long long>(n));
    return text;
}

std::string metadata(const ModelCard& card) {
    std::string text = "---\n";
    if (!card.own_text) text += "language:\n- en\nlicense: mit\n";
    if (card.fills_masks) return text + "pipeline_tag: fill-mask\n---\n";
    text += "library_name: transformers\npipeline_tag: text-generation\ntags:\n- " +
            card.config.architecture.model_type + "\n";
    if (!card.teacher.empty()) text += "- distillation\n";
    return text + "---\n";
}

std::string origin(const ModelCard& card) {
    std::string text = "It was trained on " + with_unit(card.tokens) + " tokens ";
    if (card.own_text) text += "of the texts in `" + card.source + "`";
    else
        text += card.fills_masks
                    ? "of texts that a weighted grammar wrote about a small world (masks included)"
                    : "of texts that a weighted grammar wrote about a small world: stories, "
                      "weather, explanations, lists, sums, dates, translations, records and "
                      "conversations";
    if (!card.init.empty()) text += ", going on from `" + card.init + "`";
    if (!card.teacher.empty())
        text += ", to predict the next-token distributions of `" + card.teacher + "`";
    return text +
           ". `recipe.json` has all options; training with them again gives the same bits.\n";
}

std::string figures(const ModelCard& card) {
    if (card.total.documents == 0) return "";
    std::string text = "\n## Figures\n\nBits per byte on held-out documents";
    if (card.fills_masks) text += " (an upper bound)";
    const bool floor = !std::isnan(card.total.floor());
    if (floor) text += ", and the entropy of the grammar that wrote them (floor)";
    text += floor ? ":\n\n| documents | model | floor |\n|---|---|---|\n"
                  : ":\n\n| documents | model |\n|---|---|\n";
    std::vector<GenreResult> all = {card.total};
    all.insert(all.end(), card.results.begin(), card.results.end());
    for (const GenreResult& r : all) {
        if (r.documents == 0) continue;
        char line[128];
        std::snprintf(line, sizeof line, "| %s | %.3f |", r.genre.c_str(), r.bits_per_byte());
        text += line;
        if (floor) {
            std::snprintf(line, sizeof line, " %.3f |", r.floor());
            text += line;
        }
        text += '\n';
    }
    return text;
}

std::string use(const ModelCard& card) {
    if (card.fills_masks)
        return "\n## Use\n\n`make run-22`: the model fills in masked tokens, and sees the text "
               "before and after them.\n";
    std::string text =
        "\n## Use\n\n```python\nfrom transformers import AutoModelForCausalLM, AutoTokenizer\n\n"
        "model = AutoModelForCausalLM.from_pretrained(\"" +
        card.name + "\")\ntokenizer = AutoTokenizer.from_pretrained(\"" + card.name +
        "\")\nids = tokenizer(\"Once upon a time\", return_tensors=\"pt\")\n"
        "print(tokenizer.decode(model.generate(**ids, max_new_tokens=100, do_sample=True, "
        "temperature=0.8)[0]))\n```\n";
    if (!card.own_text)
        text +=
            "\nA conversation has lines `User: …` and `Assistant: …` (the tokenizer's chat "
            "template writes them). An answer ends at the end of its line.\n";
    return text;
}

}  // namespace

const std::string chat_template = chat_family("storyteller");

std::string model_card_text(const ModelCard& card) {
    const TransformerConfig& c = card.config;
    std::string text =
        metadata(card) + "\n# " + card.name +
        (card.fills_masks
             ? "\n\nA masked diffusion model, a GPT-2 with attention in both directions, of "
         : c.architecture.is_gpt2() ? "\n\nA GPT-2 of "
                                    : "\n\nA Llama of ") +
        with_unit(card.parameters) + " parameters: " + std::to_string(c.n_layer) + " layers of " +
        std::to_string(c.n_embd) + " channels, " + std::to_string(c.n_head) + " heads" +
        (c.kv_heads() == c.n_head ? ""
                                  : ", " + std::to_string(c.kv_heads()) + " of keys and values") +
        ", a context of " + std::to_string(c.n_positions) + " tokens, a vocabulary of " +
        std::to_string(c.vocab_size) + ". " + origin(card);
    text += use(card) + figures(card);
    text += "\n## Limits\n\n";
    if (card.own_text)
        text +=
            (card.init.empty() ? "It has seen these texts and little else"
                               : "It has seen these texts many times, and little of others since") +
            std::string(", and may repeat them word for word.\n");
    else
        text +=
            "It knows a small invented world of a few towns and people, and writes the "
            "sentences of a grammar. It is made for learning how text generation works, not for "
            "answers that matter.\n";
    return text;
}

}  // namespace tbt
