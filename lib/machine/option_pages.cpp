#include "lib/machine/option_pages.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/machine/edit_distance.hpp"

namespace tbt {

namespace {

// The options with a name, without those that help hides.
std::vector<const Option*> shown_options(const OptionTable& table) {
    std::vector<const Option*> all;
    for (const auto& option : table.options)
        if (!option->names.empty()) all.push_back(option.get());
    return all;
}

bool takes_value(const Option& o) { return o.takes != Option::Takes::nothing; }
bool takes_file(const Option& o) {
    return takes_value(o) && o.allowed.empty() && o.type.starts_with("TEXT");
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : between) + word;
    return all;
}

// One line of help: the names with the kind of value, then what the option does.
constexpr std::size_t help_column = 36;
std::string help_line(const std::string& left, const std::string& help) {
    std::string line = "  " + left;
    if (line.size() >= help_column) line += "\n" + std::string(help_column, ' ');
    else line.resize(help_column, ' ');
    return line + help + "\n";
}

std::string help_line(const Option& o, std::string left) {
    if (takes_value(o)) {
        left += " " + o.type + (o.default_text.empty() ? "" : "=" + o.default_text);
        if (o.takes == Option::Takes::values) left += " ...";
        if (o.required) left += " REQUIRED";
    }
    for (const Option* other : o.needs) left += " Needs: " + other->name();
    for (const Option* other : o.excludes) left += " Excludes: " + other->name();
    return help_line(left, o.help);
}

std::string bash_script(const std::vector<const Option*>& options, const std::string& program) {
    std::string function = "_" + program, names, cases;
    std::replace_if(
        function.begin(), function.end(),
        [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    for (const Option* option : options) {
        const Option& o = *option;
        names += (names.empty() ? "" : " ") + joined(o.names, " ");
        const std::string reply =
            takes_file(o) ? "compgen -f" : "compgen -W '" + joined(o.allowed, " ") + "'";
        if (takes_value(o))
            cases += "        " + joined(o.names, "|") + ") COMPREPLY=($(" + reply +
                     " -- \"$word\")); return ;;\n";
    }
    return "# bash completion: source this file, or put it into "
           "~/.local/share/bash-completion/completions/" +
           program + "\n" + function +
           "() {\n    local word=\"${COMP_WORDS[COMP_CWORD]}\"\n"
           "    case \"${COMP_WORDS[COMP_CWORD - 1]}\" in\n" +
           cases + "    esac\n    COMPREPLY=($(compgen -W '" + names +
           "' -- \"$word\"))\n}\ncomplete -o filenames -F " + function + " " + program + "\n";
}

// The text in single quotes for a shell.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string zsh_script(const std::vector<const Option*>& options, const std::string& program) {
    std::string lines;
    for (const Option* option : options) {
        const Option& o = *option;
        std::string help;
        for (const char c : o.help)
            help += c == '[' || c == ']' || c == ':' ? "\\" + std::string(1, c) : std::string(1, c);
        const std::string value = !takes_value(o) ? ""
                                  : takes_file(o) ? ":value:_files"
                                                  : ":value:(" + joined(o.allowed, " ") + ")";
        for (const std::string& name : o.names)
            lines += " \\\n    " + quoted("*" + name + "[" + help + "]" + value);
    }
    return "#compdef " + program + "\n_arguments -s" + lines + "\n";
}

std::string fish_script(const std::vector<const Option*>& options, const std::string& program) {
    std::string lines;
    for (const Option* option : options) {
        const Option& o = *option;
        lines += "complete -c " + program;
        for (const std::string& name : o.names)
            lines += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
        if (takes_value(o))
            lines += takes_file(o) ? " -r" : " -x -a " + quoted(joined(o.allowed, " "));
        lines += " -d " + quoted(o.help) + "\n";
    }
    return lines;
}

// Escapes a text for troff: backslashes, hyphens, and dots that would begin a command.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\') out += "\\e";
        else if (c == '-') out += "\\-";
        else out += c;
    }
    return out;
}

}  // namespace

std::string help_page(const OptionTable& table, bool all) {
    const auto shown = [&](const Option& o) {
        const auto& first = table.short_help;
        return all || first.empty() ||
               std::find(first.begin(), first.end(), o.name()) != first.end();
    };
    std::string usage, positionals, groups, commands;
    std::vector<std::string> names;
    for (const auto& option : table.options) {
        if (!option->positional.empty()) {
            const std::string name =
                option->positional + (option->takes == Option::Takes::values ? "..." : "");
            usage += option->required ? " " + name : " [" + name + "]";
            if (shown(*option)) positionals += help_line(*option, option->positional);
        }
        if (!option->names.empty() &&
            std::find(names.begin(), names.end(), option->group) == names.end())
            names.push_back(option->group);
    }
    for (const std::string& group : names) {
        std::string lines;
        for (const auto& option : table.options)
            if (!option->names.empty() && option->group == group && shown(*option))
                lines += help_line(*option, joined(option->names, ","));
        if (!lines.empty()) groups += "\n" + group + ":\n" + lines;
    }
    for (const auto& command : table.commands)
        commands += help_line(command->program, command->description);
    if (!table.commands.empty()) usage += table.command_required ? " COMMAND" : " [COMMAND]";
    return table.description + "\nUsage: " + table.program + " [OPTIONS]" + usage + "\n" +
           (positionals.empty() ? "" : "\nPositionals:\n" + positionals) + groups +
           (commands.empty()
                ? ""
                : "\nCommands (COMMAND --help shows the options of one):\n" + commands) +
           (all || table.short_help.empty() ? "" : "\n\n" + table.rest_of_help) + "\n";
}

std::string completion_script(const OptionTable& table, const std::string& shell,
                              const std::string& program) {
    const std::vector<const Option*> options = shown_options(table);
    if (shell == "bash") return bash_script(options, program);
    if (shell == "zsh") return zsh_script(options, program);
    if (shell == "fish") return fish_script(options, program);
    throw UsageError("--completion: got '" + shell + "', expected bash, zsh or fish");
}

std::string manual_page(const OptionTable& table, const std::string& program) {
    std::string page = ".TH " + program + " 1\n.SH NAME\n" + roff(program) + " \\- " +
                       roff(table.description) + "\n.SH SYNOPSIS\n.B " + roff(program) +
                       "\n[OPTIONS]";
    for (const auto& option : table.options)
        if (!option->positional.empty()) page += " [" + roff(option->positional) + "]";
    page += "\n.SH OPTIONS\n";
    std::string group;
    for (const Option* option : shown_options(table)) {
        const Option& o = *option;
        if (o.group != group) page += ".SS " + roff(group = o.group) + "\n";
        page += ".TP\n.B " + roff(joined(o.names, ", "));
        if (takes_value(o))
            page += o.allowed.empty() ? " VALUE" : " " + roff(joined(o.allowed, "|"));
        page += "\n" + roff(o.help) + "\n";
    }
    return page +
           ".SH EXIT STATUS\n0; 1 when the work failed; 2 when the command line is wrong;\n"
           "130 after Ctrl\\-C.\n";
}

std::string nearest_option(const OptionTable& table, const std::string& typed) {
    std::string nearest;
    int least = 0;
    for (const Option* option : shown_options(table))
        for (const std::string& name : option->names) {
            if (name.size() < 4) continue;
            // The beginning of a name counts as near: --max-new for --max-new-tokens.
            const bool begins = typed.size() >= 5 && name.rfind(typed, 0) == 0;
            const int distance = begins ? 1 : edit_distance(typed, name);
            if (nearest.empty() || distance < least) nearest = name, least = distance;
        }
    const auto most = std::max<int>(2, static_cast<int>(typed.size()) / 4);
    return least <= most ? nearest : "";
}

}  // namespace tbt
