// The target that takes a command line as make run would, to the end: tiny models with random
// weights write what it asks for.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/09_stopping/text_stream.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "chapters/23_text_generator/writing.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/random_model.hpp"
#include "lib/machine/command_line.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/random_heads.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::fuzz {

// A target, a draft and heads of it, as directories; 96 positions, 300 tokens.
struct TinyModels {
    test::TemporaryFolder folder;
    std::string target = folder.file("target"), draft = folder.file("draft"),
                heads = folder.file("heads");
    TinyModels() {
        write_random_model(target, gpt_config(2, 2, 32, 96, 300), random(1));
        write_random_model(draft, gpt_config(1, 2, 32, 96, 300), random(2));
        test::write_random_heads(heads, target, 3, 3);
    }

    static RandomModelOptions random(std::uint64_t seed) {
        RandomModelOptions o;
        o.seed = seed;
        return o;
    }
    // One that fills masks.
    static MaskedModel masked() {
        const auto weights = [](const std::string& name, const Shape& shape) {
            Rng rng(11, name.size());
            Tensor t(shape);
            for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.4);
            return t;
        };
        return {MaskedGpt(gpt_config(1, 2, 32, 40, 301), weights, {1}), babble_tokenizer(300)};
    }
};

// Standard output and error go nowhere for as long as this lives.
class Silence {
public:
    Silence() {
        for (int i = 0; i < 2; ++i) {
            std::fflush(i == 0 ? stdout : stderr);
            kept_[i] = dup(i + 1);
            const int nowhere = open("/dev/null", O_WRONLY);
            dup2(nowhere, i + 1), close(nowhere);
        }
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;
    ~Silence() {
        for (int i = 0; i < 2; ++i) {
            std::fflush(i == 0 ? stdout : stderr);
            dup2(kept_[i], i + 1), close(kept_[i]);
        }
    }

private:
    int kept_[2] = {};
};

// Whatever is asked for: our models, files of our own, and little work.
inline void keep_small(Settings& s, const TinyModels& models) {
    TextOptions& o = s.options;
    const auto file = [&](std::string& name, const char* ours) {
        if (!name.empty()) name = models.folder.file(ours);
    };
    // Files of the project may be read, and texts given in place of a file.
    const auto source = [&](std::string& name) {
        const bool ours = name.starts_with("data/") && name.find("..") == std::string::npos;
        const bool text = name.starts_with('{') || name.find("::=") != std::string::npos;
        if (!name.empty() && !ours && !text) name = "data/schemas/person.json";
    };
    const auto model = [&](std::string& name) {
        if (!name.empty() && name != "lookup") name = models.draft;
    };
    const auto at_most = [](int& value, int most) { value = std::min(value, most); };
    o.model = models.target;
    model(o.assistant_model);
    if (o.contrast_model) model(*o.contrast_model);
    if (o.medusa || !o.medusa_heads.empty()) o.medusa_heads = models.heads;
    s.prompt_file.clear(), s.compare.clear();
    source(o.guide.grammar), source(o.guide.schema), source(o.guide.tools);
    file(s.output.html, "html"), file(s.output.trace_file, "trace"),
        file(s.output.figure, "figure");
    // The models have no template of their own, and no other file is read as one.
    if (s.chat) o.chat_template = o.chat_template.empty() ? "storyteller" : "chatml";
    if (s.prompts.size() > 3) s.prompts.resize(3);
    o.max_new_tokens = std::min(o.max_new_tokens.value_or(12), 60);
    at_most(o.num_beams, 4), at_most(o.samples, 3), at_most(o.threads, 2);
    at_most(o.medusa_nodes, 16), at_most(o.num_assistant_tokens, 40);
    at_most(o.fill.best_of, 3);
}

// What every text keeps to.
inline void check_texts(const std::vector<GeneratedText>& texts, std::size_t expected,
                        const TextOptions& o) {
    promise(texts.size() == expected, "as many texts as were asked for");
    for (const GeneratedText& text : texts) {
        promise(o.unlimited() || count(text.ids) <= *o.max_new_tokens,
                "no text is longer than was asked for");
        for (const int id : text.ids) promise(id >= 0 && id < 300, "a text is made of tokens");
        promise(find_invalid_utf8(text.text) == std::string_view::npos, "a text is UTF-8");
    }
}

// Writes what the settings ask for: a chat of two lines, gaps, or texts.
inline void write_small(Settings& s) {
    static const TinyModels models;
    keep_small(s, models);
    complete(s);
    const TextOptions& o = s.options;
    if (fills_masks(o)) {
        TextFiller filler(TinyModels::masked());
        for (const std::string& prompt : s.prompts)
            check_texts(filler.fill(prompt, o), index(o.samples), o);
        return;
    }
    TextGenerator generator(o);
    if (s.chat) {
        Conversation talk = generator.conversation(o);
        for (const char* line : {"hi", "and you?"}) {
            const GeneratedText answer = generator.answer(talk.ask(line), o);
            check_texts({answer}, 1, o);
            talk.answer(answer.text);
        }
        return;
    }
    check_texts(generator.generate(s.prompts, o), s.prompts.size() * index(o.samples), o);
    write(s);
}

// Words by lines, as make run would read them.
inline void read_command_line(std::string_view bytes) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : bytes) {
        if (c != '\n') word += c;
        else words.push_back(std::exchange(word, {}));
    }
    words.push_back(word);
    Settings settings;
    const Silence silence;
    tbt::read_command_line(
        words, [&](OptionTable& app) { add_options(app, settings); },
        [&] { write_small(settings); });
}

}  // namespace tbt::fuzz
