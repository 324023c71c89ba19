#include "lib/machine/usual_options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <random>

#include "lib/core/error.hpp"
#include "lib/machine/fetched_models.hpp"

namespace tbt {

namespace {

// The seed −1 means a random one, which is printed so that the run can be repeated.
std::uint64_t parse_seed(const std::string& text) {
    if (text == "-1") {
        const std::uint64_t seed = std::random_device()();
        std::fprintf(stderr, "--seed %llu\n", static_cast<unsigned long long>(seed));
        return seed;
    }
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw UsageError(
            "--seed: got '" + text +
            "', expected a whole number from 0 to 18446744073709551615, or -1 for a random one");
    }
    return seed;
}

constexpr const char* length_names = "-n,--max-new-tokens";
constexpr const char* length_meaning = "the most tokens to write, within the context";
constexpr const char* seed_meaning = "seed of the random draws; the same seed gives the same text";

}  // namespace

DeclaredOption prompt_option(CommandLine line, std::string& prompt, const std::string& where) {
    return line.option("prompt", prompt, "the text to continue" + where).shows_default();
}

DeclaredOption length_option(CommandLine line, int& max_new_tokens, const std::string& where) {
    return line.option(length_names, max_new_tokens, length_meaning + where)
        .shows_default()
        .between(1, 1000000);
}

DeclaredOption length_option(CommandLine line, std::optional<int>& max_new_tokens) {
    return line.option(length_names, max_new_tokens,
                       std::string(length_meaning) + "; -1: until the context is full");
}

DeclaredOption seed_option(CommandLine line, std::uint64_t& seed) {
    return line.option("--seed", seed, seed_meaning).shows_default();
}

DeclaredOption seed_option(CommandLine line, std::optional<std::uint64_t>& seed) {
    return line.option(
        "--seed", [&seed](const std::string& text) { seed = parse_seed(text); },
        std::string(seed_meaning) + " (default 0; -1: a random one, which is printed)");
}

DeclaredOption model_option(CommandLine line, std::string& directory, const std::string& where) {
    DeclaredOption option = line.option("-m,--model", directory, "a model directory" + where);
    // The name of a fetched model becomes its path.
    auto& set = line.app().options.back()->set;
    set = [set, &directory](const std::vector<std::string>& given) {
        set(given);
        directory = path_of_model(directory);
    };
    return option.shows_default();
}

DeclaredOption part_option(CommandLine line, int& part, int parts, const std::string& note) {
    return line
        .option("--part", part,
                "only this part, 1 to " + std::to_string(parts) +
                    (note.empty() ? "" : " (" + note + ")"))
        .between(1, parts);
}

DeclaredOption figure_option(CommandLine line, std::string& file, const std::string& what) {
    return line.option("--figure", file, "write " + what + " as a picture (SVG)");
}

void PartOptions::check() const {
    for (const auto& [parts, option] : used_) {
        if (*part_ == 0 || !option.given() ||
            std::find(parts.begin(), parts.end(), *part_) != parts.end())
            continue;
        std::string list;
        for (const int p : parts)
            list += (list.empty() ? "" : p == parts.back() ? " and " : ", ") + std::to_string(p);
        throw UsageError("--part " + std::to_string(*part_) + " and " + option.name() +
                         ": only part " + list + " would use it; leave out one of the two");
    }
}

bool PartOptions::begin(int part) const {
    if (*part_ == 0 && part > 1) std::printf("\n");
    return *part_ == 0 || *part_ == part;
}

}  // namespace tbt
