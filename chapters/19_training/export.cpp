#include "chapters/19_training/export.hpp"

#include <cmath>
#include <cstdio>

#include "chapters/19_training/earlier_plans.hpp"
#include "chapters/19_training/hub/model_card.hpp"
#include "chapters/19_training/pretrained.hpp"
#include "chapters/19_training/shapes.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/masked_gpt.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"
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
        return folder.empty() ? OrderedJson() : OrderedJson{{"folder", folder}, {"hash", hash}};
    };
    // Only texts have a number of documents; the corpus has no end.
    OrderedJson recipe = {
        {source.count() > 0 ? "text" : "corpus", origin(info.folder, source.hash())},
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
    if (!o.genres.empty()) recipe["options"]["genres"] = o.genres;
    if (!o.earlier_plans.empty())
        recipe["options"]["earlier_plans"] = earlier_plans_json(o.earlier_plans);
    std::vector<GenreResult> all = {info.total};
    all.insert(all.end(), info.results.begin(), info.results.end());
    for (const GenreResult& r : all) {
        if (r.documents == 0) continue;
        OrderedJson& row = recipe["held_out_bits_per_byte"][r.genre];
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

}  // namespace tbt
