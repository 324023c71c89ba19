#include "lib/machine/option_pages.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include <CLI/CLI.hpp>

#include "lib/core/error.hpp"
#include "lib/edit_distance.hpp"

namespace tbt {

namespace {

// The data of an option that the pages show.
struct Shown {
    std::vector<std::string> names;   // "-n", "--max-new-tokens"
    std::vector<std::string> values;  // the allowed values, if there is a list of them
    bool takes_value = false, takes_file = false;
    std::string help, group;
};

// The allowed values in a type such as "TEXT:{greedy,sample,beam}".
std::vector<std::string> values_in(const std::string& type) {
    const std::size_t open = type.find('{'), close = type.find('}');
    std::vector<std::string> values;
    if (open == std::string::npos || close == std::string::npos) return values;
    std::string value;
    for (std::size_t i = open + 1; i <= close; ++i) {
        if (type[i] != ',' && type[i] != '}') value += type[i];
        else values.push_back(std::move(value)), value.clear();
    }
    return values;
}

std::vector<Shown> shown_options(const OptionTable& app) {
    std::vector<Shown> all;
    for (const CLI::Option* option : app.get_options()) {
        if (!option->nonpositional() || option->get_group().empty()) continue;
        Shown o;
        for (const std::string& name : option->get_snames()) o.names.push_back("-" + name);
        for (const std::string& name : option->get_lnames()) o.names.push_back("--" + name);
        o.takes_value = option->get_items_expected_max() > 0;
        o.values = values_in(option->get_type_name());
        o.help = option->get_description(), o.group = option->get_group();
        o.takes_file =
            o.takes_value && o.values.empty() && option->get_type_name().rfind("TEXT", 0) == 0;
        all.push_back(std::move(o));
    }
    return all;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : between) + word;
    return all;
}

std::string bash_script(const std::vector<Shown>& options, const std::string& program) {
    std::string function = "_" + program, names, cases;
    std::replace_if(
        function.begin(), function.end(),
        [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    for (const Shown& o : options) {
        names += (names.empty() ? "" : " ") + joined(o.names, " ");
        const std::string reply =
            o.takes_file ? "compgen -f" : "compgen -W '" + joined(o.values, " ") + "'";
        if (o.takes_value)
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

std::string zsh_script(const std::vector<Shown>& options, const std::string& program) {
    std::string lines;
    for (const Shown& o : options) {
        std::string help;
        for (const char c : o.help)
            help += c == '[' || c == ']' || c == ':' ? "\\" + std::string(1, c) : std::string(1, c);
        const std::string value = !o.takes_value ? ""
                                  : o.takes_file ? ":value:_files"
                                                 : ":value:(" + joined(o.values, " ") + ")";
        for (const std::string& name : o.names)
            lines += " \\\n    " + quoted("*" + name + "[" + help + "]" + value);
    }
    return "#compdef " + program + "\n_arguments -s" + lines + "\n";
}

std::string fish_script(const std::vector<Shown>& options, const std::string& program) {
    std::string lines;
    for (const Shown& o : options) {
        lines += "complete -c " + program;
        for (const std::string& name : o.names)
            lines += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
        if (o.takes_value)
            lines += o.takes_file ? " -r" : " -x -a " + quoted(joined(o.values, " "));
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

std::string completion_script(const OptionTable& app, const std::string& shell,
                              const std::string& program) {
    const std::vector<Shown> options = shown_options(app);
    if (shell == "bash") return bash_script(options, program);
    if (shell == "zsh") return zsh_script(options, program);
    if (shell == "fish") return fish_script(options, program);
    throw UsageError("--completion: got '" + shell + "', expected bash, zsh or fish");
}

std::string manual_page(const OptionTable& app, const std::string& program) {
    std::string page = ".TH " + program + " 1\n.SH NAME\n" + roff(program) + " \\- " +
                       roff(app.get_description()) + "\n.SH SYNOPSIS\n.B " + roff(program) +
                       "\n[OPTIONS]";
    for (const CLI::Option* option : app.get_options())
        if (!option->nonpositional()) page += " [" + roff(option->get_name()) + "]";
    page += "\n.SH OPTIONS\n";
    std::string group;
    for (const Shown& o : shown_options(app)) {
        if (o.group != group) page += ".SS " + roff(group = o.group) + "\n";
        page += ".TP\n.B " + roff(joined(o.names, ", "));
        if (o.takes_value) page += o.values.empty() ? " VALUE" : " " + roff(joined(o.values, "|"));
        page += "\n" + roff(o.help) + "\n";
    }
    return page +
           ".SH EXIT STATUS\n0; 1 when the work failed; 2 when the command line is wrong;\n"
           "130 after Ctrl\\-C.\n";
}

std::string nearest_option(const OptionTable& app, const std::string& typed) {
    std::string nearest;
    int least = 0;
    for (const Shown& o : shown_options(app))
        for (const std::string& name : o.names) {
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
