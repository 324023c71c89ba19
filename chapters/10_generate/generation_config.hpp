// Reads a model's generation_config.json as transformers does: its values are the defaults of
// options that were not given.
#pragma once

#include <optional>
#include <string>

#include "chapters/10_generate/options.hpp"
#include "lib/json/json.hpp"

namespace tbt {

class GenerationConfig {
public:
    // The file of a model directory; without members if there is none. Throws Error if it is not a
    // JSON object.
    explicit GenerationConfig(const std::string& directory);

    const std::string& path() const { return path_; }
    const Json& json() const { return json_; }
    bool has(const char* key) const;  // and it is not null
    // Reads a member; false if it is missing or null. Throws Error, which names file and key,
    // unless it is a T.
    template <class T>
    bool read(const char* key, T& value) const;
    // Sets an option that was not given.
    template <class T>
    void fill(std::optional<T>& option, const char* key) const {
        T value{};
        if (!option && read(key, value)) option = value;
    }
    [[noreturn]] void fail(const char* key, const char* expected) const;

private:
    std::string path_;
    Json json_;
};

// Sets the options that were not given. Truncation is not set if decoding is greedy or a preset is
// named, and a preset's own repetition penalty stays. "do_sample": true sets transformers' own
// defaults (temperature 1, top-k 50); "do_sample": false means greedy decoding unless an option
// draws. Keys that would change a text but are not supported here are named on stderr.
// searches: the decoder is a beam search. It draws nothing, and has no truncation, unless an option
// or the file asks for draws. Throws Error for a value of the wrong type.
void use_generation_config(GenerateOptions& options, bool searches = false);

}  // namespace tbt
