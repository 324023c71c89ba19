// Copies a trained model to the folder of the models that come with the course, after showing both
// side by side.
//
//   build/adopt build/models/storyteller data/models/storyteller     (make adopt MODEL=storyteller)
//
// What to look for: no figure that is worse than before.
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include "chapters/19_training/tools/adopt.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"

int main(int argc, char** argv) {
    std::string trained, shipped;
    bool yes = false;
    return tbt::run_program(
        argc, argv, "Installs a trained model in the folder of the shipped models.",
        [&](tbt::CommandLine line) {
            line.option("trained", trained, "the trained model's directory").required();
            line.option("shipped", shipped, "the directory that it replaces").required();
            line.option("--yes", yes, "do not ask");
        },
        [&] {
            std::fputs(tbt::adoption_table(trained, shipped).c_str(), stdout);
            if (!yes) {
                if (!isatty(STDIN_FILENO))
                    throw tbt::UsageError("no terminal to ask in: --yes installs " + trained);
                std::printf("\nInstall %s as %s? [y/N] ", trained.c_str(), shipped.c_str());
                std::fflush(stdout);
                std::string answer;
                if (!std::getline(std::cin, answer) || (answer != "y" && answer != "yes")) {
                    std::printf("Nothing was changed.\n");
                    return;
                }
            }
            tbt::adopt(trained, shipped);
            std::printf("%s is now %s\n", shipped.c_str(), trained.c_str());
        });
}
