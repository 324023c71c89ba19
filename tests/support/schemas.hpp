// For tests of schemas: options, and what is written under one.
#pragma once

#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/schema/validator.hpp"
#include "tests/support/guided.hpp"
#include "tests/support/takes.hpp"

namespace tbt::testing {

inline SchemaOptions quiet(SchemaOptions options = {}) {
    options.warn = [](const std::string&) {};
    return options;
}

inline SchemaOptions strict() {
    SchemaOptions options;
    options.strict = true;
    return options;
}

// What is told goes into a list.
inline SchemaOptions telling(std::vector<std::string>& told) {
    SchemaOptions options;
    options.warn = [&told](const std::string& line) { told.push_back(line); };
    return options;
}

inline std::shared_ptr<GrammarRecognizer> writer_of(const std::string& schema,
                                                    const SchemaOptions& options = {}) {
    return std::make_shared<GrammarRecognizer>(compile_schema(schema, options));
}
inline std::shared_ptr<CompiledGrammar> language_of(const std::string& schema,
                                                    const std::shared_ptr<const TokenTrie>& trie,
                                                    const SchemaOptions& options = {}) {
    return language(writer_of(schema, options), trie);
}

// The budget that is said to be enough, before the first token.
inline int stated(CompiledGrammar& language) {
    return language.closing().enough(language.recognizer().start());
}

inline bool writes(const std::string& schema, const std::string& text,
                   const SchemaOptions& options = {}) {
    return accepts_text(*writer_of(schema, options), text);
}
// A text may begin so.
inline bool begins(const std::string& schema, const std::string& text,
                   const SchemaOptions& options = {}) {
    const auto writer = writer_of(schema, options);
    return read_bytes(*writer, writer->start(), text) != Recognizer::dead;
}
inline bool valid(const std::string& schema, const std::string& text,
                  const SchemaOptions& options = {}) {
    return SchemaValidator(schema, options).valid(text);
}

// "before0after,before1after,…"
inline std::string listed(int many, const std::string& before, const std::string& after) {
    std::string all;
    for (int i = 0; i < many; ++i) all += (i > 0 ? "," : "") + before + std::to_string(i) + after;
    return all;
}

}  // namespace tbt::testing
