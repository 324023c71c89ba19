#include "chapters/19_training/training.hpp"

#include <algorithm>
#include <cstdio>

#include "chapters/19_training/recipe.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/batches.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/json/json.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/model/model_config.hpp"
#include "lib/train/checkpoint.hpp"

namespace tbt {
namespace {

void check_same_tokenizer(const std::string& directory, const Tokenizer& tokenizer) {
    const Tokenizer theirs = Tokenizer::load(directory);
    if (hash_of(theirs) == hash_of(tokenizer)) return;
    throw Error(directory + ": has another tokenizer (" + std::to_string(theirs.vocab_size()) +
                " tokens, the given one has " + std::to_string(tokenizer.vocab_size()) +
                "); train with --tokenizer " + directory);
}

std::unique_ptr<train::Trainer> load_teacher(const std::string& directory,
                                             const Tokenizer& tokenizer,
                                             const TrainingOptions& options) {
    if (directory.empty()) return nullptr;
    const TransformerConfig shape = trainable_shape(directory);
    check_same_tokenizer(directory, tokenizer);
    auto teacher = std::make_unique<train::Trainer>(shape, options.threads, options.parts);
    read_parameters(directory, *teacher);
    return teacher;
}

std::unique_ptr<Batches> make_batches(const DocumentSource& documents, const Tokenizer& tokenizer,
                                      const TrainingOptions& options) {
    if (options.fill_masks)
        return std::make_unique<CanvasSource>(documents, tokenizer, options.seed);
    return std::make_unique<BatchSource>(documents, tokenizer, options.seed);
}

TrainingOptions checked(TrainingOptions options, const Tokenizer& tokenizer) {
    if (!options.init.empty()) {
        options.shape = trainable_shape(options.init);
        // A model may have more rows than tokens.
        if (hash_of(Tokenizer::load(options.init)) != hash_of(tokenizer))
            options.shape.vocab_size = tokenizer.vocab_size();
    } else {
        options.shape.vocab_size = tokenizer.vocab_size() + (options.fill_masks ? 1 : 0);
        if (options.shape.architecture.is_gpt2())
            options.shape.n_inner = 4 * std::min(options.shape.n_embd, 1 << 24);
    }
    if (options.fill_masks && !options.shape.architecture.is_gpt2())
        throw UsageError(
            "train: a model that fills masks is a GPT-2, expected --architecture gpt2");
    if (options.fill_masks && !(options.init + options.teacher).empty())
        throw UsageError(
            "train: a model that fills masks cannot have a teacher or start from another model; "
            "leave out --teacher and --init");
    train::check_trainable(options.shape);
    if (options.sequence == 0) options.sequence = options.shape.n_positions;
    if (options.sequence < 1 || options.sequence > options.shape.n_positions)
        throw Error("train: rows of " + std::to_string(options.sequence) +
                    " tokens, expected 1 to the model's context, " +
                    std::to_string(options.shape.n_positions));
    const auto refuse = [](const char* name, double value, const char* expected) {
        char text[32];
        std::snprintf(text, sizeof text, "%g", value);
        throw Error(std::string("train: ") + name + " is " + text + ", expected " + expected);
    };
    const auto positive = [&](const char* name, double value) {
        if (!(value > 0)) refuse(name, value, "more than 0");
    };
    if (!(options.weight_decay >= 0)) refuse("weight_decay", options.weight_decay, "0 or more");
    positive("batch", static_cast<double>(options.batch));
    positive("steps", static_cast<double>(options.steps));
    positive("lr", options.learning_rate);
    if (!(options.learning_rate < 1e30)) refuse("lr", options.learning_rate, "a finite number");
    if (options.optimizer != "adamw" && options.optimizer != "muon")
        throw Error("train: optimizer is '" + options.optimizer + "', expected adamw or muon");
    if (options.threads <= 0) options.threads = default_threads();
    return options;
}

train::AdamWOptions optimiser_options(const TrainingOptions& options) {
    train::AdamWOptions o;
    o.weight_decay = static_cast<float>(options.weight_decay);
    o.muon = options.optimizer == "muon";
    return o;
}

Json plan_of(const TrainingOptions& o) {
    return {{"steps", o.steps}, {"warm_up", o.warm_up}, {"learning_rate", o.learning_rate}};
}

// Throws Error unless both recipes are of one model, so that a checkpoint of it can be read.
void check_same_model(const std::string& name, const Json& theirs, const Json& ours) {
    for (const char* key : {"architecture", "layers", "heads", "kv_heads", "embd", "inner",
                            "context", "vocab", "tokenizer"}) {
        const Json before = theirs.value(key, Json()), now = ours.value(key, Json());
        if (before != now)
            throw Error(name + ": the checkpoint was made with other options: " + key + " " +
                        json_text(before) + ", now " + json_text(now));
    }
    // Muon's first moments would be nothing to AdamW, which has no second ones for them.
    const auto optimizer = [](const Json& recipe) { return recipe.value("optimizer", "adamw"); };
    if (optimizer(theirs) != optimizer(ours))
        throw Error(name + ": the checkpoint was made with --optimizer " + optimizer(theirs) +
                    ", now " + optimizer(ours));
}

}  // namespace

Training::Training(const DocumentSource& documents, const Tokenizer& tokenizer,
                   const TrainingOptions& options)
    : documents_(documents),
      options_(checked(options, tokenizer)),
      model_(options_.shape, options_.threads, options_.parts, options_.fill_masks),
      optimiser_(model_.layout(), optimiser_options(options_)),
      batches_(make_batches(documents, tokenizer, options_)),
      tokenizer_hash_(hash_of(tokenizer)) {
    teacher_ = load_teacher(options_.teacher, tokenizer, options_);
    if (teacher_) teacher_hash_ = hash_of(teacher_->parameters());
    model_.learn_from(teacher_.get());
    model_.share_with(default_processes());
    if (options_.init.empty()) {
        train::initialise(model_.parameters(), model_.layout(), options_.shape, options_.seed);
        model_.parameters_changed();
    } else {
        read_initial(options_.init, tokenizer, model_);
        init_hash_ = hash_of(model_.parameters());
    }
}

double Training::step() {
    const Batch batch = batches_->next(options_.batch, options_.sequence);
    const double loss = model_.gradient(batch.ids, batch.targets, batch.B, batch.T);
    if (!(loss < 1e30))
        throw Error("train: the loss is not finite at step " + std::to_string(steps_done_) +
                    "; try a lower --lr");
    last_rate_ = rate();
    gradient_norm_ = optimiser_.step(model_.parameters(), model_.gradients(), steps_done_ + 1,
                                     last_rate_, options_.threads);
    model_.parameters_changed();
    last_bytes_ = batch.bytes;
    ++steps_done_;
    return loss;
}

double Training::rate() const {
    for (const EarlierPlan& p : options_.earlier_plans)
        if (steps_done_ < p.until)
            return train::learning_rate(steps_done_, p.warm_up, p.steps, p.learning_rate);
    return train::learning_rate(steps_done_, options_.warm_up, options_.steps,
                                options_.learning_rate);
}

std::string Training::recipe() const {
    const TransformerConfig& s = options_.shape;
    Json fixed = {{"layers", s.n_layer},
                  {"heads", s.n_head},
                  {"embd", s.n_embd},
                  {"context", s.n_positions},
                  {"vocab", s.vocab_size},
                  {"batch", options_.batch},
                  {"weight_decay", options_.weight_decay},
                  {"seed", options_.seed},
                  {"parts", options_.parts},
                  {"corpus", documents_.hash()},
                  {"tokenizer", tokenizer_hash_}};
    add_architecture(s, fixed);
    if (options_.sequence != s.n_positions) fixed["sequence"] = options_.sequence;
    if (options_.fill_masks) fixed["fill_masks"] = true;
    if (options_.optimizer != "adamw") fixed["optimizer"] = options_.optimizer;
    if (teacher_) fixed["teacher"] = teacher_hash_;
    if (!init_hash_.empty()) fixed["init"] = init_hash_;
    return json_text(fixed);
}

std::string Training::header() const {
    Json h;
    h["recipe"] = recipe();
    h["plan"] = plan_of(options_);
    h["earlier_plans"] = earlier_plans_json(options_.earlier_plans);
    h["steps_done"] = steps_done_;
    h["position"] = batches_->position();
    h["seconds"] = seconds;
    h["replanned"] = replanned_;
    h["curve"] = Json::array();
    for (const CurvePoint& p : curve) {
        h["curve"].push_back(
            {p.step, p.tokens, p.bits_per_byte, p.learning_rate, p.seconds, p.validation});
    }
    return json_text(h);
}

void Training::save(const std::filesystem::path& path) {
    train::write_checkpoint(
        path, header(),
        {model_.parameters(), optimiser_.first_moments(), optimiser_.second_moments()});
}

void Training::load(const std::filesystem::path& path, bool replan) {
    const Json h = parse_json(train::read_checkpoint_header(path), path.string());
    const auto whole = [&](const Json& value, const char* name) {
        return integer_of<std::int64_t>(value, path.string() + ": " + name);
    };
    try {
        const Json theirs = json_value(h.at("recipe").get<std::string>()),
                   ours = json_value(recipe()), plan = plan_of(options_);
        const bool same = theirs == ours && h.at("plan") == plan;
        check_same_model(path.string(), theirs, ours);
        if (!same && !replan)
            throw Error(path.string() + ": the checkpoint was made with other options: " +
                        json_text(theirs) + json_text(h.at("plan")) + ", now " + json_text(ours) +
                        json_text(plan) + "; use the same, or --replan to go on with the new ones");
        std::vector<CurvePoint> points;
        for (const Json& p : h.at("curve")) {
            points.push_back({whole(p.at(0), "a point's step"), whole(p.at(1), "a point's tokens"),
                              p.at(2), p.at(3), p.at(4), p.at(5).get<std::vector<double>>()});
        }
        const auto steps_done = whole(h.at("steps_done"), "steps_done");
        const auto position =
            integer_of<std::uint64_t>(h.at("position"), path.string() + ": position");
        const auto spent = h.at("seconds").get<double>();
        bool replanned = h.value("replanned", false);
        std::vector<EarlierPlan> plans =
            earlier_plans_of(h.value("earlier_plans", Json::array()), path.string());
        if (!same) {
            const Json& p = h.at("plan");
            replanned = replanned || theirs != ours;
            plans.push_back({steps_done, whole(p.at("steps"), "steps"),
                             whole(p.at("warm_up"), "warm_up"), p.at("learning_rate")});
        }
        train::read_checkpoint(
            path, {model_.parameters(), optimiser_.first_moments(), optimiser_.second_moments()});
        steps_done_ = steps_done;
        batches_->seek(position);
        seconds = spent;
        replanned_ = replanned;
        options_.earlier_plans = std::move(plans);
        curve = std::move(points);
        model_.parameters_changed();
    } catch (const JsonError& e) {
        throw Error(path.string() + ": the checkpoint is damaged: " + e.what());
    }
}

TransformerConfig trainable_shape(const std::string& directory) {
    TransformerConfig config = read_model_config(directory);
    const auto refuse = [&](const std::string& what) {
        throw Error(directory + ": " + what + "; such a model cannot be trained here");
    };
    try {
        train::check_trainable(config);
    } catch (const Error& e) {
        refuse(e.what());
    }
    if (config.architecture.is_gpt2() && config.layer_norm_epsilon != 1e-5f)
        refuse("layer_norm_epsilon is " + std::to_string(config.layer_norm_epsilon) +
               ", expected 1e-05");
    return config;
}

void read_initial(const std::string& directory, const Tokenizer& tokenizer, train::Trainer& model) {
    const Tokenizer theirs = Tokenizer::load(directory);
    if (hash_of(theirs) == hash_of(tokenizer)) return read_parameters(directory, model);
    const Safetensors file = Safetensors::open_directory(directory);
    const std::int64_t rows = trainable_shape(directory).vocab_size;
    for (const train::ParameterInfo& t : model.layout().tensors) {
        const std::span<float> ours = model.of(t);
        const bool by_token = t.name == "wte.weight" || t.name == "model.embed_tokens.weight" ||
                              t.name == "lm_head.weight";
        if (!by_token) {
            std::copy_n(file.read_weight(t.name, t.shape).data(), t.size, ours.data());
            continue;
        }
        const std::int64_t width = t.shape[1];
        const Tensor embeddings = file.read_weight(t.name, {rows, width});
        for (int id = 0; id < tokenizer.vocab_size(); ++id) {
            std::vector<int> pieces =
                theirs.encode(tokenizer.token_bytes(id), SpecialTokens::parse, TextPlace::inside);
            std::erase_if(pieces, [&](int piece) { return piece >= rows; });  // without a row
            for (std::int64_t i = 0; i < width; ++i) {
                float sum = 0;
                for (const int piece : pieces) sum += embeddings.data()[piece * width + i];
                ours[index(id * width + i)] =
                    sum / static_cast<float>(std::max<std::size_t>(1, pieces.size()));
            }
        }
    }
    model.parameters_changed();
}

void read_parameters(const std::string& directory, train::Trainer& model) {
    const Safetensors file = Safetensors::open_directory(directory);
    for (const train::ParameterInfo& t : model.layout().tensors) {
        const Tensor tensor = file.read_weight(t.name, t.shape);
        std::copy_n(tensor.data(), t.size, model.of(t).data());
    }
    model.parameters_changed();
}

std::string hash_of(const Tokenizer& tokenizer) {
    Hash hash;
    for (int id = 0; id < tokenizer.vocab_size(); ++id)
        hash.add(tokenizer.token_bytes(id)).add(0xff);
    return hash.text();
}

std::string hash_of(std::span<const float> values) {
    return Hash().add(std::as_bytes(values)).text();
}

}  // namespace tbt
