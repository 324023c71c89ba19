// Adds the strings that a schema allows to a grammar, with limits on their length.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/schema/schema_scalars.hpp"

namespace tbt {

class WrittenStrings {
public:
    WrittenStrings(const SchemaOptions& options, std::string name)
        : options_(options), name_(std::move(name)) {}

    // Adds the strings of s, with their quotes, between the nodes start and end. Throws TooLarge.
    void add(Grammar& grammar, const Scalars& s, int start, int end) const;

private:
    std::function<void()> said_at(long long most) const;

    SchemaOptions options_;
    std::string name_;
    std::shared_ptr<bool> said_ = std::make_shared<bool>(false);
};

}  // namespace tbt
