// Chapter 26's server on several processes: make serve MPI=4. The first one answers; the others run
// its passes.
#include <optional>
#include <string>

#include "chapters/26_serving/server/http.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/mpi/mpi_processes.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    MpiProcesses processes(argc, argv);
    ServerSettings settings;
    bool ready = false;  // from here on the first process says when all end
    const int status = run_program(
        argc, argv, "Serves a model that several processes share (mpirun -n 4 …).",
        [&](OptionTable& app) { add_server_options(app, settings); },
        [&] {
            const std::string& model = settings.model.model;
            processes.together([&] { complete(settings), check_model_path(model); });
            processes.check_same_model(model);
            processes.lead();
            set_default_processes(&processes);
            std::optional<Model> own;
            processes.together([&] {
                if (processes.rank() > 0)
                    own = load_model(model, transformer_options(settings.model));
            });
            ready = true;
            if (!own) return serve(settings);
            processes.follow([&](std::span<const int> pass) { own->transformer.follow(pass); });
        });
    return ready && processes.rank() == 0 ? status : processes.end(status);
}
