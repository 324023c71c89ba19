#include "chapters/26_serving/server/body_options.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "chapters/23_text_generator/aliases.hpp"
#include "chapters/23_text_generator/command_line.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "chapters/26_serving/server/api_error.hpp"
#include "lib/edit_distance.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

namespace {

std::vector<std::string> texts_of(const std::string& name, const OrderedJson& value) {
    std::vector<std::string> texts;
    const auto add = [&](const OrderedJson& text) {
        if (!text.is_string())
            throw ApiError(400, name + ": expected a string, or a list of strings", name);
        texts.push_back(text.get<std::string>());
    };
    if (value.is_array()) std::for_each(value.begin(), value.end(), add);
    else add(value);
    return texts;
}

std::string text_of(const std::string& name, const OrderedJson& value) {
    if (value.is_string()) return value.get<std::string>();
    throw ApiError(400, name + ": expected a string", name);
}

// A grammar or schema of the command line may be a file's name; a client has no say in files.
std::string rules_of(const std::string& name, const OrderedJson& value) {
    std::string rules = text_of(name, value);
    if (rules.find("::=") == std::string::npos)
        throw ApiError(400, name + ": expected the rules themselves, in GBNF: root ::= \"yes\"",
                       name);
    return rules;
}

std::string schema_of(const std::string& name, const OrderedJson& value) {
    if (value.is_object()) return json_text(value);
    const OrderedJson parsed =
        value.is_string() ? ordered_json_value(value.get<std::string>()) : OrderedJson();
    if (!parsed.is_object())
        throw ApiError(400, name + ": expected a JSON Schema, an object", name);
    return value.get<std::string>();
}

std::string tools_of(const std::string& name, const OrderedJson& value) {
    const std::string tools = value.is_string() ? value.get<std::string>() : json_text(value);
    const OrderedJson parsed = ordered_json_value(tools);
    if (!parsed.is_array() || parsed.empty() || !parsed[0].is_object())
        throw ApiError(400, name + ": expected a list of functions", name);
    return tools;
}

std::string choices_of(const std::string& name, const OrderedJson& value) {
    std::string joined;
    for (const std::string& choice : texts_of(name, value)) {
        if (value.is_array() && choice.find(',') != std::string::npos)
            throw ApiError(400, name + ": a choice has a comma; take a regex for it", name);
        joined += (joined.empty() ? "" : ",") + choice;
    }
    return joined;
}

using Setter = std::function<void(TextOptions&, const std::string&, const OrderedJson&)>;

// What is text is not read as words of a command line: it may look like one.
const std::map<std::string, Setter>& text_members() {
    static const std::map<std::string, Setter> all = [] {
        const auto list = [](auto member) -> Setter {
            return [member](TextOptions& o, const std::string& name, const OrderedJson& value) {
                o.*member = texts_of(name, value);
            };
        };
        const auto guide = [](auto member, auto read) -> Setter {
            return
                [member, read](TextOptions& o, const std::string& name, const OrderedJson& value) {
                    o.guide.*member = read(name, value);
                };
        };
        std::map<std::string, Setter> m;
        m["stop"] = m["stop_strings"] = list(&TextOptions::stop_strings);
        m["ban_text"] = list(&TextOptions::ban_text);
        m["bad_words"] = list(&TextOptions::bad_words);
        m["grammar"] = m["guided_grammar"] = guide(&GuideRequest::grammar, rules_of);
        m["regex"] = m["guided_regex"] = guide(&GuideRequest::regex, text_of);
        m["json_schema"] = m["guided_json"] = guide(&GuideRequest::schema, schema_of);
        m["tools"] = guide(&GuideRequest::tools, tools_of);
        m["choice"] = m["guided_choice"] = guide(&GuideRequest::choice, choices_of);
        m["integer"] = guide(&GuideRequest::integers, text_of);
        m["negative_prompt"] = [](TextOptions& o, const std::string& name, const OrderedJson& v) {
            o.negative_prompt = text_of(name, v);
        };
        return m;
    }();
    return all;
}

std::string with_underscores(std::string name) {
    name.erase(0, name.find_first_not_of('-'));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// Options that a value belongs to, and flags.
struct Declared {
    std::set<std::string> names, flags;
};
const Declared& declared() {
    static const Declared all = [] {
        Declared d;
        TextOptions options;
        std::string strategy;
        read_command_line({}, [&](OptionTable& app) {
            add_text_options(app, options, strategy);
            for (const DeclaredOption& o : CommandLine(app).options()) {
                d.names.insert(with_underscores(o.name()));
                if (o.is_flag()) d.flags.insert(with_underscores(o.name()));
            }
        });
        return d;
    }();
    return all;
}

std::string option_in(const std::string& word) {
    return with_underscores(word.substr(0, word.find('=')));
}

// What a member is called here; "" where there is nothing to say about it ("escape").
// Throws UsageError for a name of other programs that has no use here.
std::string option_of(const std::string& member) {
    const std::vector<std::string> words = with_our_names({"--" + member + "=64"});
    return words.empty() ? "" : option_in(words[0]);
}

[[noreturn]] void refuse_unknown(const std::string& name, const std::vector<std::string>& known) {
    std::vector<std::string> names(known);
    names.insert(names.end(), declared().names.begin(), declared().names.end());
    for (const auto& [text, setter] : text_members()) names.push_back(text);
    for (const Alias& alias : aliases()) {
        const std::string typed = alias.typed;
        if (typed.starts_with("--")) names.push_back(with_underscores(typed));
    }
    const std::string typed = name.substr(0, 64);
    const std::string nearest =
        *std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
            return edit_distance(typed, a) < edit_distance(typed, b);
        });
    const bool near = edit_distance(typed, nearest) <= std::max(2, count(typed) / 3);
    throw ApiError(
        400,
        typed + ": there is no such parameter" + (near ? "; did you mean " + nearest + "?" : ""),
        typed, "unknown_parameter");
}

// The words for a member: "--top-k=5", a flag, a list's values one after the other.
void add_words(std::vector<std::string>& words, const std::string& name, const OrderedJson& value,
               const std::vector<std::string>& known) {
    if (name.empty() ||
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
        refuse_unknown(name, known);
    if (const std::string option = option_of(name);
        !option.empty() && !declared().names.contains(option))
        refuse_unknown(name, known);
    std::vector<std::string> own;
    const auto add = [&](const OrderedJson& one) {
        if (!one.is_primitive())
            throw ApiError(400, name + ": expected a value, got " + kind_of(Json(one)), name);
        own.push_back("--" + name + "=" +
                      (one.is_string() ? one.get<std::string>() : json_text(one)));
    };
    if (value.is_array()) std::for_each(value.begin(), value.end(), add);
    else add(value);
    for (const std::string& word : with_our_names(own)) {
        if (declared().flags.contains(option_in(word)) != value.is_boolean())
            throw ApiError(
                400,
                name + ": expected " +
                    (value.is_boolean() ? "a value, got true or false" : "true or false"),
                name);
        if (!value.is_boolean()) words.push_back(word);
        else if (value.get<bool>()) words.push_back(word.substr(0, word.find('=')));
    }
}

// An error of the command line's, by the name that the client has for what it is about.
ApiError about_member(const BodyMembers& members, std::string message) {
    const std::string help = " (--help lists the options)";
    if (message.ends_with(help)) message.resize(message.size() - help.size());
    const ApiError error = about_option(400, message);
    const auto is_about = [&](const std::string& member) {
        try {
            return option_of(member) == error.param;
        } catch (const UsageError&) {  // its name is all there is of it
            return message.starts_with(member + ": ");
        }
    };
    for (const auto& [name, value] : members)
        if (!error.param.empty() && is_about(name))
            return ApiError(400, name + (error.what() + error.param.size()), name);
    return error;
}

// A name that a client gives opens no file: models are those that ship, and what a text is held to
// is given as itself, by whatever name of the option.
void check_names_of_files(const TextOptions& o) {
    if (!o.guide.grammar.empty()) rules_of("grammar", o.guide.grammar);
    if (!o.guide.schema.empty()) schema_of("json_schema", o.guide.schema);
    if (!o.guide.tools.empty()) tools_of("tools", o.guide.tools);
    const auto only = [](const std::string& given, const std::string& name,
                         const std::vector<std::string>& names) {
        if (std::find(names.begin(), names.end(), given) == names.end())
            throw ApiError(400, name + ": expected " + names[0] + ", which ships", name);
    };
    if (!o.assistant_model.empty())
        only(o.assistant_model, "assistant_model", {"sketch", "lookup"});
    if (o.contrast_model) only(*o.contrast_model, "contrast_model", {"sketch"});
    if (!o.medusa_heads.empty())
        throw ApiError(400, "medusa_heads: a server opens no other files", "medusa_heads");
    if (!o.decoder.empty() || o.infill || !(o.fill == FillOptions()))
        throw ApiError(400, "decoder, infill: this model writes from left to right", "decoder");
}

}  // namespace

ApiError about_option(int status, std::string_view message) {
    std::string words = in_body_words(message), name = words.substr(0, words.find(": "));
    std::replace(name.begin(), name.end(), '-', '_');
    if (!declared().names.contains(name)) return ApiError(status, words);
    return ApiError(status, words.replace(0, name.size(), name), name);
}

TextOptions options_of(const BodyMembers& members, const TextOptions& base,
                       const std::vector<std::string>& known) {
    Settings settings;
    settings.options = base;
    settings.prompts = {""};
    std::vector<std::string> words;
    try {
        for (const auto& [name, value] : members) {
            if (value.is_null() || text_members().contains(name)) continue;
            if (name == "seed" && !value.is_number_unsigned())
                throw ApiError(400,
                               "seed: expected a number from 0 to 18446744073709551615; an answer "
                               "depends on its request alone, so send a random seed for a random "
                               "answer",
                               name);
            add_words(words, name, value, known);
        }
        read_command_line(
            words,
            [&](OptionTable& app) {
                add_text_options(app, settings.options, settings.strategy);
                settings.given = [&app](const char* option) {
                    return CommandLine(app).declared(option).given();
                };
            },
            [&] {
                for (const auto& [name, value] : members)
                    if (const auto set = text_members().find(name);
                        set != text_members().end() && !value.is_null())
                        set->second(settings.options, name, value);
                check_names_of_files(settings.options);
                complete(settings);
            });
    } catch (const UsageError& error) {
        throw about_member(members, error.what());
    }
    TextOptions& o = settings.options;
    if (o.max_new_tokens && *o.max_new_tokens < -1)
        throw about_member(members, "--max-new-tokens: got " + std::to_string(*o.max_new_tokens) +
                                        ", expected 0 or more");
    // Guesses that follow the same draws change no text, and a full batch has no use for them.
    if (o.guesses() && o.coupling == "seed") {
        o.assistant_model.clear();
        o.prompt_lookup_num_tokens.reset();
        o.medusa = false;
    }
    return o;
}

bool needs_own_passes(const TextOptions& o) {
    return strategy_of(o) == Strategy::beam || o.guidance_scale != 1 || o.contrast_model ||
           o.guesses();
}

}  // namespace tbt
