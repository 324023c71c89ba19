// Chapter 26's server on several processes: make serve MPI=4. The first one answers; the others run
// its passes.
#include "chapters/26_serving/server/http.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/mpi/mpi_processes.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    MpiProcesses processes(argc, argv);
    ServerSettings settings;
    const int status = run_program(
        argc, argv, "Serves a model that several processes share (mpirun -n 4 …).",
        [&](OptionTable& app) { add_server_options(app, settings); },
        [&] {
            processes.together([&] { complete(settings); });
            processes.check_same_model(settings.model.model);
            processes.lead();
            set_default_processes(&processes);
            if (processes.rank() == 0) return serve(settings);
            Transformer transformer =
                load_model(settings.model.model, transformer_options(settings.model)).transformer;
            processes.follow([&](std::span<const int> pass) { transformer.follow(pass); });
        });
    return processes.rank() == 0 ? status : processes.end(status);
}
