#include "chapters/26_serving/server/body_options.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "chapters/23_text_generator/aliases.hpp"
#include "chapters/23_text_generator/command_line.hpp"
#include "chapters/23_text_generator/filled_texts.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/edit_distance.hpp"

namespace tbt {

namespace {

std::vector<std::string> texts_of(const std::string& name, const Json& value) {
    std::vector<std::string> texts;
    const auto add = [&](const Json& text) {
        if (!text.is_string())
            throw ApiError(400, name + ": expected a string, or a list of strings", name);
        if (text != "") texts.push_back(text.get<std::string>());
    };
    if (value.is_array()) std::for_each(value.begin(), value.end(), add);
    else add(value);
    return texts;
}

std::string text_of(const std::string& name, const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    throw ApiError(400, name + ": expected a string", name);
}

// A grammar or schema of the command line may be a file's name; a client has no say in files.
std::string rules_of(const std::string& name, const Json& value) {
    std::string rules = text_of(name, value);
    if (rules.find("::=") == std::string::npos)
        throw ApiError(400, name + ": expected the rules themselves, in GBNF: root ::= \"yes\"",
                       name);
    return rules;
}

std::string schema_of(const std::string& name, const Json& value) {
    if (value.is_object()) return json_text(value);
    const Json parsed = value.is_string() ? json_value(value.get<std::string>()) : Json();
    if (!parsed.is_object())
        throw ApiError(400, name + ": expected a JSON Schema, an object", name);
    return value.get<std::string>();
}

std::string tools_of(const std::string& name, const Json& value) {
    const std::string tools = value.is_string() ? value.get<std::string>() : json_text(value);
    const Json parsed = json_value(tools);
    if (!parsed.is_array() || parsed.empty() || !parsed[0].is_object())
        throw ApiError(400, name + ": expected a list of functions", name);
    return tools;
}

// The command line's list has commas between the choices: where one has a comma, a pattern says it.
void set_choices(TextOptions& o, const std::string& name, const Json& value) {
    const std::vector<std::string> choices = texts_of(name, value);
    if (choices.empty() || (value.is_array() && choices.size() < value.size()))
        throw ApiError(400, name + ": expected texts to choose from, none of them empty", name);
    const bool commas =
        value.is_array() && std::any_of(choices.begin(), choices.end(), [](const std::string& c) {
            return c.find(',') != std::string::npos;
        });
    std::string joined;
    for (const std::string& choice : choices) {
        if (!joined.empty()) joined += commas ? '|' : ',';
        for (const char c : choice) {
            if (commas && std::string_view("\\^$.|?*+()[]{}/").find(c) != std::string_view::npos)
                joined += '\\';
            joined += c;
        }
    }
    (commas ? o.guide.regex : o.guide.choice) = joined;
}

using Setter = std::function<void(TextOptions&, const std::string&, const Json&)>;

// What is text is not read as words of a command line: it may look like one.
const std::map<std::string, Setter>& text_members() {
    static const std::map<std::string, Setter> all = [] {
        const auto list = [](auto member) -> Setter {
            return [member](TextOptions& o, const std::string& name, const Json& value) {
                o.*member = texts_of(name, value);
            };
        };
        const auto guide = [](auto member, auto read) -> Setter {
            return [member, read](TextOptions& o, const std::string& name, const Json& value) {
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
        m["choice"] = m["guided_choice"] = set_choices;
        m["integer"] = guide(&GuideRequest::integers, text_of);
        m["negative_prompt"] = [](TextOptions& o, const std::string& name, const Json& v) {
            o.negative_prompt = text_of(name, v);
        };
        return m;
    }();
    return all;
}

std::set<std::string> set_of(std::string_view words) {
    const std::vector<std::string> all = words_in(words);
    return {all.begin(), all.end()};
}

// An empty text is none, as clients send it, but not of these.
const std::set<std::string>& never_empty() {
    static const std::set<std::string> all =
        set_of("regex guided_regex choice guided_choice integer");
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
        Settings settings;
        read_command_line({}, [&](OptionTable& app) {
            add_text_options(app, settings);
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

// Options by their names here. Of one that changes no text nothing is left, and no log says so.
std::vector<std::string> our_words(const std::vector<std::string>& words) {
    std::vector<std::string> notes;
    return translated(words, notes);
}

// What a member is called here; "" where there is nothing to say about it ("escape").
// Throws UsageError for a name of other programs that has no use here.
std::string option_of(const std::string& member) {
    const std::vector<std::string> words = our_words({"--" + member + "=64"});
    return words.empty() ? "" : option_in(words[0]);
}

// What clients send that has no effect on a text here: hints, storage, billing, and what holds for
// every request.
const std::set<std::string>& without_effect() {
    static const std::set<std::string> all = set_of(
        "user metadata store service_tier safety_identifier prompt_cache_key "
        "prompt_cache_retention verbosity prediction parallel_tool_calls reasoning_effort "
        "reasoning chat_template_kwargs cache_prompt keep_alive num_retries extra_body "
        "extra_headers api_key base_url timeout type id_slot slot_id return_tokens "
        "return_progress timings_per_token n_probs post_sampling_probs priority request_id text "
        "object title chat_id session_id background_tasks features guided_decoding_backend "
        "prompt_logprobs spaces_between_special_tokens web_search_options n_keep cache_salt "
        "models mode speed samplers t_max_predict_ms n_indent response_fields min_keep "
        "dry_penalty_last_n");
    return all;
}

// What would change the text and is not done here, unless its value says that it is off.
const std::set<std::string>& not_done() {
    static const std::set<std::string> all = set_of(
        "allowed_token_ids include_stop_str_in_output use_beam_search stop_token_ids "
        "truncate_prompt_tokens lora lora_adapter adapter adapter_id images audio input_audio "
        "image_data multi_modal_data mm_processor_kwargs lora_path structural_tag top_a "
        "smoothing_factor documents watermark max_length");
    return all;
}

// Where the most probable token is taken, nothing is truncated or drawn.
const std::set<std::string>& of_draws() {
    static const std::set<std::string> all = set_of(
        "top_k top_p min_p typical_p typical typ_p epsilon_cutoff eta_cutoff top_n_sigma "
        "xtc_probability xtc_threshold dynatemp_range dynatemp_exp dynatemp_exponent mirostat "
        "mirostat_tau mirostat_eta min_tokens_to_keep");
    return all;
}

// What says more of something, by what that is: nothing where it is off.
const std::map<std::string, std::string>& companions() {
    static const std::map<std::string, std::string> all = {
        {"xtc_threshold", "xtc_probability"},
        {"dynatemp_exp", "dynatemp_range"},
        {"dynatemp_exponent", "dynatemp_range"},
        {"mirostat_tau", "mirostat"},
        {"mirostat_eta", "mirostat"},
        {"dry_base", "dry_multiplier"},
        {"dry_allowed_length", "dry_multiplier"},
        {"dry_sequence_breaker", "dry_multiplier"},
        {"dry_sequence_breakers", "dry_multiplier"},
        {"repeat_last_n", "repeat_penalty"}};
    return all;
}

// A value that changes nothing, by its name.
bool is_neutral(const std::string& name, const Json& value) {
    if (value.is_null()) return true;
    if (name == "modalities") return value == Json::array({"text"});
    if (name == "top_k" || name == "top_n_sigma") return value == -1;
    if (name == "best_of") return value == 1;
    if (name == "skip_special_tokens" || name == "add_generation_prompt" || name == "detokenize")
        return value == true;
    if (name == "do_sample") return value == false;  // see takes_first()
    return not_done().contains(name) && is_off(value);
}

// temperature 0, or transformers' do_sample false, which has no use for a temperature.
bool takes_first(BodyMembers& members) {
    const auto any = [&](auto&& is) {
        return std::any_of(members.begin(), members.end(), [&](const auto& m) { return is(m); });
    };
    const auto is_temperature = [](const auto& m) {
        return m.first == "temperature" || m.first == "temp";
    };
    if (any([](const auto& m) { return m.first == "do_sample" && m.second == false; })) {
        std::erase_if(members, is_temperature);
        members.emplace_back("greedy", true);
    }
    return any([&](const auto& m) {
        return (is_temperature(m) && m.second.is_number() && m.second == 0) ||
               (m.first == "greedy" && m.second == true);
    });
}

// llama.cpp and Ollama switch penalties off by letting them look at none of the last tokens.
void drop_penalties_of_none(BodyMembers& members) {
    const auto none = [](const auto& m) { return m.first == "repeat_last_n" && m.second == 0; };
    if (std::none_of(members.begin(), members.end(), none)) return;
    std::erase_if(members, [](const auto& m) {
        return m.first == "repeat_last_n" ||
               (m.first.ends_with("_penalty") && m.first != "length_penalty");
    });
}

std::vector<std::string> all_names(const std::vector<std::string>& known) {
    std::vector<std::string> names(known);
    names.insert(names.end(), declared().names.begin(), declared().names.end());
    for (const auto& [text, setter] : text_members()) names.push_back(text);
    for (const Alias& alias : aliases())
        if (alias.typed.starts_with("--")) names.push_back(with_underscores(alias.typed));
    return names;
}

// Throws ApiError if a name may be a slip for one of `names`, and its value says something.
void check_slip(const std::string& name, const Json& value, const std::vector<std::string>& names) {
    if (value.is_null() || value == false || value == "" ||
        (value.is_structured() && value.empty()))
        return;
    std::string nearest;
    int least = std::min(3, to_int(name.size()) / 2);
    for (const std::string& one : names)
        if (std::abs(to_int(name.size()) - to_int(one.size())) >= least) continue;
        else if (const int distance = edit_distance(name, one); distance < least)
            least = distance, nearest = one;
    if (nearest.empty() || nearest == name) return;
    const std::string shown = name.substr(0, 64);
    throw ApiError(400, shown + ": there is no such parameter; did you mean " + nearest + "?",
                   shown, "unknown_parameter");
}

constexpr const char* name_letters = "abcdefghijklmnopqrstuvwxyz0123456789_";

// A name without effect. It goes into a header.
void add_ignored(const std::string& name, std::vector<std::string>& ignored) {
    const bool plain = !name.empty() && name.find_first_not_of(name_letters) == std::string::npos;
    ignored.push_back(plain ? name.substr(0, 64) : "another");
}

bool is_name(const std::string& name) {
    if (name.empty() || name.find_first_not_of(name_letters) != std::string::npos) return false;
    const std::string option = option_of(name);
    return option.empty() || declared().names.contains(option);
}

// Whether a member is to be read as an option. If not, it has no effect. Throws ApiError.
bool has_effect(const std::string& name, const Json& value, bool greedy,
                const std::vector<std::string>& known, bool strict,
                std::vector<std::string>& ignored) {
    if (is_neutral(name, value) || (greedy && of_draws().contains(name))) return false;
    const std::string shown = name.substr(0, 64);
    if (not_done().contains(name) || name == "modalities" || name == "skip_special_tokens" ||
        name == "add_generation_prompt" || name == "detokenize")
        throw ApiError(400, name + ": this server cannot do that; leave it out", name,
                       "unsupported_parameter");
    if (without_effect().contains(name) && is_off(value)) return false;
    std::string answer = "there is no such parameter";
    if (!without_effect().contains(name)) {
        try {
            const bool must_say = never_empty().contains(name);
            if (value == "" && must_say)
                throw ApiError(400, name + ": it is empty; leave it out for any text", name);
            if (text_members().contains(name))
                return value != "" && (value != Json::array() || must_say);
            const bool does_nothing = is_name(name) && option_of(name).empty();
            if (is_name(name) && !does_nothing) return true;
            if (std::count(known.begin(), known.end(), name) > 0) {  // elsewhere
                if (is_off(value)) return false;
                throw ApiError(400, name + ": this endpoint has no such parameter", name);
            }
            // An option of the program that is none of a request is itself the nearest name.
            if (!does_nothing) check_slip(name, value, all_names(known));
        } catch (const UsageError& error) {  // another program's option, without a use here
            answer = error.what();
            answer = answer.substr(std::min(answer.find(": "), answer.size() - 2) + 2);
        }
    }
    if (strict) throw ApiError(400, shown + ": " + answer, shown, "unknown_parameter");
    add_ignored(name, ignored);
    return false;
}

// 16.0 is 16.
std::string number_text(const Json& value) {
    constexpr double exact = 9007199254740992;  // 2^53
    if (value.is_number_float())
        if (const double x = value.get<double>(); x == std::floor(x) && std::abs(x) < exact)
            return std::to_string(static_cast<long long>(x));
    return json_text(value);
}

// The words for a member: "--top-k=5", a flag, a list's values one after the other.
void add_words(std::vector<std::string>& words, const std::string& name, const Json& value) {
    std::vector<std::string> own;
    const auto add = [&](const Json& one) {
        if (one.is_structured())
            throw ApiError(400, name + ": expected a value, got " + kind_of(Json(one)), name);
        own.push_back("--" + name + "=" +
                      (one.is_string() ? one.get<std::string>() : number_text(one)));
    };
    if (value.is_array()) std::for_each(value.begin(), value.end(), add);
    else add(value);
    for (const std::string& word : our_words(own)) {
        const bool flag = declared().flags.contains(option_in(word));
        if (flag && !value.is_boolean())
            throw ApiError(400, name + ": expected true or false", name);
        if (flag && value == false) continue;
        const std::string one = flag ? word.substr(0, word.find('=')) : word;
        // Some say the same by several names.
        const auto is_same = [&](const std::string& other) {
            return with_underscores(other) == with_underscores(one);
        };
        if (std::none_of(words.begin(), words.end(), is_same)) words.push_back(one);
    }
}

// An error of the command line's, by the name that the client has for what it is about.
ApiError about_member(const BodyMembers& members, std::string message) {
    const std::string help = " (--help lists the options)";
    if (message.ends_with(help)) message.resize(message.size() - help.size());
    const ApiError error = about_option(400, message, "max_new_tokens");
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
    return about_option(400, message);
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

// Options are called "--top-k" on the command line and "top_k" in a body.
std::string in_body_words(std::string_view message) {
    std::string words;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    for (std::size_t i = 0; i < message.size(); ++i) {
        const bool name = message.substr(i).starts_with("--") && i + 2 < message.size() &&
                          is_letter(message[i + 2]) && (i == 0 || !is_letter(message[i - 1]));
        if (!name) {
            words += message[i];
            continue;
        }
        for (i += 2; i < message.size() && (is_letter(message[i]) || message[i] == '-'); ++i)
            words += message[i] == '-' ? '_' : message[i];
        --i;
    }
    return words;
}

}  // namespace

ApiError about_option(int status, std::string_view message, const std::string& most) {
    std::string words = in_body_words(message);
    const std::string ours = "max_new_tokens";
    for (std::size_t at = 0; (at = words.find(ours, at)) != std::string::npos; at += most.size())
        words.replace(at, ours.size(), most);
    std::string name = words.substr(0, words.find(": "));
    std::replace(name.begin(), name.end(), '-', '_');
    if (!declared().names.contains(name) && name != most) return ApiError(status, words);
    return ApiError(status, words.replace(0, name.size(), name), name);
}

TextOptions options_of(BodyMembers members, const TextOptions& base,
                       const std::vector<std::string>& known, bool strict,
                       std::vector<std::string>& ignored) {
    Settings settings;
    settings.options = base;
    settings.prompts = {""};
    drop_penalties_of_none(members);
    const bool greedy = takes_first(members);
    std::vector<std::string> words;
    BodyMembers texts;
    std::erase_if(members, [&, all = members](const auto& member) {
        const auto at = companions().find(member.first);
        return at != companions().end() && std::none_of(all.begin(), all.end(), [&](const auto& m) {
                   const bool other = at->first == "repeat_last_n" &&
                                      m.first.ends_with("_penalty") && m.first != "length_penalty";
                   return (m.first == at->second || other) && !is_off(m.second) &&
                          !(m.first.starts_with("repe") && m.second == 1);
               });
    });
    try {
        for (const auto& [name, value] : members) {
            if (!has_effect(name, value, greedy, known, strict, ignored)) continue;
            if (text_members().contains(name)) texts.emplace_back(name, value);
            else add_words(words, name, value);
        }
        read_command_line(
            words, [&](OptionTable& app) { add_text_options(app, settings); },
            [&] {
                for (const auto& [name, value] : texts)
                    text_members().at(name)(settings.options, name, value);
                check_names_of_files(settings.options);
                complete(settings);
            });
    } catch (const UsageError& error) {
        throw about_member(members, error.what());
    }
    TextOptions& o = settings.options;
    // Guesses that follow the same draws change no text, and a full batch has no use for them.
    if (o.guesses() && o.coupling == "seed") {
        o.assistant_model.clear();
        o.prompt_lookup_num_tokens.reset();
        o.medusa = false;
    }
    return o;
}

bool is_off(const Json& value) {
    return value.is_null() || value == false || value == 0 || value == "" || value == "none" ||
           value == "disabled" || (value.is_structured() && value.empty());
}

bool has_no_effect(const std::string& name) { return without_effect().contains(name); }

void ignore(const std::vector<std::string>& names, bool strict, std::vector<std::string>& ignored) {
    for (const std::string& name : names) {
        if (strict)
            throw ApiError(400, name.substr(0, 64) + ": there is no such parameter",
                           name.substr(0, 64), "unknown_parameter");
        add_ignored(name, ignored);
    }
}

void ignore_rest(const BodyReader& body, const std::vector<std::string>& known, bool strict,
                 std::vector<std::string>& ignored) {
    for (const auto& [name, value] : body.rest()) {
        if (!has_no_effect(name)) check_slip(name, value, known);
        if (!is_off(value)) ignore({name}, strict, ignored);
    }
}

bool needs_own_passes(const TextOptions& o) {
    return strategy_of(o) == Strategy::beam || o.guidance_scale != 1 || o.contrast_model ||
           o.guesses();
}

}  // namespace tbt
