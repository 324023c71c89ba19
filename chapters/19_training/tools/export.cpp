#include "chapters/19_training/tools/export.hpp"

#include <cmath>
#include <cstdio>

#include "chapters/19_training/recipe.hpp"
#include "chapters/19_training/training.hpp"
#include "lib/chat/chat_template.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/masked_gpt.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/model_config.hpp"
#include "lib/show/svg.hpp"
#include "lib/text/tokenizer_save.hpp"

namespace tbt {
namespace {

TransformerConfig config_of(TransformerConfig config, int eos, WeightType type) {
    config.bos_token_id = eos;
    config.eos_token_ids = {eos};
    config.torch_dtype = names_of(type).torch_dtype;
    return config;
}

void write_weights(train::Trainer& model, const std::string& path, WeightType type) {
    std::vector<TensorToWrite> tensors;
    for (const train::ParameterInfo& t : model.layout().tensors) {
        tensors.push_back({t.name, t.shape, model.of(t), type});
    }
    write_safetensors(path, std::move(tensors));
}

std::string recipe_json(Training& training, const DocumentSource& source, const ExportInfo& info) {
    const TrainingOptions& o = training.options();
    const auto rounded = [](double x, double units) { return std::round(x * units) / units; };
    const auto origin = [](const std::string& folder, const std::string& hash) {
        return folder.empty() ? Json() : Json{{"folder", folder}, {"hash", hash}};
    };
    // Only texts have a number of documents; the corpus has no end.
    Json recipe = {{source.count() > 0 ? "text" : "corpus", origin(info.folder, source.hash())},
                   {"options",
                    {{"layers", o.shape.n_layer},
                     {"heads", o.shape.n_head},
                     {"embd", o.shape.n_embd},
                     {"context", o.shape.n_positions},
                     {"sequence", o.sequence},
                     {"precision", "f32"},
                     {"vocab", o.shape.vocab_size},
                     {"batch", o.batch},
                     {"steps", o.steps},
                     {"warmup", o.warm_up},
                     {"lr", o.learning_rate},
                     {"weight_decay", o.weight_decay},
                     {"seed", o.seed},
                     {"parts", o.parts}}},
                   {"tokenizer", training.tokenizer_hash()},
                   {"teacher", origin(o.teacher, training.teacher_hash())},
                   {"init", origin(o.init, training.init_hash())},
                   {"parameters", training.model().layout().count()},
                   {"stored", info.half ? "float16" : "float32"},
                   {"weights", hash_of(training.model().parameters())},
                   {"replanned", training.replanned()},
                   {"steps_done", training.steps_done()},
                   {"tokens", training.tokens_done()},
                   {"hours", rounded(training.seconds / 3600, 100)},
                   {"tokens_per_second",
                    training.seconds > 0
                        ? rounded(static_cast<double>(training.tokens_done()) / training.seconds, 1)
                        : 0}};
    add_architecture(o.shape, recipe["options"]);
    if (o.fill_masks) recipe["options"]["fill_masks"] = true;
    if (o.optimizer != "adamw") recipe["options"]["optimizer"] = o.optimizer;
    if (!o.genres.empty()) recipe["options"]["genres"] = o.genres;
    if (!o.earlier_plans.empty())
        recipe["options"]["earlier_plans"] = earlier_plans_json(o.earlier_plans);
    std::vector<GenreResult> all = {info.total};
    all.insert(all.end(), info.results.begin(), info.results.end());
    for (const GenreResult& r : all) {
        if (r.documents == 0) continue;
        Json& row = recipe["held_out_bits_per_byte"][r.genre];
        row["model"] = rounded(r.bits_per_byte(), 1e4);
        if (!std::isnan(r.floor())) row["floor"] = rounded(r.floor(), 1e4);
        row["documents"] = r.documents;
    }
    return json_text(recipe, 2) + "\n";
}

// Bits per byte over tokens: training, validation, and the entropy floor as a dashed line.
LineChart curve_chart(const std::vector<CurvePoint>& curve, double floor, const std::string& name) {
    LineChart::Series training{"training", {}}, held_out{"held out", {}},
        limit{"entropy floor", {}, true};
    for (const CurvePoint& p : curve) {
        const double tokens = static_cast<double>(p.tokens) / 1e6;
        if (p.bits_per_byte > 0) training.points.emplace_back(tokens, p.bits_per_byte);
        if (!p.validation.empty()) held_out.points.emplace_back(tokens, p.validation[0]);
        if (floor > 0) limit.points.emplace_back(tokens, floor);
    }
    LineChart chart;
    chart.title = "Training " + name;
    chart.x_label = "million tokens";
    chart.y_label = "bits per byte";
    chart.log_y = true;
    chart.y_from_zero = false;
    for (auto* series : {&training, &held_out, &limit}) {
        if (!series->points.empty()) chart.series.push_back(*series);
    }
    return chart;
}

}  // namespace

std::string curve_csv(const std::vector<CurvePoint>& curve,
                      const std::vector<std::string>& genres) {
    std::string csv = "step,tokens,seconds,learning_rate,training,held_out";
    for (const std::string& genre : genres) csv += "," + genre;
    csv += '\n';
    for (const CurvePoint& p : curve) {
        char text[160];
        std::snprintf(text, sizeof text, "%lld,%lld,%.1f,%.6g,%.5f", static_cast<long long>(p.step),
                      static_cast<long long>(p.tokens), p.seconds, p.learning_rate,
                      p.bits_per_byte);
        csv += text;
        for (std::size_t i = 0; i <= genres.size(); ++i) {
            csv += ',';
            if (i >= p.validation.size()) continue;
            std::snprintf(text, sizeof text, "%.5f", p.validation[i]);
            csv += text;
        }
        csv += '\n';
    }
    return csv;
}

void export_model(Training& training, const DocumentSource& source, const Tokenizer& tokenizer,
                  const std::filesystem::path& directory, const ExportInfo& info) {
    const std::string folder = directory.string();
    make_directory(folder);
    const bool own_text = source.count() > 0;
    const bool masks = training.options().fill_masks;
    tokenizer.save(folder, training.options().shape.n_positions,
                   own_text || masks ? "" : chat_template);
    const WeightType type = info.half ? WeightType::f16 : WeightType::f32;
    (masks ? write_masked_config : write_model_config)(
        folder, config_of(training.options().shape, tokenizer.eos_id(), type));
    write_weights(training.model(), join_path(folder, "model.safetensors"), type);
    write_file(join_path(folder, "recipe.json"), recipe_json(training, source, info));
    write_file(join_path(folder, "README.md"),
               model_card_text({directory.filename().string(), training.options().shape,
                                training.model().layout().count(), training.tokens_done(), own_text,
                                masks, info.folder, training.options().teacher,
                                training.options().init, info.results, info.total}));
    write_file(join_path(folder, "curve.csv"), curve_csv(training.curve, source.genres));
    if (training.curve.empty()) return;
    const double floor = info.total.documents > 0 ? info.total.floor() : 0;
    write_svg(join_path(folder, "curve.svg"),
              curve_chart(training.curve, floor, directory.filename().string()));
}

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
