// Chapter 28: several machines. One model on one, two or four processes, with the same bits.
//
//   make run-28                                  parts 1 to 3: the idea, what is sent, its cost
//   make run-28 ARGS="--part 3 --latency 0.01"   with another network
//   make run-28 ARGS="--figure split.svg"        without a prompt: part 1 as a picture
//   mpirun -n 4 build/28_several_machines "Once upon a time"   all options of make run
//
// Look for: the text is the same with any number of processes. --stats says how much of the time
// went into messages.
#include <cstdio>
#include <optional>
#include <set>
#include <string>

#include "chapters/23_text_generator/aliases.hpp"
#include "chapters/23_text_generator/writing.hpp"
#include "chapters/28_several_machines/demo.hpp"
#include "lib/core/error.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/mpi/mpi_processes.hpp"

using namespace tbt;

// All processes write the same texts with a model that they share; the first one shows them.
static int write_together(MpiProcesses& processes, Settings& settings) {
    processes.together([&] { complete(settings); });
    if (auto& seed = settings.options.seed) {  // --seed -1 is a random number of each process
        std::uint64_t first = 0;
        for (int bit = 0; bit < 64; ++bit)
            first |= std::uint64_t{processes.first_says(*seed >> bit & 1)} << bit;
        seed = first;
    }
    if (settings.chat)
        throw UsageError("--chat: only the first process hears you; make serve MPI=" +
                         std::to_string(processes.size()) + " has a page for chats");
    processes.together([&] { check_model_path(settings.options.model); });
    processes.check_same_model(settings.options.model);
    if (processes.size() > 1) set_default_processes(&processes);
    const int status = write(settings);
    if (settings.output.stats) std::fputs(processes.summary().c_str(), stderr);
    return status;
}

// Refuses options that only the parts use, where a text is written, or only a text.
static void check_options(const CommandLine& line, bool text) {
    const std::set<std::string> of_parts = {"--part", "--machine-gb", "--machine-gb-per-second",
                                            "--latency"};
    for (const DeclaredOption& option : line.options()) {
        const std::string name = option.name();
        if (!option.given() || text != of_parts.contains(name) || (!text && name == "--figure"))
            continue;
        throw UsageError(name +
                         (text ? ": only the parts use it; leave it out, or the prompt"
                               : ": the parts write no text; leave it out, or give a prompt and "
                                 "no --part"));
    }
}

// What parts 1 to 3 show; part 0: all of them.
struct Parts {
    int part = 0;
    double gigabytes = 16, bandwidth = 50, latency = 0.05;
    PartOptions used{part};

    void declare(CommandLine line) {
        part_option(line, part, 3);
        used.add({3}, line.option("--machine-gb", gigabytes, "in part 3, the memory of a machine")
                          .shows_default()
                          .above_zero());
        used.add({3}, line.option("--machine-gb-per-second", bandwidth, "in part 3, its bandwidth")
                          .shows_default()
                          .above_zero());
        used.add({3}, line.option("--latency", latency, "in part 3, of a message, in ms")
                          .between(0.0, 1e6)
                          .shows_default());
        used.add({1}, line.declared("--figure"));
    }
    void show(const std::string& figure) const {
        used.check();
        if (!figure.empty()) write_split_figure(figure);
        if (used.begin(1)) show_products();
        if (used.begin(2)) show_traffic();
        if (used.begin(3)) show_costs({gigabytes * 1e9, bandwidth * 1e9}, latency / 1e3);
    }
};

int main(int argc, char** argv) {
    MpiProcesses processes(argc, argv);
    Settings settings;
    settings.command = shell_line(argc, argv);
    Parts parts;
    int status = 0;
    std::optional<CommandLine> command_line;
    const int ran = run_program(
        argc, argv,
        "Chapter 28: several machines. Started by mpirun, or with a prompt, it writes texts as "
        "chapter 23 does.",
        [&](OptionTable& app) {
            add_options(app, settings);
            command_line = CommandLine(app);
            parts.declare(*command_line);
        },
        [&] {
            const bool writes =
                !settings.prompts.empty() || !settings.prompt_file.empty() || settings.chat;
            const bool text = parts.part == 0 && (processes.size() > 1 || writes);
            check_options(*command_line, text);
            if (text) status = write_together(processes, settings);
            else parts.show(settings.output.figure);
        },
        with_our_names);
    return processes.end(ran != 0 ? ran : status);
}
